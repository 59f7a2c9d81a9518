package main

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
)

// The targets of intervals.
const (
	ofPopulation = "population" // the value in the population
	ofMean       = "mean at n"  // the mean over test sets of n rows
)

// line is a line of the table: the coverage of an interval in a cell of the study.
type line struct {
	Network string
	Classes int
	Rows    int // n
	Cell    cell
	Alone   bool // of one calibrator, not of a difference
	Target  string
	Truth   float64 // the target
	Sets    int

	Withheld float64 // share of test sets without an interval
	Below    float64 // share of test sets whose interval lies below the target
	Above    float64
	NoZero   float64 // share of test sets whose interval does not contain 0
	Width    float64 // mean
}

// Coverage is the share of test sets without a wrong interval.
func (l line) Coverage() float64 { return 1 - l.Below - l.Above }

// Error is the standard error of a share of the test sets.
func (l line) Error(share float64) float64 { return math.Sqrt(share * (1 - share) / float64(l.Sets)) }

// Equal reports whether the two calibrators have equal values in the population.
func (l line) Equal() bool { return !l.Alone && l.Target == ofPopulation && math.Abs(l.Truth) < equal }

// count counts the intervals of the test sets.
func (l line) count(results []map[cell]seen) line {
	intervals := 0.0
	each := 1 / float64(len(results))
	for _, r := range results {
		s, ok := r[l.Cell]
		if s.none || !ok { // undefined for the test set, or without an interval
			l.Withheld += each
			continue
		}
		intervals++
		l.Width += s.hi - s.lo
		switch {
		case s.hi < l.Truth:
			l.Below += each
		case s.lo > l.Truth:
			l.Above += each
		}
		if s.lo > 0 || s.hi < 0 {
			l.NoZero += each
		}
	}
	l.Width /= max(1, intervals)
	return l
}

var columns = []string{"network", "classes", "rows", "of", "calibrators", "quantity", "interval", "target", "truth", "sets", "withheld", "coverage", "below", "above", "excludes_zero", "width"}

// number prints a number with the digits that the files have.
func number(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }

func writeTable(path string, table []line) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	w := csv.NewWriter(f)
	w.Write(columns)
	for _, l := range table {
		w.Write([]string{l.Network, strconv.Itoa(l.Classes), strconv.Itoa(l.Rows), map[bool]string{false: "difference", true: "value"}[l.Alone], l.Cell.pair, l.Cell.quantity, l.Cell.interval, l.Target, number(l.Truth), strconv.Itoa(l.Sets),
			number(l.Withheld), number(l.Coverage()), number(l.Below), number(l.Above), number(l.NoZero), number(l.Width)})
	}
	if w.Flush(); w.Error() != nil {
		return w.Error()
	}
	return f.Close()
}

func readTable(path string) ([]line, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 || strings.Join(rows[0], ",") != strings.Join(columns, ",") {
		return nil, fmt.Errorf("%s: the columns are not %s", path, strings.Join(columns, ","))
	}
	var table []line
	for i, row := range rows[1:] {
		var failed error
		number := func(column int) float64 {
			x, err := strconv.ParseFloat(row[column], 64)
			if err != nil && failed == nil {
				failed = fmt.Errorf("%s:%d: %s: %w", path, i+2, columns[column], err)
			}
			return x
		}
		table = append(table, line{Network: row[0], Classes: int(number(1)), Rows: int(number(2)), Alone: row[3] == "value", Cell: cell{row[4], row[5], row[6]}, Target: row[7], Truth: number(8),
			Sets: int(number(9)), Withheld: number(10), Below: number(12), Above: number(13), NoZero: number(14), Width: number(15)})
		if failed != nil {
			return nil, failed
		}
	}
	return table, nil
}
