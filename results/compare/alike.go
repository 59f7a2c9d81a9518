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

// makeAlike sets what the rows show of equivalence: Margin, End and Detectable.
func (c *Comparison) makeAlike() {
	for i, r := range c.Rows {
		c.Rows[i].End, c.Rows[i].Detectable = math.NaN(), r.Shift.Detectable(Level, power)
		if s := significance.HodgesLehmann(r.BlockDifference, 1-2*Alpha); s.Bounded {
			c.Rows[i].End = max(math.Abs(s.Lo), math.Abs(s.Hi))
		}
	}
	for _, margin := range slices.Backward(c.Margins()) {
		p := lists.Values(c.Rows, func(r Row) float64 { return significance.Equivalence(r.BlockDifference, margin) })
		for i, adjusted := range significance.Holm(p) {
			if r := &c.Rows[i]; adjusted <= Alpha && (r.Margin > 0 || margin == c.Margins()[len(c.Margins())-1]) {
				r.Margin = margin
			}
		}
	}
}

// alikeWithin is "alike within 0.25 points", or nothing where no margin is shown.
func (v View) alikeWithin(r Row) string {
	if r.Margin == 0 {
		return ""
	}
	return "alike within " + v.margin(r.Margin)
}

// margin prints a margin in points, with as many decimals as it has.
func (v View) margin(m float64) string {
	return strconv.FormatFloat(100*m, 'g', 3, 64) + v.points()
}

// withinMargins lists the methods that are alike to Against by their margins, as in "QaTS within 0.1
// points", "ETS and IR within 0.5 points".
func (v View) withinMargins(rows []Row) (list []string) {
	for _, m := range v.Margins() {
		if of := lists.Where(rows, func(r Row) bool { return r.Margin == m }); len(of) > 0 {
			list = append(list, english.List(lists.Values(of, func(r Row) string { return v.Label(r.Method) }))+" within "+v.margin(m))
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
	var margins []string
	for _, m := range v.Margins() {
		margins = append(margins, strconv.FormatFloat(100*m, 'g', 3, 64))
	}
	return []string{fmt.Sprintf("Alike to %s: %s. Two one-sided signed-rank tests show it of the shift over blocks, at margins fixed beforehand (%s points) and with Holm's correction; a single block may differ by more.",
		v.Label(v.Against), strings.Join(alike, "; "), english.List(margins))}
}

// detectableNote says which difference the blocks would show.
func (v View) detectableNote() []string {
	rows := lists.Where(v.Rows, func(r Row) bool { return !math.IsNaN(r.Detectable) })
	if !v.Judged() || !v.Testable() || len(rows) == 0 {
		return nil
	}
	sizes := lists.Values(rows, func(r Row) string { return v.Label(r.Method) + " " + strings.TrimPrefix(v.signed(r.Detectable), "+") })
	return []string{fmt.Sprintf("Of a method named beforehand, these blocks would show this difference from %s with power .8: %s.", v.Label(v.Against), english.List(sizes))}
}
