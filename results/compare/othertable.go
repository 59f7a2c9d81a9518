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
	places, err := c.places(header)
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
		records, err := c.records(row, places)
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

// places are the places of Columns in a header.
type places struct {
	setting []int
	method  int // -1 where the columns of the values name the methods
	values  []valueColumn
}

// valueColumn is a column of values, and the method that it names.
type valueColumn struct {
	header, method string // no method where another column names it
	at             int
}

// places finds the columns in a header.
func (c Columns) places(header []string) (p places, err error) {
	find := func(want string) int {
		i := slices.Index(header, want)
		if i < 0 && err == nil {
			err = fmt.Errorf("no column %q", want)
		}
		return i
	}
	for _, want := range c.Setting {
		p.setting = append(p.setting, find(want))
	}
	before, after, several := strings.Cut(c.Value, "*")
	if !several {
		p.values = []valueColumn{{header: c.Value, at: find(c.Value)}}
		p.method = find(c.Method)
		return p, err
	}
	p.method = -1
	for i, h := range header {
		if len(h) > len(before)+len(after) && strings.HasPrefix(h, before) && strings.HasSuffix(h, after) {
			p.values = append(p.values, valueColumn{h, h[len(before) : len(h)-len(after)], i})
		}
	}
	if p.values == nil && err == nil {
		err = fmt.Errorf("no column matches %q", c.Value)
	}
	return p, err
}

// records returns the records of a row.
func (c Columns) records(row []string, p places) (list []results.Record, err error) {
	cell := results.Setting{Experiment: "table", Loss: "ce", Dataset: row[p.setting[0]]}
	var network []string
	for _, i := range p.setting[1:] {
		network = append(network, row[i])
	}
	cell.Backbone = strings.Join(network, "/")
	for _, v := range p.values {
		r := results.Record{Setting: cell, Method: v.method, Metric: c.Metric, Source: "measured", Status: results.OK, Note: tableOfOthers}
		if p.method >= 0 {
			r.Method = row[p.method]
		}
		if cell.Dataset == "" || r.Method == "" {
			return nil, errors.New("a row without a dataset or a method")
		}
		switch text := row[v.at]; strings.ToLower(text) {
		case "", "nan", "na":
			r.Status, r.Note = results.Skip, "the table has no value"
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
