package metrics

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestSquareOfDebiasedECEIsUnbiased(t *testing.T) {
	// (.25)^2 - .75 (.25)/3 = 0; the bin of one row counts in n only.
	near(t, "no more than noise", debiased([]Bin{{N: 4, Conf: .5, Acc: .75}, {N: 1, Conf: .5, Acc: 1}}), 0, 0)
	near(t, "by hand", debiased([]Bin{{N: 6, Conf: .9, Acc: .5}, {N: 2, Conf: .3, Acc: 1}}), math.Sqrt((6*(.16-.05)+2*.49)/8), 1e-15)
	if debiased(nil) != 0 {
		t.Error("no rows")
	}
	// Its square is unbiased: where every bin is off by .1, the mean over test
	// sets of 600 rows is .01, while the plug-in estimate has .005 more. The
	// standard error of the mean of 300 is .0002.
	rng := rand.New(rand.NewPCG(31, 1))
	mean := 0.0
	for range 300 {
		conf, hit := make([]float64, 600), make([]bool, 600)
		for i := range conf {
			conf[i] = .6 + .3*rng.Float64()
			hit[i] = rng.Float64() < conf[i]-.1
		}
		v := compute(t, "ece_debiased", given(conf, hit))
		mean += v * v / 300
	}
	near(t, "mean square", mean, .01, .001)
}
