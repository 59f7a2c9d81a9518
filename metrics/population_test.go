package metrics

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// E|N(t, 1)| = t (2 Phi(t) - 1) + 2 phi(t), and E exp(-X^2/2) = exp(-t^2/4)/sqrt(2).
func TestWorstBiasOfACorrectedGap(t *testing.T) {
	normal := distuv.UnitNormal
	worst := 0.0
	for i := range 800 {
		x := float64(i) / 100
		bias := x*(2*normal.CDF(x)-1) + 2*normal.Prob(x) - removed*math.Exp(-x*x/4)/math.Sqrt2 - x
		worst = max(worst, math.Abs(bias))
	}
	if !(worst <= worstBias && worst > worstBias-.001) {
		t.Errorf("the bias is up to %.4f, want a little below %g", worst, worstBias)
	}
}

func TestFoldedQuantileTurnsItsDistributionAround(t *testing.T) {
	normal := distuv.UnitNormal
	near(t, "of mean 0", foldedQuantile(0, .95), 1.959963984540054, 1e-9)
	near(t, "of a large mean", foldedQuantile(30, .95), 30+normal.Quantile(.95), 1e-9)
	for _, mean := range []float64{.1, 1, 3} {
		q := foldedQuantile(mean, .9)
		near(t, "probability", normal.CDF(q-mean)-normal.CDF(-q-mean), .9, 1e-12)
	}
}

// Two bins by hand: gaps .1 and -.2, standard errors from the residuals.
func TestCorrectedGapsDoneByHand(t *testing.T) {
	s := Of(given([]float64{.4, .4, .4, .4, .9, .9, .9, .9, .9, .9}, []bool{true, false, true, false, true, true, true, true, false, false}))
	g := correctedGaps(s, widthLayout(s.sorted, 15).runs)
	part := func(rows, gap, acc, conf float64) (value, scale float64) {
		scale = math.Sqrt(math.Max(acc*(1-acc)*rows/(rows-1), conf*(1-conf)) / rows)
		return math.Abs(gap) - scale*removed*math.Exp(-gap*gap/scale/scale/2), scale
	}
	a, sa := part(4, .1, .5, .4)
	b, sb := part(6, -.7/3, 2./3, .9)
	near(t, "value", g.value, .4*a+.6*b, 1e-12)
	near(t, "bias", g.bias, worstBias*(.4*sa+.6*sb), 1e-12)
	sum := 0.0
	for _, x := range g.influence {
		sum += x / 10
	}
	near(t, "mean of the influence", sum, g.value, 1e-12)
}

// The interval of the population's error contains it, also where the plug-in error does not
// come near it, and has no negative end.
func TestPopulationIntervalReachesDownToACalibratedModel(t *testing.T) {
	rng := rand.New(rand.NewPCG(76, 1))
	const n, trials = 500, 200
	missed, plugIn := 0, 0.0
	for range trials {
		conf, hit := make([]float64, n), make([]bool, n)
		for i := range conf {
			conf[i] = .3 + .7*rng.Float64()
			hit[i] = rng.Float64() < conf[i]
		}
		s := Of(given(conf, hit))
		r := populationInterval(nil, s, eceEntry.binned.runs, .95)
		if r.Lo > 0 {
			missed++
		}
		if r.Lo < 0 || r.Hi < r.Lo {
			t.Errorf("interval %+v", r)
		}
		plugIn += ECE(s, 15) / trials
	}
	if missed > 20 { // 5 % of 200, and more than three standard deviations
		t.Errorf("%d of %d intervals lie above 0, where the error is 0 (plug-in %.3f on average)", missed, trials, plugIn)
	}
}
