package plots

import (
	"bytes"
	"compress/zlib"
	"crypto/sha256"
	"encoding/xml"
	"errors"
	"fmt"
	"html"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"unicode/utf16"

	"gonum.org/v1/plot/vg"

	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/results/figure"
)

// TestEveryDeclarationHasOneDrawing, and the reverse, in the same order.
func TestEveryDeclarationHasOneDrawing(t *testing.T) {
	nameOf := func(k figure.Kind) string { return k.Name }
	declared := lists.Values(figure.Kinds(), nameOf)
	drawn := lists.Values(Registry(), func(e Entry) string { return e.Name })
	if !slices.Equal(declared, drawn) {
		t.Errorf("results/figure declares %q, and plots draws %q", declared, drawn)
	}
	if distinct := lists.Distinct(figure.Kinds(), nameOf); len(distinct) != len(declared) {
		t.Errorf("two kinds of one name: %q", declared)
	}
}

// digests has one line for each figure and format, the same in every process.
func digests(t *testing.T) string {
	methods := []string{"uncal", "ts", "mine", "qats"}
	if testing.Short() {
		methods = methods[2:]
	}
	var out strings.Builder
	for _, e := range Registry() {
		f := mustDraw(t, e.Kind, sample(e.Kind, methods...))
		formats := []Format{SVG, PDF, PGF, PNG}
		if !e.PerSetting {
			formats = formats[:3] // a large PNG takes long and tests nothing new
		}
		for _, format := range formats {
			fmt.Fprintf(&out, "%s.%s %x\n", e.Name, format, sha256.Sum256(encode(t, f, format)))
		}
	}
	return out.String()
}

// The test binary runs itself with this variable to print its digests.
const childVariable = "QATS_PLOTS_TEST_CHILD"

// TestSameRowsGiveTheSameBytes: in this process, in concurrent drawings, and in
// another process with another time zone.
func TestSameRowsGiveTheSameBytes(t *testing.T) {
	if os.Getenv(childVariable) != "" {
		fmt.Printf("BEGIN\n%sEND\n", digests(t))
		return
	}
	got := make([]string, 2)
	var wg sync.WaitGroup
	for i := range got {
		wg.Go(func() { got[i] = digests(t) })
	}
	wg.Wait()
	want := got[0]
	if got[1] != want {
		t.Errorf("two concurrent drawings gave\n%sand\n%s", want, got[1])
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, "-test.run=^TestSameRowsGiveTheSameBytes$", fmt.Sprintf("-test.short=%t", testing.Short()))
	cmd.Env = append(os.Environ(), childVariable+"=1", "TZ=Asia/Tokyo", "TMPDIR="+t.TempDir())
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if !strings.Contains(string(out), "BEGIN\n"+want+"END\n") {
		t.Errorf("another process gave\n%swant\n%s", out, want)
	}
}

// TestPDFCarriesNoDate: the test above may run within one second, so this one looks
// for dates.
func TestPDFCarriesNoDate(t *testing.T) {
	data := encode(t, mustDraw(t, figure.Reliability, Input{Bins: testBins("ts")}), PDF)
	dates := regexp.MustCompile(`D:\d+`).FindAllString(string(data), -1)
	if len(dates) != 2 || dates[0] != "D:20000101000000" || dates[1] != dates[0] {
		t.Errorf("dates %q, want the constant twice", dates)
	}
}

// pdfText returns the inflated streams of a PDF file.
func pdfText(t *testing.T, data []byte) string {
	t.Helper()
	var text strings.Builder
	for _, part := range bytes.Split(data, []byte("stream\n")) {
		r, err := zlib.NewReader(bytes.NewReader(part))
		if err != nil {
			continue
		}
		if _, err := io.Copy(&text, r); err != nil {
			t.Fatal(err)
		}
	}
	return text.String()
}

