package linear

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/qats-bench/qats/calib/calibtest"
	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/testset"
	"github.com/qats-bench/qats/calib/report"
	"github.com/qats-bench/qats/data"
)

// The reference is Newton's method on the logistic loss, 200 steps of
// w -= solve(X'WX, X'(p-t)) with X = [ln p, -ln(1-p), 1] of each class, p of
// scipy.special.softmax clipped to [eps, 1-eps]; scikit-learn's
// LogisticRegression(C=99999999999), which betacal calls, agrees to 1e-4 when
// it stops. No coefficient is negative.
func TestBetaIsThatOfPython(t *testing.T) {
	set := testset.Lattice(400, 5)
	f := calibtest.Fit(t, BetaEntry, set, nil)
	m := f.Map.(betaMap)
	for class, want := range [][]float64{
		{0.20596940096631539, 0.5969566496746653, -1.2927439656743316},
		{0.252994193403941, 0.5584674647095398, -0.6539429308363474},
		{0.09155888500281295, 0.9986468727746255, -1.8771337508050132},
		{0.1846788529944314, 0.5647253208366758, -1.055811243128274},
		{0.14274268019153413, 0.970607722047954, -1.3705362152232892},
	} {
		if got := []float64{m.A[class], m.B[class], m.C[class]}; !testset.Near(got, want, 1e-9) {
			t.Errorf("class %d: %.12g, want %.12g", class, got, want)
		}
	}
	q := calibtest.Apply(m, set.Logits)
	for i, want := range [][]float64{
		{0.04602553035250154, 0.09326546162162463, 0.08959802850023882, 0.18703112575218803, 0.5840798537734468},
		{0.03620133643006518, 0.07551658566321717, 0.08344358253125886, 0.17428316866231955, 0.6305553267131392},
	} {
		if !testset.Near(q.Row(i), want, 1e-10) {
			t.Errorf("row %d: %v, want %v", i, q.Row(i), want)
		}
	}
	if f.Report.Gradient > report.GradTol || len(f.Report.AtBound) > 0 {
		t.Errorf("%+v", f.Report)
	}
}

// The loss is convex, so it has its minimum where all free components of the
// gradient are 0 and those at a bound point outwards. The gradient is computed from
// differences of a direct loss. Some of these fits need the bounds.
func TestBetaIsMinimum(t *testing.T) {
	held := 0
	for seed := range uint64(12) {
		k := 2 + int(seed)%4
		set := testset.Drawn(80, k, 0.5+float64(seed%3), seed)
		m := calibtest.Fit(t, BetaEntry, set, nil).Map.(betaMap)
		raw := calibtest.Softmax(t, set.Logits)
		for class := range k {
			loss := func(x [3]float64) float64 {
				sum := 0.0
				for i := range raw.Rows {
					p := min(max(raw.Row(i)[class], betaEps), 1-betaEps)
					s := x[0]*math.Log(p) - x[1]*math.Log(1-p) + x[2]
					if int(set.Labels[i]) == class {
						s = -s
					}
					sum += testset.Softplus(s)
				}
				return sum / float64(raw.Rows)
			}
			at := [3]float64{m.A[class], m.B[class], m.C[class]}
			for j := range at {
				const h = 1e-5
				up, down := at, at
				up[j] += h
				down[j] -= h
				slope := (loss(up) - loss(down)) / (2 * h)
				bound := j < 2 && at[j] == 0
				if bound {
					held++
				}
				if slope < -1e-7 || (!bound && slope > 1e-7) {
					t.Errorf("seed %d, class %d, parameter %d = %v: gradient %v", seed, class, j, at[j], slope)
				}
			}
		}
	}
	if held == 0 {
		t.Error("no fit is at a bound: this test shows less than it says")
	}
}

