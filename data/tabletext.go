package data

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/qats-bench/qats/data/formats"
	"github.com/qats-bench/qats/data/problem"
)

// textTable is a table of texts.
type textTable struct {
	name   string
	comma  rune
	header []string
	rows   [][]string
	lines  []int    // of rows, in the file
	files  []string // of rows, where there are several
}

// problem is an error of a field.
func (t *textTable) problem(row, col int, cause, fix string) error {
	name := t.name
	if t.files != nil {
		name = t.files[row]
	}
	return &problem.Problem{Place: fmt.Sprintf("%s:%d: column %s", name, t.lines[row], t.title(col)), Cause: cause, Fix: fix}
}

// fail is an error of the table.
func (t *textTable) fail(cause, fix string) error {
	return &problem.Problem{Place: t.name, Cause: cause, Fix: fix}
}

// title is the name of a column, or its number.
func (t *textTable) title(col int) string {
	if t.header[col] == "" {
		return strconv.Itoa(col + 1)
	}
	return t.header[col]
}

func (t *textTable) titles(cols []int) string {
	var names []string
	for _, c := range cols {
		names = append(names, t.title(c))
	}
	return few(names, 8)
}

// few lists names, at most n of them.
func few(names []string, n int) string {
	if len(names) > n {
		return fmt.Sprintf("%s, ... (%d in all)", strings.Join(names[:n], ", "), len(names))
	}
	return strings.Join(names, ", ")
}

// parseTable reads the fields of a table of at most limit bytes:
//
//   - the text is in UTF-8, or in UTF-16 with a byte order mark, and may be packed by gzip;
//   - the first line is the header. Before it may be a line sep=; of Excel, and comments, which begin with #. Where the
//     line after the comments has numbers alone, the last comment is the header: so numpy.savetxt writes it;
//   - fields are separated by commas, semicolons, tabs or vertical lines, whichever the header has most of, or else by spaces,
//     as numpy.savetxt writes them;
//   - a text of JSON is a table of records, see records;
//   - a line without any field is left out;
//   - a column of lists of numbers, such as "[0.1, 0.9]", becomes a column for each number, TITLE_0, TITLE_1 and so on.
func parseTable(name string, r io.Reader, limit int64) (*textTable, error) {
	t := &textTable{name: name}
	text, err := t.unpacked(r, limit)
	if err != nil {
		return nil, err
	}
	if isJSON(text) && formats.IsRecords(name) {
		return t, t.records(text)
	}
	text, before := t.afterComments(text)
	c := csv.NewReader(strings.NewReader(text))
	c.Comma, c.FieldsPerRecord, c.TrimLeadingSpace = t.comma, 0, t.comma != '\t'
	for {
		row, err := c.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		for j := range row {
			row[j] = strings.TrimSpace(row[j])
		}
		if pe := (*csv.ParseError)(nil); errors.As(err, &pe) {
			cause, fix := pe.Err.Error(), ""
			if errors.Is(err, csv.ErrFieldCount) {
				if isBlank(row) {
					continue
				}
				cause, fix = fmt.Sprintf("%d fields; the header has %d", len(row), len(t.header)), t.widthFix(row)
			}
			return nil, &problem.Problem{Place: fmt.Sprintf("%s:%d:%d", name, pe.Line+before, pe.Column), Cause: cause, Fix: fix}
		}
		line, _ := c.FieldPos(0)
		switch {
		case isBlank(row):
		case t.header == nil:
			t.header = row
		default:
			t.rows, t.lines = append(t.rows, row), append(t.lines, line+before)
		}
	}
	switch {
	case t.header == nil:
		return nil, t.fail("empty", "")
	case !slices.ContainsFunc(t.header, func(h string) bool { return !isNumber(h) }):
		return nil, t.fail(fmt.Sprintf("line %d has numbers, and no names of columns", before+1), t.headerFix(name))
	case len(t.rows) == 0:
		return nil, t.fail("no row after the header", "")
	}
	return t, t.spread()
}