// TestSimulatedIsVisible in SVG and PDF, and only for simulated rows. A figure that judges
// methods is not drawn of them.
func TestSimulatedIsVisible(t *testing.T) {
	for _, e := range Registry() {
		for _, source := range []string{measured, simulated} {
			in, want := sample(e.Kind, "uncal", "qats").from(source), source == simulated
			if e.Judges && want {
				if _, err := e.Draw(in); !errors.Is(err, ErrSimulated) {
					t.Errorf("%s of simulated rows: %v", e.Name, err)
				}
				continue
			}
			f := mustDraw(t, e.Kind, in)
			if got := bytes.Contains(encode(t, f, SVG), []byte(`aria-label="simulated"`)); got != want {
				t.Errorf("%s.svg of %s rows: word %v, want %v", e.Name, source, got, want)
			}
			if got := strings.Contains(pdfText(t, encode(t, f, PDF)), utf16BE(simulated)); got != want {
				t.Errorf("%s.pdf of %s rows: word %v, want %v", e.Name, source, got, want)
			}
		}
	}
}

// utf16BE is text as it stands in a PDF.
func utf16BE(s string) string {
	var b strings.Builder
	for _, u := range utf16.Encode([]rune(s)) {
		b.WriteByte(byte(u >> 8))
		b.WriteByte(byte(u))
	}
	return b.String()
}

// TestTextDependsOnNoFontOfTheReader: SVG draws outlines, and PDF embeds what it
// uses of the font.
func TestTextDependsOnNoFontOfTheReader(t *testing.T) {
	in := sample(figure.Severity, "ts", "qats")
	in.Labels = map[string]string{"ts": "Température τ, Жар", "qats": "a<b & \"c\" 漢"}
	f := mustDraw(t, figure.Severity, in)
	svg := string(encode(t, f, SVG))
	if strings.Contains(svg, "<text") || strings.Contains(svg, "font-family") {
		t.Error("the SVG has text in a font")
	}
	for _, want := range []string{`aria-label="Température τ, Жар"`, `aria-label="a&lt;b &amp; &#34;c&#34; ?"`} { // the font has no 漢
		if !strings.Contains(svg, want) {
			t.Errorf("no %s", want)
		}
	}
	if err := xml.Unmarshal([]byte(svg), new(struct{})); err != nil {
		t.Error(err)
	}
	for _, outline := range []string{ // of the font's L and bracket, in its units, with y downwards
		`<path id="glyph-4c" d="M168 0L168 -1409L359 -1409L359 -156L1071 -156L1071 0L168 0Z"/>`,
		`<path id="glyph-28" d="M127 -532Q127 -821 217 -1051Q308 -1281 496 -1484L670 -1484Q483 -1276 395 -1042Q308 -808 308 -530Q308 -253 394 -20Q481 213 670 424L496 424Q307 220 217 -10Q127 -241 127 -528L127 -532Z"/>`,
	} {
		if !strings.Contains(svg, outline) {
			t.Errorf("no %s", outline)
		}
	}
	for _, id := range regexp.MustCompile(`xlink:href="#([^"]*)"`).FindAllStringSubmatch(svg, -1) {
		if !strings.Contains(svg, `<path id="`+id[1]+`" d="M`) {
			t.Errorf("no outline %s", id[1])
		}
	}
	pdf := encode(t, f, PDF)
	if !strings.Contains(pdfText(t, pdf), utf16BE("Température τ, Жар")) || !bytes.Contains(pdf, []byte("/FontFile2")) {
		t.Error("the PDF lacks the label or the font")
	}
	if len(pdf) > 60_000 {
		t.Errorf("the PDF has %d bytes; is its font a subset?", len(pdf))
	}
}

