package report

import (
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/paper"
)

// settingsAre says what the settings of records are, if some are the paper's.
func settingsAre(records []results.Record) (string, error) {
	extent, err := paper.ExtentOf(lists.Distinct(records, func(r results.Record) results.Setting { return r.Setting }))
	return extent.String(), err
}
