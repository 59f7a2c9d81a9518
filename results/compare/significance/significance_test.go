package significance

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// demsar is table 6 of Demsar (2006): AUC of C4.5, with m tuned, with cf tuned,
// with both, on 14 data sets. Voting's third number is printed as .975 like the
// fourth, but ranked behind the second alone: here it is .9751.
var demsar = [][]float64{
	{.763, .768, .771, .798}, {.599, .591, .590, .569}, {.954, .971, .968, .967}, {.628, .661, .654, .657},
	{.882, .888, .886, .898}, {.936, .931, .916, .931}, {.661, .668, .609, .685}, {.583, .583, .563, .625},
	{.775, .838, .866, .875}, {1, 1, 1, 1}, {.940, .962, .965, .962}, {.619, .666, .614, .669},
	{.972, .981, .9751, .975}, {.957, .978, .946, .970},
}

// costs turns AUC into costs.
func costs(gains [][]float64) [][]float64 {
	var out [][]float64
	for _, row := range gains {
		var r []float64
		for _, v := range row {
			r = append(r, -v)
		}
		out = append(out, r)
	}
	return out
}

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s = %.12g, want %.12g", what, got, want)
	}
}

// The numbers printed by Demsar (2006), section 3.2, without the correction for
// ties; the corrected ones are from scipy 1.10:
//
//	chi, p = stats.friedmanchisquare(*columns); F = 13*chi/(14*3-chi); stats.f.sf(F, 3, 39)
func TestFriedmanHasTheNumbersOfDemsar(t *testing.T) {
	r, err := Friedman(costs(demsar))
	if err != nil {
		t.Fatal(err)
	}
	for j, want := range []float64{3.143, 2.000, 2.893, 1.964} {
		near(t, "mean rank", r.Ranks[j], want, .0005)
	}
	plain := r.ChiSquared * r.Ties
	near(t, "chi squared without ties", plain, 9.28, .005)
	near(t, "F without ties", 13*plain/(14*3-plain), 3.69, .005)
	near(t, "chi squared", r.ChiSquared, 10.228346456692925, 1e-12)
	near(t, "P", r.P, 0.016721580328441323, 1e-12)
	near(t, "F", r.F, 4.1851301115241695, 1e-12)
	near(t, "P of F", r.PF, 0.011620659515310954, 1e-12)
	near(t, "critical difference", CriticalDifference(4, 14, .05), 1.25, .005)
}

func TestFriedmanOfTiesOfAgreementAndOfBadTables(t *testing.T) {
	same, err := Friedman([][]float64{{1, 1, 1}, {2, 2, 2}})
	if err != nil || same.P != 1 || same.PF != 1 || !slices.Equal(same.Ranks, []float64{2, 2, 2}) {
		t.Errorf("all ties: %+v, %v", same, err)
	}
	agree, err := Friedman([][]float64{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}})
	if err != nil || !math.IsInf(agree.F, 1) || agree.PF != 0 || agree.ChiSquared != 6 {
		t.Errorf("full agreement: %+v, %v", agree, err)
	}
	for _, bad := range [][][]float64{nil, {{1, 2}}, {{1}, {2}}, {{1, 2}, {1}}} {
		if _, err := Friedman(bad); err == nil {
			t.Errorf("Friedman(%v) has no error", bad)
		}
	}
}

// Table 5a of Demsar (2006), and scipy 1.10:
// stats.studentized_range.ppf(.95, k, np.inf)/np.sqrt(2).
func TestCriticalDifferenceIsThatOfTheStudentizedRange(t *testing.T) {
	table := []float64{1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164}
	scipy := []float64{1.959964, 2.343701, 2.569032, 2.727774, 2.849705, 2.94832, 3.030878, 3.10173, 3.163684}
	for i := range table {
		q := rangeQuantile(i+2, .95) / math.Sqrt2
		near(t, "printed q", q, table[i], .001)
		near(t, "q", q, scipy[i], 1e-6)
	}
	near(t, "q of 25", rangeQuantile(25, .95)/math.Sqrt2, 3.6578606730719927, 1e-9)
	near(t, "q of 10 at .1", rangeQuantile(10, .9)/math.Sqrt2, 2.9198888400615384, 1e-9)
	// Roots of the same integral by the trapezoidal rule with 40,001 points (scipy's brentq).
	near(t, "q of 1,000 at .9", rangeQuantile(1000, .1), 5.885929485248223, 1e-5)
	near(t, "q of 100 at .9999", rangeQuantile(100, .0001), 3.2677372090806416, 1e-5)
	// Two methods: the range of two normal numbers is |N(0, 2)|.
	for _, alpha := range []float64{1 - 1e-9, .5, 1e-9} {
		near(t, "q of two", rangeQuantile(2, 1-alpha), math.Sqrt2*distuv.UnitNormal.Quantile(1-alpha/2), 1e-6)
	}
	near(t, "q of two", rangeQuantile(2, .95)/math.Sqrt2, distuv.UnitNormal.Quantile(.975), 1e-9)
}

