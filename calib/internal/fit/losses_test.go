package fit

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/qats-bench/qats/calib/internal/testset"
	"github.com/qats-bench/qats/calib/report"
	"github.com/qats-bench/qats/data"
)

// confidences returns the confidence of each row at T = a (1-q) + b, and whether it is right, by definition.
func confidences(set *data.Set, q []float64, a, b float64) (conf []float64, right []bool) {
	for i, y := range set.Labels {
		row, t := set.Logits.Row(i), a*(1-q[i])+b
		top := 0
		for j, l := range row {
			if l > row[top] {
				top = j
			}
		}
		sum := 0.0
		for _, l := range row {
			sum += math.Exp((float64(l) - float64(row[top])) / t)
		}
		conf, right = append(conf, 1/sum), append(right, top == int(y))
	}
	return conf, right
}

func directTop(set *data.Set, q []float64, a, b float64) float64 {
	total := 0.0
	conf, right := confidences(set, q, a, b)
	for i, c := range conf {
		if right[i] {
			total -= math.Log(c)
		} else {
			total -= math.Log(1 - c)
		}
	}
	return total / float64(len(conf))
}

func directGap(set *data.Set, q []float64, bin []int, a, b float64) float64 {
	conf, right := confidences(set, q, a, b)
	gap, n := map[int]float64{}, map[int]float64{}
	for i, c := range conf {
		n[bin[i]]++
		gap[bin[i]] -= c
		if right[i] {
			gap[bin[i]]++
		}
	}
	total := 0.0
	for at, g := range gap {
		total += g * g / n[at]
	}
	return total / float64(len(conf))
}

// TestLossesOfTheTopLabelAgreeWithTheirDefinitions: the values are those of the definitions, and
// the derivatives those of central differences.
func TestLossesOfTheTopLabelAgreeWithTheirDefinitions(t *testing.T) {
	for _, c := range []struct {
		n, k   int
		spread float64
	}{{40, 2, 3}, {60, 3, 1}, {50, 10, 4}, {30, 300, 2}} {
		set := testset.Simulated(c.n, c.k, c.spread, 1.5, uint64(c.k))
		o, err := NewObjective(set)
		if err != nil {
			t.Fatal(err)
		}
		q, bin := make([]float64, c.n), make([]int, c.n)
		for i := range q {
			q[i], bin[i] = float64(i*7%c.n+1)/float64(c.n), i%4
		}
		for name, loss := range map[string]struct {
			at     func(x []float64) (report.Local, error)
			direct func(a, b float64) float64
		}{
			"top": {func(x []float64) (report.Local, error) { return o.TopLine(context.Background(), q, x) },
				func(a, b float64) float64 { return directTop(set, q, a, b) }},
			"gap": {func(x []float64) (report.Local, error) { return o.GapLine(context.Background(), q, x, bin, 5) },
				func(a, b float64) float64 { return directGap(set, q, bin, a, b) }},
		} {
			for _, x := range [][]float64{{0, 1}, {1.5, .6}, {.3, 3}} {
				f, err := loss.at(x)
				if err != nil {
					t.Fatal(err)
				}
				if want := loss.direct(x[0], x[1]); !(math.Abs(f.Value-want) <= 1e-12) {
					t.Errorf("%s, k = %d at %v: %v, by the definition %v", name, c.k, x, f.Value, want)
				}
				const h = 1e-5
				for j := range x {
					up, down := slices.Clone(x), slices.Clone(x)
					up[j] += h
					down[j] -= h
					if want := (loss.direct(up[0], up[1]) - loss.direct(down[0], down[1])) / (2 * h); !(math.Abs(f.Gradient[j]-want) <= 1e-6) {
						t.Errorf("%s, k = %d at %v: gradient %v, by differences %v", name, c.k, x, f.Gradient[j], want)
					}
					above, _ := loss.at(up)
					below, _ := loss.at(down)
					for l := range x {
						if want := (above.Gradient[l] - below.Gradient[l]) / (2 * h); !(math.Abs(f.Hessian[2*j+l]-want) <= 1e-5) {
							t.Errorf("%s, k = %d at %v: Hessian %v, by differences %v", name, c.k, x, f.Hessian[2*j+l], want)
						}
					}
				}
			}
		}
	}
}

// TestTopLineOfACertainMistakeIsFinite: a wrong row whose other classes have probability 0.
func TestTopLineOfACertainMistakeIsFinite(t *testing.T) {
	set := &data.Set{Logits: data.Matrix{Rows: 2, Cols: 2, Data: []float32{5000, 0, 0, 1}}, Labels: []int32{1, 1}}
	o, err := NewObjective(set)
	if err != nil {
		t.Fatal(err)
	}
	f, err := o.TopLine(context.Background(), []float64{1, .5}, []float64{0, 1})
	if err != nil || !(f.Value > 300) || math.IsInf(f.Value, 0) || math.IsNaN(f.Gradient[1]) || math.IsNaN(f.Hessian[3]) {
		t.Errorf("%+v, %v", f, err)
	}
}

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
