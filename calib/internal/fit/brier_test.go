package fit

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/qats-bench/qats/calib/internal/testset"
	"github.com/qats-bench/qats/data"
)

// directBrier is the mean Brier score of T = a (1-q) + b by its definition.
func directBrier(set *data.Set, q []float64, a, b float64) float64 {
	total := 0.0
	for i, y := range set.Labels {
		row := set.Logits.Row(i)
		t := a*(1-q[i]) + b
		top := math.Inf(-1)
		for _, l := range row {
			top = max(top, float64(l)/t)
		}
		sum := 0.0
		for _, l := range row {
			sum += math.Exp(float64(l)/t - top)
		}
		for j, l := range row {
			p := math.Exp(float64(l)/t-top) / sum
			if j == int(y) {
				p--
			}
			total += p * p
		}
	}
	return total / float64(len(set.Labels))
}

// The value is that of the definition, and the derivatives are those of its central
// differences.
func TestBrierLineAgreesWithItsDefinition(t *testing.T) {
	for _, c := range []struct {
		n, k   int
		spread float64
	}{{40, 2, 3}, {60, 3, 1}, {50, 10, 4}, {30, 300, 2}, {20, 1, 1}} {
		set := testset.Simulated(c.n, c.k, c.spread, 1.5, uint64(c.k))
		o, err := NewObjective(set)
		if err != nil {
			t.Fatal(err)
		}
		q := make([]float64, c.n)
		for i := range q {
			q[i] = float64(i*7%c.n+1) / float64(c.n)
		}
		for _, x := range [][]float64{{0, 1}, {1.5, .4}, {.3, 3}, {4, .05}} {
			f, err := o.BrierLine(context.Background(), q, x)
			if err != nil {
				t.Fatal(err)
			}
			direct := func(da, db float64) float64 { return directBrier(set, q, x[0]+da, x[1]+db) }
			if want := direct(0, 0); !(math.Abs(f.Value-want) <= 1e-14) {
				t.Errorf("k = %d at %v: %v, by the definition %v", c.k, x, f.Value, want)
			}
			// A difference has an error of h^2 times a third derivative and of the
			// rounding of the value over h. Derivatives scale as 1/T.
			scale := 1 / x[1]
			h := 1e-5 / scale
			gradient := []float64{(direct(h, 0) - direct(-h, 0)) / (2 * h), (direct(0, h) - direct(0, -h)) / (2 * h)}
			for i, want := range gradient {
				if !(math.Abs(f.Gradient[i]-want) <= 1e-9*scale) {
					t.Errorf("k = %d at %v: gradient %v, by differences %v", c.k, x, f.Gradient, gradient)
				}
			}
			for j := range x { // the Hessian, by differences of the gradient
				var ends [2][]float64
				for i, way := range []float64{-1, 1} {
					at := slices.Clone(x)
					at[j] += way * h
					end, err := o.BrierLine(context.Background(), q, at)
					if err != nil {
						t.Fatal(err)
					}
					ends[i] = end.Gradient
				}
				for i := range x {
					if want := (ends[1][i] - ends[0][i]) / (2 * h); !(math.Abs(f.Hessian[2*i+j]-want) <= 1e-8*scale*scale) {
						t.Errorf("k = %d at %v: Hessian %v, by differences at [%d, %d] %v", c.k, x, f.Hessian, i, j, want)
					}
				}
			}
		}
	}
}
