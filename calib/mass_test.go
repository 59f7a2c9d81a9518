package calib_test

import (
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/calibtest"
	"github.com/qats-bench/qats/data"
)

// vectors is a Vector that writes its first rows, whatever the logits are.
type vectors struct {
	rows [][]float64
	sure bool
}

func (m vectors) Certain() bool { return m.sure }
func (vectors) Check() error    { return nil }
func (m vectors) Apply(dst data.Probs, _ *data.Set) {
	for i := range dst.Rows {
		copy(dst.Row(i), m.rows[i])
	}
}

// confidences is a TopLabel that writes its numbers.
type confidences []float64

func (confidences) Certain() bool { return true }
func (confidences) Check() error  { return nil }
func (m confidences) Confidences(dst []float64, _ *data.Set, _ *calib.Unscaled) {
	copy(dst, m)
}

// The mass is that of Laplace's rule, and every probability that of the closed form, in fractions. A masked class keeps 0, and a class
// that is left alone 1.
func TestMassIsSpreadOverOpenClasses(t *testing.T) {
	masked := float32(data.Masked)
	logits := data.NewMatrix(5, 4)
	for i, row := range [][]float32{{3, 1, 1, 0}, {3, 1, masked, 0}, {3, masked, masked, 0}, {masked, masked, 2, masked}, {0, 1, 0, 3}} {
		copy(logits.Row(i), row)
	}
	inner := vectors{[][]float64{{1, 0, 0, 0}, {0, .25, 0, .75}, {1, 0, 0, 0}, {0, 0, 1, 0}, {.25, .25, .25, .25}}, true}
	for _, n := range []int{1, 2, 98, 5000} {
		e := calib.MassOf(inner, n)
		q := calibtest.Apply(e.Map(inner), logits)
		mass := big.NewRat(1, int64(n+2))
		for i := range q.Rows {
			open := int64(0)
			for _, l := range logits.Row(i) {
				if l != masked {
					open++
				}
			}
			for j, got := range q.Row(i) {
				want := new(big.Rat).SetFloat64(inner.rows[i][j])
				want.Mul(want, new(big.Rat).Sub(big.NewRat(1, 1), mass))
				want.Add(want, new(big.Rat).Mul(mass, big.NewRat(1, open)))
				if logits.Row(i)[j] == masked {
					want.SetInt64(0)
				}
				if w, _ := want.Float64(); !(math.Abs(got-w) <= 0x1p-52) || (w == 0 || w == 1) && got != w {
					t.Errorf("n = %d, row %d, class %d: %v, want %v", n, i, j, got, w)
				}
			}
		}
		conf := confidences{0, 1, .5, .75, 0}
		want := []float64{.5 / float64(n+2), 1 - .5/float64(n+2), .5, .75 - .25/float64(n+2), .5 / float64(n+2)}
		want[3] = 1 // its class is left alone
		_, got := calibtest.TopLabels(calib.MassOf(conf, n).Map(conf).(calib.TopLabel), &data.Set{Logits: logits})
		for i, c := range got {
			if !(math.Abs(c-want[i]) <= 0x1p-52) {
				t.Errorf("n = %d, row %d: confidence %v, want %v", n, i, c, want[i])
			}
		}
	}
	if e := calib.MassOf(vectors{inner.rows, false}, 10); e != 0 {
		t.Errorf("a map without exact 0 or 1 has the mass %v", e)
	}
	if m := calib.Mass(0).Map(inner); calibtest.Apply(m, logits).Row(0)[0] != 1 {
		t.Error("a mass of 0 changes a map")
	}
	if q := calibtest.Apply(calib.Unmixed(calib.Mass(.1).Map(inner)), logits); q.Row(0)[0] != 1 {
		t.Error("without its mass a map has other numbers")
	}
}

// Probabilities that round to one number when a mass is mixed in keep the predicted class, and equal ones stay equal.
func TestMassKeepsThePrediction(t *testing.T) {
	logits := data.NewMatrix(1, 3)
	rounded := 0
	for _, p := range []float64{.5, .4, .34, .51, .625, .99} {
		for n := range 300 {
			high := math.Nextafter(p, 1)
			inner := vectors{[][]float64{{p, p, high}}, true}
			q := calibtest.Apply(calib.MassOf(inner, n+1).Map(inner), logits).Row(0)
			if slices.Index(q, slices.Max(q)) != 2 || q[0] != q[1] {
				t.Fatalf("n = %d: %v of %v", n+1, q, inner.rows[0])
			}
			e := calib.MassOf(inner, n+1)
			if e.Mix(p, 3) == e.Mix(high, 3) {
				rounded++
			}
		}
	}
	if rounded == 0 {
		t.Error("no two probabilities round to one number")
	}
}
