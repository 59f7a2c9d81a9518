package public

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/qats-bench/qats/data"
)

// csvFormat reads CSV files with a header whose columns the user names.
var csvFormat = Format{
	Name: "csv", Title: "any CSV file with a header",
	Files: "one file with a column that says the split, or two files: calibration and test", read: readCSV,
}

// Columns name the columns of a CSV file.
type Columns struct {
	// Classes are the columns of the classes, in order. One that has a * is a pattern
	// (path.Match) for several, which are taken in the order of the file.
	Classes []string
	Label   string    // column of the label, an integer of 0..k-1
	Kind    data.Kind // KindLogits or KindProbs

	Split     string // column of the split; empty if there are two files
	Cal, Test string // its values; rows with others are left out
}

func readCSV(ctx context.Context, in *input) error {
	c := &in.Columns
	switch {
	case in.Dataset == "":
		return errors.New("format csv needs --dataset and --backbone")
	case len(c.Classes) == 0 || c.Label == "":
		return errors.New("format csv needs --classes and --label")
	case c.Kind != data.KindLogits && c.Kind != data.KindProbs:
		return fmt.Errorf("format csv needs --kind logits or --kind probs")
	case c.Split == "" && len(in.files) != 2:
		return fmt.Errorf("%d files; give a calibration and a test file, or one file and --split COLUMN", len(in.files))
	case c.Split != "" && len(in.files) != 1:
		return fmt.Errorf("%d files; with --split COLUMN give one", len(in.files))
	}
	n := &network{dataset: in.Dataset, backbone: in.Backbone, kind: c.Kind, sources: in.files}
	for i, file := range in.files {
		b, err := readFile(ctx, file)
		if err != nil {
			return err
		}
		to := func(string) *split { return []*split{&n.cal, &n.test}[i] }
		if c.Split != "" {
			to = func(value string) *split { return map[string]*split{c.Cal: &n.cal, c.Test: &n.test}[value] }
		}
		if err := c.read(b, to); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	for i, s := range []*split{&n.cal, &n.test} {
		if s.scores.n == 0 {
			return fmt.Errorf("%s: no row of the %s set", in.files[min(i, len(in.files)-1)], []string{"calibration", "test"}[i])
		}
		if c.Kind == data.KindProbs {
			s.scores = s.scores.twoClasses()
		}
	}
	n.training = "given as CSV"
	return in.add(n)
}

// read appends the rows of a file to the split that to returns for the value of the
// split column; nil leaves a row out.
func (c *Columns) read(b []byte, to func(value string) *split) error {
	r := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(b, []byte("\xef\xbb\xbf"))))
	r.ReuseRecord = true
	header, err := r.Read()
	if err == io.EOF {
		return errors.New("empty")
	}
	if err != nil {
		return err
	}
	header = slices.Clone(header)
	classes, err := c.classes(header)
	if err != nil {
		return err
	}
	label, err := column(header, c.Label)
	if err != nil {
		return err
	}
	splitAt := -1
	if c.Split != "" {
		if splitAt, err = column(header, c.Split); err != nil {
			return err
		}
	}
	for {
		row, err := r.Read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		line, _ := r.FieldPos(0)
		value := ""
		if splitAt >= 0 {
			value = row[splitAt]
		}
		s := to(value)
		if s == nil {
			continue
		}
		y, err := strconv.ParseInt(row[label], 10, 32)
		if err != nil || y < 0 {
			return fmt.Errorf("line %d, column %s: %.40q is no label; want an integer from 0", line, c.Label, row[label])
		}
		s.labels = append(s.labels, int32(y))
		s.scores.n++
		s.scores.k = len(classes)
		for _, j := range classes {
			v, err := number(row[j])
			if err != nil {
				return fmt.Errorf("line %d, column %s: %w", line, header[j], err)
			}
			s.scores.data = append(s.scores.data, v)
		}
	}
}

// classes returns the columns of the classes.
func (c *Columns) classes(header []string) ([]int, error) {
	var list []int
	for _, name := range c.Classes {
		if !strings.Contains(name, "*") {
			j, err := column(header, name)
			if err != nil {
				return nil, err
			}
			list = append(list, j)
			continue
		}
		before := len(list)
		for j, h := range header {
			if ok, err := path.Match(name, h); err != nil {
				return nil, fmt.Errorf("the pattern %q: %w", name, err)
			} else if ok {
				list = append(list, j)
			}
		}
		if len(list) == before {
			return nil, fmt.Errorf("no column matches %q (the columns are %s)", name, short(header))
		}
	}
	for i, j := range list {
		if slices.Contains(list[:i], j) || header[j] == c.Label || header[j] == c.Split {
			return nil, fmt.Errorf("column %s has two meanings", header[j])
		}
	}
	return list, nil
}

// column returns the column of a name, which must occur once.
func column(header []string, name string) (int, error) {
	i := slices.Index(header, name)
	if i < 0 {
		return 0, fmt.Errorf("no column %q (the columns are %s)", name, short(header))
	}
	if slices.Contains(header[i+1:], name) {
		return 0, fmt.Errorf("two columns are named %q", name)
	}
	return i, nil
}

// short lists names for an error.
func short(names []string) string {
	const most = 12
	if len(names) > most {
		return fmt.Sprintf("%.200s, ... (%d in all)", strings.Join(names[:most], ", "), len(names))
	}
	return fmt.Sprintf("%.400s", strings.Join(names, ", "))
}