// TestFiguresOfAPageHaveTextAndNoIds: every text of a figure is in its element, with the
// width that the figure has for it, and two figures of a page share no id.
func TestFiguresOfAPageHaveTextAndNoIds(t *testing.T) {
	text := regexp.MustCompile(`<text [^>]*textLength="([0-9.]+)" lengthAdjust="spacingAndGlyphs">([^<]*)</text>`)
	for _, e := range Registry() {
		in := sample(e.Kind, "uncal", "qats")
		in.Labels = map[string]string{"qats": `a<b & "c"`}
		f := mustDraw(t, e.Kind, in)
		element, err := f.Inline(literal)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(element, " id=") || strings.Contains(element, "href") {
			t.Errorf("%s has ids", e.Name)
		}
		if err := xml.Unmarshal([]byte(element), new(struct{})); err != nil {
			t.Errorf("%s: %v", e.Name, err)
		}
		got, want := text.FindAllStringSubmatch(element, -1), words(t, f)
		if len(got) != len(want) {
			t.Fatalf("%s has %d texts, want %d", e.Name, len(got), len(want))
		}
		for i, w := range want {
			width, err := strconv.ParseFloat(got[i][1], 64)
			if err != nil || html.UnescapeString(got[i][2]) != w.text || !(math.Abs(width-float64(max(w.Max.X-w.Min.X, w.Max.Y-w.Min.Y))) <= .01) && len(w.text) > 2 {
				t.Errorf("%s: text %q, want %q at %v", e.Name, got[i], w.text, w.Rectangle)
			}
		}
	}
}

// TestAFigureOfAPageThatCannotBeDrawnIsAnError.
func TestAFigureOfAPageThatCannotBeDrawnIsAnError(t *testing.T) {
	if element, err := (&Figure{Width: 10, Height: 10}).Inline(literal); err == nil || element != "" {
		t.Errorf("%q, error %v", element, err)
	}
}

// TestPGFLeavesTextToLaTeX: what is special to LaTeX is escaped.
func TestPGFLeavesTextToLaTeX(t *testing.T) {
	in := sample(figure.QuantileGap, "ts")
	in.Labels = map[string]string{"ts": "T_S 50 %"}
	pgf := string(encode(t, mustDraw(t, figure.QuantileGap, in), PGF))
	for _, want := range []string{`pt}{T\_S 50 \%}}`, `pt}{$-$`, "use as bounding box", "\\begin{pgfpicture}", "\\end{pgfpicture}"} {
		if !strings.Contains(pgf, want) {
			t.Errorf("no %s", want)
		}
	}
}

// TestSaveReplacesFiles of each format, and leaves nothing behind.
func TestSaveReplacesFiles(t *testing.T) {
	f := mustDraw(t, figure.QuantileGap, Input{Bins: testBins("ts")})
	dir := t.TempDir()
	for _, format := range Formats() {
		path := filepath.Join(dir, "figure."+string(format))
		for range 2 { // the second time over the first
			if err := f.Save(path); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, encode(t, f, format)) {
			t.Errorf("%s differs from Encode", path)
		}
	}
	if files, _ := os.ReadDir(dir); len(files) != 4 {
		t.Errorf("left behind: %v", files)
	}
	for _, bad := range []string{"figure", "figure.eps", "nowhere/figure.svg"} {
		if err := f.Save(filepath.Join(dir, bad)); err == nil {
			t.Errorf("Save(%q) succeeded", bad)
		}
	}
}

// TestBackendPanicIsError: a panic of a backend becomes an error.
func TestBackendPanicIsError(t *testing.T) {
	f := &Figure{Width: 10, Height: 10, draw: nil}
	if err := f.Encode(io.Discard, SVG); err == nil || !strings.Contains(err.Error(), "svg figure") {
		t.Errorf("error %v", err)
	}
}

// TestPDFReturnsWhatItCannotDraw when it is written, and does not panic.
func TestPDFReturnsWhatItCannotDraw(t *testing.T) {
	var arc vg.Path
	arc.Move(vg.Point{X: 6, Y: 5})
	arc.Arc(vg.Point{X: 5, Y: 5}, 1, 0, 1.5)
	for want, drawOn := range map[string]func(vg.Canvas){
		"only whole circles": func(c vg.Canvas) { c.Fill(arc) },
		"images cannot be":   func(c vg.Canvas) { c.DrawImage(vg.Rectangle{}, nil) },
	} {
		c, err := newPDF(10, 10)
		if err != nil {
			t.Fatal(err)
		}
		drawOn(c)
		if _, err := c.WriteTo(io.Discard); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}
