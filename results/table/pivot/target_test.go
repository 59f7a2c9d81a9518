package pivot

import (
	"strings"
	"testing"

	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/crosstab"
	"github.com/qats-bench/qats/results/resultstest"
	"github.com/qats-bench/qats/results/table"
)

// A metric that is best at a value ranks no method: neither the largest, the least nor the nearest
// value has a mark.
func TestAMetricWithATargetIsNotRanked(t *testing.T) {
	var list []results.Record
	at := resultstest.Setting("two", "phoneme", "mlp")
	for method, v := range map[string]float64{"uncal": .6, "ts": .98, "qats": 1.3} {
		list = append(list, resultstest.Value(at, method, "oe", v))
	}
	got, err := Of(list, crosstab.Spec{Name: "t", Metric: "oe", Rows: []string{"backbone"}, Better: metrics.Target})
	if err != nil {
		t.Fatal(err)
	}
	if got.any(func(c Cell) bool { return c.Mark != table.Plain || c.Gap != "" }) {
		t.Error("a number is marked")
	}
	var b strings.Builder
	if err := got.Text(&b); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), "Observed / expected, best at 1, not ranked.") {
		t.Error(b.String())
	}
	if _, err := (crosstab.Spec{Name: "t", Metric: "oe", Rows: []string{"backbone"}, Better: metrics.Target, Highlight: "ts"}).Check(); err == nil {
		t.Error("a gap to the best of a metric without one")
	}
}
