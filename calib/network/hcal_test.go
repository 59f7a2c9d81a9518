package network

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/calibtest"
	"github.com/qats-bench/qats/calib/internal/testset"
	"github.com/qats-bench/qats/data"
)

// The map is the mixture of softmaxes by the definition, and keeps the order of classes.
func TestHCalibrationIsAMixtureOfTemperatures(t *testing.T) {
	set := testset.Lattice(50, 6)
	m := hCalMap{hCalEnsemble{Inverse: []float64{0, .5, 2}, Weights: []float64{.2, .5, .3}}}
	if err := m.Check(); err != nil {
		t.Fatal(err)
	}
	q := data.NewProbs(50, 6)
	calib.Apply(m, q, set)
	want := make([]float64, 6)
	for i := range 50 {
		clear(want)
		for c, b := range m.Inverse {
			s, sum := make([]float64, 6), 0.0
			for j, l := range set.Logits.Row(i) {
				s[j] = math.Exp(b * float64(l))
				sum += s[j]
			}
			for j := range s {
				want[j] += m.Weights[c] * s[j] / sum
			}
		}
		if !testset.Near(q.Row(i), want, 1e-14) {
			t.Fatalf("row %d: %v, want %v", i, q.Row(i), want)
		}
	}
}

// On overconfident rows the ECE and the NLL fall to about the values of ts. The fit
// says how it ended. Another selection takes another epoch of the same training.
func TestHCalibrationLowersTheError(t *testing.T) {
	if testing.Short() {
		t.Skip("trains for half a second")
	}
	set := testset.Drawn(800, 4, 2.5, 3)
	ts := calibtest.Fit(t, calib.TSEntry, set, nil).Report.NLL
	fit := func(sel string) *calib.Fitted {
		f, err := calib.FitInput(context.Background(), HCalibration{Temperatures: 8, Epochs: 800, Select: sel}, calib.Input{Cal: set, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	a, b := fit("ece"), fit("nll")
	if a.Report.Iterations != b.Report.Iterations || a.Report.Iterations != int(a.Report.Passes)-1 {
		t.Errorf("%d and %d epochs, %v passes", a.Report.Iterations, b.Report.Iterations, a.Report.Passes)
	}
	if !(b.Report.NLL <= a.Report.NLL && a.Report.NLL < ts+.01) {
		t.Errorf("NLL %v by ECE and %v by NLL, ts has %v", a.Report.NLL, b.Report.NLL, ts)
	}
	short, err := calib.FitInput(context.Background(), HCalibration{Epochs: 3}, calib.Input{Cal: set})
	if err != nil || short.Report.Warnings.String() != "the ECE still fell in the last 3 of 3 epochs" {
		t.Errorf("warnings %v (%v) after 3 epochs", short.Report.Warnings, err)
	}
}

func TestHCalibrationModelsAreChecked(t *testing.T) {
	good := hCalMap{hCalEnsemble{Inverse: []float64{1, 2}, Weights: []float64{.25, .75}}}
	if err := good.Check(); err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(m *hCalMap){
		"no temperatures":  func(m *hCalMap) { m.Inverse, m.Weights = nil, nil },
		"lengths":          func(m *hCalMap) { m.Weights = m.Weights[:1] },
		"negative inverse": func(m *hCalMap) { m.Inverse[1] = -1 },
		"NaN inverse":      func(m *hCalMap) { m.Inverse[0] = math.NaN() },
		"infinite inverse": func(m *hCalMap) { m.Inverse[0] = math.Inf(1) },
		"negative weight":  func(m *hCalMap) { m.Weights[0], m.Weights[1] = -.5, 1.5 },
		"NaN weight":       func(m *hCalMap) { m.Weights[0] = math.NaN() },
		"sum":              func(m *hCalMap) { m.Weights[0] = .5 },
	} {
		m := hCalMap{hCalEnsemble{Inverse: slices.Clone(good.Inverse), Weights: slices.Clone(good.Weights)}}
		if spoil(&m); m.Check() == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// Parameters may be at their limits. Weights sum to 1 up to rounding.
func TestHCalibrationParametersMayBeAtTheirLimits(t *testing.T) {
	for _, c := range []struct {
		inverse, weights []float64
		good             bool
	}{
		{[]float64{0, 1e6}, []float64{0, 1}, true}, {[]float64{1, 2}, []float64{.5, .5 + 5e-10}, true}, {[]float64{1, 1.000001e6}, []float64{0, 1}, false},
		{[]float64{1, 2}, []float64{.5, .5 + 2e-9}, false}, {[]float64{1, 2}, []float64{-1e-10, 1}, false}, {[]float64{1}, []float64{1 + 1e-10}, false},
	} {
		m := hCalMap{hCalEnsemble{Inverse: c.inverse, Weights: c.weights}}
		if err := m.Check(); (err == nil) != c.good {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// The offset of a row changes no bit, and large logits do not overflow.
func TestHCalibrationUsesGapsAlone(t *testing.T) {
	m := hCalMap{hCalEnsemble{Inverse: []float64{.5, 2}, Weights: []float64{.5, .5}}}
	want := calibtest.Apply(m, testset.Rows([][]float32{{1, 0, -2}})).Row(0)
	if got := calibtest.Apply(m, testset.Rows([][]float32{{4097, 4096, 4094}})).Row(0); !slices.Equal(got, want) {
		t.Errorf("%v, with an offset %v", want, got)
	}
}

// Of the same epochs one selection takes the least ECE, the other the least NLL.
func TestHCalibrationSelectsByItsCriterion(t *testing.T) {
	set := testset.Drawn(80, 3, 2.5, 3)
	var nll [2]float64
	for i, by := range []string{"ece", "nll"} {
		f, err := calib.FitInput(t.Context(), HCalibration{Epochs: 60, Select: by}, calib.Input{Cal: set})
		if err != nil {
			t.Fatal(err)
		}
		nll[i] = f.Report.NLL
	}
	if !(nll[1] < nll[0]) {
		t.Errorf("NLL %v selected by ECE, %v by NLL", nll[0], nll[1])
	}
}