// headerFix says what to do with a file of numbers alone: it is a table without its header, or what np.savetxt wrote.
func (t *textTable) headerFix(name string) string {
	load := fmt.Sprintf("np.loadtxt(%q, delimiter=%q)", name, string(t.comma))
	if t.comma == ' ' {
		load = fmt.Sprintf("np.loadtxt(%q)", name)
	}
	return fmt.Sprintf("add a header, such as p_0%[1]cp_1%[1]clabel; if it is one array, save it in Python: np.save(\"x.npy\", %[2]s)", t.comma, load)
}

// unpacked returns the text of a table in UTF-8, with lines that end in \n or \r\n.
func (t *textTable) unpacked(r io.Reader, limit int64) (string, error) {
	b := bufio.NewReader(r)
	if head, _ := b.Peek(2); bytes.Equal(head, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(b)
		if err != nil {
			return "", t.fail("not a complete .gz file: "+err.Error(), "")
		}
		b = bufio.NewReader(z)
	}
	start, _ := b.Peek(512)
	if p := formats.Foreign(t.name, start, formats.Table{}); p != nil {
		return "", p
	}
	text, err := io.ReadAll(io.LimitReader(b, limit+1))
	switch {
	case err != nil && (errors.Is(err, gzip.ErrChecksum) || errors.Is(err, gzip.ErrHeader) || errors.Is(err, io.ErrUnexpectedEOF)):
		return "", t.fail("not a complete .gz file: "+err.Error(), "")
	case err != nil:
		return "", problem.At(t.name, err)
	case int64(len(text)) > limit:
		return "", t.fail(fmt.Sprintf("has more than %d bytes, the limit for a table", limit), "raise --max-memory, or save the arrays as .npy, which are read in blocks")
	}
	text = fromUTF16(text)
	at := bytes.IndexByte(text, 0)
	if !utf8.Valid(text) {
		at = 0
		for size := 1; size > 0; at += size {
			var r rune
			if r, size = utf8.DecodeRune(text[at:]); r == utf8.RuneError && size < 2 {
				break
			}
		}
	}
	if at >= 0 {
		return "", t.fail(fmt.Sprintf("line %d: not a text in UTF-8", 1+bytes.Count(text[:at], []byte("\n"))), "save it in UTF-8")
	}
	if !bytes.Contains(text, []byte("\n")) {
		text = bytes.ReplaceAll(text, []byte("\r"), []byte("\n"))
	}
	return string(text), nil
}

// fromUTF16 returns a text without its byte order mark, in UTF-8 if it was in UTF-16, as Excel writes it.
func fromUTF16(text []byte) []byte {
	var order binary.ByteOrder
	switch {
	case bytes.HasPrefix(text, []byte{0xff, 0xfe}):
		order = binary.LittleEndian
	case bytes.HasPrefix(text, []byte{0xfe, 0xff}):
		order = binary.BigEndian
	default:
		return bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	}
	var units []uint16
	for pair := range slices.Chunk(text[2:], 2) {
		if len(pair) == 2 {
			units = append(units, order.Uint16(pair))
		}
	}
	return []byte(string(utf16.Decode(units)))
}

// afterComments returns the text from its header on, and the number of lines before that. It finds the separator.
func (t *textTable) afterComments(text string) (string, int) {
	before, comment := 0, ""
	for {
		line, rest, more := strings.Cut(text, "\n")
		line = strings.TrimSpace(line)
		sep, stated := strings.CutPrefix(strings.ToLower(line), "sep=")
		switch stated = stated && len(sep) < 2; {
		case before == 0 && stated:
			if t.comma = '\t'; sep != "" {
				t.comma = rune(sep[0])
			}
		case strings.HasPrefix(line, "#"):
			comment = strings.TrimLeft(line, "# ")
		case line != "" || !more:
			if comment != "" && !slices.ContainsFunc(strings.FieldsFunc(line, func(r rune) bool { return r == separatorOf(line) || r == ' ' }), func(f string) bool { return !isNumber(strings.TrimSpace(f)) }) {
				text, before = comment+"\n"+text, before-1
				line, rest = comment, line
			}
			if t.comma == 0 {
				t.comma = separatorOf(line)
			}
			if next, _, _ := strings.Cut(rest, "\n"); t.comma == ',' && !strings.Contains(line, ",") {
				if n := len(strings.Fields(line)); n > 1 && n == len(strings.Fields(next)) && !strings.Contains(next, ",") {
					t.comma = ' '
				}
			}
			return text, before
		}
		text = rest
		before++
	}
}