func TestGroupsDifferByLessThanTheCriticalDifference(t *testing.T) {
	// Demsar's figure 1: with CD 1.25 C4.5 and cf are worse than m+cf by
	// 1.179 and 0.929 only: nothing is told apart.
	if g := Groups([]float64{3.143, 2.000, 2.893, 1.964}, 1.25); len(g) != 1 || !slices.Equal(g[0], []int{3, 1, 2, 0}) {
		t.Errorf("Demsar: %v", g)
	}
	for _, c := range []struct {
		ranks    []float64
		critical float64
		want     [][]int
	}{
		{[]float64{1, 2, 3, 4}, 1.5, [][]int{{0, 1}, {1, 2}, {2, 3}}},
		{[]float64{1, 2, 3, 4}, 1, nil}, // as far apart as the difference: told apart
		{[]float64{4, 1, 1.5, 3.9}, .6, [][]int{{1, 2}, {3, 0}}},
		{[]float64{1, 1, 1}, .1, [][]int{{0, 1, 2}}},
		{nil, 1, nil},
	} {
		got := Groups(c.ranks, c.critical)
		if !slices.EqualFunc(got, c.want, slices.Equal) {
			t.Errorf("Groups(%v, %v) = %v, want %v", c.ranks, c.critical, got, c.want)
		}
	}
}

// Demsar's table 2: C4.5 with m minus C4.5. He splits the ranks of the two zeros
// (R+ 93, R- 12); Pratt drops them. The normal P is scipy 1.10's
// wilcoxon(d, zero_method="pratt", method="approx"), the exact one is counted in
// TestWilcoxonExact.
func TestWilcoxonHasTheRankSumsOfDemsar(t *testing.T) {
	d := []float64{.005, -.008, .017, .033, .006, -.005, .007, 0, .063, 0, .022, .047, .009, .021}
	s := Wilcoxon(d)
	if s.Plus != 93-1.5 || s.Minus != 12-1.5 || s.Zeros != 2 || s.N != 14 || !s.Exact {
		t.Errorf("%+v", s)
	}
	near(t, "P", s.P, 0.010791957881997143, .005)
	near(t, "P counted", s.P, counted(d), 1e-15)
}

// Hollander and Wolfe (1999), table 3.1: depression scale before and after.
// scipy: wilcoxon(x, y, method="exact") gives P = .0390625; the book gives the
// estimate .46 and the 96.1 % interval .010 to .786.
func TestWilcoxonAndShiftHaveTheNumbersOfHollanderAndWolfe(t *testing.T) {
	x := []float64{1.83, .50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30}
	y := []float64{.878, .647, .598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29}
	d := make([]float64, len(x))
	for i := range d {
		d[i] = x[i] - y[i]
	}
	s := Wilcoxon(d)
	near(t, "P", s.P, .0390625, 1e-15)
	if s.Plus != 40 || s.Minus != 5 {
		t.Errorf("%+v", s)
	}
	shift := HodgesLehmann(d, .95)
	near(t, "estimate", shift.Estimate, .46, 1e-12)
	near(t, "lo", shift.Lo, .010, 1e-12)
	near(t, "hi", shift.Hi, .786, 1e-12)
}

// counted is the two-sided P by going through all signs of the nonzero ranks.
func counted(d []float64) float64 {
	var sizes, ranks []float64
	for _, x := range d {
		sizes = append(sizes, math.Abs(x))
	}
	plus := 0.0
	for i, r := range Ranks(sizes) {
		if d[i] != 0 {
			ranks = append(ranks, r)
		}
		if d[i] > 0 {
			plus += r
		}
	}
	below, above := 0, 0
	for signs := range 1 << len(ranks) {
		sum := 0.0
		for i, r := range ranks {
			if signs>>i&1 == 1 {
				sum += r
			}
		}
		if sum <= plus {
			below++
		}
		if sum >= plus {
			above++
		}
	}
	return min(1, 2*float64(min(below, above))/float64(int(1)<<len(ranks)))
}

