package plots

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/qats-bench/qats/internal/english"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/compare"
	"github.com/qats-bench/qats/results/compare/significance"
)

// Differences draws how the methods of a comparison differ from the method that
// they are compared with, in percentage points, or in the unit of a metric that is not
// a fraction. There is one row for each method, in the order of their ranks: the
// Hodges-Lehmann shift with its interval over blocks, where there are enough blocks for one,
// and behind it the differences of the single blocks as crosses, which are no method's marker. Up to mostLetters blocks have a
// letter each, which stands above the crosses and in the notes.
// The axis ends where most of the values do; an arrow marks what is beyond. The labels are by
// method id. Ratios of times are an error.
func Differences(c *compare.Comparison, labels map[string]string) (*Figure, error) {
	switch {
	case !c.Judged():
		return nil, fmt.Errorf("differences figure: %w", ErrSimulated)
	case c.Ratio:
		return nil, fmt.Errorf("differences figure: %s is compared by ratios", c.Metric)
	}
	var ids []string
	rows := byRank(c)
	for _, r := range rows {
		ids = append(ids, r.Method)
	}
	list := labelled(compare.View{Comparison: c, Labels: labels}, append(ids, c.Against))
	against, metric := list[len(list)-1].label, results.Name("metric", c.Metric)
	f := forest{crowded: true, axis: fmt.Sprintf("%s minus %s of %s", metric, metric, against), better: "method better", worse: against + " better"}
	scale := 1.0
	if c.Percent {
		scale = 100
		f.axis += " (points)"
	} else {
		f.least, f.digits = .01, 3
	}
	f.title = fmt.Sprintf("%s against %s, %s", english.Count(len(rows), "method"), against, english.Count(len(c.Blocks), "block"))
	if c.Better == metrics.Higher {
		f.better, f.worse = f.worse, f.better
	}
	if len(c.Blocks) <= mostLetters {
		f.rows = []forestRow{{heading: true}} // room for the letters of the first method
	}
	for i, r := range rows {
		look := MethodLook(r.Method)
		row := forestRow{label: list[i].label, at: scale * r.Shift.Estimate, look: &look}
		if r.Shift.Bounded {
			row.lo, row.hi, row.kind = scale*r.Shift.Lo, scale*r.Shift.Hi, interval
		}
		for b, d := range r.BlockDifference {
			row.dots = append(row.dots, scale*d)
			if len(c.Blocks) <= mostLetters {
				row.letters = append(row.letters, letter(slices.Index(c.Blocks, r.BlockNames[b])))
			}
		}
		f.rows = append(f.rows, row)
	}
	extent, aside := bounds(rows)
	f.caption = fmt.Sprintf("%s of each method minus %s of %s: shift over %s%s.%s", metric, metric, against, c.Extent, extent, aside)
	names := blockNames(c.Blocks)
	if len(names) <= mostLetters {
		for i := range names {
			names[i] = letter(i) + " " + names[i]
		}
	}
	f.notes = []string{fmt.Sprintf("Hodges-Lehmann shift over independent data sets (%s)%s.%s Crosses: single data sets.", strings.Join(names, ", "), extent, aside)}
	return f.figure(), nil
}

// mostLetters is the number of blocks up to which each has a letter.
const mostLetters = 12

// letter names a block by its place.
func letter(i int) string { return string(rune('a' + i)) }

// bounds says which shifts have an interval, in two parts of a caption: what follows the
// shifts, and a sentence on those without one.
func bounds(rows []compare.Row) (extent, aside string) {
	bounded := len(lists.Where(rows, func(r compare.Row) bool { return r.Shift.Bounded }))
	reason := fmt.Sprintf("a 95 %% interval takes values of both methods in %d independent data sets", significance.LeastForInterval)
	switch bounded {
	case len(rows):
		return " with its 95 % interval", ""
	case 0:
		return "", " There are no intervals: " + reason + "."
	}
	return " with its 95 % interval", fmt.Sprintf(" %s without one: %s.", english.Count(len(rows)-bounded, "method"), reason)
}

// blockNames returns the names of blocks in print: those of the comparison, since a block may be
// of several data sets.
func blockNames(ids []string) []string { return lists.Values(ids, printable) }

// byRank returns the rows of a comparison in the order of its ranking. Methods
// without a rank come last.
func byRank(c *compare.Comparison) []compare.Row {
	place := func(r compare.Row) int {
		if i := slices.Index(c.Ranking.Methods, r.Method); i >= 0 {
			return i
		}
		return len(c.Ranking.Methods)
	}
	rows := slices.Clone(c.Rows)
	slices.SortStableFunc(rows, func(a, b compare.Row) int { return cmp.Compare(place(a), place(b)) })
	return rows
}
