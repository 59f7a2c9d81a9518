package table

import "testing"

func TestNotesAreInWords(t *testing.T) {
	for text, want := range map[string]string{
		"a temperature is at its bound: t_11 >= 0.001":                         "T at its lower bound in bin 11",
		"a temperature is at its bound: t_2 >= 0.001, b <= 20":                 "T at its lower bound in bin 2, b at its upper bound",
		"a temperature is at its bound: bin 3: t <= 1e3":                       "T at its upper bound in bin 3",
		"a temperature is at its bound: something else":                        "a temperature is at its bound: something else",
		"the threshold is at the end of the grid: c <= 20":                     "c at its upper bound",
		"skip: gc needs features of the test set, absent for cifar10/resnet50": "not run: needs features of the test set",
		"skip: tta-ts needs augmented of the test set, absent for a/b/fog/1":   "not run: needs augmented views of the test set",
		"skip: no arrays":             "not run: no arrays",
		"fail: panic: index 7":        "failed: panic: index 7",
		"a = 0: equal to ts":          "a = 0, so equal to TS",
		"no increments: equal to ts":  "no increments, so equal to TS",
		"did not converge after 1e-3": "did not converge after 1e-3",
	} {
		if got := InWords(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// Lists of names are read as in a sentence.
func TestListsAreReadAsInASentence(t *testing.T) {
	for want, names := range map[string][]string{"A": {"A"}, "A and B": {"A", "B"}, "A, B and C": {"A", "B", "C"}} {
		if got := List(names); got != want {
			t.Errorf("%v: %q", names, got)
		}
	}
}
