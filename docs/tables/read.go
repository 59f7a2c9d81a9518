package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// row is a row of a file, by its columns.
type row map[string]string

// read reads a file of results/shown, and keeps the rows that have the values in brackets after its name.
func read(shown, file string) (rows []row, columns []string, err error) {
	file, brackets, _ := strings.Cut(strings.TrimSuffix(file, "]"), "[")
	text, err := os.ReadFile(filepath.Join(shown, filepath.FromSlash(file)))
	if err != nil {
		return nil, nil, err
	}
	switch filepath.Ext(file) {
	case ".json":
		rows, columns, err = objects(text)
	case ".yaml":
		rows, columns, err = published(text)
	default:
		rows, columns, err = lines(text, strings.HasSuffix(file, ".tsv"))
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", file, err)
	}
	for _, text := range strings.Split(brackets, ",") {
		name, values, ok := strings.Cut(strings.TrimSpace(text), "=")
		switch {
		case name == "turned":
			rows, columns = turned(rows, columns)
			continue
		case name == "summed":
			rows = []row{summed(rows, columns)}
			continue
		case !ok:
			continue
		}
		if !slices.Contains(columns, name) {
			return nil, nil, fmt.Errorf("%s has no column %q; it has %s", file, name, strings.Join(columns, ", "))
		}
		keep := strings.Split(values, "|")
		rows = slices.DeleteFunc(rows, func(r row) bool { return !slices.Contains(keep, r[name]) })
		if len(keep) > 1 { // in the order of the list
			slices.SortStableFunc(rows, func(a, b row) int { return slices.Index(keep, a[name]) - slices.Index(keep, b[name]) })
		}
	}
	if len(rows) == 0 {
		return nil, nil, fmt.Errorf("%s has no row with %s", file, brackets)
	}
	return rows, columns, nil
}

// turned returns a row for each number of the first row, by the heading of its column, which is a method.
func turned(rows []row, columns []string) (list []row, heads []string) {
	for _, name := range columns {
		if _, err := strconv.ParseFloat(rows[0][name], 64); err == nil {
			list = append(list, row{"method": name, "value": rows[0][name]})
		}
	}
	return list, []string{"method", "value"}
}

// summed adds the whole numbers of each column up. Other columns are empty.
func summed(rows []row, columns []string) row {
	sum := row{}
	for _, name := range columns {
		total := 0
		for _, r := range rows {
			n, err := strconv.Atoi(r[name])
			if err != nil {
				total = -1
				break
			}
			total += n
		}
		if total >= 0 {
			sum[name] = strconv.Itoa(total)
		}
	}
	return sum
}

func lines(text []byte, tabs bool) (rows []row, columns []string, err error) {
	in := csv.NewReader(bytes.NewReader(text))
	if tabs {
		in.Comma, in.LazyQuotes = '\t', true
	}
	all, err := in.ReadAll()
	if err != nil || len(all) == 0 {
		return nil, nil, err
	}
	for _, line := range all[1:] {
		r := row{}
		for j, name := range all[0] {
			r[name] = strings.TrimPrefix(line[j], "'") // of a text that a spreadsheet would take for a formula
		}
		rows = append(rows, r)
	}
	return rows, all[0], nil
}

// objects reads the lines of qats compare --json. Of a ranking each method is a row, too, of the
// kind "rank". A list counts its members.
func objects(text []byte) (rows []row, columns []string, err error) {
	names := map[string]bool{}
	for line := range bytes.Lines(text) {
		var object map[string]any
		in := json.NewDecoder(bytes.NewReader(line))
		in.UseNumber()
		if err := in.Decode(&object); err != nil {
			return nil, nil, err
		}
		r := row{}
		for name, v := range object {
			names[name] = true
			switch v := v.(type) {
			case nil:
			case []any:
				r[name] = fmt.Sprint(len(v))
			default:
				r[name] = fmt.Sprint(v)
			}
		}
		rows = append(rows, r)
		methods, _ := object["methods"].([]any)
		ranks, _ := object["ranks"].([]any)
		for i := range min(len(methods), len(ranks)) {
			rows = append(rows, row{"kind": "rank", "metric": r["metric"], "method": fmt.Sprint(methods[i]), "place": fmt.Sprint(i + 1), "rank": fmt.Sprint(ranks[i])})
			names["method"], names["place"], names["rank"] = true, true, true
		}
	}
	return rows, slices.Sorted(maps.Keys(names)), nil
}
