package network

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/calibtest"
	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/testset"
	"github.com/qats-bench/qats/data"
	"gonum.org/v1/gonum/diff/fd"
)

// The reference is the network in numpy on x = (gap - gap.mean())/gap.std(),
// T = logaddexp(0, net(x)) + 0.1, c = softmax(z/T).max(1), and
//
//	e = exp(-(c - m)**2/(2*.05**2)); e /= e.sum(1); W = e.sum(0)
//	r = (e*(c - hit)).sum(0)/W; (W*(sqrt(r*r + 1e-6) - 1e-3)).sum()/n
//
// with m = (2*arange(15) + 1)/30, and Adam at 5e-3 with gradients by central
// differences of step 1e-6.
func TestSMARTIsThatOfPython(t *testing.T) {
	set := testset.Lattice(150, 5)
	s := newSMARTTrainer(set)
	w := testset.FixedWeights(smartNet().Size())
	scales := make([]float64, 3)
	smartMap{s.shape.Mean, s.shape.Scale, w}.Scales(scales, set.Rows(0, 3), nil)
	for i, want := range []float64{0.8353386044545189, 0.8332959012679363, 0.8322908118294378} {
		if got := 1 / scales[i]; !(math.Abs(got-want) <= 1e-12) {
			t.Errorf("row %d: T = %.17g, want %.17g", i, got, want)
		}
	}
	grad, solver := make([]float64, len(w)), fit.NewAdam(len(w))
	for step := range 21 {
		got, err := s.loss(context.Background(), w, grad)
		if err != nil {
			t.Fatal(err)
		}
		if want := (map[int]float64{0: 0.2853100962006215, 10: 0.2025508286642558, 20: 0.06733722688925647})[step]; want != 0 && !(math.Abs(got-want) <= 1e-8) {
			t.Errorf("after %d steps: %.17g, want %.17g", step, got, want)
		}
		solver.Step(w, grad, smartRate)
	}
}

