package results

import (
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
	var rows []row
	var metrics []string
	index := map[row]int{}
	column := map[string]int{}
	for _, r := range records {
		at := row{r.Setting, r.Method}
		if _, ok := index[at]; !ok {
			index[at] = len(rows)
			rows = append(rows, at)
		}
		if _, ok := column[r.Metric]; !ok {
			column[r.Metric] = len(metrics)
			metrics = append(metrics, r.Metric)
		}
	}
	values := make([][]string, len(rows))
	sources := make([]string, len(rows))
	for i := range values {
		values[i] = make([]string, len(metrics))
	}
	for _, r := range records {
		i := index[row{r.Setting, r.Method}]
		if r.Status == OK {
			values[i][column[r.Metric]] = csvfile.FormatNumber(r.Value)
		}
		if sources[i] == "" {
			sources[i] = r.Source
		}
	}
	return atomicfile.Write(path, func(w io.Writer) error {
		c := csv.NewWriter(w)
		c.Write(slices.Concat(settingColumns(), []string{"method", "source"}, metrics)) // Error has the first error of all
		for i, at := range rows {
			c.Write(slices.Concat(at.Setting.fields(), []string{at.method, sources[i]}, values[i]))
		}
		c.Flush()
		return c.Error()
	})
}
