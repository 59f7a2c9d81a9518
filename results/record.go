package results

import (
	"cmp"
	"fmt"
	"math"

	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results/internal/csvfile"
)

// Setting identifies the setting that a number belongs to. Its fields are the first columns
// of each file.
type Setting struct {
	Experiment string `json:"experiment"` // name of the spec
	Dataset    string `json:"dataset"`
	Backbone   string `json:"backbone"`
	Loss       string `json:"loss"`                 // that the network was trained with; ce for cross-entropy
	Corruption string `json:"corruption,omitempty"` // empty for a clean test set
	Severity   int    `json:"severity,omitempty"`   // from 1; 0, written empty, where there is none

	// Variant is how the sets differ from the arrays. Settings that differ in the number of
	// a split alone are replicates of one setting, not settings of their own.
	Variant Variant `json:"variant,omitzero"`
}

// Network returns the setting of the clean test set, as it is, of the same network: without
// corruption, severity and variant.
func (c Setting) Network() Setting {
	c.Corruption, c.Severity, c.Variant = "", 0, Variant{}
	return c
}

// Name returns the identifiers that name the setting in messages and on
// pages: dataset/backbone, then the loss if it is not ce, then
// corruption/severity and the variant if there are any.
func (c Setting) Name() string {
	name := c.Dataset + "/" + c.Backbone
	if c.Loss != "ce" {
		name += "/" + c.Loss
	}
	if c.Corruption != "" {
		name += fmt.Sprintf("/%s/%d", c.Corruption, c.Severity)
	}
	if c.Variant != (Variant{}) {
		name += "/" + c.Variant.String()
	}
	return name
}

// Status is the outcome of computing a number.
type Status string

// A skip or a fail has no value; its note gives the reason.
const (
	OK   Status = "ok"
	Skip Status = "skip" // cannot be computed: an array is missing, or the metric is not defined
	Fail Status = "fail" // an error in the arrays or in the method
)

// Record is one row of results.csv: one metric of one method on one setting.
type Record struct {
	Setting
	Method string
	Metric string
	Value  float64 // a fraction, or nats for nll; meaningless unless Status is OK
	N      int     // number of test rows; 0, written empty, unless Status is OK
	Source string  // measured or simulated; may be empty unless Status is OK
	Status Status
	Note   Notes  // of a skip or fail, the reason; of others the notes of the setting, then those of the fit
	Key    string // of the first record of a cell: Key of the text that names everything the cell depends on; else empty
}

var resultsFormat = csvfile.Format[Record]{
	Columns: append(settingColumns(), "method", "metric", "value", "n", "source", "status", "note", "key"),
	Added:   []string{"variant"},
	Fields: func(r Record) []string {
		value := ""
		if r.Status == OK {
			value = csvfile.FormatNumber(r.Value)
		}
		return append(r.Setting.fields(), r.Method, r.Metric, value, csvfile.FormatCount(r.N),
			r.Source, string(r.Status), r.Note.text(), r.Key)
	},
	Parse: parseRecord,
	Check: func(r Record) error {
		return cmp.Or(r.Setting.check(), csvfile.CheckID("method", r.Method), csvfile.CheckID("metric", r.Metric), csvfile.CheckIDOrNone("key", r.Key), r.Check())
	},
	Identity: func(r Record) []string { return append(r.Setting.fields(), r.Method, r.Metric) },
}

// WriteResults replaces the file at path by the records, in their order. If a
// record breaks a rule of the package comment, or two of them have the same
// setting, method and metric, it returns an error and the old file stays.
func WriteResults(path string, records []Record) error {
	return resultsFormat.WriteFile(path, records)
}

// ReadResults reads a results.csv. An error names file, line and column.
func ReadResults(path string) ([]Record, error) { return resultsFormat.ReadFile(path) }

func parseRecord(row *csvfile.Row) Record {
	r := Record{Setting: parseSetting(row), Method: row.Text(), Metric: row.Text()}
	var present bool
	r.Value, present = row.NumberOrNone()
	r.N = row.CountOrNone()
	r.Source, r.Status = row.Text(), Status(row.Text())
	r.Note, r.Key = parseNote(row), row.OwnText()
	switch {
	case r.Status == OK && !present:
		row.Fail("value", "empty, but the status is ok")
	case (r.Status == Skip || r.Status == Fail) && present:
		row.Fail("value", "a row of status %s has a value", r.Status)
	}
	return r
}

// Check returns an error for a number, a status or a source that no record has; it names
// the column of results.csv.
func (r Record) Check() error {
	if err := r.Note.check(); err != nil {
		return err
	}
	switch r.Status {
	case OK:
		lo, hi := limits(r.Metric)
		if err := csvfile.CheckRange("value", r.Value, lo, hi); err != nil {
			return err
		}
		if r.N < 1 {
			return csvfile.Fault("n", "a value over %d rows", r.N)
		}
		return checkSource(r.Source)
	case Skip, Fail:
		if r.N != 0 {
			return csvfile.Fault("n", "a row of status %s has %d rows", r.Status, r.N)
		}
		if len(r.Note) == 0 {
			return csvfile.Fault("note", "a row of status %s does not say why", r.Status)
		}
		if r.Source != "" {
			return checkSource(r.Source)
		}
		return nil
	}
	return csvfile.Fault("status", "%q is none of ok, skip, fail", string(r.Status))
}

// limits returns the range of a metric, to detect per cent in the place of
// fractions. A metric that is not registered has no limits.
func limits(metric string) (lo, hi float64) {
	if _, output, ok := metrics.LookupOutput(metric); ok {
		return output.Lo, output.Hi
	}
	return math.Inf(-1), math.Inf(1)
}

func settingColumns() []string {
	return []string{"experiment", "dataset", "backbone", "loss", "corruption", "severity", "variant"}
}

func (c Setting) fields() []string {
	return []string{c.Experiment, c.Dataset, c.Backbone, c.Loss, c.Corruption, csvfile.FormatCount(c.Severity), c.Variant.String()}
}

func parseSetting(row *csvfile.Row) Setting {
	c := Setting{
		Experiment: row.Text(), Dataset: row.Text(), Backbone: row.Text(), Loss: row.Text(),
		Corruption: row.Text(), Severity: row.CountOrNone(),
	}
	var err error
	if c.Variant, err = ParseVariant(row.Text()); err != nil {
		row.Fail("variant", "%v", err)
	}
	return c
}

func (c Setting) check() error {
	if c.Severity < 0 {
		return csvfile.Fault("severity", "%d is negative", c.Severity)
	}
	return cmp.Or(csvfile.CheckID("experiment", c.Experiment), csvfile.CheckID("dataset", c.Dataset), csvfile.CheckID("backbone", c.Backbone),
		csvfile.CheckID("loss", c.Loss), csvfile.CheckIDOrNone("corruption", c.Corruption), c.Variant.check())
}

func checkSource(s string) error {
	if s != "measured" && s != "simulated" {
		return csvfile.Fault("source", "%q is neither measured nor simulated", s)
	}
	return nil
}
