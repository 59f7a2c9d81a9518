package results

import (
	"cmp"
	"math"
	"strconv"

	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results/internal/csvfile"
)

// Bin is one row of bins.csv: one bin of a method's confidences on the test set
// of a setting. Bins without rows are written too; their N, Conf and Acc are 0. The columns
// acc_lo and acc_hi, which are empty for them, are AccInterval.
type Bin struct {
	Setting
	Method  string
	Binning string  // how the bins were cut, such as width15 or mass15
	Bin     int     // from 0
	Lo, Hi  float64 // edges of the bin, confidences in [0, 1]
	N       int     // number of test rows in the bin
	Conf    float64 // their mean confidence
	Acc     float64 // the fraction of them predicted correctly
	Source  string  // measured or simulated
}

var binsFormat = csvfile.Format[Bin]{
	Columns: append(settingColumns(), "method", "binning", "bin", "lo", "hi", "n", "conf", "acc", "acc_lo", "acc_hi", "source"),
	Added:   []string{"variant", "acc_lo", "acc_hi"},
	Fields: func(b Bin) []string {
		r, ok := b.AccInterval()
		return append(b.Setting.fields(), b.Method, b.Binning, strconv.Itoa(b.Bin),
			csvfile.FormatNumber(b.Lo), csvfile.FormatNumber(b.Hi), strconv.Itoa(b.N),
			csvfile.FormatNumber(b.Conf), csvfile.FormatNumber(b.Acc), optional{r.Lo, ok}.text(), optional{r.Hi, ok}.text(), b.Source)
	},
	Parse: func(row *csvfile.Row) Bin {
		b := Bin{
			Setting: parseSetting(row), Method: row.Text(), Binning: row.Text(), Bin: row.Count(),
			Lo: row.Number(), Hi: row.Number(), N: row.Count(),
			Conf: row.Number(), Acc: row.Number(),
		}
		lo, hi := numberIn(row), numberIn(row)
		b.Source = row.Text()
		if b.Check() == nil { // else the reader has a fault to name
			b.checkAccInterval(row, lo, hi)
		}
		return b
	},
	Check: func(b Bin) error {
		return cmp.Or(b.Setting.check(), csvfile.CheckID("method", b.Method), csvfile.CheckID("binning", b.Binning), b.Check())
	},
	Identity: func(b Bin) []string {
		return append(b.Setting.fields(), b.Method, b.Binning, strconv.Itoa(b.Bin))
	},
}

// AccInterval returns Wilson's 95 % interval of the accuracy of the bin. A bin without rows
// has none.
func (b Bin) AccInterval() (r metrics.Range, ok bool) {
	if b.N == 0 {
		return r, false
	}
	return metrics.Wilson(b.Acc, b.N, 0.95), true
}

// optional is a number that may be absent.
type optional struct {
	x    float64
	some bool
}

// numberIn reads the next field of a row, which may be empty.
func numberIn(row *csvfile.Row) optional {
	x, ok := row.NumberOrNone()
	return optional{x, ok}
}

// text is the field of the number.
func (o optional) text() string {
	if !o.some {
		return ""
	}
	return csvfile.FormatNumber(o.x)
}

// checkAccInterval fails the row if acc_lo and acc_hi are not the interval that n and acc
// decide, which the figures show.
func (b Bin) checkAccInterval(row *csvfile.Row, lo, hi optional) {
	want, some := b.AccInterval()
	for _, end := range []struct {
		column string
		got    optional
		want   float64
	}{{"acc_lo", lo, want.Lo}, {"acc_hi", hi, want.Hi}} {
		switch {
		case end.got.some && !some:
			row.Fail(end.column, "%s, but the bin has no rows; leave it empty", csvfile.FormatNumber(end.got.x))
		case some && (!end.got.some || math.Abs(end.got.x-end.want) > accRounding):
			row.Fail(end.column, "the end of Wilson's 95 %% interval for n and acc is %s", csvfile.FormatNumber(end.want))
		}
	}
}

// accRounding is more than rounding acc to nine digits can change an end of its interval:
// near 0 and 1 the slope is about 2.
const accRounding = 1e-7

// WriteBins replaces the file at path by the bins, in their order.
func WriteBins(path string, bins []Bin) error { return binsFormat.WriteFile(path, bins) }

// ReadBins reads a bins.csv. An error names file, line and column.
func ReadBins(path string) ([]Bin, error) { return binsFormat.ReadFile(path) }

// countBins returns the number of rows of a bins.csv, of which it checks the header alone.
func countBins(path string) (int, error) { return binsFormat.CountInFile(path) }

// Check returns an error for numbers or a source that no bin has; it names the column of
// bins.csv.
func (b Bin) Check() error {
	if b.Bin < 0 {
		return csvfile.Fault("bin", "%d is negative", b.Bin)
	}
	if b.N < 0 {
		return csvfile.Fault("n", "%d is negative", b.N)
	}
	for _, c := range []struct {
		column string
		x      float64
	}{{"lo", b.Lo}, {"hi", b.Hi}, {"conf", b.Conf}, {"acc", b.Acc}} {
		if err := csvfile.CheckRange(c.column, c.x, 0, 1); err != nil {
			return err
		}
	}
	if b.Hi < b.Lo && csvfile.Round(b.Hi) < csvfile.Round(b.Lo) {
		return csvfile.Fault("hi", "%s is below lo, %s", csvfile.FormatNumber(b.Hi), csvfile.FormatNumber(b.Lo))
	}
	if b.N == 0 && (b.Conf != 0 || b.Acc != 0) {
		return csvfile.Fault("n", "no rows, but conf or acc is not 0")
	}
	return checkSource(b.Source)
}
