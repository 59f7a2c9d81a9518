package paper

import (
	"bytes"
	"cmp"
	_ "embed"
	"io"
	"slices"

	"github.com/qats-bench/qats/results/internal/csvfile"
)

// Mark is how a table prints a number: bold for the best of a row, underlined for
// the second.
type Mark string

// A number without a mark is Plain.
const (
	Plain     Mark = ""
	Bold      Mark = "bold"
	Underline Mark = "underline"
)

// Number is one printed number.
type Number struct {
	Setting
	Label    string // of the method, as printed: AdaTS
	Method   string // its id in results.csv: tta-ts
	Value    Points
	Mark     Mark
	Delta    Points // the gap printed beside the number, if HasDelta
	HasDelta bool   // only at QaTS
}

// Ranked reports whether the number takes part in the ranking of its row. HFE
// does not: it sees samples of the target domain, and the paper sets it apart.
func (n Number) Ranked() bool { return n.Label != "HFE" }

// Setting identifies a row of numbers that a table ranks against each other. The
// identifiers are those of results.csv, with Average for a mean.
type Setting struct {
	Table      string `json:"table"` // id of a Table
	Metric     string `json:"metric,omitempty"`
	Dataset    string `json:"dataset"`
	Backbone   string `json:"backbone"`
	Corruption string `json:"corruption,omitempty"` // empty where there is none
	Severity   int    `json:"severity,omitempty"`   // 0 where there is none
}

// Average in place of a dataset or corruption stands for the mean over them.
const Average = "average"

// IsAverage reports whether the setting is a mean over datasets or corruptions.
func (s Setting) IsAverage() bool { return s.Dataset == Average || s.Corruption == Average }

// Table is a table of the paper.
type Table struct {
	ID         string // in published.csv
	Experiment string // name of the spec whose records reproduce it
	Number     int    // counted through the paper and its supplement
	Metric     string
	Summary    string
}

// Tables returns the tables of the paper in their order.
func Tables() []Table {
	return []Table{
		{"standard", "standard", 1, "ece", "standard benchmarks"},
		{"longtail", "longtail", 2, "ece", "long-tailed benchmarks"},
		{"shift", "shift", 3, "ece", "CIFAR-100-C, means over corruptions"},
		{"medical", "medical", 4, "ece", "medical images, means over datasets"},
		{"tasks", "tasks", 5, "ece", "segmentation and text"},
		{"ablation", "ablation", 6, "ece", "forms of the temperature"},
		{"shift-full", "shift", 7, "ece", "CIFAR-100-C by corruption"},
		{"medical-full", "medical", 8, "ece", "medical images by dataset"},
		{"standard-aece", "standard", 9, "aece", "standard benchmarks"},
		{"longtail-aece", "longtail", 10, "aece", "long-tailed benchmarks"},
	}
}

// Datasets returns the data sets of the paper, in the order of its tables.
func Datasets() []string {
	return []string{
		"cifar10", "cifar100", "imagenet",
		"cifar100-lt-r10", "cifar100-lt-r100", "imagenet-lt",
		"cifar100-c",
		"voc2012", "20newsgroups",
		"bloodmnist", "breastmnist", "dermamnist", "ham10000", "organamnist", "organcmnist", "organsmnist",
		"pathmnist", "pneumoniamnist", "retinamnist", "tissuemnist",
	}
}

// methods maps the labels of the paper to ids. The AdaTS that it cites is the
// test-time augmentation of Hekler et al. (2023). Its HFE sees samples of each
// target domain.
var methods = map[string]string{
	"Uncal": "uncal", "TS": "ts", "IR": "ir", "AdaTS": "tta-ts", "GC": "gc-split",
	"FeatClip": "featclip", "HFE": "hfe-target", "QaTS": "qats",
	"QaTS-PW2": "qats-pw2", "QaTS-PW4": "qats-pw4", "QaTS-PW10": "qats-pw10",
}

//go:embed published.csv
var published []byte

// Read returns the 1,584 numbers, in the order of the tables. They come with the
// program.
func Read() ([]Number, error) {
	return Decode(bytes.NewReader(published), "results/paper/published.csv")
}

// Decode reads numbers from a stream; name stands for it in errors. It is as
// strict as the readers of results.csv: columns in order, known tables and
// methods, values in [0, 100] with one or two decimals, no number twice. An error
// names file, line and column.
func Decode(r io.Reader, name string) ([]Number, error) { return format.Read(r, name) }

// format has no Fields: the program writes no published numbers.
var format = csvfile.Format[Number]{
	Columns: []string{"table", "metric", "dataset", "corruption", "severity", "backbone", "method", "value", "mark", "delta"},
	Parse: func(row *csvfile.Row) Number {
		var n Number
		n.Table, n.Metric, n.Dataset, n.Corruption = row.Text(), row.Text(), row.Text(), row.Text()
		n.Severity, n.Backbone, n.Label = row.CountOrNone(), row.Text(), row.Text()
		n.Method = methods[n.Label]
		n.Value, n.Mark = parsePoints(row, "value", row.Text()), Mark(row.Text())
		delta := row.Text()
		if n.HasDelta = delta != ""; n.HasDelta {
			n.Delta = parsePoints(row, "delta", delta)
		}
		return n
	},
	Check: check,
	Identity: func(n Number) []string {
		return []string{n.Table, n.Dataset, n.Corruption, csvfile.FormatCount(n.Severity), n.Backbone, n.Label}
	},
}

func check(n Number) error {
	tables := Tables()
	i := slices.IndexFunc(tables, func(t Table) bool { return t.ID == n.Table })
	if i < 0 {
		return csvfile.Fault("table", "%q is no table of the paper", n.Table)
	}
	if n.Metric != tables[i].Metric {
		return csvfile.Fault("metric", "%q, but table %s shows %s", n.Metric, n.Table, tables[i].Metric)
	}
	if err := cmp.Or(csvfile.CheckID("dataset", n.Dataset), csvfile.CheckID("backbone", n.Backbone)); err != nil {
		return err
	}
	if (n.Corruption == "") != (n.Severity == 0) {
		return csvfile.Fault("severity", "a corruption needs a severity, and only a corruption has one")
	}
	if n.Method == "" {
		return csvfile.Fault("method", "%q is no method of the paper", n.Label)
	}
	if n.Value < 0 || n.Value > 100_00 {
		return csvfile.Fault("value", "%s is outside [0, 100]", n.Value)
	}
	if !slices.Contains([]Mark{Plain, Bold, Underline}, n.Mark) {
		return csvfile.Fault("mark", "%q is neither bold nor underline", string(n.Mark))
	}
	if n.HasDelta && n.Label != "QaTS" {
		return csvfile.Fault("delta", "only QaTS has a gap, not %s", n.Label)
	}
	return nil
}
