package engine

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/report"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results"
)

// Metrics are the values of the metrics of one column, as the store keeps them.
type Metrics struct {
	N         int                      `json:"n"`
	Values    map[string]float64       `json:"values"`
	Undefined map[string]results.Notes `json:"undefined,omitempty"` // metric id -> reason for having no value
	Bins      map[string][]metrics.Bin `json:"bins"`
	Classes   []metrics.ClassScore     `json:"classes,omitempty"` // for classes.csv, if the spec asks for them
	Report    calib.Report             `json:"report"`            // of the fit, for the notes

	Parameters []calib.Parameter `json:"parameters,omitempty"` // of the fit, for fits.csv
}

// Compute computes all metrics of samples. A value that is not finite is an
// error; the reason of a metric without a value is in Undefined.
func Compute(samples *metrics.Samples, entries []metrics.Entry, seed uint64) (Metrics, error) {
	s := Metrics{N: samples.Len(), Values: map[string]float64{}, Undefined: map[string]results.Notes{}, Bins: map[string][]metrics.Bin{}}
	for _, binning := range metrics.BinningsOf(entries) {
		if bins := binning.Bins(samples); bins != nil {
			s.Bins[binning.Name] = bins
		}
	}
	for _, e := range entries {
		values, err := e.Compute(samples, seed)
		for i, id := range e.Names() {
			switch {
			case errors.Is(err, metrics.ErrNoVector):
				s.Undefined[id] = results.Notes{{Kind: results.NoVector}}
			case err != nil:
				s.Undefined[id] = results.Because(err.Error())
			case math.IsNaN(values[i]) || math.IsInf(values[i], 0):
				return s, fmt.Errorf("metric %s comes out as %g", id, values[i])
			default:
				s.Values[id] = values[i]
			}
		}
	}
	return s, nil
}

// Append appends the records, bins and parameters of a cell. All of them have the setting,
// the method and the source of head, and the records its note. The first record has its key.
func (s *Metrics) Append(out *results.Rows, head results.Record, entries []metrics.Entry) {
	for _, e := range entries {
		for _, id := range e.Names() {
			r := head
			head.Key = ""
			r.Metric, r.Status, r.Value, r.N = id, results.OK, s.Values[id], s.N
			if why, ok := s.Undefined[id]; ok {
				r.Status, r.Note, r.Value, r.N = results.Skip, why, 0, 0
			}
			out.Records = append(out.Records, r)
		}
	}
	for _, binning := range metrics.BinningsOf(entries) {
		for i, b := range s.Bins[binning.Name] {
			out.Bins = append(out.Bins, results.Bin{Setting: head.Setting, Method: head.Method, Binning: binning.Name,
				Bin: i, Lo: b.Lo, Hi: b.Hi, N: b.N, Conf: b.Conf, Acc: b.Acc, Source: head.Source})
		}
	}
	out.Parameters = append(out.Parameters, parameterRows(results.Parameter{Setting: head.Setting, Method: head.Method, Source: head.Source}, s)...)
}

// AppendCell computes the metrics of samples that were scored without a plan, and appends the
// rows of their cell: records, bins and parameters. All of them have the setting, the method
// and the source of head; warnings of the fit are added to its note. The records have no
// keys.
func AppendCell(out *results.Rows, head results.Record, entries []metrics.Entry, samples *metrics.Samples, fitted *calib.Fitted, seed uint64) error {
	s, err := Compute(samples, entries, seed)
	if err != nil {
		return err
	}
	s.Report, s.Parameters = fitted.Report, fitted.Parameters()
	head.Note = WithWarnings(head.Note, fitted.Report)
	s.Append(out, head, entries)
	return nil
}

// parameterRows returns the rows of fits.csv of a cell, each with the columns of row:
// the parameters of its fit with their active bounds, then the other active bounds,
// then the warnings.
func parameterRows(row results.Parameter, s *Metrics) []results.Parameter {
	var list []results.Parameter
	bounds := lists.Values(s.Report.AtBound, report.Bound.String)
	for _, p := range s.Parameters {
		r := row
		r.Name, r.Value, r.Bound = p.Name, p.Value, p.Bound
		bounds = slices.DeleteFunc(bounds, func(b string) bool { return b == p.Bound })
		list = append(list, r)
	}
	for _, b := range lists.Distinct(bounds, func(s string) string { return s }) {
		r := row
		r.Bound = b
		list = append(list, r)
	}
	for _, w := range lists.Distinct(s.Report.Warnings, report.Warning.String) {
		r := row
		r.Warning = w
		list = append(list, r)
	}
	return list
}

// WithWarnings returns the notes of a setting and the warnings of a fit.
func WithWarnings(notes results.Notes, fitted calib.Report) results.Notes {
	note := notes[:len(notes):len(notes)]
	for _, w := range fitted.Warnings {
		note = append(note, results.Warn(w))
	}
	return note
}
