package page

import (
	"html/template"
	"strings"

	"github.com/qats-bench/qats/internal/english"
	"github.com/qats-bench/qats/results/compare"
)

// explained has what the page says of a term where a text first has it.
var explained = map[english.Term]string{
	compare.BlockTerm: "Independent data sets share no known test samples. All settings of one count once together.",
}

// terms returns a text with an explanation of each term where it first stands, which a browser
// shows beside the pointer.
func terms(text english.Text) template.HTML {
	var b strings.Builder
	done := map[english.Term]bool{}
	for _, p := range text {
		words := template.HTMLEscapeString(p.Words)
		if about := explained[p.Term]; about != "" && !done[p.Term] {
			done[p.Term] = true
			words = `<abbr title="` + template.HTMLEscapeString(about) + `">` + words + "</abbr>"
		}
		b.WriteString(words)
	}
	return template.HTML(b.String())
}
