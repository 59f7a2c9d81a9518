package metrics

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/metrics/scoring"
)

// tallied counts rows of given probabilities and labels.
func tallied(k int, rows [][]float64, labels []int32) *scoring.ShareTally {
	probs := data.NewProbs(len(rows), k)
	for i, row := range rows {
		copy(probs.Row(i), row)
	}
	t := scoring.NewShareTally(k)
	t.Add(probs, labels)
	return t
}

// exactTail returns twice the smaller tail of the number of rows of a class, by the recursion over
// rows.
func exactTail(p []float64, observed int) float64 {
	chance := make([]float64, len(p)+1)
	chance[0] = 1
	for i, q := range p {
		for j := i + 1; j > 0; j-- {
			chance[j] = chance[j]*(1-q) + chance[j-1]*q
		}
		chance[0] *= 1 - q
	}
	below, above := 0.0, 0.0
	for j, c := range chance {
		if j <= observed {
			below += c
		}
		if j >= observed {
			above += c
		}
	}
	return min(1, 2*min(below, above))
}

// From LeastExpected rows on the tail is not below that of the count, and little above it, in the
// range that decides and with Holm's correction for many classes.
func TestShareTailsAreThoseOfTheCount(t *testing.T) {
	rng := rand.New(rand.NewPCG(91, 1))
	for _, expected := range []float64{5, 8, 20, 100} {
		for _, spread := range []float64{0, 1, 3} {
			p := make([]float64, 400)
			sum := 0.0
			for i := range p {
				p[i] = math.Exp(spread * rng.NormFloat64())
				sum += p[i]
			}
			c := scoring.ClassShare{}
			for i := range p {
				p[i] = min(.99, p[i]*expected/sum)
				c.Expected += p[i]
				c.Variance += p[i] * (1 - p[i])
				c.Third += p[i] * (1 - p[i]) * (1 - 2*p[i])
			}
			for observed := range 400 {
				want := exactTail(p, observed)
				if want < 1e-4 || want > .2 {
					continue
				}
				if got := countP(float64(observed), c); got < want/1.05 || got > 1.6*want+.004 {
					t.Errorf("expected %.1f, observed %d: %.2g, the count has %.2g", c.Expected, observed, got, want)
				}
			}
		}
	}
}

// Calibrated rows are rejected no more often than the level says, and a shifted class is found.
func TestSharesOfCalibratedRowsPass(t *testing.T) {
	rng := rand.New(rand.NewPCG(92, 1))
	rejected, sets := 0, 400
	for range sets {
		p, labels := drawnTwo(rng, 300, -2, 0, 1)
		rows := make([][]float64, len(p))
		for i, x := range p {
			rows[i] = []float64{1 - x, x}
		}
		list := Shares(tallied(2, rows, labels))
		if len(list) != 1 || !slices.Equal(list[0].Classes, []int{1}) {
			t.Fatalf("%+v", list)
		}
		if list[0].P < .05 {
			rejected++
		}
	}
	if share := float64(rejected) / float64(sets); share > .08 || share < .01 {
		t.Errorf("%g of calibrated sets are rejected at .05", share)
	}
	p, labels := drawnTwo(rng, 300, -2, -1, 1)
	rows := make([][]float64, len(p))
	for i, x := range p {
		rows[i] = []float64{1 - x, x}
	}
	if list := Shares(tallied(2, rows, labels)); list[0].P > 1e-3 || list[0].Expected < list[0].Observed {
		t.Errorf("%+v", list)
	}
}

// Probabilities that are too extreme, with the right shares, are no finding about shares.
func TestSharesAllowForProbabilitiesThatAreTooExtreme(t *testing.T) {
	rng := rand.New(rand.NewPCG(93, 1))
	rejected, sets := 0, 400
	for range sets {
		rows, labels := make([][]float64, 400), make([]int32, 400)
		for i := range rows { // .99 where .8 is true, in both directions
			rows[i] = []float64{.01, .99}
			if i%2 == 0 {
				rows[i] = []float64{.99, .01}
			}
			if (rng.Float64() < .8) != (i%2 == 0) {
				labels[i] = 1
			}
		}
		if Shares(tallied(2, rows, labels))[0].P < .05 {
			rejected++
		}
	}
	if share := float64(rejected) / float64(sets); share > .08 {
		t.Errorf("%g are rejected at .05", share)
	}
}

func TestRareClassesArePooled(t *testing.T) {
	rows, labels := make([][]float64, 100), make([]int32, 100)
	for i := range rows {
		rows[i] = []float64{.5, .38, .04, .04, .04}
		labels[i] = int32(min(i/20, 1))
	}
	list := Shares(tallied(5, rows, labels))
	if len(list) != 3 || !slices.Equal(list[2].Classes, []int{2, 3, 4}) {
		t.Fatalf("%+v", list)
	}
	near(t, "expected", list[2].Expected, .12, 1e-12)
	near(t, "observed", list[2].Observed, 0, 0)
	if list[2].P > 1e-3 {
		t.Errorf("12 expected rows, none seen: %g", list[2].P)
	}
	// With fewer expected rows together they are not tested.
	if list := Shares(tallied(5, rows[:40], labels[:40])); len(list) != 2 {
		t.Errorf("%+v", list)
	}
}

func TestCertainRowsThatAreRightPass(t *testing.T) {
	rows, labels := make([][]float64, 20), make([]int32, 20)
	for i := range rows {
		rows[i], labels[i] = []float64{1, 0}, 0
		if i%2 == 1 {
			rows[i], labels[i] = []float64{0, 1}, 1
		}
	}
	if list := Shares(tallied(2, rows, labels)); list[0].P != 1 {
		t.Errorf("%+v", list)
	}
}

func TestShareTalliesDoNotDependOnTheOrderOfBlocks(t *testing.T) {
	rng := rand.New(rand.NewPCG(94, 1))
	p, set := randomProbs(rng, 300, 4)
	a, b := scoring.NewShareTally(4), scoring.NewShareTally(4)
	for lo := 0; lo < 300; lo += 100 {
		a.Add(p.Slice(lo, lo+100), set.Labels[lo:lo+100])
	}
	for lo := 200; lo >= 0; lo -= 100 {
		b.Add(p.Slice(lo, lo+100), set.Labels[lo:lo+100])
	}
	if a.Rows() != 300 || !slices.Equal(a.Classes(), b.Classes()) {
		t.Error("the sums differ")
	}
	for j, c := range a.Classes() {
		var want scoring.ClassShare
		for i := range 300 {
			q, y := p.Row(i)[j], 0.0
			if int(set.Labels[i]) == j {
				y = 1
				want.Observed++
			}
			want.Expected += q
			want.Variance += q * (1 - q)
			want.Third += q * (1 - q) * (1 - 2*q)
			want.Squares += (y - q) * (y - q)
		}
		if c.Observed != want.Observed {
			t.Errorf("class %d: %d rows", j, c.Observed)
		}
		near(t, "expected", c.Expected, want.Expected, 1e-9)
		near(t, "variance", c.Variance, want.Variance, 1e-9)
		near(t, "third moment", c.Third, want.Third, 1e-9)
		near(t, "squares", c.Squares, want.Squares, 1e-9)
	}
}
