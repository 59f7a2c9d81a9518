package isotonic

import (
	"math"
	"testing"
)

// The first window is enough if zeros are near a positive but a gap that is wider than
// a tie is between, even if they are also near zeros whose values are not kept.
func TestFirstWindowIsUsuallyEnough(t *testing.T) {
	const window, positive = 0x1p-18, 0.5
	edge := positive / (1 + window) // values from here on are kept
	for name, zeros := range map[string][]float64{
		"in the tie of the positive":     {0.2, 0.3, positive * (1 - 0x1p-24), positive * (1 - 0x1p-23)},
		"in the tie of a value not kept": {0.2, edge * (1 - 0x1p-24), edge * (1 + 0x1p-24)},
		"at a distance":                  {0.2, 0.3, positive * (1 - 0x1p-19)},
	} {
		tally := newTally([]float64{positive}, window)
		if least := tally.Least(); least > positive || least < positive*(1-2*window) {
			t.Errorf("%s: zeros matter from %v on", name, least)
		}
		for _, x := range zeros {
			tally.AddZero(x)
		}
		g, ok := tally.Regress()
		if !ok || g.X[0] != zeros[0] || g.At(zeros[0]) != 0 {
			t.Errorf("%s: %v, certain %v", name, g, ok)
		}
	}
}

// The largest value that is tied with the least of a block is in the block.
func TestTheEndOfATieBelongsToIt(t *testing.T) {
	const least = 0.5
	end := tieShare.End(least)
	for x, want := range map[float64]float64{end: 0.5, math.Nextafter(end, 1): 1} {
		for _, window := range windows() {
			tally := newTally([]float64{x}, window)
			tally.AddZero(least)
			if g, ok := tally.Regress(); ok && g.At(x) != want {
				t.Errorf("window %g: %v has value %v, want %v", window, x, g.At(x), want)
			}
		}
		o := groupOutcomes([]vennPoint{{least, false}, {x, true}}, true)
		if joined := len(o.X) == 1; joined != (want == 0.5) {
			t.Errorf("%v is in the group of %v: %v", x, least, joined)
		}
		v := newVennAbers(groupOutcomes([]vennPoint{{least, false}}, true), true)
		if same := v.Odds(x) == v.Odds(least); same != (want == 0.5) {
			t.Errorf("%v has the odds of %v: %v", x, least, same)
		}
	}
}

// Of unlikely zeros only the largest counts.
func TestUnlikelyZerosReportTheLargestSoFar(t *testing.T) {
	tally := newTally([]float64{0.5}, windows()[0])
	for _, c := range []struct {
		x    float64
		want bool
	}{{0.1, true}, {0.1, false}, {0.05, false}, {0.2, true}, {0, false}} {
		if got := tally.AddUnlikelyZero(c.x); got != c.want {
			t.Errorf("%v: %v", c.x, got)
		}
	}
	g, ok := tally.Regress()
	if !ok || g.At(0.2) != 0 || !(math.Abs(g.At(0.35)-0.5) <= 1e-15) || g.At(0.5) != 1 {
		t.Errorf("%v, certain %v", g, ok)
	}
}

// Where values that are not kept may begin a chain of ties, the blocks of the chain are
// not certain. Here the last of them is exactly the end of a tie below the next.
func TestAChainOfTiesFromValuesNotKeptIsNotCertain(t *testing.T) {
	const first = 0.4
	chain := []float64{first, tieShare.End(first)}
	for range 17 { // links of .92 of a tie: pairs from first on, so the positive is alone
		chain = append(chain, chain[len(chain)-1]*(1+0.92*float64(tieShare)))
	}
	positive := chain[len(chain)-1]
	for i, window := range windows() {
		tally := newTally([]float64{positive}, window)
		tally.AddZero(0.2)
		tally.AddZero(0.3)
		for _, x := range chain[:len(chain)-1] {
			tally.AddZero(x)
		}
		if g, ok := tally.Regress(); ok && g.At(positive) != 1 || i == 2 && !ok {
			t.Errorf("window %g: the positive has the value %v, certain %v", window, g.At(positive), ok)
		}
	}
}
