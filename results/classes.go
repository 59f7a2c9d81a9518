package results

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/qats-bench/qats/results/internal/csvfile"
)

// Class is one row of classes.csv: how well the probability of one class is calibrated against
// the rest, of a method on the test set of a setting. Only a spec with per_class has such rows.
type Class struct {
	Setting
	Method string
	Class  int     // from 0
	Name   string  // as manifest.yaml gives it; may be empty
	N      int     // test rows with this label
	Freq   float64 // their share of all test rows
	Conf   float64 // the mean of the class's probability over all test rows
	ECE    float64 // of this probability, in 15 bins of equal width
	Source string  // measured or simulated
}

var classesFormat = csvfile.Format[Class]{
	Columns: append(settingColumns(), "method", "class", "name", "n", "freq", "conf", "ece", "source"),
	Fields: func(c Class) []string {
		return append(c.Setting.fields(), c.Method, strconv.Itoa(c.Class), csvfile.PlainText(c.Name), strconv.Itoa(c.N),
			csvfile.FormatNumber(c.Freq), csvfile.FormatNumber(c.Conf), csvfile.FormatNumber(c.ECE), c.Source)
	},
	Parse: func(row *csvfile.Row) Class {
		return Class{Setting: parseSetting(row), Method: row.Text(), Class: row.Count(), Name: csvfile.PlainText(row.Text()), N: row.Count(),
			Freq: row.Number(), Conf: row.Number(), ECE: row.Number(), Source: row.Text()}
	},
	Check: func(c Class) error {
		return cmp.Or(c.Setting.check(), csvfile.CheckID("method", c.Method), c.Check())
	},
	Identity: func(c Class) []string { return append(c.Setting.fields(), c.Method, strconv.Itoa(c.Class)) },
}

// Label returns the name of the class or, without one, its number.
func (c Class) Label() string { return cmp.Or(strings.TrimSpace(c.Name), strconv.Itoa(c.Class)) }

// ReadClasses reads a classes.csv. An error names file, line and column.
func ReadClasses(path string) ([]Class, error) { return classesFormat.ReadFile(path) }

// Check returns an error for numbers or a source that no class has; it names the column of
// classes.csv.
func (c Class) Check() error {
	if c.Class < 0 {
		return csvfile.Fault("class", "%d is negative", c.Class)
	}
	if c.N < 0 {
		return csvfile.Fault("n", "%d is negative", c.N)
	}
	for _, x := range []struct {
		column string
		value  float64
	}{{"freq", c.Freq}, {"conf", c.Conf}, {"ece", c.ECE}} {
		if err := csvfile.CheckRange(x.column, x.value, 0, 1); err != nil {
			return err
		}
	}
	if (c.N == 0) != (c.Freq == 0) {
		return csvfile.Fault("freq", "%s, and n is %d", csvfile.FormatNumber(c.Freq), c.N)
	}
	return checkSource(c.Source)
}
