package plots

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/qats-bench/qats/internal/english"
	"github.com/qats-bench/qats/results/compare"
	"github.com/qats-bench/qats/results/figure"
)

// WinRates draws the win rates of a comparison with their bootstrap intervals, in
// the order of the mean ranks. The labels are by method id, and notes are of missing
// values.
func WinRates(c *compare.Comparison, labels map[string]string, notes ...string) (*Figure, error) {
	f := forest{axis: "Win rate (%): settings on which the method is better than another one, mean over the others", better: "wins less than half", worse: "wins more than half"}
	f.title = "Win rate by " + c.MetricLabel
	f.caption = fmt.Sprintf("Share of settings on which each method has the better %s than another ranked method, mean over the others and over %s, with 95 %% bootstrap intervals over independent data sets.", c.MetricLabel, c.Ranking.Extent)
	f.x.label = func(v float64) string { return strconv.FormatFloat(v+50, 'f', -1, 64) }
	return strengths(c, labels, f, notes, figure.WinRates, func(s compare.Strength) compare.Estimate {
		e := s.WinRate
		return compare.Estimate{Value: 100*e.Value - 50, Lo: 100*e.Lo - 50, Hi: 100*e.Hi - 50}
	})
}

// Strengths draws the Bradley-Terry strengths of a comparison with their bootstrap
// intervals, in the order of the mean ranks. The labels are by method id, and notes are
// of missing values.
func Strengths(c *compare.Comparison, labels map[string]string, notes ...string) (*Figure, error) {
	f := forest{axis: "Bradley-Terry strength (logarithm of odds; the mean over methods is 0)", better: "weaker", worse: "stronger"}
	f.title = "Bradley-Terry strength by " + c.MetricLabel
	f.caption = fmt.Sprintf("Bradley-Terry strength of each method by %s over %s, with 95 %% bootstrap intervals over independent data sets. A method with 1 more wins with odds of e to 1.", c.MetricLabel, c.Ranking.Extent)
	return strengths(c, labels, f, notes, figure.Strengths, func(s compare.Strength) compare.Estimate { return s.BradleyTerry })
}

// strengths draws an estimate of each ranked method in the layout f.
func strengths(c *compare.Comparison, labels map[string]string, f forest, notes []string, kind figure.Kind, of func(compare.Strength) compare.Estimate) (*Figure, error) {
	k := c.Ranking
	switch {
	case !c.Judged():
		return nil, kind.Errorf("%w", ErrSimulated)
	case k.Methods == nil:
		return nil, kind.Errorf("%s", k.None)
	}
	list := labelled(compare.View{Comparison: c, Labels: labels}, k.Methods)
	f.whole = true
	f.title += fmt.Sprintf(", %s, %s", english.Count(len(list), "method"), english.Count(len(k.Blocks), "block"))
	for i, s := range k.Strengths() {
		look := MethodLook(s.Method)
		e := of(s)
		f.rows = append(f.rows, forestRow{label: list[i].label, at: e.Value, lo: e.Lo, hi: e.Hi, kind: interval, look: &look})
	}
	f.notes = append([]string{fmt.Sprintf("In the order of the mean ranks. Intervals: 95 %%, bootstrap of whole blocks (%s).%s", strings.Join(blockNames(k.Blocks), ", "), k.ShortIntervals())}, append(rankNotes(compare.View{Comparison: c, Labels: labels})[1:], notes...)...)
	return f.figure(), nil
}