// The identity, a = b = 1 and c = 0, gives the probabilities of the network.
func TestBetaContainsTheIdentity(t *testing.T) {
	set := testset.Lattice(60, 6)
	ones, zeros := []float64{1, 1, 1, 1, 1, 1}, make([]float64, 6)
	m := betaMap{A: ones, B: ones, C: zeros}
	if got, want := calibtest.Apply(m, set.Logits).Data, calibtest.Softmax(t, set.Logits).Data; !testset.Near(got, want, 1e-12) {
		t.Error("the identity changes probabilities")
	}
}

// A class without rows, and a class that its probability separates, have finite
// parameters, at which the gradient has vanished.
func TestBetaWithoutMinimumEndsAtFiniteParameters(t *testing.T) {
	set := testset.Drawn(200, 4, 1, 5)
	for i := range set.Labels {
		if top := fit.TopClass(set.Logits.Row(i)); top == 1 || set.Labels[i] == 1 || set.Labels[i] == 3 {
			set.Labels[i] = int32(top)
		}
		if set.Labels[i] == 3 {
			set.Labels[i] = 0
		}
	}
	f := calibtest.Fit(t, BetaEntry, set, nil)
	q := calibtest.Apply(f.Map, set.Logits)
	for i := range q.Rows {
		if p := q.Row(i)[3]; p > 1e-6 {
			t.Fatalf("row %d: an absent class has probability %v", i, p)
		}
	}
	if f.Report.Gradient > report.GradTol || strings.Contains(f.Report.Warnings.String(), "not converged") {
		t.Errorf("%+v", f.Report)
	}
}

func BenchmarkFitBeta(b *testing.B) {
	for _, size := range [][2]int{{5000, 100}, {25000, 1000}} {
		set := testset.Simulated(size[0], size[1], 5, 1.6, 1)
		b.Run(fmt.Sprintf("method=beta/n=%d/k=%d", size[0], size[1]), func(b *testing.B) {
			for b.Loop() {
				calibtest.Fit(b, BetaEntry, set, nil)
			}
		})
	}
}

// If one row separates a class without an error, or a class has no rows, there is no
// unique fit. The report says so in these cases alone.
func TestBetaSaysWhatIsSeparable(t *testing.T) {
	warned := func(set *data.Set) string {
		return calibtest.Fit(t, BetaEntry, set, nil).Report.Warnings.String()
	}
	set := testset.Drawn(80, 4, 1, 5)
	if w := warned(set); strings.Contains(w, "no unique fit") {
		t.Errorf("classes that overlap: %q", w)
	}
	one, absent := testset.Drawn(80, 4, 1, 5), testset.Drawn(80, 4, 1, 5)
	for i, y := range one.Labels {
		if y == 2 {
			one.Labels[i], absent.Labels[i] = 1, 1
		}
	}
	one.Labels[7] = 2
	copy(one.Logits.Row(7), []float32{0, 0, 30, 0})
	for name, set := range map[string]*data.Set{"one separable row": one, "no row": absent} {
		if w := warned(set); !strings.Contains(w, "no unique fit in 1 of 4 classes") {
			t.Errorf("%s: %q", name, w)
		}
	}
}

// A class whose least positive score ties with the largest other score has no minimum
// either: the loss falls as g becomes steeper, to log 2 for the tied rows.
func TestTiedScoresAreSeparated(t *testing.T) {
	for _, c := range []struct {
		lnP      []float64
		positive []bool
		want     bool
	}{
		{[]float64{-1, -1}, []bool{true, false}, true}, {[]float64{-1, -2}, []bool{true, false}, true}, {[]float64{-2, -1}, []bool{true, false}, false},
		{[]float64{-1, -1, -3}, []bool{true, false, true}, false}, {[]float64{-1}, []bool{false}, true}, {[]float64{-1}, []bool{true}, true},
	} {
		if got := separated(c.lnP, c.positive); got != c.want {
			t.Errorf("%v %v: %v", c.lnP, c.positive, got)
		}
	}
}
