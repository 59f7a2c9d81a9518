package plots

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/qats-bench/qats/results/figure"
)

// element is what a figure draws: a line, an area, a box, a dot or a text, its look, and its
// points from left to right and from bottom to top, in points of print.
type element struct {
	look string
	at   [][2]float64
}

var (
	svgMatrix = regexp.MustCompile(`^scale\(1, -1\) translate\((\S+), (\S+)\)(?: scale\((\S+)\))?$`)
	svgCircle = regexp.MustCompile(`^M([-\d.]+),([-\d.]+)A([-\d.]+),.*Z$`)
)

// drawing lists the elements of an SVG file, one a line, in the order in which they are drawn.
// Points count from the lower left corner of all that is no text, so that no margin moves them.
// An element outside the page and a text whose characters do not spell it are errors.
func drawing(svg []byte) (string, error) {
	var list []element
	var box [4]float64 // of the page
	var letters map[string]bool
	var spelt, label string // characters of the text so far, and all of it
	turned, end := false, 0.
	for d := xml.NewDecoder(bytes.NewReader(svg)); ; {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			return "", err
		}
		if e, ok := token.(xml.EndElement); ok && e.Name.Local == "g" {
			if label == "" {
				turned = false
			}
			if spelt != strings.ReplaceAll(label, " ", "") {
				return "", fmt.Errorf("the text %q is drawn as %q", label, spelt)
			}
			label, spelt = "", ""
		}
		start, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		a := map[string]string{}
		for _, attribute := range start.Attr {
			a[attribute.Name.Local] = attribute.Value
		}
		switch name := start.Name.Local; {
		case name == "svg":
			box, letters = [4]float64(floats(a["viewBox"])), map[string]bool{}
		case name == "defs", name == "g" && a["transform"] == fmt.Sprintf("scale(1, -1) translate(0, %s)", signed(-box[3])):
		case name == "g" && a["transform"] == "rotate(90)":
			turned = true
		case name == "path" && a["id"] != "":
			letters[a["id"]] = true
		case name == "path":
			e, err := pathElement(a["d"], a["style"])
			if err != nil {
				return "", err
			}
			list = append(list, e)
		case name == "g" && svgMatrix.MatchString(a["transform"]):
			m := svgMatrix.FindStringSubmatch(a["transform"])
			n := floats(strings.Join(m[1:], " "))
			at, look := [2]float64{n[0], -n[1]}, fmt.Sprintf("text %.4g %s", n[2]*2048, a["fill"])
			if turned {
				at, look = [2]float64{n[1], n[0]}, look+" turned"
			}
			label, end = a["aria-label"], -1
			list = append(list, element{look + " " + strconv.Quote(label), [][2]float64{at}})
		case name == "use":
			x, err := strconv.ParseFloat(a["x"], 64)
			code, hex := strconv.ParseInt(strings.TrimPrefix(a["href"], "#glyph-"), 16, 32)
			if err != nil || hex != nil || x <= end || !letters[a["href"][1:]] {
				return "", fmt.Errorf("a character of %q: %v", label, start)
			}
			spelt, end = spelt+string(rune(code)), x
		default:
			return "", fmt.Errorf("unknown element %v", start)
		}
	}
	corner := [2]float64{math.Inf(1), math.Inf(1)}
	for _, e := range list {
		for _, p := range e.at {
			if p[0] < 0 || p[1] < 0 || p[0] > box[2] || p[1] > box[3] {
				return "", fmt.Errorf("%s stands outside the page, at %v of %v", e.look, p, box)
			}
			if !strings.HasPrefix(e.look, "text") {
				corner = [2]float64{min(corner[0], p[0]), min(corner[1], p[1])}
			}
		}
	}
	var b strings.Builder
	for _, e := range list {
		b.WriteString(e.look)
		for _, p := range e.at {
			fmt.Fprintf(&b, " %s,%s", signed(p[0]-corner[0]), signed(p[1]-corner[1]))
		}
		b.WriteByte('\n')
	}
	return b.String(), nil
}

