package metrics

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// sumError bounds the rounding of the naive float64 sums of the oracles over a
// few thousand rows.
const sumError = 1e-13

// The docstring of torchmetrics' calibration_error.
func TestFixture(t *testing.T) {
	f := given([]float64{.25, .25, .55, .75, .75}, []bool{false, false, true, true, true})
	bins := WidthBins(f, 2)
	near(t, "ECE", ECE(bins), .29, 1e-15)
	near(t, "MCE", MCE(bins), (.45+.25+.25)/3, 1e-15)
}

// oracleWidth applies the definition bin by bin.
func oracleWidth(f *Facts, m int) float64 {
	ece := 0.0
	for b := range m {
		conf, hits, n := 0.0, 0.0, 0.0
		for i, c := range f.Conf {
			k := math.Ceil(float64(m)*c) - 1
			if k == float64(b) || b == 0 && k < 0 {
				conf, n = conf+c, n+1
				if f.Hit(i) {
					hits++
				}
			}
		}
		if n > 0 {
			ece += n / float64(f.N()) * math.Abs(hits/n-conf/n)
		}
	}
	return ece
}

// oracleMass applies the definition to a list of rows in which each row
// already has the means of its block.
func oracleMass(f *Facts, m int) float64 {
	n := f.N()
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
			if f.Hit(i) {
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

func TestOracles(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{1, 2, 7, 8, 14, 15, 16, 29, 100, 1000, 2999} {
		for _, m := range []int{1, 2, 10, 15, 16, 100} {
			f := sample(rng, n, 1.3)
			near(t, "ECE", ECE(WidthBins(f, m)), oracleWidth(f, m), sumError)
			near(t, "AECE", AECE(MassBins(f, m)), oracleMass(f, m), sumError)
		}
	}
}

func TestBinProperties(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	for trial := range 200 {
		n, m := 1+rng.IntN(400), 1+rng.IntN(30)
		f := sample(rng, n, []float64{.2, 1, 5}[trial%3])
		width, mass := WidthBins(f, m), MassBins(f, m)
		gap := math.Abs(value(t, "gap", f))
		for _, ece := range []float64{ECE(width), ECE(mass)} { // the inequality holds for any bins weighted by rows
			if ece < gap-sumError || ece > 1 {
				t.Fatalf("ECE %g, |gap| %g", ece, gap)
			}
		}
		up, down := false, false
		for _, b := range width {
			up = up || b.Acc-b.Conf > 1e-12
			down = down || b.Conf-b.Acc > 1e-12
		}
		if equal := ECE(width)-gap < 1e-12; equal == (up && down) {
			t.Fatalf("ECE %g, |gap| %g, but bins above: %v, below: %v", ECE(width), gap, up, down)
		}
		near(t, "ECE of one bin", ECE(WidthBins(f, 1)), gap, sumError)
		near(t, "AECE of one bin", AECE(MassBins(f, 1)), gap, sumError)

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
func TestPermutation(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	for range 30 {
		f := sample(rng, 500, 2)
		g := pick(f, rng.Perm(500))
		for _, e := range Registry() {
			if e.Name == "ece_null" || e.Name == "aece_null" {
				continue // their draws belong to row numbers
			}
			if e.Classes {
				continue // of class bins, which TestClasswise fills
			}
			a, errA := e.Compute(NewInput(f, 1))
			b, errB := e.Compute(NewInput(g, 1))
			if errA != nil || errB != nil || !slices.Equal(a, b) {
				t.Errorf("%s: %v, permuted %v", e.Name, a, b)
			}
		}
	}
}

// Every row twice: the same bits, for equal mass where the boundaries align.
func TestDuplication(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 1))
	for range 50 {
		f := sample(rng, 15*(1+rng.IntN(40)), 2)
		rows := make([]int, 0, 2*f.N())
		for i := range f.N() {
			rows = append(rows, i, i)
		}
		g := pick(f, rows)
		if a, b := ECE(WidthBins(f, 15)), ECE(WidthBins(g, 15)); a != b {
			t.Errorf("ECE %v, of doubled rows %v", a, b)
		}
		if a, b := AECE(MassBins(f, 15)), AECE(MassBins(g, 15)); a != b {
			t.Errorf("AECE %v, of doubled rows %v", a, b)
		}
	}
}

// Confidences on the edges belong to the lower bin, 1 to the last.
func TestEdges(t *testing.T) {
	for j := 1; j <= 15; j++ {
		edge := float64(j) / 15
		below, above := math.Nextafter(edge, 0), math.Nextafter(edge, 2)
		want := map[float64]int{below: j - 1, edge: j - 1}
		if j < 15 && j != 11 { // 15 times the double above 11/15 rounds to 11: see WidthBins
			want[above] = j
		}
		for c, b := range want {
			if bins := WidthBins(given([]float64{c}, []bool{true}), 15); bins[b].N != 1 {
				t.Errorf("confidence %.17g is not in bin %d", c, b)
			}
		}
	}
}

func TestSmallSamples(t *testing.T) {
	one := given([]float64{.8}, []bool{false})
	near(t, "ECE of one row", ECE(WidthBins(one, 15)), .8, 1e-15)
	near(t, "AECE of one row", AECE(MassBins(one, 15)), .8, 1e-15)

	// Three rows in 15 bins: three bins of one row, all others empty.
	three := given([]float64{.9, .5, .7}, []bool{true, false, true})
	var filled []Bin
	for _, b := range MassBins(three, 15) {
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
	near(t, "AECE", AECE(MassBins(three, 15)), (.5+.3+.1)/3, 1e-15)

	if ECE(WidthBins(&Facts{}, 15)) != 0 || AECE(MassBins(&Facts{}, 15)) != 0 {
		t.Error("no rows have an error")
	}
}

// One value for all: a single block shared by all bins.
func TestAllTied(t *testing.T) {
	for _, c := range []float64{1, .3, 1. / 3} {
		conf, hit := make([]float64, 40), make([]bool, 40)
		for i := range conf {
			conf[i], hit[i] = c, i < 10
		}
		f := given(conf, hit)
		near(t, "ECE", ECE(WidthBins(f, 15)), math.Abs(c-.25), 1e-15)
		near(t, "AECE", AECE(MassBins(f, 15)), math.Abs(c-.25), 1e-15)
		for _, b := range MassBins(f, 15) {
			near(t, "share of the hits", b.Acc, .25, 1e-15)
		}
	}
}

// A boundary cuts a block in two; a chain of near ties is one block, a wider
// step ends it.
func TestTies(t *testing.T) {
	// Two bins of two rows; the middle two tie: .2 | .6 .6 | .9.
	f := given([]float64{.2, .6, .6 + 9e-10, .9}, []bool{false, true, false, true})
	bins := MassBins(f, 2)
	near(t, "first bin", bins[0].Acc, .25, 0)
	near(t, "second bin", bins[1].Acc, .75, 0)
	near(t, "first mean", bins[0].Conf, (.2+.6+4.5e-10)/2, 1e-15)

	apart := MassBins(given([]float64{.2, .6, .6 + 1.1e-9, .9}, []bool{false, true, false, true}), 2)
	near(t, "untied", apart[0].Acc, .5, 0)

	chain := MassBins(given([]float64{.6, .6 + 9e-10, .6 + 18e-10, .6 + 27e-10}, []bool{true, false, false, false}), 2)
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
		facts := given(conf, hit)
		near(t, "ECE", ECE(WidthBins(facts, int(m))), oracleWidth(facts, int(m)), 1e-12)
		near(t, "AECE", AECE(MassBins(facts, int(m))), oracleMass(facts, int(m)), 1e-12)
	})
}

// TestSharesStayInRange: blocks of ties cut by many boundaries, all correct. No
// sum of rounded shares may make an accuracy or a confidence above one.
func TestSharesStayInRange(t *testing.T) {
	for n := 1; n < 400; n++ {
		f := NewFacts(n)
		for i := range n {
			f.Conf, f.Pred, f.Label = append(f.Conf, 1-float64(i%3/2)/8), append(f.Pred, 0), append(f.Label, 0)
			f.NLL, f.Brier, f.Changed = append(f.NLL, 0), append(f.Brier, 0), append(f.Changed, false)
		}
		for b, bin := range MassBins(f, 15) {
			if bin.Acc > 1 || bin.Conf > 1 {
				t.Fatalf("n %d, bin %d: accuracy %v, confidence %v", n, b, bin.Acc, bin.Conf)
			}
		}
	}
}
