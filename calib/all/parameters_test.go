package all

import (
	"context"
	"strings"
	"testing"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/features"
	"github.com/qats-bench/qats/calib/internal/testset"
	"github.com/qats-bench/qats/calib/isotonic"
	"github.com/qats-bench/qats/calib/linear"
	"github.com/qats-bench/qats/calib/quantile"
	"github.com/qats-bench/qats/calib/temperature"
	"github.com/qats-bench/qats/data"
)

// names returns the names of parameters, separated by spaces.
func names(list []calib.Parameter) string {
	var all []string
	for _, p := range list {
		all = append(all, p.Name)
	}
	return strings.Join(all, ", ")
}

func TestParametersHaveAFixedOrder(t *testing.T) {
	set := testset.Drawn(200, 4, 2, 1)
	for _, c := range []struct {
		method calib.Method
		want   string
	}{
		{calib.TemperatureScaling{}, "T"},
		{temperature.ExpectationConsistency{}, "T"},
		{calib.QaTS{}, "a, b"},
		{quantile.FreeQaTS{}, "a, b"},
		{quantile.PiecewiseQaTS{Segments: 2}, "t_1, t_2, t_3"},
		{temperature.BinnedTemperatureScaling{Bins: 3}, "bin 1: T, bin 2: T, bin 3: T"},
		{temperature.EntropyTemperature{}, "a, b"},
		{temperature.GapTemperature{}, "a, b, unit"},
		{temperature.EntropyTemperatureScaling{}, "w, b"},
		{temperature.EnsembleTemperatureScaling{}, "T, w_1, w_2, w_3"},
		{features.HFEWithoutOOD{}, "T0, theta1, theta2, correct.mean, correct.std, wrong.mean, wrong.std"},
		{linear.Dirichlet{Lambda: 1}, "lambda, mu"},
		{calib.Uncalibrated{}, ""},
		{isotonic.Regression{}, ""},
		{linear.Vector{}, ""},
	} {
		f, err := calib.FitInput(context.Background(), c.method, calib.Input{Cal: set.View(data.Logits | data.Labels), Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		if got := names(f.Parameters()); got != c.want {
			t.Errorf("%T: %q, want %q", c.method, got, c.want)
		}
		for _, p := range f.Parameters() {
			if p.Meaning == "" {
				t.Errorf("%T: %s has no meaning", c.method, p.Name)
			}
		}
	}
}
