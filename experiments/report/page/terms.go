package page

import (
	"html/template"
	"strings"

	"github.com/qats-bench/qats/internal/english"
	"github.com/qats-bench/qats/results/compare"
)

// explained has what the page says of a term where a text first has it.
var explained = map[english.Term]string{
	compare.BlockTerm: "A block: data sets that share no known test samples with those of another block. The settings of a block count once together.",
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
