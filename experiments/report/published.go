package report

import (
	"slices"
	"strconv"

	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/paper"
	"github.com/qats-bench/qats/results/table/pivot"
)

// publish sets the numbers that the paper prints beside the numbers of a table that
// reproduces one of its tables.
func publish(t *pivot.Pivot) error {
	tables := paper.Tables()
	i := slices.IndexFunc(tables, func(p paper.Table) bool { return p.Number == t.Spec.Number })
	if i < 0 {
		return nil
	}
	all, err := paper.Read()
	if err != nil {
		return err
	}
	numbers := slices.DeleteFunc(all, func(n paper.Number) bool { return n.Table != tables[i].ID || n.Metric != t.Spec.Metric })
	t.Publish(func(ids map[string]string) (string, bool) {
		text := ""
		for _, n := range numbers {
			if !matches(n, ids) {
				continue
			}
			if text != "" { // the ids do not say which number
				return "", false
			}
			text = n.Value.String()
		}
		return text, text != ""
	})
	return nil
}

// matches reports whether a printed number has the ids, by column of results.csv. A
// printed mean matches only where its column is averaged.
func matches(n paper.Number, ids map[string]string) bool {
	severity := ""
	if n.Severity > 0 {
		severity = strconv.Itoa(n.Severity)
	}
	for column, own := range map[string]string{"dataset": n.Dataset, "backbone": n.Backbone, "corruption": n.Corruption, "severity": severity, "method": n.Method} {
		if id, given := ids[column]; given && id != own && !(id == paper.Average && own == "") || !given && own == paper.Average {
			return false
		}
	}
	return true
}

// settingsAre says what the settings of records are, if some are the paper's.
func settingsAre(records []results.Record) (string, error) {
	extent, err := paper.ExtentOf(lists.Distinct(records, func(r results.Record) results.Setting { return r.Setting }))
	return extent.String(), err
}
