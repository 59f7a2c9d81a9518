package metrics

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/qats-bench/qats/metrics/scoring"
)

// sumError bounds the rounding of the naive float64 sums of the oracles over a
// few thousand rows.
const sumError = 1e-13

// The docstring of calibration_error of torchmetrics.
func TestECEAndMCEOfTorchmetricsExample(t *testing.T) {
	s := Of(given([]float64{.25, .25, .55, .75, .75}, []bool{false, false, true, true, true}))
	near(t, "ECE", ECE(s, 2), .29, 1e-15)
	mce, err := MCE(s, 2, 1)
	near(t, "MCE", mce, (.45+.25+.25)/3, 1e-15)
	if err != nil {
		t.Error(err)
	}
}

// oracleWidth applies the definition bin by bin.
func oracleWidth(f *scoring.SampleScores, m int) float64 {
	ece := 0.0
	for b := range m {
		conf, hits, n := 0.0, 0.0, 0.0
		for i, c := range f.Conf {
			k := math.Ceil(float64(m)*c) - 1
			if k == float64(b) || b == 0 && k < 0 {
				conf, n = conf+c, n+1
				if f.Correct(i) {
					hits++
				}
			}
		}
		if n > 0 {
			ece += n / float64(f.Len()) * math.Abs(hits/n-conf/n)
		}
	}
	return ece
}

// oracleMass applies the definition to a list of rows in which each row
// already has the means of its block.
func oracleMass(f *scoring.SampleScores, m int) float64 {
	n := f.Len()
	rows := make([]int, n)
	for i := range rows {
		rows[i] = i
	}
	slices.SortFunc(rows, func(a, b int) int {
		if f.Conf[a] < f.Conf[b] {
			return -1
		} else if f.Conf[a] > f.Conf[b] {
			return 1
		}
		return 0
	})
	conf, hit := make([]float64, n), make([]float64, n)
	for lo := 0; lo < n; {
		hi := lo + 1
		for hi < n && f.Conf[rows[hi]]-f.Conf[rows[hi-1]] <= 1e-9 {
			hi++
		}
		c, h := 0.0, 0.0
		for _, i := range rows[lo:hi] {
			c += f.Conf[i]
			if f.Correct(i) {
				h++
			}
		}
		for j := lo; j < hi; j++ {
			conf[j], hit[j] = c/float64(hi-lo), h/float64(hi-lo)
		}
		lo = hi
	}
	sum, filled := 0.0, 0.0
	for b := range m {
		lo := int(math.Floor(float64(b)*float64(n)/float64(m) + .5))
		hi := int(math.Floor(float64(b+1)*float64(n)/float64(m) + .5))
		if lo == hi {
			continue
		}
		gap := 0.0
		for j := lo; j < hi; j++ {
			gap += hit[j] - conf[j]
		}
		sum += math.Abs(gap) / float64(hi-lo)
		filled++
	}
	return sum / filled
}

func TestECEAndAECEFollowTheirDefinitions(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{1, 2, 7, 8, 14, 15, 16, 29, 100, 1000, 2999} {
		for _, m := range []int{1, 2, 10, 15, 16, 100} {
			f := network(rng, n, 1.3)
			near(t, "ECE", ECE(Of(f), m), oracleWidth(f, m), sumError)
			near(t, "AECE", AECE(Of(f), m), oracleMass(f, m), sumError)
		}
	}
}

