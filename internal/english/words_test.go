package english

import "testing"

// Lists of names are read as in a sentence.
func TestListsAreReadAsInASentence(t *testing.T) {
	for want, names := range map[string][]string{"A": {"A"}, "A and B": {"A", "B"}, "A, B and C": {"A", "B", "C"}} {
		if got := List(names); got != want {
			t.Errorf("%v: %q", names, got)
		}
	}
}
