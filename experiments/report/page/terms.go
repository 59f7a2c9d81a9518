package page

import (
	"html/template"
	"regexp"
)

// blockWords are the words for blocks in a sentence of a comparison.
var blockWords = regexp.MustCompile(`(independent )?\bblocks?\b`)

// aboutBlocks is what the page says where a sentence first speaks of blocks.
const aboutBlocks = "A block: data sets that share no known test samples with those of another block. The settings of a block count once together."

// terms returns a sentence with an explanation of its first special word, which a browser
// shows beside the pointer.
func terms(sentence string) template.HTML {
	text := template.HTMLEscapeString(sentence)
	at := blockWords.FindStringIndex(text)
	if at == nil {
		return template.HTML(text)
	}
	return template.HTML(text[:at[0]] + `<abbr title="` + aboutBlocks + `">` + text[at[0]:at[1]] + "</abbr>" + text[at[1]:])
}
