package main

import (
	"cmp"
	"fmt"
	"maps"
	"os"
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

// writePage writes the tables into the page at path, each between its markers.
func writePage(path string, table []line) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	page, err := filled(string(text), table)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return os.WriteFile(path, []byte(page), 0o666)
}

// filled returns the page with the tables of the study.
func filled(page string, table []line) (string, error) {
	tables := map[string]func([]line) string{
		"networks": networksTable, "power": powerTable, "verdicts": verdictsTable, "beside": besideTable, "values": valuesTable, "short": shortTable, "told": toldTable,
	}
	for _, name := range slices.Sorted(maps.Keys(tables)) {
		begin, end := "<!-- "+name+" -->\n", "<!-- end of "+name+" -->\n"
		before, rest, ok1 := strings.Cut(page, begin)
		_, after, ok2 := strings.Cut(rest, end)
		if !ok1 || !ok2 {
			return "", fmt.Errorf("no markers %q and %q", strings.TrimSpace(begin), strings.TrimSpace(end))
		}
		page = before + begin + tables[name](table) + end + after
	}
	return page, nil
}

// networksTable lists the networks with the sizes of their test sets.
func networksTable(table []line) string {
	rows := [][]string{{"network", "classes", "rows of a test set", "test sets of each size"}}
	for _, name := range distinct(table, func(l line) string { return l.Network }) {
		of := where(table, func(l line) bool { return l.Network == name })
		var sizes []string
		ns := distinct(of, func(l line) int { return l.Rows })
		slices.Sort(ns)
		for _, n := range ns {
			sizes = append(sizes, count(n))
		}
		rows = append(rows, []string{name, strconv.Itoa(of[0].Classes), strings.Join(sizes, ", "), count(of[0].Sets)})
	}
	return markdown(rows)
}

// offBySeven is the pair of calibrators whose difference is small: a temperature is off by 7 %.
const offBySeven = "calibrated against T = 1.75"

// powerTable has the share of test sets in which a verdict on calibration errors notices the
// pair offBySeven, by network and size.
func powerTable(table []line) string {
	of := where(table, func(l line) bool { return isVerdict(l) && l.Cell.quantity == "sce_mass15" && l.Cell.pair == offBySeven })
	sizes := distinct(of, func(l line) int { return l.Rows })
	slices.Sort(sizes)
	head := []string{"network", "classes"}
	for _, n := range sizes {
		head = append(head, count(n)+" rows")
	}
	rows := [][]string{head}
	for _, name := range distinct(of, func(l line) string { return l.Network }) {
		row := []string{name, ""}
		for _, n := range sizes {
			at := where(of, func(l line) bool { return l.Network == name && l.Rows == n })
			if len(at) == 0 {
				row = append(row, "-")
				continue
			}
			row[1] = strconv.Itoa(at[0].Classes)
			row = append(row, share(at[0].NoZero))
		}
		rows = append(rows, row)
	}
	return markdown(rows)
}

// verdictsTable has a row for each quantity that decides.
func verdictsTable(table []line) string {
	rows := [][]string{{"what decides", "for the metrics", "cells", "coverage: least", "median", "cells below .93", "misses on one side: most", "excludes 0 for equal calibrators: most", "withheld: most"}}
	for _, quantity := range decisive(table) {
		of := where(table, func(l line) bool { return isVerdict(l) && l.Cell.quantity == quantity })
		rows = append(rows, append([]string{"`" + quantity + "`", strings.Join(judgedBy(quantity), ", ")}, summary(of)...))
	}
	plain := where(table, func(l line) bool { return l.Cell.interval == "delta" && l.Target == ofPopulation })
	rows = append(rows, append([]string{"squared error, 15 bins of equal width, plain normal interval", "(none)"}, summary(plain)...))
	return markdown(rows)
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
func (g group) names() []string { return []string{"`" + g.metric + "`", g.interval, g.target} }

// besideTable has a row for each kind of interval of a difference and its target.
func besideTable(table []line) string {
	rows := [][]string{{"metric", "interval", "target", "cells", "coverage: least", "median", "cells below .93", "misses on one side: most", "excludes 0 for equal calibrators: most", "withheld: most", "width"}}
	base := map[string]float64{} // mean width of the default, by metric
	for _, g := range groups(where(table, func(l line) bool { return !l.Alone && !isVerdict(l) && l.Cell.interval != "delta" })) {
		width := 0.0
		for _, l := range g.lines {
			width += l.Width / float64(len(g.lines))
		}
		if base[g.metric] == 0 {
			base[g.metric] = width
		}
		rows = append(rows, slices.Concat(g.names(), summary(g.lines), []string{strconv.FormatFloat(width/base[g.metric], 'f', 2, 64)}))
	}
	return markdown(rows)
}

// valuesTable has a row for each kind of interval of a single value and its target.
func valuesTable(table []line) string {
	rows := [][]string{{"metric", "interval", "target", "cells", "coverage: least", "median", "cells below .93", "misses on one side: most", "withheld: most"}}
	for _, g := range groups(where(table, func(l line) bool { return l.Alone })) {
		rows = append(rows, append(g.names(), slices.Delete(summary(g.lines), 5, 6)...)) // a value has no equal calibrators
	}
	return markdown(rows)
}

// shortTable lists where a default covers less than is wanted: the cells of one quantity, network
// and size are a row with the least of them.
func shortTable(table []line) string {
	rows := [][]string{{"interval", "of", "network", "n", "cells", "least coverage", "below", "above", "with"}}
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
		rows = append(rows, []string{g.interval, "`" + g.quantity + "`", g.network, count(g.rows), fmt.Sprintf("%d of %d", len(of), len(where(defaults, same))),
			withError(least, least.Coverage()), share(least.Below), share(least.Above), least.Cell.pair})
	}
	return markdown(rows)
}

// toldTable lists the cells in which a verdict tells equal calibrators apart too often.
func toldTable(table []line) string {
	rows := [][]string{{"what decides", "network", "n", "calibrators", "excludes 0"}}
	for _, l := range where(table, func(l line) bool { return isVerdict(l) && l.Equal() && l.NoZero > wantedZero }) {
		rows = append(rows, []string{"`" + l.Cell.quantity + "`", l.Network, count(l.Rows), l.Cell.pair, withError(l, l.NoZero)})
	}
	return markdown(rows)
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
			names = append(names, "`"+e.Name+"`")
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

// summary returns the columns from the number of cells to the share that is withheld.
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
	least, median := share(coverage[0]), share(coverage[len(coverage)/2])
	equals := "-"
	if zero >= 0 {
		equals = share(zero)
	}
	return []string{strconv.Itoa(len(lines)), least, median, strconv.Itoa(short), share(side), equals, share(withheld)}
}

// share prints a share with three decimals.
func share(x float64) string { return strings.TrimPrefix(strconv.FormatFloat(x, 'f', 3, 64), "0") }

// withError prints a share with its standard error.
func withError(l line, x float64) string { return share(x) + " ± " + share(l.Error(x)) }

// count prints a number with commas.
func count(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
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

// markdown prints a table, or that there is nothing, with the numbers to the right.
func markdown(rows [][]string) string {
	if len(rows) == 1 {
		return "\nNone.\n\n"
	}
	text := "\n| " + strings.Join(rows[0], " | ") + " |\n|"
	for i := range rows[0] {
		if c := rows[1][i]; c != "" && strings.ContainsRune("0123456789.-", rune(c[0])) {
			text += "---:|"
		} else {
			text += "---|"
		}
	}
	for _, row := range rows[1:] {
		text += "\n| " + strings.Join(row, " | ") + " |"
	}
	return text + "\n\n"
}
