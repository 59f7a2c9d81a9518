package results

import (
	"bytes"
	_ "embed"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Points are hundredths of a per cent: the unit in which the paper prints, and
// thus whole numbers, so that gaps and ties of printed numbers are exact.
type Points int

// PointsOf returns a fraction as it is printed in a table: 0.07128 is 7.13.
func PointsOf(fraction float64) Points {
	text := strconv.FormatFloat(100*fraction, 'f', 2, 64)
	p, err := strconv.Atoi(strings.Replace(text, ".", "", 1))
	if err != nil { // NaN, infinite or beyond every table
		panic(fmt.Sprintf("results: no points of %v", fraction))
	}
	return Points(p)
}

// String prints two decimals, such as 7.13 and -0.16.
func (p Points) String() string {
	sign := ""
	if p < 0 {
		sign, p = "-", -p
	}
	return fmt.Sprintf("%s%d.%02d", sign, p/100, p%100)
}

// Signed is String with a plus before what is above zero.
func (p Points) Signed() string {
	if p > 0 {
		return "+" + p.String()
	}
	return p.String()
}

// Mark is how the paper sets a number: bold for the best of a row, underlined
// for the second.
type Mark string

// A number without a mark has an empty one.
const (
	Plain     Mark = ""
	Bold      Mark = "bold"
	Underline Mark = "underline"
)

// Published is one number printed in the paper "Quantile-Adaptive Temperature
// Scaling for Confidence Calibration". It is no Record and cannot become one:
// what others report is compared with, never reported.
type Published struct {
	PublishedSetting
	Label  string // of the method, as printed: AdaTS
	Method string // id in results.csv: tta-ts
	Value  Points
	Mark   Mark
	Delta  Points // the gap printed beside it, if HasDelta
	// HasDelta is set only at QaTS.
	HasDelta bool
}

// PublishedSetting is what a row of a printed table is about. Identifiers are
// those of results.csv, with "average" for a mean over datasets or corruptions.
type PublishedSetting struct {
	Table      string // id of a PublishedTable
	Metric     string
	Dataset    string
	Backbone   string
	Corruption string // empty where there is none
	Severity   int    // 0 where there is none
}

// Average in the place of a dataset or corruption stands for the mean.
const Average = "average"

// PublishedTable is a table of the paper.
type PublishedTable struct {
	ID         string // in published.csv
	Experiment string // whose records reproduce it
	Number     int    // counted through the paper and its supplement
	Metric     string
	Summary    string
	// Transposed tables have a row for each method and a column for each
	// dataset or corruption.
	Transposed bool
	Supplement bool
}

// PublishedTables are the tables of the paper in their order.
func PublishedTables() []PublishedTable {
	return []PublishedTable{
		{ID: "standard", Experiment: "standard", Number: 1, Metric: "ece", Summary: "standard benchmarks"},
		{ID: "longtail", Experiment: "longtail", Number: 2, Metric: "ece", Summary: "long-tailed benchmarks"},
		{ID: "shift", Experiment: "shift", Number: 3, Metric: "ece", Summary: "CIFAR-100-C, means over corruptions"},
		{ID: "medical", Experiment: "medical", Number: 4, Metric: "ece", Summary: "medical images, means over datasets"},
		{ID: "tasks", Experiment: "tasks", Number: 5, Metric: "ece", Summary: "segmentation and text"},
		{ID: "ablation", Experiment: "ablation", Number: 6, Metric: "ece", Summary: "forms of the temperature", Transposed: true},
		{ID: "shift-full", Experiment: "shift", Number: 7, Metric: "ece", Summary: "CIFAR-100-C by corruption", Transposed: true, Supplement: true},
		{ID: "medical-full", Experiment: "medical", Number: 8, Metric: "ece", Summary: "medical images by dataset", Transposed: true, Supplement: true},
		{ID: "standard-aece", Experiment: "standard", Number: 9, Metric: "aece", Summary: "standard benchmarks", Supplement: true},
		{ID: "longtail-aece", Experiment: "longtail", Number: 10, Metric: "aece", Summary: "long-tailed benchmarks", Supplement: true},
	}
}

// PublishedDatasets are the data sets of the paper, in the order of its tables.
func PublishedDatasets() []string {
	return []string{
		"cifar10", "cifar100", "imagenet",
		"cifar100-lt-r10", "cifar100-lt-r100", "imagenet-lt",
		"cifar100-c",
		"voc2012", "20newsgroups",
		"bloodmnist", "breastmnist", "dermamnist", "ham10000", "organamnist", "organcmnist", "organsmnist",
		"pathmnist", "pneumoniamnist", "retinamnist", "tissuemnist",
	}
}

// publishedMethods maps the labels of the paper to ids. Its AdaTS is, by its
// citation, the test-time augmentation of Hekler et al. (2023); its HFE sees
// samples of each target domain.
var publishedMethods = map[string]string{
	"Uncal": "uncal", "TS": "ts", "IR": "ir", "AdaTS": "tta-ts", "GC": "gc-split",
	"FeatClip": "featclip", "HFE": "hfe-target", "QaTS": "qats",
	"QaTS-PW2": "qats-pw2", "QaTS-PW4": "qats-pw4", "QaTS-PW10": "qats-pw10",
}

// Ranked reports whether the number takes part in the ranking of its row. HFE
// does not: it needs samples of the target domain, and the paper sets it apart.
func (p Published) Ranked() bool { return p.Label != "HFE" }

//go:embed published.csv
var publishedFile []byte

// ReadPublished returns the 1,584 numbers of the paper's ten tables, in the
// order of the tables. They come with the program.
func ReadPublished() ([]Published, error) {
	return DecodePublished(bytes.NewReader(publishedFile), "results/published.csv")
}

// DecodePublished reads published numbers from a stream that errors are to
// call name. It is as strict as the readers of results.csv: columns in order,
// known tables and methods, values in [0, 100] with one or two decimals, no
// number twice. Errors name file, line and column.
func DecodePublished(r io.Reader, name string) ([]Published, error) {
	return publishedFormat.read(r, name)
}

// publishedFormat has no fields: nothing writes published numbers.
var publishedFormat = format[Published]{
	columns: []string{"table", "metric", "dataset", "corruption", "severity", "backbone", "method", "value", "mark", "delta"},
	parse: func(row *row) Published {
		var p Published
		p.Table, p.Metric, p.Dataset, p.Corruption = row.text(), row.text(), row.text(), row.text()
		p.Severity, p.Backbone, p.Label = row.countOrNone(), row.text(), row.text()
		p.Method = publishedMethods[p.Label]
		p.Value, p.Mark = row.points(), Mark(row.text())
		if p.HasDelta = row.fields[row.next] != ""; p.HasDelta {
			p.Delta = row.points()
		}
		return p
	},
	check: checkPublished,
	identity: func(p Published) []string {
		return []string{p.Table, p.Dataset, p.Corruption, formatCount(p.Severity), p.Backbone, p.Label}
	},
}

var pointsForm = regexp.MustCompile(`^[-+]?[0-9]{1,5}\.[0-9]{1,2}$`)

// points reads a number of one or two decimals.
func (r *row) points() Points {
	s := r.text()
	if !pointsForm.MatchString(s) {
		if r.err == nil {
			r.err = faultf(r.columns[r.next-1], "%q is not a number with one or two decimals", s)
		}
		return 0
	}
	x, _ := strconv.ParseFloat(s, 64) // the form is checked
	return Points(math.Round(100 * x))
}

func checkPublished(p Published) error {
	tables := PublishedTables()
	i := slices.IndexFunc(tables, func(t PublishedTable) bool { return t.ID == p.Table })
	if i < 0 {
		return faultf("table", "%q is no table of the paper", p.Table)
	}
	if p.Metric != tables[i].Metric {
		return faultf("metric", "%q, but table %s shows %s", p.Metric, p.Table, tables[i].Metric)
	}
	if err := checkID("dataset", p.Dataset); err != nil {
		return err
	}
	if err := checkID("backbone", p.Backbone); err != nil {
		return err
	}
	if (p.Corruption == "") != (p.Severity == 0) {
		return faultf("severity", "a corruption has a severity, and only a corruption has")
	}
	if p.Method == "" {
		return faultf("method", "%q is no method of the paper", p.Label)
	}
	if p.Value < 0 || p.Value > 100_00 {
		return faultf("value", "%s is outside [0, 100]", p.Value)
	}
	if !slices.Contains([]Mark{Plain, Bold, Underline}, p.Mark) {
		return faultf("mark", "%q is neither bold nor underline", string(p.Mark))
	}
	if p.HasDelta && p.Label != "QaTS" {
		return faultf("delta", "only QaTS has a gap, not %s", p.Label)
	}
	return nil
}
