package page

import (
	"fmt"
	"html/template"
	"math"
	"strings"
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

// html returns the drawing with a label for readers that do not see it.
func (s *svg) html(label string) template.HTML {
	return template.HTML(fmt.Sprintf(`<svg class="chart" role="img" aria-label="%s" viewBox="0 0 %s %s" width="%s" height="%s">%s</svg>`,
		template.HTMLEscapeString(label), short(s.width), short(s.height), short(s.width), short(s.height), s.b.String()))
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
	for _, f := range []float64{1, 2, 5, 10} {
		if width/(step*f) <= float64(n) {
			return step * f
		}
	}
	return step * 10
}