// isBlank reports whether all fields of a line are empty.
func isBlank(row []string) bool {
	return !slices.ContainsFunc(row, func(field string) bool { return field != "" })
}

// widthFix is what to do about a row with another number of fields than the header.
func (t *textTable) widthFix(row []string) string {
	switch n := len(row) - len(t.header); {
	case len(t.header) == 1:
		return "the first line is the header: remove the lines before it"
	case n == 1 && row[len(row)-1] == "":
		return "remove the separator at the end of the line"
	case n == 1 && len(t.rows) == 0:
		return "the first field may be the name of the row, as R writes it: give its column a name"
	}
	return "give each line as many fields as the header"
}

// spread makes a column for each number of a column of lists.
func (t *textTable) spread() error {
	for j := len(t.header) - 1; j >= 0; j-- {
		if slices.ContainsFunc(t.rows, func(row []string) bool { return listOf(row[j]) == nil }) {
			continue
		}
		k := len(listOf(t.rows[0][j]))
		titles := make([]string, k)
		for i := range titles {
			titles[i] = strings.TrimPrefix(t.header[j]+"_"+strconv.Itoa(i), "_")
		}
		for i, row := range t.rows {
			list := listOf(row[j])
			if len(list) != k {
				return t.problem(i, j, fmt.Sprintf("%d numbers, and %d in the first row", len(list), k), "")
			}
			t.rows[i] = slices.Concat(row[:j], list, row[j+1:])
		}
		t.header = slices.Concat(t.header[:j], titles, t.header[j+1:])
	}
	return nil
}

// bare leaves the numbers of a list, of which numpy 2 writes np.float64(0.1).
var bare = strings.NewReplacer("np.float64(", "", "np.float32(", "", ")", "")

// listOf returns the numbers of a field that is a list of them, separated by commas or spaces, as Python, numpy, PyTorch and
// Spark write it; nil if it is none.
func listOf(field string) []string {
	open, end := strings.IndexByte(field, '['), strings.IndexByte(field, ']')
	if open < 0 || end < open || !slices.Contains([]string{"", "(", "array(", "tensor(", "DenseVector("}, field[:open]) {
		return nil
	}
	list := strings.FieldsFunc(bare.Replace(field[open+1:end]), func(r rune) bool { return r == ',' || unicode.IsSpace(r) })
	if len(list) == 0 || slices.ContainsFunc(list, func(f string) bool { return !isNumber(f) && f != "..." }) {
		return nil
	}
	return list
}

// separatorOf returns what separates the fields of a header: a comma, a semicolon, a tab or a vertical line, of which
// it has most outside quotes.
func separatorOf(header string) rune {
	count := map[rune]int{}
	quoted := false
	for _, r := range header {
		if r == '"' {
			quoted = !quoted
		}
		if !quoted {
			count[r]++
		}
	}
	best := ','
	for _, r := range []rune{';', '\t', '|'} {
		if count[r] > count[best] {
			best = r
		}
	}
	return best
}

// isNumber reports whether a field is a number, with a decimal point or comma, or per cent with its sign.
func isNumber(text string) bool {
	_, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(strings.Replace(text, ",", ".", 1), "%")), 64)
	return err == nil || errors.Is(err, strconv.ErrRange)
}