func TestECELiesBetweenGapAndOne(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	for trial := range 200 {
		n, m := 1+rng.IntN(400), 1+rng.IntN(30)
		f := network(rng, n, []float64{.2, 1, 5}[trial%3])
		width, mass := WidthBins(Of(f), m), MassBins(Of(f), m)
		gap := math.Abs(compute(t, "gap", f))
		for _, ece := range []float64{weightedGap(width), weightedGap(mass)} { // the inequality holds for any bins weighted by rows
			if ece < gap-sumError || ece > 1 {
				t.Fatalf("ECE %g, |gap| %g", ece, gap)
			}
		}
		up, down := false, false
		for _, b := range width {
			up = up || b.Acc-b.Conf > 1e-12
			down = down || b.Conf-b.Acc > 1e-12
		}
		if equal := weightedGap(width)-gap < 1e-12; equal == (up && down) {
			t.Fatalf("ECE %g, |gap| %g, but bins above: %v, below: %v", weightedGap(width), gap, up, down)
		}
		near(t, "ECE of one bin", ECE(Of(f), 1), gap, sumError)
		near(t, "AECE of one bin", AECE(Of(f), 1), gap, sumError)

		least, most, total := n, 0, 0
		for _, b := range mass {
			least, most, total = min(least, b.N), max(most, b.N), total+b.N
		}
		if most-least > 1 || total != n {
			t.Fatalf("n = %d, m = %d: equal-mass bins of %d to %d rows, %d in all", n, m, least, most, total)
		}
		for b, w := range width {
			if w.N > 0 && !(w.Conf > w.Lo-1e-15 && w.Conf <= w.Hi+1e-15) {
				t.Fatalf("bin %d (%g, %g] has mean confidence %g", b, w.Lo, w.Hi, w.Conf)
			}
		}
	}
}

// Sums over rows are exact, so the order of the rows changes no bit.
func TestOrderOfRowsChangesNoBit(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	for range 30 {
		f := network(rng, 500, 2)
		g := pick(f, rng.Perm(500))
		for _, e := range Registry() {
			switch {
			case slices.Contains([]string{"ece_null", "aece_null", "decomposition", "l1_variational"}, e.Name):
				continue // their draws and folds belong to row numbers
			case e.NeedsClasses, e.Uncal, e.CrossFit, e.Positive:
				continue // of class bins, which TestClasswise fills, of other samples, of whole vectors, and of two classes
			}
			a, errA := e.Compute(Of(f), 1)
			b, errB := e.Compute(Of(g), 1)
			if errA != nil || errB != nil || !slices.Equal(a, b) {
				t.Errorf("%s: %v, permuted %v", e.Name, a, b)
			}
		}
	}
}

// For bins of equal mass where the boundaries align.
func TestEveryRowTwiceChangesNoBit(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 1))
	for range 50 {
		f := network(rng, 15*(1+rng.IntN(40)), 2)
		rows := make([]int, 0, 2*f.Len())
		for i := range f.Len() {
			rows = append(rows, i, i)
		}
		g := pick(f, rows)
		if a, b := ECE(Of(f), 15), ECE(Of(g), 15); a != b {
			t.Errorf("ECE %v, of doubled rows %v", a, b)
		}
		if a, b := AECE(Of(f), 15), AECE(Of(g), 15); a != b {
			t.Errorf("AECE %v, of doubled rows %v", a, b)
		}
	}
}

func TestConfidenceOnAnEdgeIsInTheLowerBin(t *testing.T) {
	for j := 1; j <= 15; j++ {
		edge := float64(j) / 15
		below, above := math.Nextafter(edge, 0), math.Nextafter(edge, 2)
		want := map[float64]int{below: j - 1, edge: j - 1}
		if j < 15 && j != 11 { // 15 times the double above 11/15 rounds to 11: see WidthBins
			want[above] = j
		}
		for c, b := range want {
			if bins := WidthBins(Of(given([]float64{c}, []bool{true})), 15); bins[b].N != 1 {
				t.Errorf("confidence %.17g is not in bin %d", c, b)
			}
		}
	}
}

func TestFewerRowsThanBins(t *testing.T) {
	one := given([]float64{.8}, []bool{false})
	near(t, "ECE of one row", ECE(Of(one), 15), .8, 1e-15)
	near(t, "AECE of one row", AECE(Of(one), 15), .8, 1e-15)

	// Three rows in 15 bins: three bins of one row, all others empty.
	three := given([]float64{.9, .5, .7}, []bool{true, false, true})
	var filled []Bin
	for _, b := range MassBins(Of(three), 15) {
		if b.N > 0 {
			filled = append(filled, b)
		} else if b != (Bin{}) {
			t.Errorf("an empty bin holds %+v", b)
		}
	}
	want := []Bin{{.5, .5, 1, .5, 0}, {.7, .7, 1, .7, 1}, {.9, .9, 1, .9, 1}}
	if !slices.Equal(filled, want) {
		t.Errorf("bins %v, want %v", filled, want)
	}
	near(t, "AECE", AECE(Of(three), 15), (.5+.3+.1)/3, 1e-15)

	if ECE(Of(&scoring.SampleScores{}), 15) != 0 || AECE(Of(&scoring.SampleScores{}), 15) != 0 {
		t.Error("no rows have an error")
	}
}

