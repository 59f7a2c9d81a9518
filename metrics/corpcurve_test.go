package metrics

import (
	"math/rand/v2"
	"testing"
)

// The values are those of scikit-learn 1.9.1, of the same rows:
// IsotonicRegression(out_of_bounds="clip").fit(conf, hit).predict(conf).
func TestCORPCurveOfScikitLearn(t *testing.T) {
	conf := []float64{.1, .2, .3, .35, .4, .5, .55, .6, .7, .8, .9, .95}
	hits := []bool{false, true, false, false, true, false, true, true, false, true, true, true}
	want := []float64{0, 1. / 3, 1. / 3, 1. / 3, .5, .5, 2. / 3, 2. / 3, 2. / 3, 1, 1, 1}
	s, err := FromConfidences(conf, hits)
	if err != nil {
		t.Fatal(err)
	}
	curve := CORPCurve(s, 1)
	if len(curve) != len(conf) {
		t.Fatalf("%d points", len(curve))
	}
	for i, p := range curve {
		near(t, "confidence", p.Conf, conf[i], 0)
		near(t, "accuracy", p.Acc, want[i], 1e-15)
		if !(0 <= p.Lo && p.Lo <= p.Hi && p.Hi <= 1) {
			t.Errorf("band %v", p)
		}
	}
	if none := CORPCurve(&Samples{}, 1); none != nil {
		t.Errorf("a curve of no samples: %v", none)
	}
}

// Of a calibrated model the band holds the curve at about 95 % of the points; the curve of an
// overconfident one is below it.
func TestCORPBandHoldsCalibratedModels(t *testing.T) {
	inside, below, all := 0, 0, 0
	for trial := range 20 {
		r := rand.New(rand.NewPCG(uint64(trial), 9))
		const n = 1000
		conf, good, bad := make([]float64, n), make([]bool, n), make([]bool, n)
		for i := range conf {
			conf[i] = .3 + .7*r.Float64()
			u := r.Float64()
			good[i], bad[i] = u < conf[i], u < conf[i]-.2
		}
		calibrated, _ := FromConfidences(conf, good)
		over, _ := FromConfidences(conf, bad)
		a, b := CORPCurve(calibrated, 3), CORPCurve(over, 3)
		for _, p := range a {
			all++
			if p.Lo <= p.Acc && p.Acc <= p.Hi {
				inside++
			}
		}
		middle := b[len(b)/2]
		if middle.Acc < middle.Lo {
			below++
		}
		if len(a) < curvePoints || len(a) > 4*curvePoints {
			t.Errorf("%d points", len(a))
		}
	}
	near(t, "share of points inside", float64(inside)/float64(all), .95, .03)
	if below < 19 {
		t.Errorf("the curve of an overconfident model is below the band in %d of 20", below)
	}
}

// All confidences equal: one point, whose band is that of a binomial share.
func TestCORPCurveOfOneConfidence(t *testing.T) {
	conf, hits := make([]float64, 400), make([]bool, 400)
	for i := range conf {
		conf[i], hits[i] = .8, i%2 == 0
	}
	s, _ := FromConfidences(conf, hits)
	curve := CORPCurve(s, 1)
	if len(curve) != 1 || curve[0].Conf != .8 || curve[0].Acc != .5 {
		t.Fatalf("%v", curve)
	}
	near(t, "lower end", curve[0].Lo, .8-1.96*.02, .006)
	near(t, "upper end", curve[0].Hi, .8+1.96*.02, .006)
}
