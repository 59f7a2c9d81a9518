package results

import (
	"slices"
	"testing"
)

// TestValuesThatAreAlikeAreLevelled, in place, also in a chain of neighbours.
func TestValuesThatAreAlikeAreLevelled(t *testing.T) {
	for _, c := range []struct{ in, want []float64 }{
		{nil, nil},
		{[]float64{.3, .1, .2}, []float64{.3, .1, .2}},
		{[]float64{.1 + 2e-9, .2, .1}, []float64{.1, .2, .1}},
		{[]float64{1.6e-6, 0, .8e-6, 3e-6}, []float64{0, 0, 0, 3e-6}},
	} {
		if got := Levelled(c.in); !slices.Equal(got, c.want) {
			t.Errorf("%g: %g, want %g", c.in, got, c.want)
		}
	}
	if Sign(2e-9) != 0 || Sign(-2e-6) != -1 || Sign(2e-6) != 1 {
		t.Error("signs")
	}
}
