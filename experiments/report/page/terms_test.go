package page

import (
	"testing"

	"github.com/qats-bench/qats/internal/english"
	"github.com/qats-bench/qats/results/compare"
)

// TestTheFirstBlockIsExplained once. Other words are text, "block" among them.
func TestTheFirstBlockIsExplained(t *testing.T) {
	blocks := english.CountOf(2, "independent block", compare.BlockTerm)
	abbr := `<abbr title="` + explained[compare.BlockTerm] + `">`
	for want, text := range map[string]english.Text{
		"a &lt; b, 1 block": english.Of("a < b, 1 block"),
		"2 " + abbr + "independent blocks</abbr>, 2 independent blocks": english.Of(blocks, ", ", blocks),
	} {
		if got := string(terms(text)); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
