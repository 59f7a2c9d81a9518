package main

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/results/table"
)

// reference is a column of a table.
type reference struct {
	file         string // empty for the file of the table
	name, format string
	head         string
}

var (
	head   = regexp.MustCompile(`^((?: ?\S+?\.(?:csv|tsv|json|yaml)(?:\[[^]]*\])?)+)(?: (\S+))?$`)
	files  = regexp.MustCompile(`\S+?\.(?:csv|tsv|json|yaml)(?:\[[^]]*\])?`)
	column = regexp.MustCompile(`^(?:(\S+?\.(?:csv|tsv|json|yaml)(?:\[[^]]*\])?):)?(.+?)(?: (p|\+?[%.]\d))?(?: = (.+))?$`)
	form   = regexp.MustCompile(`^(\+?)([%.])(\d)$`)
	commas = regexp.MustCompile(`[^,\n\[]*(?:\[[^]]*\])?[^,\n]*`)
)

// tableOf returns the table that a marker asks for.
func tableOf(shown, marker string) (string, error) {
	first, list, _ := strings.Cut(marker, "\n")
	m := head.FindStringSubmatch(strings.TrimSpace(first))
	if m == nil {
		return "", fmt.Errorf("want the name of a .csv, .tsv, .json or .yaml file and perhaps a format, as in FILE.csv[method=ts] %%2")
	}
	var rows []row
	var columns []string
	for _, file := range files.FindAllString(m[1], -1) {
		more, of, err := read(shown, file)
		if err != nil {
			return "", err
		}
		rows, columns = append(rows, more...), append(columns, of...)
	}
	columns = lists.Distinct(columns, func(c string) string { return c })
	var refs []reference
	for _, text := range commas.FindAllString(list, -1) {
		if text = strings.TrimSpace(text); text != "" {
			c := column.FindStringSubmatch(text)
			refs = append(refs, reference{c[1], c[2], c[3], c[4]})
		}
	}
	if refs == nil {
		for _, name := range columns {
			refs = append(refs, reference{name: name})
		}
	}
	t := &table.Table{}
	cells := make([][]table.Cell, len(rows))
	var labels []string // the columns before, in which a row of another file must agree
	for _, r := range refs {
		of := rows
		if r.file != "" {
			var err error
			if of, err = joined(shown, r.file, rows, labels); err != nil {
				return "", err
			}
		} else if !slices.Contains(columns, r.name) {
			return "", fmt.Errorf("no column %q; it has %s", r.name, strings.Join(columns, ", "))
		}
		c, texts, err := printed(r, m[2], of)
		if err != nil {
			return "", err
		}
		t.Columns = append(t.Columns, c)
		for i, text := range texts {
			cells[i] = append(cells[i], table.Words(text))
		}
		if r.file == "" && c.Align == table.Left {
			labels = append(labels, r.name)
		}
	}
	for _, row := range cells {
		t.Rows = append(t.Rows, table.Row{Cells: row})
	}
	var b strings.Builder
	err := t.Markdown(&b)
	return b.String(), err
}

// joined returns for each row that of another file with the same labels; an empty one where there is none.
func joined(shown, file string, rows []row, labels []string) ([]row, error) {
	others, columns, err := read(shown, file)
	if err != nil {
		return nil, err
	}
	list := make([]row, len(rows))
	for i, r := range rows {
		same := func(o row) bool {
			return !slices.ContainsFunc(labels, func(l string) bool { return slices.Contains(columns, l) && o[l] != r[l] })
		}
		at := slices.IndexFunc(others, same)
		if at < 0 {
			continue
		}
		if slices.ContainsFunc(others[at+1:], same) {
			return nil, fmt.Errorf("%s has two rows for %v", file, r)
		}
		list[i] = others[at]
	}
	return list, nil
}

// printed returns a column and its texts. Numbers have the format of the column. Without one they
// have that of the table, if any number of the column has a decimal point. Other texts are shown as
// they are, and - for none.
func printed(r reference, format string, rows []row) (table.Column, []string, error) {
	c := table.Column{Head: r.head, Align: table.Right}
	if c.Head == "" {
		c.Head = r.name
	}
	var texts []string
	own := r.format != "" || slices.ContainsFunc(rows, func(x row) bool { return strings.ContainsAny(x[r.name], ".") })
	for _, row := range rows {
		text := row[r.name]
		v, err := strconv.ParseFloat(text, 64)
		switch {
		case text == "":
			text = "-"
		case err != nil:
			c.Align = table.Left
			if r.format != "" {
				return c, nil, fmt.Errorf("column %q: %q is no number", r.name, text)
			}
		case own && r.format == "p":
			text = pvalue(v)
		case own:
			of := r.format
			if of == "" {
				of = format
			}
			if m := form.FindStringSubmatch(of); m != nil {
				c.Signed, c.Digits = m[1] == "+", int(m[3][0]-'0')
				c.Factor = map[string]float64{"%": 100, ".": 1}[m[2]]
				text = c.Number(v).Text
			}
		}
		texts = append(texts, text)
	}
	return c, texts, nil
}

// pvalue prints p with two or three digits that count.
func pvalue(p float64) string {
	digits := 2
	switch {
	case p >= .9995:
		return "1"
	case p < .00095:
		digits = 5
	case p < .0095:
		digits = 4
	case p < .195:
		digits = 3
	}
	return strings.TrimPrefix(strconv.FormatFloat(math.Abs(p), 'f', digits, 64), "0")
}
