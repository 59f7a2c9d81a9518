package page

import (
	"fmt"
	"html/template"
	"image/color"
	"maps"
	"slices"
	"strings"

	"github.com/qats-bench/qats/plots"
)

// chart is a figure with its heading.
type chart struct {
	Heading string
	Figure  picture
	Note    string // may be empty
	Text    string // its numbers; empty where a table has them
}

// picture is a figure as an element of the page, with the colours that it has. They are custom properties, so that
// it follows the theme: see themes.
type picture struct {
	Element template.HTML
	colours []color.RGBA
}

// drawn returns a figure of package plots as an element of the page, or why it cannot be drawn.
func drawn(f *plots.Figure, err error) picture {
	var p picture
	if err == nil {
		var element string
		element, err = f.Inline(func(c color.RGBA) string {
			if !slices.Contains(p.colours, c) {
				p.colours = append(p.colours, c)
			}
			return "var(" + property(c) + ")"
		})
		p.Element = template.HTML(element)
	}
	if err != nil {
		return picture{Element: template.HTML(`<p class="warning">No ` + template.HTMLEscapeString(err.Error()) + `.</p>`)}
	}
	return p
}

// property names the custom property of a colour of figures.
func property(c color.RGBA) string { return "--c-" + strings.TrimPrefix(hex(c), "#") }

// themes returns the custom properties of the colours of figures, with a value for each
// theme. In the light theme, and in print, they are the colours of the figures. In the
// dark theme a colour of a method is that of its other charts, and any other colour has the
// opposite lightness.
func themes(methods []methodEntry, figures []picture) template.CSS {
	dark := map[color.RGBA]color.RGBA{}
	for _, f := range figures {
		for _, c := range f.colours {
			dark[c] = opposite(c)
		}
	}
	for _, m := range methods {
		if c := lookOf(m.ID); dark[c] != (color.RGBA{}) {
			dark[c] = inDark(c)
		}
	}
	var lightTheme, darkTheme strings.Builder
	for _, c := range slices.SortedFunc(maps.Keys(dark), func(a, b color.RGBA) int { return strings.Compare(hex(a), hex(b)) }) {
		fmt.Fprintf(&lightTheme, "%s:%s;", property(c), hex(c))
		fmt.Fprintf(&darkTheme, "%s:%s;", property(c), hex(dark[c]))
	}
	return template.CSS(":root{" + lightTheme.String() + "}@media screen and (prefers-color-scheme:dark){:root{" + darkTheme.String() + "}}")
}
