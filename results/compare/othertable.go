package compare

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/results"
)

// Columns name the columns of a CSV file that another program wrote.
type Columns struct {
	// Setting are the columns that name a setting: the first is the dataset, the
	// others together the network.
	Setting []string
	// Value is the column of the metric. One with a * stands for several, one a
	// method, whose name takes the place of the *: "*_brier" for "TS_brier".
	Value  string
	Method string // column of the method; empty if Value has a *
	Metric string // as results.csv names it; it decides label and direction
}

// tableOfOthers describes the networks of such a file in captions.
const tableOfOthers = "networks of a table of others"

// Check rejects columns that do not fit each other.
func (c Columns) Check() error {
	switch n := strings.Count(c.Value, "*"); {
	case len(c.Setting) == 0:
		return errors.New("name the columns of the setting, such as dataset,model")
	case c.Value == "":
		return errors.New("name the column of the values, such as brier, or *_brier where each method has its own")
	case n > 1:
		return fmt.Errorf("%q has several *", c.Value)
	case n == 1 && c.Method != "":
		return fmt.Errorf("%q names the methods already, so there is no column of the method", c.Value)
	case n == 0 && c.Method == "":
		return fmt.Errorf("name the column of the method, or give the columns of all methods as *_%s", c.Value)
	}
	return nil
}

// ReadTables returns the records of the CSV files that patterns name, in their order; see
// ReadTable.
func ReadTables(patterns []string, c Columns) ([]results.Record, error) {
	var all []results.Record
	for _, pattern := range patterns {
		files, err := filepath.Glob(pattern)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", pattern, err)
		}
		if files == nil {
			files = []string{pattern} // opening it says that there is none
		}
		for _, name := range files {
			f, err := os.Open(name)
			if err != nil {
				return nil, err
			}
			list, err := ReadTable(f, name, c)
			f.Close()
			if err != nil {
				return nil, err
			}
			all = append(all, list...)
		}
	}
	return all, nil
}

// ReadTable returns the records of a CSV file with a header. An empty value, and
// NaN, is a skip. The source of all records is measured: the file is taken at its
// word. Errors begin with name:line.
func ReadTable(r io.Reader, name string, c Columns) ([]results.Record, error) {
	b, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	f := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(b, []byte("\xef\xbb\xbf"))))
	header, err := f.Read()
	if err == io.EOF {
		return nil, fmt.Errorf("%s: empty", name)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	columns, err := c.valueColumns(header)
	if err != nil {
		return nil, fmt.Errorf("%s:1: %w (the columns are %.300s)", name, err, strings.Join(header, ", "))
	}
	var list []results.Record
	for {
		row, err := f.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		records, err := c.records(header, row, columns)
		if err != nil {
			line, _ := f.FieldPos(0)
			return nil, fmt.Errorf("%s:%d: %w", name, line, err)
		}
		list = append(list, records...)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s: no rows", name)
	}
	return list, nil
}

// valueColumn is a column of values, and the method that it names.
type valueColumn struct{ header, method string } // no method where another column names it

// valueColumns finds the columns of values in a header, which must have all the others too.
func (c Columns) valueColumns(header []string) (list []valueColumn, err error) {
	before, after, several := strings.Cut(c.Value, "*")
	others := c.Setting
	if !several {
		list = []valueColumn{{header: c.Value}}
		others = slices.Concat(c.Setting, []string{c.Value, c.Method})
	}
	for _, want := range others {
		if !slices.Contains(header, want) {
			return nil, fmt.Errorf("no column %q", want)
		}
	}
	for _, h := range header {
		if several && len(h) > len(before)+len(after) && strings.HasPrefix(h, before) && strings.HasSuffix(h, after) {
			list = append(list, valueColumn{h, h[len(before) : len(h)-len(after)]})
		}
	}
	if len(lists.Distinct(list, func(v valueColumn) string { return v.header })) < len(list) {
		return nil, fmt.Errorf("two columns of one name match %q", c.Value)
	}
	if list == nil {
		return nil, fmt.Errorf("no column matches %q", c.Value)
	}
	return list, nil
}

// records returns the records of a row.
func (c Columns) records(header, row []string, columns []valueColumn) (list []results.Record, err error) {
	field := func(column string) string { return row[slices.Index(header, column)] }
	cell := results.Setting{Experiment: "table", Loss: "ce", Dataset: field(c.Setting[0])}
	var network []string
	for _, column := range c.Setting[1:] {
		network = append(network, field(column))
	}
	cell.Backbone = strings.Join(network, "/")
	for _, v := range columns {
		r := results.Record{Setting: cell, Method: v.method, Metric: c.Metric, Source: "measured", Status: results.OK, Note: results.Notes{{Kind: results.From, Text: tableOfOthers}}}
		if c.Method != "" {
			r.Method = field(c.Method)
		}
		if cell.Dataset == "" || r.Method == "" {
			return nil, errors.New("a row without a dataset or a method")
		}
		for _, name := range []string{cell.Dataset, cell.Backbone, r.Method} {
			if strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsGraphic(r) }) {
				return nil, fmt.Errorf("the name %q has a character that is not shown: leave it out", name)
			}
		}
		switch text := field(v.header); strings.ToLower(text) {
		case "", "nan", "na":
			r.Status, r.Note = results.Skip, results.Because("the table has no value")
		default:
			r.Value, err = strconv.ParseFloat(text, 64)
			if err != nil || math.IsInf(r.Value, 0) || math.IsNaN(r.Value) {
				return nil, fmt.Errorf("column %s: %.40q is not a finite number", v.header, text)
			}
		}
		list = append(list, r)
	}
	return list, nil
}
