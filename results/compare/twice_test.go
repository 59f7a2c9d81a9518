package compare

import (
	"fmt"
	"testing"

	"github.com/qats-bench/qats/results"
)

// TestTheSameMethodTwiceIsATie: values that differ by rounding alone give no win, no rank,
// no test and no place on the front, on whichever side they lie and whatever interval the
// differences have.
func TestTheSameMethodTwiceIsATie(t *testing.T) {
	var records []results.Record
	var pairs []results.Pair
	for i := range 21 {
		c, d := cell(fmt.Sprint("d", i/3), fmt.Sprint("x", i)), 2e-9
		if i%4 == 0 {
			d = -d
		}
		value := .05 + .001*float64(i)
		records = append(records, record(c, "ts", value), record(c, "ts-float32", value+d), record(c, "uncal", 2*value))
		pairs = append(pairs, pair(c, "ts-float32", "ts", d, d/2, 2*d))
	}
	c := comparison(t, records, pairs, Options{Metric: "ece", Against: "ts"})
	r := c.Rows[0]
	if r.Ahead+r.Behind+r.Win+r.Loss+r.SureWin+r.SureLoss != 0 || r.Tie != 21 || r.Test.P != 1 || r.Test.Zeros != 7 {
		t.Errorf("%+v", r)
	}
	k := c.Ranking
	if k.Ranks[0] != 1.5 || k.Ranks[1] != 1.5 || k.Apart[0][1] || k.Apart[1][0] {
		t.Errorf("ranks %g", k.Ranks)
	}
	for _, s := range k.Strengths()[:2] {
		if s.WinRate.Value != .75 {
			t.Errorf("%+v", s)
		}
	}
	if places := front([]float64{1, 2}, []float64{.1 + 2e-9, .1}, false); len(places) != 1 || places[0] != 0 {
		t.Errorf("front %d", places)
	}
}