func TestSMARTGradientAgreesWithDifferences(t *testing.T) {
	classes := []int{1, 2, 6}
	if testing.Short() {
		classes = classes[:2]
	}
	for _, k := range classes {
		s := newSMARTTrainer(testset.Drawn(300, k, 1.7, uint64(k))) // two blocks
		w := testset.FixedWeights(smartNet().Size())
		grad := make([]float64, len(w))
		eval := func(w []float64) float64 {
			v, err := s.loss(context.Background(), w, grad)
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
		want := fd.Gradient(nil, eval, w, &fd.Settings{Formula: fd.Central, Step: 1e-6})
		eval(w)
		if !testset.Near(grad, want, 1e-8) {
			t.Errorf("k = %d: gradient %v, differences %v", k, grad, want)
		}
	}
}

// The shares of a row sum to 1. If the gap is wide, the surrogate is near the
// calibration error with bins of the same width.
func TestSMARTLossIsNearTheECE(t *testing.T) {
	set := testset.Drawn(2000, 5, 4, 2) // overconfident by far
	s := newSMARTTrainer(set)
	w := make([]float64, smartNet().Size())
	w[len(w)-1] = fit.InverseSoftplus(0.9) // T = 1 for every row
	loss, err := s.loss(context.Background(), w, make([]float64, len(w)))
	if err != nil {
		t.Fatal(err)
	}
	for i := range s.x {
		sum := 0.0
		for _, v := range s.share[i*smartBins : (i+1)*smartBins] {
			sum += v
		}
		if !(math.Abs(sum-1) <= 1e-12) {
			t.Fatalf("shares of row %d sum to %v", i, sum)
		}
	}
	if ece, _ := testset.ECE(calibtest.Softmax(t, set.Logits), set.Labels); !(math.Abs(loss-ece) <= 0.02) {
		t.Errorf("surrogate %v, ECE %v", loss, ece)
	}
}

// Training ends by patience and returns the best epoch.
func TestSMARTReturnsItsBestEpoch(t *testing.T) {
	set := testset.Drawn(300, 4, 2.5, 7)
	s := newSMARTTrainer(set)
	w := testset.FixedWeights(smartNet().Size())
	end, err := s.train(context.Background(), w, SMART{Epochs: 400, Patience: 20})
	if err != nil {
		t.Fatal(err)
	}
	if end.epochs >= 400 || end.waited != 20 {
		t.Errorf("ended after %d epochs, %d since the best", end.epochs, end.waited)
	}
	at, err := s.loss(context.Background(), end.best.Weights, make([]float64, len(w)))
	if err != nil || at != end.loss {
		t.Errorf("loss of the best %v, said to be %v (%v)", at, end.loss, err)
	}
	if again, _ := s.loss(context.Background(), w, make([]float64, len(w))); again <= end.loss {
		t.Errorf("the start has loss %v, the end %v", again, end.loss)
	}
	if !slices.Equal(w, testset.FixedWeights(len(w))) {
		t.Error("training writes to its start")
	}
}

// An overconfident or underconfident network becomes calibrated.
func TestSMARTCalibrates(t *testing.T) {
	if testing.Short() {
		t.Skip("trains for half a second")
	}
	set := testset.Drawn(1500, 5, 3, 4)
	f := calibtest.FitInput(t, SMARTEntry, calib.Input{Cal: set, Target: &data.Set{}}, map[string]any{"epochs": 400, "patience": 60})
	after, _ := testset.ECE(calibtest.Apply(f.Map, set.Logits), set.Labels)
	before, _ := testset.ECE(calibtest.Softmax(t, set.Logits), set.Labels)
	if after > before/4 {
		t.Errorf("ECE %v, before %v", after, before)
	}
}

// Gaps that differ by rounding have the scale 0, small gaps that differ have theirs.
func TestSMARTStandardisesGaps(t *testing.T) {
	for _, c := range []struct {
		gaps  [2]float32
		scale float64
	}{{[2]float32{0, 0}, 0}, {[2]float32{1024, 1024 + 0x1p-12}, 0}, {[2]float32{0x1p-14, 0x1p-13}, 0x1p15}, {[2]float32{1, 3}, 1}} {
		set := &data.Set{Logits: testset.Rows([][]float32{{c.gaps[0], 0}, {0, c.gaps[1]}}), Labels: []int32{0, 0}}
		if m := newSMARTTrainer(set).shape; !(math.Abs(m.Scale-c.scale) <= 1e-12*c.scale) || m.Mean != (float64(c.gaps[0])+float64(c.gaps[1]))/2 {
			t.Errorf("gaps %v: %+v, want the scale %v", c.gaps, m, c.scale)
		}
	}
}

// On rows of equal logits the loss is constant, so training ends after the patience, and
// its best network is the first, whose weights are at most 1/sqrt(inputs).
func TestSMARTEndsByPatience(t *testing.T) {
	set := &data.Set{Logits: data.NewMatrix(20, 3), Labels: make([]int32, 20)}
	f, err := calib.FitInput(t.Context(), SMART{Epochs: 50, Patience: 4}, calib.Input{Cal: set})
	if err != nil || f.Report.Iterations != 5 || len(f.Report.Warnings) != 0 {
		t.Errorf("%+v (%v), want 5 epochs without a warning", f.Report, err)
	}
	w, in := f.Map.(smartMap).Weights, 1
	for _, out := range append(slices.Clone(smartNet().Sizes[1:]), 1) { // Sizes leaves out the output
		layer := w[:out*(in+1)]
		if bound := 1 / math.Sqrt(float64(in)); slices.Max(layer) > bound || slices.Min(layer) < -bound || slices.Max(layer) < bound/2 {
			t.Errorf("layer of %d inputs: weights from %v to %v", in, slices.Min(layer), slices.Max(layer))
		}
		w, in = w[len(layer):], out
	}
	if f, err = calib.FitInput(t.Context(), SMART{Epochs: 3, Patience: 4}, calib.Input{Cal: set}); err != nil || f.Report.Iterations != 3 || len(f.Report.Warnings) != 1 {
		t.Errorf("%+v (%v), want 3 epochs and a warning", f.Report, err)
	}
}

// Rows whose confidence is constant have no gradient; the rows after them have theirs.
func TestSMARTRowsOfEqualLogitsHaveNoGradient(t *testing.T) {
	set := testset.Drawn(30, 3, 2, 1)
	clear(set.Logits.Row(0))
	s := newSMARTTrainer(set)
	w := testset.FixedWeights(smartNet().Size())
	grad := make([]float64, len(w))
	if _, err := s.loss(t.Context(), w, grad); err != nil || s.toOut[0] != 0 {
		t.Fatal(err, s.toOut[0])
	}
	const h = 1e-6
	for _, j := range []int{0, 16, 40, len(w) - 1} {
		var value [2]float64
		for side, d := range []float64{-h, h} {
			moved := slices.Clone(w)
			moved[j] += d
			var err error
			if value[side], err = s.loss(t.Context(), moved, make([]float64, len(w))); err != nil {
				t.Fatal(err)
			}
		}
		if want := (value[1] - value[0]) / (2 * h); !(math.Abs(grad[j]-want) <= 1e-8) {
			t.Errorf("weight %d: gradient %v, differences %v", j, grad[j], want)
		}
	}
}

// T is at most 1000, where it is constant, also if the network overflows.
func TestSMARTTemperaturesAreLimited(t *testing.T) {
	for _, c := range []struct{ out, t, slope float64 }{
		{0, math.Ln2 + smartFloor, .5}, {-800, smartFloor, 0}, {999, 999 + smartFloor, 1}, {999.9, fit.MaxT, 0}, {1e300, fit.MaxT, 0}, {math.Inf(1), fit.MaxT, 0}, {math.NaN(), fit.MaxT, 0},
	} {
		if got, slope := smartTemperature(c.out); !(math.Abs(got-c.t) <= 1e-15*c.t) || !(math.Abs(slope-c.slope) <= 1e-15) {
			t.Errorf("output %v: T = %v with slope %v, want %v and %v", c.out, got, slope, c.t, c.slope)
		}
	}
	if got := fit.Softplus(999.9) + smartFloor; got != fit.MaxT {
		t.Errorf("the output 999.9 has T = %v: it does not test the limit", got)
	}
}
