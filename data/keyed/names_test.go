package keyed

import "testing"

// TestEditsCountsSwaps of neighbours as one.
func TestEditsCountsSwaps(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"a", "", 1}, {"qast", "qats", 1}, {"kitten", "sitting", 3}, {"ab", "ba", 1}, {"äb", "ab", 1}, {"abc", "cab", 2}} {
		if got := edits(c.a, c.b); got != c.want {
			t.Errorf("%s, %s: %d, want %d", c.a, c.b, got, c.want)
		}
		if got := edits(c.b, c.a); got != c.want {
			t.Errorf("%s, %s: %d, want %d", c.b, c.a, got, c.want)
		}
	}
}
