package calib

import (
	"context"
	"strings"
	"testing"

	"github.com/qats-bench/qats/calib/internal/testset"
	"github.com/qats-bench/qats/data"
)

// names returns the names of parameters, separated by spaces.
func names(list []Parameter) string {
	var all []string
	for _, p := range list {
		all = append(all, p.Name)
	}
	return strings.Join(all, ", ")
}

func TestParametersHaveAFixedOrder(t *testing.T) {
	set := testset.Drawn(200, 4, 2, 1)
	for _, c := range []struct {
		method Method
		want   string
	}{
		{TemperatureScaling{}, "T"},
		{ExpectationConsistency{}, "T"},
		{QaTS{}, "a, b"},
		{FreeQaTS{}, "a, b"},
		{PiecewiseQaTS{Segments: 2}, "t_1, t_2, t_3"},
		{BinnedTemperatureScaling{Bins: 3}, "bin 1: T, bin 2: T, bin 3: T"},
		{EntropyTemperature{}, "a, b"},
		{GapTemperature{}, "a, b, unit"},
		{EntropyTemperatureScaling{}, "w, b"},
		{EnsembleTemperatureScaling{}, "T, w_1, w_2, w_3"},
		{HFEWithoutOOD{}, "T0, theta1, theta2, correct.mean, correct.std, wrong.mean, wrong.std"},
		{DirichletCalibration{Lambda: 1}, "lambda, mu"},
		{Uncalibrated{}, ""},
		{IsotonicRegression{}, ""},
		{VectorScaling{}, ""},
	} {
		f, err := c.method.Fit(context.Background(), Input{Cal: set.View(data.Logits | data.Labels), Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		if got := names(f.Parameters()); got != c.want {
			t.Errorf("%T: %q, want %q", c.method, got, c.want)
		}
	}
}

func TestParametersAreThoseOfTheMap(t *testing.T) {
	f := Fitted{
		Map:    hfeMap{T0: 1, Theta1: 2, Theta2: 3, Correct: normal{4, 5}, Wrong: normal{6, 7}},
		Report: Report{AtBound: []string{"theta2 <= 3", "T <= 1"}},
	}
	list := f.Parameters()
	for i, want := range []float64{1, 2, 3, 4, 5, 6, 7} {
		if list[i].Value != want {
			t.Errorf("%s = %v, want %v", list[i].Name, list[i].Value, want)
		}
		if bounded := list[i].Bound != ""; bounded != (list[i].Name == "theta2") {
			t.Errorf("%s has the bound %q", list[i].Name, list[i].Bound)
		}
	}
}

// A parameter has the first bound whose name it is, and no bound of a longer name.
func TestParametersHaveTheirFirstBound(t *testing.T) {
	f := &Fitted{Map: htsMap{1, 2}, Report: Report{AtBound: []string{"ww <= 1", "w <= 100", "w >= -100"}}}
	if list := f.Parameters(); list[0].Bound != "w <= 100" || list[1].Bound != "" {
		t.Errorf("%+v", list)
	}
}
