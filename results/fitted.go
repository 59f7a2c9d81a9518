package results

import (
	"cmp"
	"strings"

	"github.com/qats-bench/qats/results/internal/csvfile"
)

// Parameter is one row of fits.csv: something that a reader wants to know of the
// fit of a method on a setting. A row is one of three things:
//
//   - a parameter: Name and Value, and in Bound the bound that is active at it;
//   - an active bound that belongs to no single parameter: Bound alone;
//   - a warning of the fit: Warning alone.
type Parameter struct {
	Setting
	Method  string
	Name    string // such as T, a, b or t_3; empty for a bound or a warning alone
	Value   float64
	Bound   string // such as "a >= 0"; empty where none is active
	Warning string // one line
	Source  string // measured or simulated, as in the records of the setting
}

var fitsFormat = csvfile.Format[Parameter]{
	Columns: append(settingColumns(), "method", "parameter", "value", "bound", "warning", "source"),
	Added:   []string{"variant", "source"},
	Fields: func(p Parameter) []string {
		value := ""
		if p.Name != "" {
			value = csvfile.FormatNumber(p.Value)
		}
		return append(p.Setting.fields(), p.Method, p.Name, value, csvfile.PlainText(p.Bound), csvfile.PlainText(p.Warning), p.Source)
	},
	Parse: func(row *csvfile.Row) Parameter {
		p := Parameter{Setting: parseSetting(row), Method: row.Text(), Name: row.Text()}
		var present bool
		p.Value, present = row.NumberOrNone()
		p.Bound, p.Warning, p.Source = csvfile.PlainText(row.Text()), csvfile.PlainText(row.Text()), row.Text()
		if present != (p.Name != "") {
			row.Fail("value", "a parameter and its value are given together or not at all")
		}
		return p
	},
	Check: checkParameter,
	Identity: func(p Parameter) []string {
		return append(p.Setting.fields(), p.Method, p.Name, p.Bound, p.Warning)
	},
}

// WriteParameters replaces the fits.csv at path by the rows, in their order.
func WriteParameters(path string, list []Parameter) error { return fitsFormat.WriteFile(path, list) }

// ReadParameters reads a fits.csv. An error names file, line and column.
func ReadParameters(path string) ([]Parameter, error) { return fitsFormat.ReadFile(path) }

func checkParameter(p Parameter) error {
	if err := cmp.Or(p.Setting.check(), csvfile.CheckID("method", p.Method), checkSource(p.Source)); err != nil {
		return err
	}
	switch {
	case p.Name != "" && p.Warning != "":
		return csvfile.Fault("warning", "a warning has a row of its own")
	case p.Name != "":
		return cmp.Or(csvfile.CheckID("parameter", p.Name), csvfile.CheckFinite("value", p.Value))
	case (strings.TrimSpace(p.Bound) == "") == (strings.TrimSpace(p.Warning) == ""):
		return csvfile.Fault("parameter", "a row without a parameter has either a bound or a warning")
	}
	return nil
}
