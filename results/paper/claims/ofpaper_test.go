package claims

import (
	"testing"

	"github.com/qats-bench/qats/results"
)

// TestOfPaperIsTrueForItsExperimentsAlone: the experiments of the printed tables count, and
// no other name does.
func TestOfPaperIsTrueForItsExperimentsAlone(t *testing.T) {
	of := func(names ...string) bool {
		var list []results.Record
		for _, name := range names {
			list = append(list, results.Record{Setting: results.Setting{Experiment: name}})
		}
		return OfPaper(list)
	}
	if of() || of("companion", "mine", "") {
		t.Error("records of other experiments count as those of the paper")
	}
	for _, experiment := range experiments() {
		if !of("mine", experiment) {
			t.Errorf("records of %s do not count", experiment)
		}
	}
}
