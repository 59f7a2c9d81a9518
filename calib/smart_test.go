package calib

import (
	"context"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/diff/fd"

	"github.com/qats-bench/qats/calib/internal/network"
	"github.com/qats-bench/qats/calib/internal/testset"
	"github.com/qats-bench/qats/data"
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
	grad, solver := make([]float64, len(w)), network.NewAdam(len(w))
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
	for _, k := range []int{1, 2, 6} {
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
	w[len(w)-1] = inverseSoftplus(0.9) // T = 1 for every row
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
	if ece, _ := mapECE(temperatureMap{1}, set); !(math.Abs(loss-ece) <= 0.02) {
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
	set := testset.Drawn(1500, 5, 3, 4)
	f := fitOn(t, "smart", Input{Cal: set, Target: &data.Set{}}, map[string]int{"epochs": 400, "patience": 60})
	after, _ := mapECE(f.Map, set)
	before, _ := mapECE(temperatureMap{1}, set)
	if after > before/4 {
		t.Errorf("ECE %v, before %v", after, before)
	}
}
