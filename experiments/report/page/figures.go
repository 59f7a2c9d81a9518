package page

import (
	"html/template"

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
// drawn.
func drawn(f *plots.Figure, err error) template.HTML {
	element := ""
	if err == nil {
		element, err = f.Inline()
	}
	if err != nil {
		return template.HTML(`<p class="warning">No ` + template.HTMLEscapeString(err.Error()) + `.</p>`)
	}
	return template.HTML(element)
}
