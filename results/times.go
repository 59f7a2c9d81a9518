package results

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/qats-bench/qats/results/internal/csvfile"
)

// TimeMetric is the name under which the times of times.csv are compared, as results
// are by the name of their metric.
const TimeMetric = "time"

// Time is one row of times.csv: the processor time of the fit of a method on a
// setting. Settings that share a calibration set share fits, so a time may be in
// several rows. times.csv is measured, so it differs between two runs that give the
// same results, and no other file depends on it. Its JSON, which the store keeps beside
// the fit, is the part that does not depend on the setting.
type Time struct {
	Setting `json:"-"`
	Method  string `json:"-"`
	Source  string `json:"-"` // of the arrays: measured or simulated; the time is measured in either case

	// Seconds of processor time, over all threads of the fit, in user and system mode. It
	// contains neither reading the arrays nor applying the fit. It is the time of the fit
	// by itself: an intermediate result that fits on one calibration set share is counted
	// for each of them. For an external program it is the time of its call with fit,
	// including the start of its interpreter. Written empty, and meaningless, unless Known.
	Seconds float64 `json:"seconds"`
	Known   bool    `json:"-"` // the time was measured, and is stored with the fit

	Rows    int `json:"rows,omitempty"` // of the calibration set; 0, written empty, where the method reads none or no time is known
	Classes int `json:"classes,omitempty"`

	Processor    string `json:"processor,omitempty"`    // its model name; empty where the system does not tell
	Instructions string `json:"instructions,omitempty"` // of the vector code: avx512, avx2 or portable; empty for an external program
}

var timesFormat = csvfile.Format[Time]{
	Columns: append(settingColumns(), "method", "source", "seconds", "rows", "classes", "processor", "instructions"),
	Added:   []string{"variant"},
	Fields: func(t Time) []string {
		seconds := ""
		if t.Known {
			seconds = csvfile.FormatNumber(t.Seconds)
		}
		return append(t.Setting.fields(), t.Method, t.Source, seconds, csvfile.FormatCount(t.Rows), csvfile.FormatCount(t.Classes),
			csvfile.PlainText(t.Processor), t.Instructions)
	},
	Parse: func(row *csvfile.Row) Time {
		t := Time{Setting: parseSetting(row), Method: row.Text(), Source: row.Text()}
		t.Seconds, t.Known = row.NumberOrNone()
		t.Rows, t.Classes = row.CountOrNone(), row.CountOrNone()
		t.Processor, t.Instructions = csvfile.PlainText(row.Text()), row.Text()
		return t
	},
	Check: func(t Time) error {
		if err := cmp.Or(t.Setting.check(), csvfile.CheckID("method", t.Method)); err != nil {
			return err
		}
		if t.Rows < 0 || t.Classes < 0 {
			return csvfile.Fault("rows", "%d rows of %d classes", t.Rows, t.Classes)
		}
		if strings.TrimSpace(t.Instructions) != t.Instructions {
			return csvfile.Fault("instructions", "%q has spaces around it", t.Instructions)
		}
		return cmp.Or(csvfile.CheckRange("seconds", t.Seconds, 0, math.MaxFloat64), checkSource(t.Source))
	},
	Identity: func(t Time) []string { return append(t.Setting.fields(), t.Method) },
}

// WriteTimes replaces the times.csv at path by the rows, in their order.
func WriteTimes(path string, list []Time) error { return timesFormat.WriteFile(path, list) }

// ReadTimes reads a times.csv. An error names file, line and column.
func ReadTimes(path string) ([]Time, error) { return timesFormat.ReadFile(path) }

// program reports whether the time is of an external program, which includes its start: every
// fit of qats itself names the instructions of the vector code.
func (t Time) program() bool { return t.Known && t.Instructions == "" }

// TimeRecords returns the times as records of TimeMetric: one for each setting and
// method of records, with source, rows and note of its first value. Without a time the
// record is a skip. A time of an external program has the note Program. A cell that has no value of any metric keeps the status and the
// reason of its first record.
func TimeRecords(times []Time, records []Record) []Record {
	known := map[methodPlace]Time{}
	for _, t := range times {
		if t.Known {
			known[methodPlace{t.Setting, t.Method}] = t
		}
	}
	var list []Record
	place := map[methodPlace]int{} // in list
	for _, r := range records {
		at := methodPlace{r.Setting, r.Method}
		i, seen := place[at]
		if seen && (r.Status != OK || list[i].Status == OK || list[i].Note.Has(NoTime)) {
			continue
		}
		r.Metric, r.Key = TimeMetric, ""
		if t, ok := known[at]; r.Status == OK && ok {
			r.Value = t.Seconds
			if t.program() {
				r.Note = append(slices.Clone(r.Note), Note{Kind: Program})
			}
		} else if r.Status == OK {
			r.Status, r.Value, r.N, r.Note = Skip, 0, 0, Notes{{Kind: NoTime}}
		}
		if seen {
			list[i] = r
			continue
		}
		place[at] = len(list)
		list = append(list, r)
	}
	return list
}

// Significant prints a number above 0, such as a time or a ratio of times, with three
// significant digits and no exponent.
func Significant(x float64) string {
	decimals := 2
	if x > 0 {
		decimals = max(0, 2-int(math.Floor(math.Log10(x)+1e-9)))
	}
	return strconv.FormatFloat(x, 'f', min(decimals, 12), 64)
}
