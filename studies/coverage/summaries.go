package main

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/qats-bench/qats/metrics"
)

// wanted is the coverage that a default has in every cell, and wantedZero the share of test
// sets in which it excludes 0 for calibrators that are equal.
const (
	wanted     = .93
	wantedZero = .05
)

// summaries are the tables of docs/evidence.md, by name. The first row has the columns.
var summaries = map[string]func([]line) [][]string{
	"networks": networksTable, "power": powerTable, "verdicts": verdictsTable, "beside": besideTable, "values": valuesTable, "short": shortTable, "told": toldTable,
}

// writeSummaries writes the summaries of the table at path, those that have a row, into the folder beside it.
func writeSummaries(path string, table []line) error {
	dir := strings.TrimSuffix(path, ".csv")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for name, of := range summaries {
		rows := of(table)
		if len(rows) == 1 {
			continue
		}
		text, err := csvOf(rows)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, name+".csv"), text, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// csvOf returns rows as a CSV file.
func csvOf(rows [][]string) ([]byte, error) {
	var b bytes.Buffer
	err := csv.NewWriter(&b).WriteAll(rows)
	return b.Bytes(), err
}

// networksTable lists the networks with the sizes of their test sets.
func networksTable(table []line) [][]string {
	rows := [][]string{{"network", "classes", "rows", "sets"}}
	for _, name := range distinct(table, func(l line) string { return l.Network }) {
		of := where(table, func(l line) bool { return l.Network == name })
		var sizes []string
		ns := distinct(of, func(l line) int { return l.Rows })
		slices.Sort(ns)
		for _, n := range ns {
			sizes = append(sizes, strconv.Itoa(n))
		}
		rows = append(rows, []string{name, strconv.Itoa(of[0].Classes), strings.Join(sizes, ", "), strconv.Itoa(of[0].Sets)})
	}
	return rows
}

// offBySeven is the pair of calibrators whose difference is small: a temperature is off by 7 %.
const offBySeven = "calibrated against T = 1.75"

// powerTable has the share of test sets in which a verdict on calibration errors notices the
// pair offBySeven, by network and size.
func powerTable(table []line) [][]string {
	of := where(table, func(l line) bool { return isVerdict(l) && l.Cell.quantity == "sce_mass15" && l.Cell.pair == offBySeven })
	sizes := distinct(of, func(l line) int { return l.Rows })
	slices.Sort(sizes)
	head := []string{"network", "classes"}
	for _, n := range sizes {
		head = append(head, strconv.Itoa(n))
	}
	rows := [][]string{head}
	for _, name := range distinct(of, func(l line) string { return l.Network }) {
		row := []string{name, ""}
		for _, n := range sizes {
			at := where(of, func(l line) bool { return l.Network == name && l.Rows == n })
			if len(at) == 0 {
				row = append(row, "")
				continue
			}
			row[1] = strconv.Itoa(at[0].Classes)
			row = append(row, number(at[0].NoZero))
		}
		rows = append(rows, row)
	}
	return rows
}

// verdictsTable has a row for each quantity that decides.
func verdictsTable(table []line) [][]string {
	rows := [][]string{slices.Concat([]string{"decides", "metrics"}, summaryColumns)}
	for _, quantity := range decisive(table) {
		of := where(table, func(l line) bool { return isVerdict(l) && l.Cell.quantity == quantity })
		rows = append(rows, append([]string{quantity, strings.Join(judgedBy(quantity), ", ")}, summary(of)...))
	}
	plain := where(table, func(l line) bool { return l.Cell.interval == "delta" && l.Target == ofPopulation })
	if len(plain) > 0 {
		rows = append(rows, append([]string{"squared error, 15 bins of equal width, plain normal interval", ""}, summary(plain)...))
	}
	return rows
}

// group is the lines of one kind of interval of a metric for one target.
type group struct {
	metric, interval, target string
	lines                    []line
}

// groups returns the groups that have lines: by metric, the default interval first.
func groups(table []line) (list []group) {
	for _, metric := range distinct(table, func(l line) string { return l.Cell.quantity }) {
		for _, kind := range kinds(table, metric) {
			for _, target := range []string{ofMean, ofPopulation} {
				of := where(table, func(l line) bool { return l.Cell.quantity == metric && l.Cell.interval == kind && l.Target == target })
				if len(of) > 0 {
					list = append(list, group{metric, kind, target, of})
				}
			}
		}
	}
	return list
}

// names returns the first columns of the row of a group.
func (g group) names() []string { return []string{g.metric, g.interval, g.target} }

// besideTable has a row for each kind of interval of a difference and its target.
func besideTable(table []line) [][]string {
	rows := [][]string{slices.Concat([]string{"metric", "interval", "target"}, summaryColumns, []string{"width"})}
	base := map[string]float64{} // mean width of the default, by metric
	for _, g := range groups(where(table, func(l line) bool { return !l.Alone && !isVerdict(l) && l.Cell.interval != "delta" })) {
		width := 0.0
		for _, l := range g.lines {
			width += l.Width / float64(len(g.lines))
		}
		if base[g.metric] == 0 {
			base[g.metric] = width
		}
		rows = append(rows, slices.Concat(g.names(), summary(g.lines), []string{number(width / base[g.metric])}))
	}
	return rows
}

// valuesTable has a row for each kind of interval of a single value and its target.
func valuesTable(table []line) [][]string {
	rows := [][]string{slices.Concat([]string{"metric", "interval", "target"}, withoutEquals(summaryColumns))}
	for _, g := range groups(where(table, func(l line) bool { return l.Alone })) {
		rows = append(rows, append(g.names(), withoutEquals(summary(g.lines))...))
	}
	return rows
}

// shortTable lists where a default covers less than is wanted: the cells of one quantity, network
// and size are a row with the least of them.
func shortTable(table []line) [][]string {
	rows := [][]string{{"interval", "of", "network", "rows", "short", "cells", "least", "error", "below", "above", "with"}}
	type place struct {
		interval, quantity, network string
		rows                        int
	}
	in := func(l line) place { return place{l.Cell.interval, l.Cell.quantity, l.Network, l.Rows} }
	defaults := where(table, isDefault)
	short := where(defaults, func(l line) bool { return l.Coverage() < wanted })
	for _, g := range distinct(short, in) {
		same := func(l line) bool { return in(l) == g }
		of := where(short, same)
		least := slices.MinFunc(of, func(a, b line) int { return cmp.Compare(a.Coverage(), b.Coverage()) })
		rows = append(rows, []string{g.interval, g.quantity, g.network, strconv.Itoa(g.rows), strconv.Itoa(len(of)), strconv.Itoa(len(where(defaults, same))),
			number(least.Coverage()), number(least.Error(least.Coverage())), number(least.Below), number(least.Above), least.Cell.pair})
	}
	return rows
}

// toldTable lists the cells in which a verdict tells equal calibrators apart too often.
func toldTable(table []line) [][]string {
	rows := [][]string{{"decides", "network", "rows", "calibrators", "excludes", "error"}}
	for _, l := range where(table, func(l line) bool { return isVerdict(l) && l.Equal() && l.NoZero > wantedZero }) {
		rows = append(rows, []string{l.Cell.quantity, l.Network, strconv.Itoa(l.Rows), l.Cell.pair, number(l.NoZero), number(l.Error(l.NoZero))})
	}
	return rows
}

// isVerdict reports whether a line is of the interval of a verdict.
func isVerdict(l line) bool { return l.Cell.interval == "verdict" }

// isDefault reports whether a line is of a default interval and of what its caption names.
func isDefault(l line) bool {
	switch kind := metrics.Interval(l.Cell.interval); {
	case isVerdict(l):
		return true
	case l.Alone:
		return kind == metrics.Standard && l.Target == ofMean || kind == metrics.Normal
	}
	return l.Cell.interval == string(metrics.Percentile) && l.Target == ofMean
}

// decisive returns the quantities that decide, the squared errors first.
func decisive(table []line) []string {
	all := distinct(where(table, isVerdict), func(l line) string { return l.Cell.quantity })
	squared := func(s string) bool { return strings.HasPrefix(s, "sce_") }
	rest := slices.DeleteFunc(slices.Clone(all), squared)
	return append(slices.DeleteFunc(all, func(s string) bool { return !squared(s) }), rest...)
}

// judgedBy returns the metrics whose verdicts rest on a quantity.
func judgedBy(quantity string) (names []string) {
	for _, e := range metrics.Registry() {
		if b, ok := e.Judge(e.Outputs[0].Name); ok && b.Name == quantity {
			names = append(names, e.Name)
		}
	}
	return names
}

// kinds returns the kinds of intervals of a metric, the default first.
func kinds(table []line, metric string) []string {
	list := distinct(where(table, func(l line) bool { return l.Cell.quantity == metric }), func(l line) string { return l.Cell.interval })
	order := []string{"percentile", "standard", "bc", "population"}
	if table[0].Alone {
		order = []string{"standard", "percentile", "bc", "population"}
	}
	slices.SortStableFunc(list, func(a, b string) int { return slices.Index(order, a) - slices.Index(order, b) })
	return list
}

// summaryColumns are those of summary: the number of cells, their least and their median coverage,
// the number below wanted, the largest share of misses on one side, the largest share that excludes
// 0 for equal calibrators, and the largest share that is withheld.
var summaryColumns = []string{"cells", "least", "median", "short", "side", "equals", "withheld"}

// withoutEquals leaves out the column of equal calibrators, which a single value does not have.
func withoutEquals(row []string) []string {
	at := slices.Index(summaryColumns, "equals")
	return slices.Concat(row[:at], row[at+1:])
}

// summary returns the summaryColumns of some lines.
func summary(lines []line) []string {
	var coverage []float64
	side, zero, withheld, short := 0.0, -1.0, 0.0, 0
	for _, l := range lines {
		coverage = append(coverage, l.Coverage())
		if l.Coverage() < wanted {
			short++
		}
		side = max(side, l.Below, l.Above)
		withheld = max(withheld, l.Withheld)
		if l.Equal() {
			zero = max(zero, l.NoZero)
		}
	}
	slices.Sort(coverage)
	equals := ""
	if zero >= 0 {
		equals = number(zero)
	}
	return []string{strconv.Itoa(len(lines)), number(coverage[0]), number(coverage[len(coverage)/2]), strconv.Itoa(short), number(side), equals, number(withheld)}
}

func where(table []line, keep func(line) bool) []line {
	return slices.DeleteFunc(slices.Clone(table), func(l line) bool { return !keep(l) })
}

func distinct[T comparable](table []line, of func(line) T) (list []T) {
	for _, l := range table {
		if v := of(l); !slices.Contains(list, v) {
			list = append(list, v)
		}
	}
	return list
}
