package results

import (
	"io"
	"math"
	"slices"
	"strings"

	"github.com/qats-bench/qats/metrics"
)

var resultsFormat = format[Record]{
	columns: append(append([]string{}, cellColumns...), "method", "metric", "value", "n", "source", "status", "note", "key"),
	fields: func(r Record) []string {
		value := ""
		if r.Status == OK {
			value = formatNumber(r.Value)
		}
		return append(r.Cell.fields(), r.Method, r.Metric, value, formatCount(r.N),
			r.Source, string(r.Status), plainText(r.Note), r.Key)
	},
	parse:    parseRecord,
	check:    checkRecord,
	identity: func(r Record) []string { return append(r.Cell.fields(), r.Method, r.Metric) },
}

// WriteResults replaces the file at path by the records, in their order. It
// refuses, and leaves the old file, if a record breaks a rule of the package
// comment or two of them are the same cell, method and metric.
func WriteResults(path string, records []Record) error {
	return resultsFormat.writeFile(path, records)
}

// ReadResults reads what WriteResults wrote. An error names file, line and
// column.
func ReadResults(path string) ([]Record, error) { return resultsFormat.readFile(path) }

// EncodeResults is WriteResults to a stream.
func EncodeResults(w io.Writer, records []Record) error { return resultsFormat.write(w, records) }

// DecodeResults is ReadResults from a stream that errors are to call name.
func DecodeResults(r io.Reader, name string) ([]Record, error) { return resultsFormat.read(r, name) }

func parseRecord(row *row) Record {
	r := Record{Cell: row.cell(), Method: row.text(), Metric: row.text()}
	if row.fields[row.next] == "" {
		r.Value = math.NaN() // for a moment: number reads no NaN
		row.next++
	} else {
		r.Value = row.number()
	}
	r.N = row.countOrNone()
	r.Source, r.Status = row.text(), Status(row.text())
	r.Note, r.Key = plainText(row.text()), row.text()
	present := !math.IsNaN(r.Value)
	if !present {
		r.Value = 0
	}
	switch {
	case row.err != nil:
	case r.Status == OK && !present:
		row.err = faultf("value", "empty, but the status is ok")
	case (r.Status == Skip || r.Status == Fail) && present:
		row.err = faultf("value", "a row of status %s has a value", r.Status)
	}
	return r
}

func checkRecord(r Record) error {
	if err := r.Cell.check(); err != nil {
		return err
	}
	if err := checkID("method", r.Method); err != nil {
		return err
	}
	if err := checkID("metric", r.Metric); err != nil {
		return err
	}
	if r.Key != "" {
		if err := checkID("key", r.Key); err != nil {
			return err
		}
	}
	switch r.Status {
	case OK:
		lo, hi := limits(r.Metric)
		if err := checkRange("value", r.Value, lo, hi); err != nil {
			return err
		}
		if r.N < 1 {
			return faultf("n", "a value over %d rows", r.N)
		}
		return checkSource(r.Source)
	case Skip, Fail:
		if r.N != 0 {
			return faultf("n", "a row of status %s has %d rows", r.Status, r.N)
		}
		if strings.TrimSpace(r.Note) == "" {
			return faultf("note", "a row of status %s does not say why", r.Status)
		}
		if r.Source != "" {
			return checkSource(r.Source)
		}
		return nil
	}
	return faultf("status", "%q is none of ok, skip, fail", string(r.Status))
}

// limits returns the range of a metric, so that per cent in the place of fractions
// are noticed. A metric that is not registered has no limits.
func limits(metric string) (lo, hi float64) {
	if _, output, ok := metrics.LookupOutput(metric); ok {
		return output.Lo, output.Hi
	}
	return math.Inf(-1), math.Inf(1)
}

// plainText makes a note that survives a CSV file: encoding/csv reads CRLF
// inside quotes as LF, and an error text may hold any bytes.
func plainText(s string) string {
	s = strings.ReplaceAll(s, "\r\n", "\n")
	s = strings.ReplaceAll(s, "\r", "\n")
	return strings.ToValidUTF8(s, "?")
}

// From returns what the manifest of the arrays says that measured numbers are of,
// in a few words; empty where it says nothing.
func (r Record) From() string {
	for _, item := range strings.Split(r.Note, "; ") {
		if text, ok := strings.CutPrefix(item, FromPrefix); ok {
			return text
		}
	}
	return ""
}

// Froms returns the distinct From of measured records, in the order of their
// first.
func Froms(records []Record) []string {
	var list []string
	for _, r := range records {
		if from := r.From(); r.Source == "measured" && !slices.Contains(list, from) {
			list = append(list, from)
		}
	}
	return list
}

// Measured is how a sentence ends that begins "The numbers are": what they are
// measured on, where manifests say that of all of them in one or two phrases.
// Otherwise they are computed from files, and what the files hold nobody said.
func Measured(froms []string) string {
	if len(froms) == 0 || len(froms) > 2 || slices.Contains(froms, "") {
		return "measured: computed from arrays in files, as given"
	}
	return "measured on " + strings.Join(froms, " and ")
}

// Warnings returns the items of a note that begin with "warning: ", without
// that prefix.
func (r Record) Warnings() []string {
	var list []string
	for _, item := range strings.Split(r.Note, "; ") {
		if text, ok := strings.CutPrefix(item, "warning: "); ok {
			list = append(list, text)
		}
	}
	return list
}