// pathElement is the element of a path: a circle is a dot, a rectangle a box with two corners.
func pathElement(d, style string) (element, error) {
	s := map[string]string{"fill": "#000000", "stroke-width": "1"}
	for item := range strings.SplitSeq(style, ";") {
		name, value, _ := strings.Cut(item, ":")
		s[name] = value
	}
	look := s["fill"] + strings.TrimSuffix(" "+s["fill-opacity"], " ")
	if s["stroke"] != "" {
		look = strings.TrimSuffix(s["stroke"]+" "+s["stroke-width"]+" dashed "+s["stroke-dasharray"], " dashed ")
	}
	if m := svgCircle.FindStringSubmatch(d); m != nil {
		n := floats(strings.Join(m[1:], " "))
		return element{fmt.Sprintf("dot %s radius %g", look, n[2]), [][2]float64{{n[0] - n[2], n[1]}}}, nil
	}
	points, closed := strings.CutSuffix(d, "Z")
	e := element{look: "line " + look}
	for pair := range strings.SplitSeq(strings.TrimPrefix(points, "M"), "L") {
		n := floats(pair)
		if len(n) != 2 {
			return e, fmt.Errorf("unknown path %q", d)
		}
		e.at = append(e.at, [2]float64{n[0], n[1]})
	}
	if closed {
		e.look = "area " + look
		if p := e.at; len(p) == 4 && (p[0][0] == p[1][0] && p[1][1] == p[2][1] && p[2][0] == p[3][0] && p[3][1] == p[0][1] ||
			p[0][1] == p[1][1] && p[1][0] == p[2][0] && p[2][1] == p[3][1] && p[3][0] == p[0][0]) {
			e.look, e.at = "box "+look, [][2]float64{p[0], p[2]}
		}
	}
	if s["stroke"] != "" && closed {
		e.look += " outlined"
	}
	return e, nil
}

// floats reads numbers between spaces and commas; nil if one is no number.
func floats(s string) (list []float64) {
	for _, f := range strings.FieldsFunc(s, func(r rune) bool { return r == ' ' || r == ',' }) {
		x, err := strconv.ParseFloat(f, 64)
		if err != nil {
			return nil
		}
		list = append(list, x)
	}
	return list
}

// signed prints a number with at most two decimals.
func signed(x float64) string { return strconv.FormatFloat(math.Round(100*x)/100+0, 'f', -1, 64) }

var drawnPoint = regexp.MustCompile(`(-?[\d.]+),(-?[\d.]+)`)

// differing returns the lines of two drawings from the first to the last that differ: an element,
// or a point that is further away than what margins and rounding can do. SVG has five digits.
func differing(got, want string) (g, w []string) {
	const rounding = .03
	same := func(a, b string) bool {
		if drawnPoint.ReplaceAllString(a, "") != drawnPoint.ReplaceAllString(b, "") {
			return false
		}
		p, q := drawnPoint.FindAllString(a, -1), drawnPoint.FindAllString(b, -1)
		return slices.EqualFunc(p, q, func(p, q string) bool {
			m, n := floats(p), floats(q)
			return math.Abs(m[0]-n[0]) <= rounding && math.Abs(m[1]-n[1]) <= rounding
		})
	}
	g, w = strings.Split(got, "\n"), strings.Split(want, "\n")
	for len(g) > 0 && len(w) > 0 && same(g[0], w[0]) {
		g, w = g[1:], w[1:]
	}
	for len(g) > 0 && len(w) > 0 && same(g[len(g)-1], w[len(w)-1]) {
		g, w = g[:len(g)-1], w[:len(w)-1]
	}
	return g, w
}

