package results

import (
	"cmp"
	"encoding/csv"
	"io"
	"slices"

	"github.com/qats-bench/qats/internal/atomicfile"
	"github.com/qats-bench/qats/results/internal/csvfile"
)

// WriteWide writes the records as a wide table to path: one row for each setting and
// method, and one column for each metric, in the order of their first records. The
// first columns are those of the setting, the method, and the source. A value that
// does not exist is empty; results.csv says why. The file is for people and other
// programs: no part of this one reads it.
func WriteWide(path string, records []Record) error {
	type row struct {
		Setting
		method string
	}
	rows, of := Group(records, func(r Record) row { return row{r.Setting, r.Method} })
	metrics := Distinct(records, func(r Record) string { return r.Metric })
	column := map[string]int{}
	for i, m := range metrics {
		column[m] = i
	}
	return atomicfile.Write(path, func(w io.Writer) error {
		c := csv.NewWriter(w)
		c.Write(slices.Concat(settingColumns(), []string{"method", "source"}, metrics)) // Error has the first error of all
		for _, at := range rows {
			source, values := "", make([]string, len(metrics))
			for _, r := range of[at] {
				if r.Status == OK {
					values[column[r.Metric]] = csvfile.FormatNumber(r.Value)
				}
				source = cmp.Or(source, r.Source)
			}
			c.Write(slices.Concat(at.Setting.fields(), []string{at.method, source}, values))
		}
		c.Flush()
		return c.Error()
	})
}
