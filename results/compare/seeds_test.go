package compare

import (
	"math"
	"strings"
	"testing"

	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/resultstest"
)

// Five trainings of a network weigh as much as one network, in all blocks, and their range
// is shown.
func TestSeedsCountOnce(t *testing.T) {
	var records, means []results.Record
	var pairs []results.Pair
	add := func(c results.Setting, d float64) {
		records = append(records, record(c, "qats", .2), record(c, "ts", .2+d))
		if c.Variant == (results.Variant{}) {
			means = append(means, records[len(records)-2:]...)
		}
	}
	for i, d := range []float64{.02, .04, -.01, .03, .02} { // mean .02
		c := resultstest.Varied(cell("a", "x"), results.Seed(i))
		add(c, d)
		pairs = append(pairs, pair(c, "ts", "qats", d, d-.005, d+.005))
	}
	means = append(means, record(cell("a", "x"), "qats", .2), record(cell("a", "x"), "ts", .22))
	add(cell("a", "y"), .1)
	add(cell("b", "x"), -.03)
	for _, by := range Blocks() {
		o := Options{Metric: "ece", Against: "qats", Block: by}
		got, want := comparison(t, records, pairs, o), comparison(t, means, nil, o)
		if got.Settings != 3 || got.Rows[0].Settings != 3 || len(got.Blocks) != len(want.Blocks) {
			t.Errorf("by %s: %d settings, blocks %v", by, got.Settings, got.Blocks)
		}
		if d := got.Rows[0].Difference - want.Rows[0].Difference; d > 1e-15 || d < -1e-15 {
			t.Errorf("by %s: difference %g, want %g", by, got.Rows[0].Difference, want.Rows[0].Difference)
		}
		splits := got.Splits(records, pairs)
		if len(splits) != 1 || !splits[0].Seeds || splits[0].Draws != 5 || math.Abs(splits[0].Lo+.01) > 1e-12 || math.Abs(splits[0].Hi-.04) > 1e-12 || splits[0].Ahead != 1 || splits[0].Behind != 4 ||
			splits[0].Setting.Name() != "a/x" {
			t.Errorf("by %s: %+v", by, splits)
		}
	}
	c := comparison(t, records, pairs, Options{Metric: "ece", Against: "qats"})
	var b strings.Builder
	v := View{Comparison: c, Splits: c.Splits(records, pairs), Labels: labels, Judgement: judgement(t, records, pairs, c.Options)}
	if err := v.Text(&b); err != nil || !strings.Contains(b.String(), "Seeds of trainings: ") ||
		!strings.Contains(b.String(), "counts once in all tests, by the mean over the seeds") || strings.Contains(b.String(), "redrawn") {
		t.Errorf("%v\n%s", err, b.String())
	}
	agreement, lost, err := onCommonSettings(records, []string{"ts", "qats"}, []string{"ece"}, nil)
	if err != nil || len(agreement) != 6 || lost != 0 {
		t.Errorf("%d records on common settings, %d lost", len(agreement), lost)
	}
}
