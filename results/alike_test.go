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

// TestBestIsByPrint: places are by the printed numbers, higher or lower first, and values that are alike
// share the printed number of the least.
func TestBestIsByPrint(t *testing.T) {
	for _, c := range []struct {
		name          string
		values, print []float64
		higher        bool
		places        []int
		level         []float64
	}{
		{"lower", []float64{.30, .10, .20, .40}, []float64{30, 10, 20, 40}, false, []int{0, 1, 2, 0}, []float64{30, 10, 20, 40}},
		{"higher", []float64{.30, .10, .20, .40}, []float64{30, 10, 20, 40}, true, []int{2, 0, 0, 1}, []float64{30, 10, 20, 40}},
		{"ties share", []float64{.101, .102, .2, .2}, []float64{10, 10, 20, 20}, false, []int{1, 1, 2, 2}, []float64{10, 10, 20, 20}},
		{"alike at a border of the print", []float64{.1249999, .1250001, .3}, []float64{12, 13, 30}, false, []int{1, 1, 2}, []float64{12, 12, 30}},
		{"all equal", []float64{.1, .1}, []float64{10, 10}, false, nil, []float64{10, 10}},
		{"one", []float64{.1}, []float64{10}, false, nil, []float64{10}},
		{"none", nil, nil, false, nil, []float64{}},
	} {
		places, level := Best(c.values, func(x float64) float64 { return c.print[slices.Index(c.values, x)] }, c.higher)
		if !slices.Equal(places, c.places) || (places == nil) != (c.places == nil) || !slices.Equal(level, c.level) {
			t.Errorf("%s: %v %v, want %v %v", c.name, places, level, c.places, c.level)
		}
	}
}