func TestExactPCountsAllSigns(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for n := range 13 {
		for range 20 {
			d := make([]float64, n)
			for i := range d {
				d[i] = float64(rng.IntN(9) - 3) // ties, zeros, shifted
			}
			near(t, "P", Wilcoxon(d).P, counted(d), 1e-15)
		}
	}
}

// Sums of all subsets of ranks, some of which are equal, up to any number.
func TestSignedSumsCountSubsets(t *testing.T) {
	for _, ranks := range [][]int{nil, {7}, {2, 4, 6}, {9, 3, 3, 10, 6, 1}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}} {
		counts := map[int]float64{}
		for subset := range 1 << len(ranks) {
			sum := 0
			for i, r := range ranks {
				sum += r * (subset >> i & 1)
			}
			counts[sum]++
		}
		all := 0
		for _, r := range ranks {
			all += r
		}
		for most := range all + 1 {
			got := signedSums(ranks, most)
			if len(got) != most+1 {
				t.Fatalf("%v up to %d: %d numbers", ranks, most, len(got))
			}
			for sum, p := range got {
				if want := counts[sum] / float64(int(1)<<len(ranks)); p != want {
					t.Errorf("%v up to %d: the sum is %d with probability %g, want %g", ranks, most, sum, p, want)
				}
			}
		}
	}
}

// critical is the largest number that its definition allows, by the sums of all ranks.
func TestCriticalRankByItsDefinition(t *testing.T) {
	for n := range exactUpTo + 1 {
		var ranks []int
		for i := range n {
			ranks = append(ranks, i+1)
		}
		p := signedSums(ranks, n*(n+1)/2)
		for _, tail := range []float64{.001, .025, .05, .25, .4} {
			want, sum := 0, 0.0
			for want < len(p) && sum+p[want] <= tail {
				sum += p[want]
				want++
			}
			if got := critical(n, tail); got != want {
				t.Errorf("critical(%d, %g) is %d, want %d", n, tail, got, want)
			}
		}
	}
}

