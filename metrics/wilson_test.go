package metrics

import (
	"math"
	"math/big"
	"testing"
)

// The values are those of statsmodels 0.15.0: proportion_confint(k, n, method="wilson").
func TestWilsonOfStatsmodels(t *testing.T) {
	for _, test := range []struct{ hits, n, lo, hi float64 }{
		{0, 1, 0, 0.7934506856227627},
		{1, 1, 0.2065493143772374, 1},
		{0, 10, 0, 0.27753279986288926},
		{10, 10, 0.7224672001371106, 1},
		{6, 7, 0.4868721707256809, 0.9743203756552563},
		{1, 30, 0.005908590381612455, 0.16670390991409176},
		{743, 997, 0.7172831414224271, 0.7713057311610446},
		{60, 67, 0.7996871695126198, 0.9484623023121714},
		{50, 100, 0.4038315303659956, 0.5961684696340044},
		{99999, 100000, 0.9999433529034099, 0.9999982347522698},
	} {
		r := Wilson(test.hits/test.n, int(test.n), .95)
		near(t, "lower end", r.Lo, test.lo, 1e-14)
		near(t, "upper end", r.Hi, test.hi, 1e-14)
	}
}

// With no or only correct rows the interval has a closed form: n/(n+z^2) is its inner end.
func TestWilsonOfNoneAndOfAll(t *testing.T) {
	const z = 1.959963984540054
	for _, n := range []int{1, 2, 29, 30, 1000, 1 << 30} {
		none, all := Wilson(0, n, .95), Wilson(1, n, .95)
		if none.Lo != 0 || all.Hi != 1 {
			t.Errorf("n = %d: %v and %v", n, none, all)
		}
		near(t, "upper end of none", none.Hi, z*z/(float64(n)+z*z), 1e-15)
		near(t, "lower end of all", all.Lo, float64(n)/(float64(n)+z*z), 1e-15)
	}
}

// The ends solve (p - share)^2 = z^2 p (1-p)/n, shares of bins of equal mass included, whose
// hits are not whole numbers. A share and its complement have complementary intervals.
func TestWilsonSolvesItsEquation(t *testing.T) {
	const z = 1.959963984540054
	for _, n := range []int{1, 7, 67, 5000} {
		for share := 0.0; share <= 1; share += 1. / 64 {
			r, turned := Wilson(share, n, .95), Wilson(1-share, n, .95)
			near(t, "complement", r.Lo+turned.Hi, 1, 1e-15)
			for _, p := range []float64{r.Lo, r.Hi} {
				near(t, "equation", (p-share)*(p-share), z*z*p*(1-p)/float64(n), 1e-14)
			}
			if !(0 <= r.Lo && r.Lo <= share && share <= r.Hi && r.Hi <= 1 && r.Lo < r.Hi) {
				t.Errorf("share %v of %d: %v", share, n, r)
			}
		}
	}
}

// Over all binomial counts of 50 rows the interval covers a probability in 92 to 99 % of the
// cases, and in 95 % on average (Brown, Cai and DasGupta 2001, figure 5).
func TestWilsonCovers(t *testing.T) {
	const n = 50
	sum, cases := 0.0, 0
	for p := .1; p < .9; p += .01 {
		covered := 0.0
		for k := range n + 1 {
			if r := Wilson(float64(k)/n, n, .95); r.Lo <= p && p <= r.Hi {
				ways, _ := new(big.Float).SetInt(new(big.Int).Binomial(n, int64(k))).Float64()
				covered += ways * math.Pow(p, float64(k)) * math.Pow(1-p, float64(n-k))
			}
		}
		if covered < .92 || covered > .99 {
			t.Errorf("p = %v is covered in %v", p, covered)
		}
		sum += covered
		cases++
	}
	near(t, "mean coverage", sum/float64(cases), .95, .005)
}
