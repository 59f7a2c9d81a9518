package page

import (
	"slices"
	"testing"

	"github.com/qats-bench/qats/results/compare"
)

// A method that shares the best mean rank does not lead alone.
func TestLevelNamesMethodsOfTheSamePrintedRank(t *testing.T) {
	v := compare.View{Comparison: &compare.Comparison{Ranking: compare.Ranking{Methods: []string{"qats", "mine", "ts"}, Ranks: []float64{2, 2.001, 2.01}}},
		Labels: map[string]string{"mine": "Mine"}}
	if got := level(v, "qats"); !slices.Equal(got, []string{"Mine"}) {
		t.Errorf("level with QaTS: %v", got)
	}
	if got := level(v, "ts"); len(got) > 0 {
		t.Errorf("level with TS: %v", got)
	}
}
