package compare

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

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
const tableOfOthers = results.FromPrefix + "networks of a table of others"

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
	column := func(want string) (int, error) {
		i := slices.Index(header, want)
		if i < 0 {
			return 0, fmt.Errorf("%s:1: no column %q (the columns are %.300s)", name, want, strings.Join(header, ", "))
		}
		return i, nil
	}
	var setting []int
	for _, want := range c.Setting {
		i, err := column(want)
		if err != nil {
			return nil, err
		}
		setting = append(setting, i)
	}
	methods, err := c.methods(header, column)
	if err != nil {
		return nil, err
	}
	if len(methods) == 0 {
		return nil, fmt.Errorf("%s:1: no column matches %q (the columns are %.300s)", name, c.Value, strings.Join(header, ", "))
	}
	methodAt := -1
	if c.Method != "" {
		if methodAt, err = column(c.Method); err != nil {
			return nil, err
		}
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
		line, _ := f.FieldPos(0)
		cell := results.Setting{Experiment: "table", Loss: "ce", Dataset: row[setting[0]]}
		var network []string
		for _, i := range setting[1:] {
			network = append(network, row[i])
		}
		cell.Backbone = strings.Join(network, "/")
		for _, m := range methods {
			r := results.Record{Setting: cell, Method: m.name, Metric: c.Metric, Source: "measured", Status: results.OK, Note: tableOfOthers}
			if methodAt >= 0 {
				r.Method = row[methodAt]
			}
			if cell.Dataset == "" || r.Method == "" {
				return nil, fmt.Errorf("%s:%d: a row without a dataset or a method", name, line)
			}
			switch text := row[m.column]; strings.ToLower(text) {
			case "", "nan", "na":
				r.Status, r.Note = results.Skip, "the table has no value"
			default:
				v, err := strconv.ParseFloat(text, 64)
				if err != nil || math.IsInf(v, 0) || math.IsNaN(v) {
					return nil, fmt.Errorf("%s:%d: column %s: %.40q is not a finite number", name, line, header[m.column], text)
				}
				r.Value = v
			}
			list = append(list, r)
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s: no rows", name)
	}
	return list, nil
}

// methodColumn is a column of values, and the method that it names.
type methodColumn struct {
	name   string // empty where another column names the method
	column int
}

// methods returns the columns of values.
func (c Columns) methods(header []string, column func(string) (int, error)) ([]methodColumn, error) {
	before, after, several := strings.Cut(c.Value, "*")
	if !several {
		i, err := column(c.Value)
		return []methodColumn{{"", i}}, err
	}
	var list []methodColumn
	for i, h := range header {
		if len(h) > len(before)+len(after) && strings.HasPrefix(h, before) && strings.HasSuffix(h, after) {
			list = append(list, methodColumn{h[len(before) : len(h)-len(after)], i})
		}
	}
	return list, nil
}