// TestDrawingsAreAsRecorded compares what a figure of each kind draws with its golden file.
func TestDrawingsAreAsRecorded(t *testing.T) {
	for _, e := range Registry() {
		in := sample(e.Kind, "uncal", "qats")
		in.Labels = map[string]string{"uncal": "Uncal", "qats": "QaTS"}
		got := drawn(t, mustDraw(t, e.Kind, in))
		path := filepath.Join("testdata", e.Name+".txt")
		if *update {
			if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if g, w := differing(got, string(want)); len(g)+len(w) > 0 {
			t.Errorf("%s differs from what is drawn now; look at the figure, then run with -update\n- %s\n+ %s", path, strings.Join(w, "\n- "), strings.Join(g, "\n+ "))
		}
	}
}

func drawn(t *testing.T, f *Figure) string {
	t.Helper()
	text, err := drawing(encode(t, f, SVG))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestDrawingsDifferInWhatIsDrawnAlone: margins around a figure change nothing. A point, a line, a
// colour, a width, a word or an element that differs is found, and named.
func TestDrawingsDifferInWhatIsDrawnAlone(t *testing.T) {
	for _, e := range Registry() {
		f := mustDraw(t, e.Kind, sample(e.Kind, "uncal", "qats"))
		want := drawn(t, f)
		for _, by := range []vg.Length{.37, 1.234, 25} {
			wider := &Figure{Width: f.Width + 3*by, Height: f.Height + 2*by, draw: func(c draw.Canvas) { f.draw(draw.Crop(c, by, -2*by, by, -by)) }}
			if got, has := differing(drawn(t, wider), want); len(got)+len(has) > 0 {
				t.Errorf("%s with margins of %v pt:\n- %s\n+ %s", e.Name, by, strings.Join(has, "\n- "), strings.Join(got, "\n+ "))
			}
		}
	}

	severity := func(change func(*Input)) string {
		in := sample(figure.Severity, "uncal", "qats")
		change(&in)
		return drawn(t, mustDraw(t, figure.Severity, in))
	}
	want := severity(func(*Input) {})
	const line, mark, word = "line #C24E00 1.1 12.51,", "dot #C24E00 radius 2.1 12.51,", `text 8 #000000 "qats" `
	for name, c := range map[string]struct{ got, part string }{
		"a value":    {severity(func(in *Input) { in.Records[1].Value += .005 }), line}, // of qats: .1 points in the mean
		"a word":     {severity(func(in *Input) { in.Labels = map[string]string{"qats": "qat"} }), word},
		"a colour":   {strings.Replace(want, line, "line #C24E01 1.1 12.51,", 1), line},
		"a width":    {strings.Replace(want, line, "line #C24E00 1.2 12.51,", 1), line},
		"a radius":   {strings.Replace(want, mark, "dot #C24E00 radius 2.2 12.51,", 1), mark},
		"a dot less": {strings.Replace(want, mark, "", 1), mark},
		"the order":  {strings.Replace(want, word, "", 1) + word, word},
	} {
		_, w := differing(c.got, want)
		if !strings.Contains(strings.Join(w, "\n"), c.part) {
			t.Errorf("%s: not found in %q", name, w)
		}
	}
}

// TestDrawingsHaveNoStrayElements: what stands outside the page, is written wrongly or is no
// element of a figure is an error.
func TestDrawingsHaveNoStrayElements(t *testing.T) {
	svg := string(encode(t, mustDraw(t, figure.Severity, sample(figure.Severity, "ts")), SVG))
	for name, c := range map[string][3]string{
		"outside":   {`<path d="M`, `<path d="M-1,0L`, "stands outside the page"},
		"misspelt":  {`aria-label="Severity"`, `aria-label="Severe"`, `the text "Severe" is drawn as "Severity"`},
		"no glyph":  {`<path id="glyph-53"`, `<path id="glyph-ffff"`, `a character of "Severity"`},
		"no path":   {`<path d="M`, `<path d="MM`, "unknown path"},
		"a picture": {`</svg>`, `<image/></svg>`, "unknown element"},
	} {
		if _, err := drawing([]byte(strings.Replace(svg, c[0], c[1], 1))); err == nil || !strings.Contains(err.Error(), c[2]) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
