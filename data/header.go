package data

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/sbinet/npyio/npy"
)

// header is what a .npy file says of itself, checked.
type header struct {
	dtype     DType
	bigEndian bool
	fortran   bool
	shape     []int
	offset    int64 // where the body begins
}

// maxHeader bounds the header's text. numpy itself refuses more than 10,000
// characters; a plain array needs about 100.
const maxHeader = 64 << 10

const npyMagic = "\x93NUMPY"

// headerForm is the text that numpy.save, and every writer we know of, puts in
// the header. It is also the only form that the library reads correctly: it
// finds the values by counting from the keys, so that another order of keys
// makes it panic and (1000) without its comma reads as 100.
var headerForm = regexp.MustCompile(`^\{'descr': '[^']*', 'fortran_order': (True|False), 'shape': ` +
	`\((|-?[0-9]+,|-?[0-9]+(, ?-?[0-9]+)+,?)\), \} *\n$`)

// readHeader reads and checks the header of a file of size bytes: its form, its
// shape, and that the body that shape and type ask for is what the file holds.
func readHeader(r io.ReaderAt, size int64) (header, error) {
	text, offset, err := headerText(r, size)
	if err != nil {
		return header{}, err
	}
	if !headerForm.MatchString(text) {
		return header{}, headerFault(text)
	}
	parsed, err := parseHeader(text)
	if err != nil {
		return header{}, err
	}
	h := header{fortran: parsed.Descr.Fortran, shape: parsed.Descr.Shape, offset: offset}
	h.dtype, h.bigEndian, err = parseDescr(parsed.Descr.Type)
	if err != nil {
		return header{}, err
	}
	body, err := h.bodySize()
	if err != nil {
		return header{}, err
	}
	switch have := size - offset; {
	case have < body:
		return header{}, fmt.Errorf("truncated: %d of the %d bytes that %s %s takes", have, body, tuple(h.shape), h.dtype)
	case have > body:
		return header{}, fmt.Errorf("too long: %d bytes beyond the %d that %s %s takes", have-body, body, tuple(h.shape), h.dtype)
	}
	h.fortran = h.fortran && h.axes() > 1
	return h, nil
}

// headerText returns the text of the header and the offset of the body.
func headerText(r io.ReaderAt, size int64) (text string, offset int64, err error) {
	if size == 0 {
		return "", 0, errors.New("empty file")
	}
	var start [12]byte
	if err := readFull(r, start[:min(12, size)], 0); err != nil {
		return "", 0, err
	}
	if string(start[:min(6, size)]) != npyMagic[:min(6, size)] {
		return "", 0, errors.New("not a .npy file: it does not begin with \\x93NUMPY")
	}
	if size < 10 {
		return "", 0, fmt.Errorf("truncated: %d bytes, shorter than any .npy file", size)
	}
	var length int64
	switch major, minor := start[6], start[7]; {
	case minor != 0 || major < 1 || major > 3:
		return "", 0, fmt.Errorf(".npy format %d.%d is unknown; 1.0, 2.0 and 3.0 are read", major, minor)
	case major == 1:
		length, offset = int64(binary.LittleEndian.Uint16(start[8:])), 10
	case size < 12:
		return "", 0, fmt.Errorf("truncated: %d bytes, shorter than any .npy file", size)
	default:
		length, offset = int64(binary.LittleEndian.Uint32(start[8:])), 12
	}
	if length > size-offset {
		return "", 0, fmt.Errorf("truncated: the header takes %d bytes, %d are there", length, size-offset)
	}
	if length > maxHeader {
		return "", 0, fmt.Errorf("the header takes %d bytes; more than %d is refused", length, maxHeader)
	}
	buf := make([]byte, length)
	if err := readFull(r, buf, offset); err != nil {
		return "", 0, err
	}
	return string(buf), offset + length, nil
}

