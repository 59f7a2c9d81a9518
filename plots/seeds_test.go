package plots

import (
	"slices"
	"testing"

	"github.com/qats-bench/qats/results"
)

// TestTrainingsOfANetworkAreOneInAFigure: rows of two trainings draw what the rows of their means draw, as a
// comparison counts them.
func TestTrainingsOfANetworkAreOneInAFigure(t *testing.T) {
	for _, e := range Registry() {
		one := sample(e.Kind, "ts", "qats")
		if len(one.Bins) > 0 {
			continue // bins of two trainings have no mean
		}
		two := one
		two.Records, two.Pairs = nil, nil
		for _, r := range one.Records {
			for i, sign := range []float64{-1, 1} {
				x := r
				x.Variant = results.Variant{Training: i + 1}
				if x.Status == results.OK {
					x.Value += sign * .001 * x.Value
				}
				two.Records = append(two.Records, x)
			}
		}
		for _, p := range one.Pairs {
			for i := range 2 {
				x := p
				x.Variant = results.Variant{Training: i + 1}
				two.Pairs = append(two.Pairs, x)
			}
		}
		want, err := e.Draw(one)
		if err != nil {
			t.Fatal(err)
		}
		got, err := e.Draw(two)
		if err != nil {
			t.Errorf("%s: %v", e.Name, err)
			continue
		}
		if got.Caption != want.Caption || !slices.Equal(got.Notes, want.Notes) {
			t.Errorf("%s: %q %q, want %q %q", e.Name, got.Caption, got.Notes, want.Caption, want.Notes)
		}
		a, err := drawing(encode(t, got, SVG))
		if err != nil {
			t.Fatal(err)
		}
		if b, err := drawing(encode(t, want, SVG)); err != nil || a != b {
			t.Errorf("%s draws something else", e.Name)
		}
	}
}