// Under the hypothesis every sign is a fair coin; with ties and zeros too.
func TestWilcoxonKeepsItsLevel(t *testing.T) {
	for _, sizes := range [][]float64{{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, {0, 0, 1, 1, 1, 2, 2, 3, 4, 4}} {
		for _, level := range []float64{.01, .05, .1, .5} {
			rejected := 0
			for signs := range 1 << len(sizes) {
				d := slices.Clone(sizes)
				for i := range d {
					if signs>>i&1 == 1 {
						d[i] = -d[i]
					}
				}
				if Wilcoxon(d).P <= level {
					rejected++
				}
			}
			if share := float64(rejected) / float64(int(1)<<len(sizes)); share > level {
				t.Errorf("%v at %g: %g are rejected", sizes, level, share)
			}
		}
	}
}

// scipy 1.10: wilcoxon(np.round(np.sin(np.arange(1,301))+.1, 3), method="approx",
// zero_method="pratt").
func TestNormalPIsThatOfScipy(t *testing.T) {
	var d []float64
	for i := 1; i <= 300; i++ {
		d = append(d, math.Round(1000*(math.Sin(float64(i))+.1))/1000)
	}
	s := Wilcoxon(d)
	if min(s.Plus, s.Minus) != 18220.5 || s.Exact {
		t.Errorf("%+v", s)
	}
	near(t, "P", s.P, 0.003782252536041819, 1e-9)
}

// 200 differences are exact and 201 are not; there the two agree.
func TestExactDistributionEndsAt200Differences(t *testing.T) {
	var d []float64
	for i := 1; i <= 201; i++ {
		d = append(d, math.Round(1000*(math.Sin(float64(i))+.1))/1000)
	}
	last, next := Wilcoxon(d[:200]), Wilcoxon(append(slices.Clone(d[:200]), 0))
	if !last.Exact || next.Exact {
		t.Errorf("exact: %v with 200 differences, %v with 201", last.Exact, next.Exact)
	}
	near(t, "P at the limit", next.P, last.P, 2e-3)
	// The exact P of 200: the distribution of the rank sum by convolution.
	least, all := min(last.Plus, last.Minus), 200*201
	counts := make([]*big.Int, all+1)
	for i := range counts {
		counts[i] = new(big.Int)
	}
	counts[0].SetInt64(1)
	sizes := make([]float64, 200)
	for i, x := range d[:200] {
		sizes[i] = math.Abs(x)
	}
	for _, r := range Ranks(sizes) {
		step := int(2 * r)
		for s := all; s >= step; s-- {
			counts[s].Add(counts[s], counts[s-step])
		}
	}
	below := new(big.Int)
	for _, c := range counts[:int(2*least)+1] {
		below.Add(below, c)
	}
	exact, _ := new(big.Rat).SetFrac(below, new(big.Int).Lsh(big.NewInt(1), 199)).Float64()
	near(t, "P of 200 differences", last.P, exact, 1e-13)
}

func TestWilcoxonHasNoPreferredSignOrderOrUnit(t *testing.T) {
	if s := Wilcoxon(nil); s.P != 1 || s.N != 0 {
		t.Errorf("nothing: %+v", s)
	}
	if s := Wilcoxon([]float64{0, 0}); s.P != 1 || s.Zeros != 2 {
		t.Errorf("zeros: %+v", s)
	}
	d := []float64{.3, -.1, .7, .2, -.4, .9, 0, .3}
	var minus, shuffled []float64
	for i := range d {
		minus = append(minus, -d[i])
		shuffled = append(shuffled, 10*d[(3*i+5)%8])
	}
	a, b, c := Wilcoxon(d), Wilcoxon(minus), Wilcoxon(shuffled)
	if a.P != b.P || a.Plus != b.Minus || a != c {
		t.Errorf("%+v, its mirror image %+v, in another order and unit %+v", a, b, c)
	}
	// More zeros never make a difference more certain.
	if more := Wilcoxon(append(slices.Clone(d), 0, 0, 0, 0)); more.P < a.P {
		t.Errorf("P falls from %g to %g by zeros", a.P, more.P)
	}
}

func TestIntervalOfAShiftHoldsWhatTheTestDoesNotReject(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for n := 1; n < 30; n++ {
		d := make([]float64, n)
		for i := range d {
			d[i] = rng.NormFloat64() + .3
		}
		s := HodgesLehmann(d, .95)
		if s.Bounded != (n >= LeastForInterval) {
			t.Fatalf("n = %d: %+v", n, s)
		}
		if !s.Bounded {
			continue
		}
		p := func(shift float64) float64 {
			var moved []float64
			for _, x := range d {
				moved = append(moved, x-shift)
			}
			return Wilcoxon(moved).P
		}
		const step = 1e-9
		if p(s.Lo+step) <= .05 || p(s.Hi-step) <= .05 || p(s.Lo-step) > .05 || p(s.Hi+step) > .05 {
			t.Errorf("n = %d: the test accepts other shifts than %+v", n, s)
		}
	}
	if s := HodgesLehmann(nil, .95); s != (Shift{}) {
		t.Errorf("%+v of nothing", s)
	}
	// Beyond the exact limit: the normal bound is next to the exact one.
	exact := 0
	ranks := make([]int, exactUpTo+50)
	for i := range ranks {
		ranks[i] = i + 1
	}
	sum := 0.0
	for _, q := range signedSums(ranks, len(ranks)*(len(ranks)+1)/2) {
		if sum += q; sum > .025 {
			break
		}
		exact++
	}
	if got := critical(len(ranks), .025); !(math.Abs(float64(got-exact)) <= 5) {
		t.Errorf("critical(%d) = %d, exactly %d", len(ranks), got, exact)
	}
}

// By hand from Holm (1979): .01 x 4, .02 x 3, .03 x 2 and .04 x 1, and then the
// largest so far.
func TestHolmDoneByHand(t *testing.T) {
	for _, c := range []struct{ p, want []float64 }{
		{[]float64{.03, .01, .04, .02}, []float64{.06, .04, .06, .06}},
		{[]float64{.5, .9}, []float64{1, 1}},
		{[]float64{.001}, []float64{.001}},
		{nil, []float64{}},
	} {
		got := Holm(c.p)
		for i := range c.want {
			near(t, "adjusted", got[i], c.want[i], 1e-15)
		}
		if len(got) != len(c.want) {
			t.Errorf("%v", got)
		}
	}
}

func TestEqualValuesShareTheMeanOfTheirRanks(t *testing.T) {
	got := Ranks([]float64{3, 1, 3, 2, 3})
	if !slices.Equal(got, []float64{4, 1, 4, 2, 4}) {
		t.Errorf("%v", got)
	}
}

// TestCriticalRankBeyondTheExactOnes: the normal approximation is that of the exact
// distribution of rank sums, to two ranks; and a tail that is reached
// exactly counts.
func TestCriticalRankBeyondTheExactOnes(t *testing.T) {
	for _, n := range []int{201, 230} {
		ranks := make([]int, n)
		for i := range ranks {
			ranks[i] = i + 1
		}
		want, sum := 0, 0.0
		for _, p := range signedSums(ranks, len(ranks)*(len(ranks)+1)/2) {
			if sum += p; sum > .025 {
				break
			}
			want++
		}
		if got := critical(n, .025); !(math.Abs(float64(got-want)) <= 2) {
			t.Errorf("%d differences: %d, exactly %d", n, got, want)
		}
	}
	if got := critical(2, .25); got != 1 { // Pr(W <= 0) = 1/4
		t.Errorf("two differences: %d, want 1", got)
	}
}

// TestFriedmanNeedsTwoMethods and takes two.
func TestFriedmanNeedsTwoMethods(t *testing.T) {
	if _, err := Friedman([][]float64{{1}, {2}}); err == nil {
		t.Error("one method")
	}
	if r, err := Friedman([][]float64{{1, 2}, {1, 2}, {2, 1}}); err != nil || len(r.Ranks) != 2 {
		t.Errorf("two methods: %v, %v", r, err)
	}
}

// The least P is that of differences of one sign, in the exact distribution.
func TestLeastPIsThatOfOneSign(t *testing.T) {
	for n := range 12 {
		d := make([]float64, n)
		for i := range d {
			d[i] = float64(i + 1)
		}
		want := 1.
		if n > 0 {
			want = Wilcoxon(d).P
		}
		if got := LeastP(n); !(math.Abs(got-want) <= 1e-15) {
			t.Errorf("%d differences: %v, want %v", n, got, want)
		}
	}
}

// TestEquivalenceInvertsTheInterval: for differences without ties, two one-sided tests at .05 reject where the
// 90 % interval lies within the margin; one-sided P values are those of scipy:
//
//	max(stats.wilcoxon(d + m, alternative="greater").pvalue, stats.wilcoxon(d - m, alternative="less").pvalue)
func TestEquivalenceInvertsTheInterval(t *testing.T) {
	d := []float64{.3113, -.1227, .0541, .4465, -.2739, .0887, -.0219, .1931, .2377, -.3523}
	for _, c := range []struct{ margin, want float64 }{{.1, 0.3125}, {.25, 0.0322265625}, {.5, 0.0009765625}} {
		near(t, "P", Equivalence(d, c.margin), c.want, 1e-12)
	}
	r := rand.New(rand.NewPCG(3, 5))
	within := 0
	for range 2000 {
		d := make([]float64, 5+r.IntN(30))
		for i := range d {
			d[i] = .2 + r.NormFloat64()
		}
		s, margin := HodgesLehmann(d, .9), .1+r.Float64()
		inside := s.Bounded && s.Lo > -margin && s.Hi < margin
		if alike := Equivalence(d, margin) <= .05; alike != inside {
			t.Fatalf("%v: margin %g: P %g, interval %+v", d, margin, Equivalence(d, margin), s)
		} else if alike {
			within++
		}
	}
	if within < 100 {
		t.Errorf("only %d of 2000 are within their margin", within)
	}
}

func TestEquivalenceOfNothingOfZerosAndOfTheMarginItself(t *testing.T) {
	zeros := make([]float64, 5)
	for _, c := range []struct {
		d    []float64
		want float64
	}{{nil, 1}, {zeros, 1. / 32}, {[]float64{.1, .1, .1}, 1}, {[]float64{-.1}, 1}} {
		near(t, "P", Equivalence(c.d, .1), c.want, 1e-15)
	}
}
