package page

import (
	"fmt"
	"html/template"
	"image/color"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/qats-bench/qats/plots"
)

// chart is a figure with its heading.
type chart struct {
	Heading string
	Figure  template.HTML
	Note    string // may be empty
	Text    string // its numbers; empty where a table has them
}

// drawn returns a figure of package plots as an element of the page, or why it cannot be
// drawn. Its colours are custom properties, so that it follows the theme: see themes.
func drawn(f *plots.Figure, err error) template.HTML {
	element := ""
	if err == nil {
		element, err = f.Inline()
	}
	if err != nil {
		return template.HTML(`<p class="warning">No ` + template.HTMLEscapeString(err.Error()) + `.</p>`)
	}
	return template.HTML(tags.ReplaceAllStringFunc(element, func(tag string) string {
		return painted.ReplaceAllStringFunc(tag, func(attribute string) string {
			return literal.ReplaceAllStringFunc(attribute, func(c string) string { return "var(" + property(c) + ")" })
		})
	}))
}

// In the figures a tag ends at its first >, and a value at its first quotation mark: both are
// escaped in names.
var (
	tags     = regexp.MustCompile(`<[^>]*>`)
	painted  = regexp.MustCompile(` (style|fill|stroke)="[^"]*"`)
	literal  = regexp.MustCompile(`#[0-9A-Fa-f]{6}\b`)
	referred = regexp.MustCompile(`var\(--c-([0-9a-f]{6})\)`)
)

// property names the custom property of a colour of figures.
func property(color string) string { return "--c-" + strings.ToLower(strings.TrimPrefix(color, "#")) }

// themes returns the custom properties of the colours of figures, with a value for each
// theme. In the light theme, and in print, they are the colours of the figures. In the
// dark theme a colour of a method is that of its other charts, and any other colour has the
// opposite lightness.
func themes(methods []methodEntry, figures []template.HTML) template.CSS {
	used := map[string]bool{}
	for _, f := range figures {
		for _, found := range referred.FindAllStringSubmatch(string(f), -1) {
			used[found[1]] = true
		}
	}
	of := map[color.RGBA]bool{}
	for _, m := range methods {
		of[lookOf(m.ID)] = true
	}
	var light, dark strings.Builder
	for _, name := range slices.Sorted(maps.Keys(used)) {
		n, _ := strconv.ParseUint(name, 16, 32) // the pattern has six digits
		c := color.RGBA{R: uint8(n >> 16), G: uint8(n >> 8), B: uint8(n), A: 255}
		other := opposite(c)
		if of[c] {
			other = inDark(c)
		}
		fmt.Fprintf(&light, "%s:#%s;", property(name), name)
		fmt.Fprintf(&dark, "%s:%s;", property(name), hex(other))
	}
	return template.CSS(":root{" + light.String() + "}@media screen and (prefers-color-scheme:dark){:root{" + dark.String() + "}}")
}
