package results

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"github.com/qats-bench/qats/results/internal/csvfile"
)

// entryRow is one row of the file of an entry: what one method has on one setting.
type entryRow struct {
	Setting
	method string
	n      int // rows of the test set; 0 where the method has no value
	values []optional
}

// noEntry is why a setting of an entry has no value: its file does not say more.
const noEntry = "no value in the file of the entry"

// entryFormat is the format of the file of an entry, with a column for each metric.
func entryFormat(metrics []string) csvfile.Format[entryRow] {
	return csvfile.Format[entryRow]{
		Columns: slices.Concat(settingColumns(), []string{"method", "n"}, metrics),
		Fields: func(r entryRow) []string {
			fields := append(r.Setting.fields(), r.method, csvfile.FormatCount(r.n))
			for _, v := range r.values {
				fields = append(fields, v.text())
			}
			return fields
		},
		Parse: func(row *csvfile.Row) entryRow {
			r := entryRow{Setting: parseSetting(row), method: row.Text(), n: row.CountOrNone()}
			for range metrics {
				r.values = append(r.values, numberIn(row))
			}
			return r
		},
		Check: func(r entryRow) error {
			if err := r.Setting.check(); err != nil {
				return err
			}
			if err := csvfile.CheckID("method", r.method); err != nil {
				return err
			}
			for i, v := range r.values {
				if !v.some {
					continue
				}
				lo, hi := limits(metrics[i])
				if err := csvfile.CheckRange(metrics[i], v.x, lo, hi); err != nil {
					return err
				}
				if r.n == 0 {
					return csvfile.Fault("n", "a value over no rows")
				}
			}
			return nil
		},
		Identity: func(r entryRow) []string { return append(r.Setting.fields(), r.method) },
	}
}

// WriteEntry writes the file of an entry: a row for each setting and method of the records, in
// their order, and a column for each of the metrics. A skip or a fail is an empty field. The
// numbers are those of results.csv, so the file of the same fits has the same bytes.
func WriteEntry(path string, metrics []string, records []Record) error {
	var rows []entryRow
	place := map[methodPlace]int{}
	for _, r := range records {
		column := slices.Index(metrics, r.Metric)
		if column < 0 {
			continue
		}
		of := methodPlace{r.Setting, r.Method}
		i, known := place[of]
		if !known {
			i = len(rows)
			place[of] = i
			rows = append(rows, entryRow{Setting: r.Setting, method: r.Method, values: make([]optional, len(metrics))})
		}
		if r.Status == OK {
			rows[i].n = r.N
			rows[i].values[column] = optional{csvfile.Round(r.Value), true}
		}
	}
	return entryFormat(metrics).WriteFile(path, rows)
}

// ReadEntry reads the file of an entry: a record for each setting and metric. An empty field is a
// skip. All numbers are measured: the protocol has no simulated setting. An error names file, line
// and column.
func ReadEntry(path string, metrics []string) ([]Record, error) {
	rows, err := entryFormat(metrics).ReadFile(path)
	if err != nil {
		return nil, err
	}
	var records []Record
	for _, row := range rows {
		for i, v := range row.values {
			r := Record{Setting: row.Setting, Method: row.method, Metric: metrics[i], Source: "measured", Status: Skip, Note: Because(noEntry)}
			if v.some {
				r.Value, r.N, r.Status, r.Note = v.x, row.n, OK, nil
			}
			records = append(records, r)
		}
	}
	return records, nil
}

// EntryFit names the fit of an entry on one calibration set by its content.
type EntryFit struct {
	Setting        // the first that shares the fit
	Bytes   int    // of the stored fit
	SHA256  string // of them
}

var entryFitFormat = csvfile.Format[EntryFit]{
	Columns: append(settingColumns(), "bytes", "sha256"),
	Fields:  func(f EntryFit) []string { return append(f.Setting.fields(), csvfile.FormatCount(f.Bytes), f.SHA256) },
	Parse: func(row *csvfile.Row) EntryFit {
		return EntryFit{Setting: parseSetting(row), Bytes: row.CountOrNone(), SHA256: row.Text()}
	},
	Check: func(f EntryFit) error {
		if raw, err := hex.DecodeString(f.SHA256); err != nil || len(raw) != sha256.Size {
			return csvfile.Fault("sha256", "%.80q is no SHA-256 in hexadecimal digits", f.SHA256)
		}
		return f.Setting.check()
	},
	Identity: func(f EntryFit) []string { return f.Setting.fields() },
}

// WriteEntryFits writes the fits of an entry.
func WriteEntryFits(path string, fits []EntryFit) error { return entryFitFormat.WriteFile(path, fits) }

// ReadEntryFits reads the fits of an entry. An error names file, line and column.
func ReadEntryFits(path string) ([]EntryFit, error) { return entryFitFormat.ReadFile(path) }

// Same reports whether two finite numbers have the same text in the files.
func Same(x, y float64) bool { return csvfile.Round(x) == csvfile.Round(y) }
