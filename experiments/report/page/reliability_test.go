package page

import (
	"math"
	"math/big"
	"testing"

	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/resultstest"
)

// TestConsistencyBandsAreBinomialQuantiles, by exact binomial coefficients.
func TestConsistencyBandsAreBinomialQuantiles(t *testing.T) {
	for _, n := range []int64{1, 2, 7, 40, 333, 2500} {
		for _, p := range []float64{1e-6, .01, .2, .5, .77, .95, .9999} {
			from, to, sum := -1.0, -1.0, 0.0
			for k := int64(0); k <= n && to < 0; k++ {
				ways := new(big.Float).SetInt(new(big.Int).Binomial(n, k))
				exponent := float64(k)*math.Log(p) + float64(n-k)*math.Log1p(-p)
				mantissa := new(big.Float)
				log := float64(ways.MantExp(mantissa)) * math.Ln2
				m, _ := mantissa.Float64()
				sum += m * math.Exp(log+exponent)
				if from < 0 && sum >= .025 {
					from = float64(k) / float64(n)
				}
				if sum >= .975 {
					to = float64(k) / float64(n)
				}
			}
			if a, b := consistency(int(n), p); a != from || b != to {
				t.Errorf("%d rows with %g: %g to %g, want %g to %g", n, p, a, b, from, to)
			}
		}
	}
	for _, p := range []float64{0, 1} {
		if a, b := consistency(10, p); a != p || b != p {
			t.Errorf("certain rows: %g to %g", a, b)
		}
	}
}

// TestBinsHaveTheirIntervals, those of the figures, in whole units; equal cells are there once.
func TestBinsHaveTheirIntervals(t *testing.T) {
	f := &results.Rows{Records: rows("a,ts,ece,measured,ok,,", "a,qats,ece,measured,ok,,", "a,uncal,ece,measured,ok,,")}
	for _, m := range []string{"ts", "qats"} {
		at := f.Records[0].Setting
		f.Bins = append(f.Bins, resultstest.Bin(at, m, "width15", 12, .8, 13./15, 40, .83333, .75), resultstest.Bin(at, m, "mass15", 0, .12345, .9, 40, .83333, .75))
	}
	d := pack(f, func(m string) string { return m })
	w := metrics.Wilson(.75, 40, .95)
	if math.Abs(w.Lo-.5981) > 1e-4 || math.Abs(w.Hi-.8581) > 1e-4 {
		t.Fatalf("%+v", w)
	}
	// 28 to 38 of 40 rows: .7 to .95 around .83333.
	if got := string(d.Width[0]); got != "[12,40,83333,75000,1519,1081,1333,1167]" {
		t.Errorf("of equal width %s", got)
	}
	if got := string(d.Mass[0]); got != "[40,83333,75000,1519,1081,1333,1167,1235,9000]" {
		t.Errorf("of equal mass %s", got)
	}
	if string(d.Width[1]) != "0" || string(d.Mass[1]) != "0" || string(d.Width[2]) != "null" {
		t.Errorf("equal cells are %s and %s, one without bins %s", d.Width[1], d.Mass[1], d.Width[2])
	}
}