func TestOneConfidenceIsSharedByAllBins(t *testing.T) {
	for _, c := range []float64{1, .3, 1. / 3} {
		conf, hit := make([]float64, 40), make([]bool, 40)
		for i := range conf {
			conf[i], hit[i] = c, i < 10
		}
		f := given(conf, hit)
		near(t, "ECE", ECE(Of(f), 15), math.Abs(c-.25), 1e-15)
		near(t, "AECE", AECE(Of(f), 15), math.Abs(c-.25), 1e-15)
		for _, b := range MassBins(Of(f), 15) {
			near(t, "share of the hits", b.Acc, .25, 1e-15)
		}
	}
}

// A chain of near ties is one block, and a wider step ends it.
func TestBoundaryThroughTiesGivesEachSideItsShare(t *testing.T) {
	// Two bins of two rows; the middle two tie: .2 | .6 .6 | .9.
	f := given([]float64{.2, .6, .6 + 9e-10, .9}, []bool{false, true, false, true})
	bins := MassBins(Of(f), 2)
	near(t, "first bin", bins[0].Acc, .25, 0)
	near(t, "second bin", bins[1].Acc, .75, 0)
	near(t, "first mean", bins[0].Conf, (.2+.6+4.5e-10)/2, 1e-15)

	apart := MassBins(Of(given([]float64{.2, .6, .6 + 1.1e-9, .9}, []bool{false, true, false, true})), 2)
	near(t, "untied", apart[0].Acc, .5, 0)

	chain := MassBins(Of(given([]float64{.6, .6 + 9e-10, .6 + 18e-10, .6 + 27e-10}, []bool{true, false, false, false})), 2)
	near(t, "chain", chain[0].Acc, .25, 0)
}

func FuzzBins(f *testing.F) {
	f.Add([]byte{1, 2, 3}, uint8(15))
	f.Add([]byte{255, 255, 0, 128}, uint8(2))
	f.Fuzz(func(t *testing.T, b []byte, m uint8) {
		if len(b) == 0 || m == 0 {
			return
		}
		conf, hit := make([]float64, len(b)), make([]bool, len(b))
		for i, v := range b { // 63 edges of 1/63 to 1, each with its near ties
			conf[i] = float64(v>>2+1)/64 - 6e-10*float64(v>>1&1)
			hit[i] = v&1 == 1
		}
		f := given(conf, hit)
		near(t, "ECE", ECE(Of(f), int(m)), oracleWidth(f, int(m)), 1e-12)
		near(t, "AECE", AECE(Of(f), int(m)), oracleMass(f, int(m)), 1e-12)
	})
}

// Blocks of ties cut by many boundaries, all rows correct: no sum of rounded shares
// may exceed one.
func TestAccuracyOfABinIsAtMostOne(t *testing.T) {
	for n := 1; n < 400; n++ {
		f := scoring.New(n)
		for i := range n {
			f.Conf, f.Rest = append(f.Conf, 1-float64(i%3/2)/8), append(f.Rest, float64(i%3/2)/8)
			f.Pred, f.Label = append(f.Pred, 0), append(f.Label, 0)
			f.NLL, f.Brier, f.Changed = append(f.NLL, 0), append(f.Brier, 0), append(f.Changed, false)
		}
		for b, bin := range MassBins(Of(f), 15) {
			if bin.Acc > 1 || bin.Conf > 1 {
				t.Fatalf("n %d, bin %d: accuracy %v, confidence %v", n, b, bin.Acc, bin.Conf)
			}
		}
	}
}
