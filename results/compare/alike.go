package compare

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/qats-bench/qats/internal/english"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results/compare/significance"
)

// Margins returns the differences within which two methods count as alike, smallest first, as
// fractions: .1, .25 and .5 points of a calibration error. They were fixed before any comparison
// was looked at. Metrics that are not printed in points have none.
func (c *Comparison) Margins() []float64 {
	if c.Percent && c.Better == metrics.Lower {
		return []float64{.001, .0025, .005}
	}
	return nil
}

// power is the chance with which [Row.Detectable] is shown.
const power = .8

// Detectable is the shift that Wilcoxon's test over so many blocks would show at Alpha with power .8,
// for a method named beforehand ([significance.Shift.Detectable]); NaN without an interval.
func (r Row) Detectable() float64 { return r.Shift.Detectable(Level, power) }

// makeAlike sets the Margin of each row.
func (c *Comparison) makeAlike() {
	margins := c.Margins()
	for i, margin := range slices.Backward(margins) {
		p := lists.Values(c.Rows, func(r Row) float64 { return significance.Equivalence(r.BlockDifference, margin) })
		for j, adjusted := range significance.Holm(p) {
			// A margin needs all wider ones: with zeros P need not fall as the margin grows.
			if r := &c.Rows[j]; adjusted <= Alpha && (i == len(margins)-1 || r.Margin == margins[i+1]) {
				r.Margin = margin
			}
		}
	}
}

// margin prints a margin in points, with as many decimals as it has.
func margin(m float64) string { return strconv.FormatFloat(100*m, 'g', 3, 64) }

// withinMargins lists the methods that are alike to Against by their margins, as in "QaTS within 0.1
// points", "ETS and IR within 0.5 points".
func (v View) withinMargins(rows []Row) (list []string) {
	for _, m := range v.Margins() {
		if of := lists.Where(rows, func(r Row) bool { return r.Margin == m }); len(of) > 0 {
			list = append(list, english.List(lists.Values(of, func(r Row) string { return v.Label(r.Method) }))+" within "+margin(m)+v.points())
		}
	}
	return list
}

// alikeNote names the methods that are alike to Against, and how that is shown.
func (v View) alikeNote() []string {
	if !v.Judged() || !v.Testable() {
		return nil
	}
	alike := v.withinMargins(v.Rows)
	if alike == nil {
		return nil
	}
	return []string{fmt.Sprintf("Alike to %s: %s. Two one-sided signed-rank tests show it of the shift over %ss, at margins fixed beforehand (%s points) and with Holm's correction; a single one may differ by more.",
		v.Label(v.Against), strings.Join(alike, "; "), unitOf(v.Block), english.List(lists.Values(v.Margins(), margin)))}
}

// detectableNote says which difference the blocks would show.
func (v View) detectableNote() []string {
	rows := lists.Where(v.Rows, func(r Row) bool { return !math.IsNaN(r.Detectable()) })
	if !v.Judged() || !v.Testable() || len(rows) == 0 {
		return nil
	}
	sizes := lists.Values(rows, func(r Row) string { return v.Label(r.Method) + " " + strings.TrimPrefix(v.signed(r.Detectable()), "+") })
	return []string{fmt.Sprintf("Of a method named beforehand, these %ss would show this difference from %s with power .8: %s.", unitOf(v.Block), v.Label(v.Against), english.List(sizes))}
}
