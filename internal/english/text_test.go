package english

import (
	"slices"
	"testing"
)

// TestATextKeepsItsTerms, and prints as its words.
func TestATextKeepsItsTerms(t *testing.T) {
	const block Term = "block"
	text := Of("over ", Of(CountOf(2, "independent block", block), ""), ", p = ", .5)
	if got := text.String(); got != "over 2 independent blocks, p = 0.5" {
		t.Errorf("%q", got)
	}
	if want := (Text{{Words: "over "}, {Words: "2 "}, {"independent blocks", block}, {Words: ", p = "}, {Words: "0.5"}}); !slices.Equal(text, want) {
		t.Errorf("%q, want %q", text, want)
	}
	if got := CountOf(1, "block", block).String(); got != Count(1, "block") {
		t.Errorf("%q", got)
	}
}
