package page

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/results"
)

// classTable has the calibration error of each class under each method, on one setting.
type classTable struct {
	ID, Title, Source string
	Methods           []string
	Rows              []classRow // the last one is the mean over the classes
	Note              string     // what is left out; may be empty
}

// classRow is a class, or the mean over the classes.
type classRow struct {
	Class, Rows, Share string
	ECE                []string // per cent, by method; a dash where there is none
}

// The most settings and classes of the tables: classes.csv has all of them.
const (
	mostClassTables = 24
	mostClasses     = 100
)

// classesOf returns the tables of the settings that have scores of classes, in their order. left
// is the number of settings beyond them.
func classesOf(f *results.Rows, o Options) (list []classTable, left int) {
	type place struct {
		results.Setting
		source string
	}
	places, rows := lists.Group(f.Classes, func(c results.Class) place { return place{c.Setting, c.Source} })
	for i, at := range places[:min(len(places), mostClassTables)] {
		list = append(list, classTableOf(fmt.Sprintf("classes-%d", i+1), results.Names(results.SettingLabels(f.Settings)).Setting(at.Setting, ", "), at.source, rows[at], o.labels))
	}
	return list, len(places) - len(list)
}

func classTableOf(id, title, source string, rows []results.Class, labels map[string]string) classTable {
	methods, _ := lists.Group(rows, func(c results.Class) string { return c.Method })
	classes, of := lists.Group(rows, func(c results.Class) int { return c.Class })
	t := classTable{ID: id, Title: title, Source: source, Methods: lists.Values(methods, func(m string) string { return labels[m] })}
	sums, counts := make([]float64, len(methods)), make([]int, len(methods))
	for _, c := range rows {
		m := slices.Index(methods, c.Method)
		sums[m] += c.ECE
		counts[m]++
	}
	if len(classes) > mostClasses {
		t.Note = fmt.Sprintf("The %d classes with most rows, of %d: classes.csv has all of them. The mean is over all.", mostClasses, len(classes))
		slices.SortStableFunc(classes, func(a, b int) int { return cmp.Compare(of[b][0].N, of[a][0].N) })
		classes = classes[:mostClasses]
	}
	for _, class := range classes {
		first := of[class][0]
		row := classRow{Class: first.Label(), Rows: strconv.Itoa(first.N), Share: percent(first.Freq), ECE: slices.Repeat([]string{"–"}, len(methods))}
		for _, c := range of[class] {
			row.ECE[slices.Index(methods, c.Method)] = percent(c.ECE)
		}
		t.Rows = append(t.Rows, row)
	}
	mean := classRow{Class: "mean"}
	for m := range methods {
		mean.ECE = append(mean.ECE, percent(sums[m]/float64(counts[m])))
	}
	t.Rows = append(t.Rows, mean)
	return t
}

// percent prints a fraction in per cent, with two decimals.
func percent(x float64) string { return strconv.FormatFloat(100*x, 'f', 2, 64) }
