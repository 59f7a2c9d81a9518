package results

import (
	"cmp"

	"github.com/qats-bench/qats/results/internal/csvfile"
)

// Pair is one row of pairs.csv: a metric of Method minus that of Against on the
// same test rows, with a 95 % bootstrap interval in which the rows are drawn for
// both methods at once.
type Pair struct {
	Setting
	Method     string
	Against    string
	Metric     string
	Difference float64 // Method minus Against, in the unit of the metric
	Lo, Hi     float64 // the interval; a bias-corrected one need not contain Difference
	N          int     // number of test rows
	Source     string  // measured or simulated
}

var pairsFormat = csvfile.Format[Pair]{
	Columns: append(settingColumns(), "method", "against", "metric", "difference", "lo", "hi", "n", "source"),
	Fields: func(p Pair) []string {
		return append(p.Setting.fields(), p.Method, p.Against, p.Metric, csvfile.FormatNumber(p.Difference),
			csvfile.FormatNumber(p.Lo), csvfile.FormatNumber(p.Hi), csvfile.FormatCount(p.N), p.Source)
	},
	Parse: func(row *csvfile.Row) Pair {
		return Pair{
			Setting: parseSetting(row), Method: row.Text(), Against: row.Text(), Metric: row.Text(),
			Difference: row.Number(), Lo: row.Number(), Hi: row.Number(), N: row.Count(), Source: row.Text(),
		}
	},
	Check: func(p Pair) error {
		return cmp.Or(p.Setting.check(), csvfile.CheckID("method", p.Method), csvfile.CheckID("against", p.Against), csvfile.CheckID("metric", p.Metric), p.Check())
	},
	Identity: func(p Pair) []string { return append(p.Setting.fields(), p.Method, p.Against, p.Metric) },
}

// WritePairs replaces the file at path by the pairs, in their order.
func WritePairs(path string, pairs []Pair) error { return pairsFormat.WriteFile(path, pairs) }

// ReadPairs reads a pairs.csv. An error names file, line and column.
func ReadPairs(path string) ([]Pair, error) { return pairsFormat.ReadFile(path) }

// Check returns an error for a method beside itself, and for numbers or a source that no
// pair has; it names the column of pairs.csv.
func (p Pair) Check() error {
	if p.Against == p.Method {
		return csvfile.Fault("against", "%s is compared with itself", p.Method)
	}
	lo, hi := limits(p.Metric)
	width := hi - lo // of a difference of two values; infinite where there is no limit
	for _, c := range []struct {
		column string
		x      float64
	}{{"difference", p.Difference}, {"lo", p.Lo}, {"hi", p.Hi}} {
		if err := csvfile.CheckRange(c.column, c.x, -width, width); err != nil {
			return err
		}
	}
	if csvfile.Round(p.Hi) < csvfile.Round(p.Lo) {
		return csvfile.Fault("hi", "%s is below lo, %s", csvfile.FormatNumber(p.Hi), csvfile.FormatNumber(p.Lo))
	}
	if p.N < 1 {
		return csvfile.Fault("n", "a difference over %d rows", p.N)
	}
	return checkSource(p.Source)
}
