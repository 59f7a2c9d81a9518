package page

import "testing"

// TestTheFirstBlockIsExplained, with the word before it, once, and the rest is text.
func TestTheFirstBlockIsExplained(t *testing.T) {
	block := `<abbr title="` + aboutBlocks + `">`
	for in, want := range map[string]string{
		"a < b":                  "a &lt; b",
		"blockade of <b>":        "blockade of &lt;b&gt;",
		"3 blocks, 2 blocks":     "3 " + block + "blocks</abbr>, 2 blocks",
		"1 independent block, a": "1 " + block + "independent block</abbr>, a",
	} {
		if got := string(terms(in)); got != want {
			t.Errorf("%q: %q", in, got)
		}
	}
}
