package trial

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/metrics"
)

// shifted returns n rows of two classes whose log odds are normal around mean, with a standard
// deviation of 2, and of a model that gives class 1 shift too much of them: a prior shift, which
// class weights and under-sampling make.
func priorShifted(seed uint64, n int, mean, shift float64) *data.Set {
	rng := rand.New(rand.NewPCG(seed, 7))
	set := &data.Set{Logits: data.NewMatrix(n, 2), Labels: make([]int32, n)}
	for i := range n {
		z := mean + 2*rng.NormFloat64()
		set.Logits.Row(i)[1] = float32(z + shift)
		if rng.Float64() < 1/(1+math.Exp(-z)) {
			set.Labels[i] = 1
		}
	}
	return set
}

// Methods without an intercept leave P(class 1) .13 or more off, and the ECE of their prediction is
// inside its band. They are not calibrated.
func TestInsideNeedsThePositiveClassToo(t *testing.T) {
	for _, c := range []struct{ mean, shift float64 }{{0, 1}, {-1, 1.5}} {
		got := runOf(t, inputOf(t, priorShifted(1, 3000, c.mean, c.shift), priorShifted(2, 3000, c.mean, c.shift)), ByNLL, "hts", "qats", "ir", "platt-logits")
		hidden := 0
		for _, name := range []string{"ts", "hts", "qats", "ir"} {
			r := got.Of(name)
			if r.Band.Lo <= r.ECE && r.ECE <= r.Band.Hi {
				hidden++
			}
			if r.Inside() || r.Positive.Inside() || r.Positive.ECE < .1 {
				t.Errorf("shift %g: %s is inside, with an ECE of P(class 1) of %g", c.shift, name, r.Positive.ECE)
			}
		}
		if hidden < 3 {
			t.Errorf("shift %g: only %d of 4 are inside by the prediction: the example shows nothing", c.shift, hidden)
		}
		r := got.Of("platt-logits")
		if !r.Positive.Inside() {
			t.Errorf("shift %g: platt-logits has an ECE of P(class 1) of %g, band %v", c.shift, r.Positive.ECE, r.Positive.Band)
		}
		for i, e := range got.Of(Plain).Positive.Estimates {
			want := []float64{1, 1, -c.shift}[i]
			if e.Err != nil || !(e.Lo < e.Value && e.Value < e.Hi) || e.Metric != "oe" && (want < e.Lo-.1 || want > e.Hi+.1) {
				t.Errorf("shift %g: %+v", c.shift, e)
			}
		}
	}
}

func TestThePositiveClassCanBeTheFirst(t *testing.T) {
	in := inputOf(t, priorShifted(3, 1000, -1, 1), priorShifted(4, 1000, -1, 1))
	second := runOf(t, in, ByNLL)
	zero := 0
	first, err := Run(t.Context(), in, Options{Positive: &zero})
	if err != nil {
		t.Fatal(err)
	}
	a, b := first.Of(Plain).Positive, second.Of(Plain).Positive
	if x, y := a.Estimates[2].Value, b.Estimates[2].Value; math.Abs(x+y) > 1e-9 || x < .5 {
		t.Errorf("intercepts %g and %g", x, y)
	}
	if first.Of(Plain).ECE != second.Of(Plain).ECE {
		t.Error("the ECE of the prediction depends on the positive class")
	}
	bins := first.PositiveBins(first.Of(Plain))
	if len(bins) != 15 || bins[0].Binning != metrics.Positive15 {
		t.Errorf("%+v", bins)
	}
}

func TestOnlyTwoClassesHaveAPositiveOne(t *testing.T) {
	three := inputOf(t, drawn(5, 100, 3, 1), nil)
	if r := runOf(t, three, ByNLL).Of(Plain); r.Positive != nil {
		t.Error("a positive class of three")
	}
	for class, want := range map[int]string{0: "this is 3 classes", 2: "this is 3 classes"} {
		if _, err := Run(t.Context(), three, Options{Positive: &class}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("class %d: %v", class, err)
		}
	}
	two, class := inputOf(t, priorShifted(6, 100, 0, 0), nil), 2
	if _, err := Run(t.Context(), two, Options{Positive: &class}); err == nil || !strings.Contains(err.Error(), "it is 0 or 1") {
		t.Error(err)
	}
}

// A top-label method has no probability of the other class, and so no line.
func TestTopLabelMethodsHaveNoPositiveClass(t *testing.T) {
	got := runOf(t, inputOf(t, priorShifted(7, 400, 0, 0), nil), ByNLL, "hb-top")
	if r := got.Of("hb-top"); r == nil || r.Positive != nil || got.PositiveBins(r) != nil {
		t.Errorf("%+v", r)
	}
	if got.Of(Plain).Positive == nil { // by cross-fitting
		t.Error("no positive class without test rows")
	}
}

// The files of two classes have its metrics and bins; those of more have neither.
func TestRowsOfTwoClassesHaveThePositiveOne(t *testing.T) {
	for k, want := range map[int]bool{2: true, 3: false} {
		cal := drawn(8, 300, k, 1)
		rows, err := runOf(t, inputOf(t, cal, nil), ByNLL).Rows(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		metric, bin := false, false
		for _, r := range rows.Records {
			metric = metric || slices.Contains([]string{"ece_positive", "oe", "slope", "intercept"}, r.Metric)
		}
		for _, b := range rows.Bins {
			bin = bin || b.Binning == metrics.Positive15
		}
		if metric != want || bin != want {
			t.Errorf("%d classes: metrics %v, bins %v", k, metric, bin)
		}
	}
}
