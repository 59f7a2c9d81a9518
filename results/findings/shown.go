package main

import (
	"path/filepath"

	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/results/internal/csvfile"
)

// row is a row of a file that a program outside this command writes, by its columns. Its numbers
// are printed as they stand there.
type row map[string]string

// shown is such a file of results/shown.
type shown struct {
	name    string
	comma   rune
	columns []string
	key     []string // the columns that no two rows share
}

// The files, and what writes them.
var (
	// results/speed/table.py
	speedFile = shown{"speed.csv", ',', []string{"date", "machine", "versions", "rounds", "goal", "quantity", "side", "limit", "median", "least", "most"}, []string{"goal", "quantity"}}
	// results/speed/methods.py
	methodsFile = shown{"speed-methods.csv", ',', []string{"date", "machine", "rounds", "method", "reference", "reference_seconds", "qats_seconds", "ratio"}, []string{"method"}}
	// data/zoo, python3 -m zoo paper --list
	paperFile = shown{"paper-rows.tsv", '\t', []string{"setting", "way", "source", "licence", "calibration images seen in training", "calibrate on",
		"expected", "GPU hours (estimate)", "GB of images", "GB of weights"}, []string{"setting"}}
)

// rows reads a file of results/shown. An error names the file and the line.
func (w *words) rows(s shown) ([]row, error) {
	format := csvfile.Format[row]{
		Columns: s.columns, Comma: s.comma,
		Parse: func(r *csvfile.Row) row {
			fields := row{}
			for _, c := range s.columns {
				fields[c] = r.Text()
			}
			return fields
		},
		Check: func(r row) error { return nil },
		Identity: func(r row) []string {
			return lists.Values(s.key, func(c string) string { return r[c] })
		},
	}
	return format.ReadFile(filepath.Join(w.top, "results", "shown", s.name))
}
