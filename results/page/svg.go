package page

import (
	"fmt"
	"html/template"
	"math"
	"strconv"
	"strings"
	"unicode"
)

// svg builds a drawing. Colours come from the style of the page, by classes.
type svg struct {
	b             strings.Builder
	width, height float64
}

// tag writes an element; attributes come in pairs of a name and a value.
func (s *svg) tag(name string, attributes ...any) {
	s.b.WriteString("<" + name)
	for i := 0; i+1 < len(attributes); i += 2 {
		value := attributes[i+1]
		if x, ok := value.(float64); ok {
			value = short(x)
		}
		fmt.Fprintf(&s.b, ` %s="%s"`, attributes[i], template.HTMLEscapeString(fmt.Sprint(value)))
	}
	s.b.WriteString("/>")
}

func (s *svg) line(class string, x1, y1, x2, y2 float64) {
	s.tag("line", "class", class, "x1", x1, "y1", y1, "x2", x2, "y2", y2)
}

// text writes text at (x, y); anchor is start, middle or end.
func (s *svg) text(class, anchor string, x, y float64, text string) {
	fmt.Fprintf(&s.b, `<text class="%s" text-anchor="%s" x="%s" y="%s">%s</text>`, class, anchor, short(x), short(y), template.HTMLEscapeString(text))
}

// textWidth estimates the width of text in px, by the letters of DejaVu Sans: most other
// fonts of screens are narrower. Bold letters are an eighth wider.
func textWidth(text string, size float64, bold bool) float64 {
	em := 0.0
	for _, r := range text {
		switch {
		case strings.ContainsRune("ijlI.,:;|' ", r):
			em += .32
		case strings.ContainsRune("ftr-()[]/", r):
			em += .41
		case strings.ContainsRune("mwMWOQ…%@+=", r) || r > unicode.MaxLatin1:
			em++
		case unicode.IsUpper(r):
			em += .74
		default:
			em += .63
		}
	}
	if bold {
		em *= 1.125
	}
	return em * size
}

// Sizes of letters in px, as in page.css.
const (
	labelSize = 12
	tickSize  = 11
)

// label writes the name of a method so that it ends at x and begins within the drawing.
// own marks the method that the others are compared with.
func (s *svg) label(x, y float64, name string, own bool) {
	class := "label"
	if own {
		class = "label own"
	}
	s.named(class, "end", x, y, x, name)
}

// named writes a name that is room px wide at most. A longer name is cut, and whole in a
// title.
func (s *svg) named(class, anchor string, x, y, room float64, name string) {
	shown := cut(name, room, class != "label")
	if shown == name {
		s.text(class, anchor, x, y, name)
		return
	}
	fmt.Fprintf(&s.b, `<text class="%s" text-anchor="%s" x="%s" y="%s">%s<title>%s</title></text>`, class, anchor, short(x), short(y),
		template.HTMLEscapeString(shown), template.HTMLEscapeString(name))
}

// cut returns a name, or its beginning with an ellipsis where the name is wider than
// room px.
func cut(name string, room float64, bold bool) string {
	if textWidth(name, labelSize, bold) <= room {
		return name
	}
	letters := []rune(name)
	for len(letters) > 1 && textWidth(string(letters)+"…", labelSize, bold) > room {
		letters = letters[:len(letters)-1]
	}
	return string(letters) + "…"
}

// mark draws the marker of method m of the page, as the script does: five shapes,
// filled, then hollow.
func (s *svg) mark(m int, x, y, r float64) {
	style := fmt.Sprintf("fill:var(--m%d)", m)
	if m%10 >= 5 {
		style = fmt.Sprintf("fill:var(--bg);stroke-width:1.8;stroke:var(--m%d)", m)
	}
	path := func(format string, at ...float64) {
		var numbers []any
		for _, v := range at {
			numbers = append(numbers, short(v))
		}
		s.tag("path", "d", fmt.Sprintf(format, numbers...), "style", style)
	}
	switch m % 5 {
	case 0:
		s.tag("circle", "cx", x, "cy", y, "r", r, "style", style)
	case 1:
		s.tag("rect", "x", x-r*.9, "y", y-r*.9, "width", r*1.8, "height", r*1.8, "style", style)
	case 2:
		path("M%s %sl%s %sh%sz", x, y-r*1.2, r*1.2, r*2.1, -r*2.4)
	case 3:
		path("M%s %sl%s %sl%s %sl%s %sz", x, y-r*1.3, r*1.3, r*1.3, -r*1.3, r*1.3, -r*1.3, -r*1.3)
	default:
		path("M%s %sl%s %sh%sz", x, y+r*1.2, r*1.2, -r*2.1, -r*2.4)
	}
}

// curve draws a line in the colour of method m of the page.
func (s *svg) curve(m int, dashes string, width float64, at [][2]float64) {
	attributes := []any{"class", "curve", "style", fmt.Sprintf("stroke:var(--m%d)", m), "stroke-width", width, "d", through(at)}
	if dashes != "" {
		attributes = append(attributes, "stroke-dasharray", dashes)
	}
	s.tag("path", attributes...)
}

// path draws a line through points.
func (s *svg) path(class string, at [][2]float64) { s.tag("path", "class", class, "d", through(at)) }

// through returns the path through points.
func through(at [][2]float64) string {
	var b strings.Builder
	for i, p := range at {
		b.WriteByte("ML"[min(i, 1)])
		b.WriteString(short(p[0]) + " " + short(p[1]))
	}
	return b.String()
}

// narrow is the width of drawings that are shrunk to the screen of a telephone. Wider
// ones keep their size and are scrolled.
const narrow = 440

// html returns the drawing with a label for readers that do not see it.
func (s *svg) html(label string) template.HTML {
	class := "chart"
	if s.width <= narrow {
		class = "chart narrow"
	}
	return template.HTML(fmt.Sprintf(`<svg class="%s" role="img" aria-label="%s" viewBox="0 0 %s %s" width="%s" height="%s">%s</svg>`,
		class, template.HTMLEscapeString(label), short(s.width), short(s.height), short(s.width), short(s.height), s.b.String()))
}

// short prints a coordinate with at most one decimal.
func short(x float64) string { return strings.TrimSuffix(fmt.Sprintf("%.1f", x), ".0") }

// niceStep returns a step of 1, 2 or 5 times a power of ten that divides a range
// into at most n parts.
func niceStep(width float64, n int) float64 {
	if width <= 0 {
		return 1
	}
	step := math.Pow(10, math.Floor(math.Log10(width/float64(n))))
	for _, f := range []float64{1, 2, 5} {
		if width/(step*f) <= float64(n) {
			return step * f
		}
	}
	return step * 10
}

// tick prints the number at which a tick stands, a multiple of step but for rounding. The
// tick at zero has no sign.
func tick(at, step float64) string {
	nearest := math.Round(at/step) * step
	if nearest == 0 {
		return "0" // also -0
	}
	return strings.Replace(strconv.FormatFloat(nearest, 'g', 4, 64), "-", "−", 1)
}