// headerFault says what is wrong with a header that is not of headerForm.
func headerFault(text string) error {
	const rewrite = "; write the file again with numpy.save"
	bracket := regexp.MustCompile(`'shape': \( *([0-9]+) *\)`).FindStringSubmatch(text)
	keys := make([]int, 0, 3)
	for _, key := range []string{"'descr': ", "'fortran_order': ", "'shape': "} {
		keys = append(keys, strings.Index(text, key))
	}
	switch {
	case !strings.HasSuffix(text, "\n"):
		return errors.New("the header does not end in a newline" + rewrite)
	case strings.Contains(text, "'descr': ["):
		return errors.New("structured dtype is not read; store numbers, such as float32 or int32")
	case keys[0] < 0 || keys[1] < 0 || keys[2] < 0:
		return errors.New("the header lacks one of 'descr', 'fortran_order', 'shape'" + rewrite)
	case keys[0] > keys[1] || keys[1] > keys[2]:
		return errors.New("the header's keys are not in the order 'descr', 'fortran_order', 'shape'" + rewrite)
	case bracket != nil:
		return fmt.Errorf("shape (%s) is a number and not a tuple; want (%s,)", bracket[1], bracket[1])
	}
	return errors.New("the header is not {'descr': ..., 'fortran_order': ..., 'shape': (...), } as numpy.save writes it" + rewrite)
}

// parseHeader hands a text of headerForm to the library, in the envelope of
// format 2.0, whatever the file's own: the library does not know 3.0, which
// differs only in its encoding of field names.
func parseHeader(text string) (npy.Header, error) {
	var b bytes.Buffer
	b.WriteString(npyMagic + "\x02\x00")
	b.Write(binary.LittleEndian.AppendUint32(nil, uint32(len(text))))
	b.WriteString(text)
	r, err := npy.NewReader(&b)
	if errors.Is(err, strconv.ErrRange) {
		return npy.Header{}, fmt.Errorf("the shape has an entry beyond 2^%d-1", strconv.IntSize-1)
	}
	if err != nil {
		return npy.Header{}, err
	}
	return r.Header, nil
}

// bodySize returns the bytes that shape and type ask for. An axis of length 0
// does not excuse the others: their product must fit too, since it is the
// number of rows.
func (h header) bodySize() (int64, error) {
	count, empty := int64(1), false
	limit := int64(math.MaxInt / h.dtype.size())
	for _, d := range h.shape {
		switch {
		case d < 0:
			return 0, fmt.Errorf("shape %s has a negative entry", tuple(h.shape))
		case d == 0:
			empty = true
		case int64(d) > limit/count:
			return 0, fmt.Errorf("shape %s of %s is more than 2^%d bytes", tuple(h.shape), h.dtype, strconv.IntSize-1)
		default:
			count *= int64(d)
		}
	}
	if empty {
		return 0, nil
	}
	return count * int64(h.dtype.size()), nil
}

// axes counts the axes longer than one; with at most one, C and Fortran order
// are the same.
func (h header) axes() int {
	n := 0
	for _, d := range h.shape {
		if d != 1 {
			n++
		}
	}
	return n
}

// appendHeader appends the header of a C-order array in format 1.0, padded as
// numpy pads it so that the body begins at a multiple of 64. It is written
// here because the library writes a header only together with a body, which it
// takes by reflection and writes one element at a time.
func appendHeader(b []byte, t DType, shape []int) []byte {
	text := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }", t.descr(), tuple(shape))
	const fixed = len(npyMagic) + 4
	pad := 63 - (fixed+len(text))%64
	text += strings.Repeat(" ", pad) + "\n"
	b = append(b, npyMagic+"\x01\x00"...)
	b = binary.LittleEndian.AppendUint16(b, uint16(len(text)))
	return append(b, text...)
}

// tuple formats a shape as Python does: (5000, 10), (5000,), ().
func tuple(shape []int) string {
	s := make([]string, len(shape))
	for i, d := range shape {
		s[i] = strconv.Itoa(d)
	}
	if len(s) == 1 {
		return "(" + s[0] + ",)"
	}
	return "(" + strings.Join(s, ", ") + ")"
}

// readFull fills p from offset at. A short read, which the check of the size
// has ruled out, means that the file has changed meanwhile.
func readFull(r io.ReaderAt, p []byte, at int64) error {
	n, err := r.ReadAt(p, at)
	if n == len(p) {
		return nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		return fmt.Errorf("ends at byte %d: it was cut while being read", at+int64(n))
	}
	return err
}
