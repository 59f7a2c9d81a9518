package temperature

import (
	"context"
	"math"
	"testing"

	"github.com/qats-bench/qats/calib/calibtest"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/testset"
	"github.com/qats-bench/qats/data"
)

// meanConfidence returns the mean confidence of map m on set.
func meanConfidence(m calib.Map, set *data.Set) float64 {
	q := calibtest.Apply(m, set.Logits)
	sum := 0.0
	for i := range q.Rows {
		sum += q.Row(i)[fit.TopClass(set.Logits.Row(i))]
	}
	return sum / float64(q.Rows)
}

// The reference is scipy.optimize.brentq(lambda T: softmax(z/T, 1).max(1).mean()
// - (z.argmax(1) == y).mean(), 0.01, 10, xtol=1e-14, rtol=1e-14).
func TestECIsThatOfPython(t *testing.T) {
	const want = 2.7700471728271423
	f := calibtest.Fit(t, ECEntry, testset.Lattice(400, 5), nil)
	if got := f.Map.(calib.Temperature).T; !(math.Abs(got-want) <= 1e-12*want) {
		t.Errorf("T = %.17g, want %.17g", got, want)
	}
	if f.Report.Passes > 10 || len(f.Report.Warnings) > 0 {
		t.Errorf("%+v", f.Report)
	}
}

func TestECMatchesConfidenceToAccuracy(t *testing.T) {
	for seed := range uint64(20) {
		k := 2 + int(seed)%7
		set := testset.Drawn(50+40*int(seed), k, 0.3+0.4*float64(seed%5), seed)
		f := calibtest.Fit(t, ECEntry, set, nil)
		if len(f.Report.AtBound) > 0 {
			t.Fatalf("seed %d: %+v", seed, f.Report)
		}
		if got, want := meanConfidence(f.Map, set), accuracy(set); !(math.Abs(got-want) <= 1e-12) {
			t.Errorf("seed %d: mean confidence %v, accuracy %v", seed, got, want)
		}
	}
}

// If no T of the bracket reaches the accuracy, T is its nearer end.
func TestECEndsAtTheBracket(t *testing.T) {
	for _, c := range []struct {
		label func(top int) int32
		t     float64
		bound string
	}{
		{func(top int) int32 { return int32(top) }, 0.01, "T >= 0.01"},
		{func(top int) int32 { return int32(top+1) % 4 }, 10, "T <= 10"},
	} {
		set := testset.Drawn(60, 4, 1, 3)
		for i := range set.Labels {
			set.Labels[i] = c.label(fit.TopClass(set.Logits.Row(i)))
		}
		// One row of nearly equal logits: its confidence reaches 1 at no T >= 0.01.
		copy(set.Logits.Row(0), []float32{0.001, 0, 0, 0})
		set.Labels[0] = c.label(0)
		f := calibtest.Fit(t, ECEntry, set, nil)
		if got := f.Map.(calib.Temperature).T; got != c.t || len(f.Report.AtBound) != 1 || f.Report.AtBound[0].String() != c.bound || len(f.Report.Warnings) != 1 {
			t.Errorf("T = %v, %+v; want %v, %s", got, f.Report, c.t, c.bound)
		}
	}
}

func TestConfidenceSlopeAgreesWithDifferences(t *testing.T) {
	o, err := fit.NewObjective(testset.Lattice(100, 6))
	if err != nil {
		t.Fatal(err)
	}
	at := func(scale float64) meanConf {
		c, err := confidenceAt(context.Background(), o, scale)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	const h = 1e-5
	for _, scale := range []float64{0.1, 0.5, 1, 3} {
		want := (at(scale+h).mean - at(scale-h).mean) / (2 * h)
		if got := at(scale).slope; !(math.Abs(got-want) <= 1e-8) {
			t.Errorf("scale %v: slope %v, differences %v", scale, got, want)
		}
	}
}

// Rows of two classes with the gap d have the confidence sigmoid(d/T), so nine hits of
// ten need T = d/log 9. The small gaps make Newton's steps leave the bracket.
func TestECBisectsWhereConfidencesSaturate(t *testing.T) {
	for _, gap := range []float32{4, .5, .125, .03125} {
		set := &data.Set{Logits: data.NewMatrix(10, 2), Labels: make([]int32, 10)}
		for i := range 10 {
			set.Logits.Row(i)[0] = gap
		}
		set.Labels[3] = 1
		want := float64(gap) / math.Log(9)
		f, err := ExpectationConsistency{}.Fit(t.Context(), calib.Input{Cal: set, Seed: 1}) // calib.FitInput divides the smaller logits
		if err != nil {
			t.Fatal(err)
		}
		if got := f.Map.(calib.Temperature).T; !(math.Abs(got/want-1) <= 1e-12) || !(f.Report.Gradient <= 1e-13) || f.Report.Iterations > 20 || len(f.Report.Warnings) > 0 {
			t.Errorf("gap %v: T = %v, want %v; %+v", gap, got, want, f.Report)
		}
	}
}
