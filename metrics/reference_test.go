package metrics

import (
	"testing"

	"github.com/qats-bench/qats/metrics/scoring"
)

// reference61 is a small set without ties: conf_i = .4 + .59 (37 i mod 61)/61,
// hit_i = (i^2 mod 7 < 4), i = 0..60.
func reference61() *scoring.SampleScores {
	conf, hit := make([]float64, 61), make([]bool, 61)
	for i := range conf {
		conf[i], hit[i] = .4+.59*float64(37*i%61)/61, i*i%7 < 4
	}
	return given(conf, hit)
}

// Values of a numpy 1.24 script written from the definitions, not from this
// code: bins are index lists o[floor(j n/m + .5) : floor((j+1) n/m + .5)] of
// argsort(conf); smECE is the mean of |sum of r_i K| over 6,000 midpoints, K the
// Gaussian with its 14 nearest images, bisected 34 times; float32 edges of
// ece_tm as torch.linspace builds them, numpy.searchsorted(side="right").
func TestSmallSetHasTheValuesOfNumpy(t *testing.T) {
	f := reference61()
	near(t, "ece_debiased", compute(t, "ece_debiased", f), 0.18551733733966058, 1e-13)
	near(t, "ece_sweep", compute(t, "ece_sweep", f), 0.1361461972588014, 1e-13)
	near(t, "ece_tm", compute(t, "ece_tm", f), 0.2131308781318977, 1e-13)
	near(t, "smece", compute(t, "smece", f), 0.1104180339319573, 1e-7)
	_, l2 := SweepECE(Of(f))
	near(t, "ece_sweep_l2", l2, 0.13918378426217284, 1e-13)
	s := smoother{points: newResiduals(Of(f))}
	near(t, "smECE at .02", s.error(.02), 0.18849651708952067, 1e-6) // of the midpoints, mostly
	near(t, "smECE at .1", s.error(.1), 0.11357988067220716, 1e-7)
	near(t, "smECE at .5", s.error(.5), 0.03114754098360656, 1e-12)
}
