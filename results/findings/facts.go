package main

import (
	"cmp"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/qats-bench/qats/results/internal/csvfile"
)

// ID names a number. Against is empty for what is said of one method, and Method for what is
// said of the settings.
type ID struct {
	Run      string // name in runs
	Part     string // of the settings of the run, by its name in runs, or one network
	Method   string
	Against  string
	Metric   string
	Quantity string // such as mean, win, p
}

func (id ID) fields() []string {
	return []string{id.Run, id.Part, id.Method, id.Against, id.Metric, id.Quantity}
}

func (id ID) String() string { return strings.Join(id.fields(), ",") }

// Facts are the measured numbers of the documents. Values are in the unit of the metric; counts
// are whole numbers. A number that does not exist, such as an interval over four blocks, is absent.
type Facts map[ID]float64

// fact is a row of facts.csv.
type fact struct {
	ID
	value float64
}

var factsFormat = csvfile.Format[fact]{
	Columns: []string{"run", "part", "method", "against", "metric", "quantity", "value"},
	Fields:  func(f fact) []string { return append(f.fields(), strconv.FormatFloat(f.value, 'g', 6, 64)) },
	Parse: func(row *csvfile.Row) fact {
		return fact{ID{row.Text(), row.Text(), row.Text(), row.Text(), row.Text(), row.Text()}, row.Number()}
	},
	Check: func(f fact) error {
		return cmp.Or(csvfile.CheckID("run", f.Run), csvfile.CheckID("quantity", f.Quantity), csvfile.CheckFinite("value", f.value))
	},
	Identity: func(f fact) []string { return f.fields() },
}

func factsPath(top string) string { return filepath.Join(top, "results", "shown", "facts.csv") }

// readFacts reads facts.csv.
func readFacts(path string) (Facts, error) {
	rows, err := factsFormat.ReadFile(path)
	facts := Facts{}
	for _, f := range rows {
		facts[f.ID] = f.value
	}
	return facts, err
}

// write writes facts.csv, sorted by its columns.
func (f Facts) write(path string) error {
	rows := make([]fact, 0, len(f))
	for id, x := range f {
		rows = append(rows, fact{id, x})
	}
	slices.SortFunc(rows, func(a, b fact) int { return slices.Compare(a.fields(), b.fields()) })
	return factsFormat.WriteFile(path, rows)
}

// drop removes the facts of a run.
func (f Facts) drop(run string) {
	for id := range f {
		if id.Run == run {
			delete(f, id)
		}
	}
}
