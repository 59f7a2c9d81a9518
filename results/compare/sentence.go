package compare

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/qats-bench/qats/internal/english"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results/compare/significance"
)

// Sentence is the result in a sentence or two, what the data can show first. If a test over
// the blocks can show a difference, it is the test, and then the verdicts on single settings:
// "TS against QaTS, ECE, 6 data sets: -0.12 points [-2.27, +0.77], p = .56: no difference
// shown." The number is the Hodges-Lehmann shift, because the interval and p belong to it; p
// has Holm's correction. With several methods it counts the better and the worse ones and
// names them. If no test can, it is the verdicts, and why. For simulated settings it says
// that they get no verdict.
func (v View) Sentence() string {
	head, verdicts := v.verdicts()
	switch {
	case !v.Judged():
		return v.description()
	case len(v.Rows) == 0:
		return fmt.Sprintf("No method was compared with %s.", v.Label(v.Against))
	case verdicts == "":
		return v.tested()
	case v.Power().Possible:
		return v.tested() + " By the verdicts on single settings: " + verdicts + "."
	}
	return head + ": " + verdicts + "; " + v.untestable() + "."
}

// tested is the result of the test over blocks.
func (v View) tested() string {
	if len(v.Rows) == 1 {
		return v.sentence(v.Rows[0])
	}
	return v.tally()
}

// sentence is the result of one method.
func (v View) sentence(r Row) string {
	bounds := ""
	if r.Shift.Bounded {
		bounds = " " + v.interval(r.Shift.Lo, r.Shift.Hi)
	}
	relation, p := shortP(r.Holm)
	return fmt.Sprintf("%s against %s, %s, %s: %s%s%s, p %s %s: %s.",
		v.Label(r.Method), v.Label(v.Against), v.MetricLabel, v.Extent.of(r), v.signed(r.Shift.Estimate), v.points(), bounds, relation, p, v.verdict(r))
}

// verdict says what the test of a row shows at the level Alpha.
func (v View) verdict(r Row) string {
	switch {
	case r.Holm <= Alpha && v.favours(r):
		return v.Label(r.Method) + " is better"
	case r.Holm <= Alpha:
		return v.Label(v.Against) + " is better"
	case v.tooFewToTell(r):
		return english.Count(r.Blocks, v.Extent.Unit) + " cannot show a difference"
	}
	return "no difference shown"
}

// tooFewToTell reports whether no difference over the blocks of a row, however clear,
// would reach the level Alpha.
func (v View) tooFewToTell(r Row) bool {
	return significance.LeastP(r.Blocks)*float64(len(v.Rows)) > Alpha
}

// favours reports whether the shift of a row is in favour of its method.
func (v View) favours(r Row) bool {
	return (r.Shift.Estimate < 0) == (v.Better == metrics.Lower)
}

// tally is the result of several methods.
func (v View) tally() string {
	var better, worse []string
	for _, r := range v.Rows {
		switch {
		case r.Holm > Alpha:
		case v.favours(r):
			better = append(better, v.Label(r.Method))
		default:
			worse = append(worse, v.Label(r.Method))
		}
	}
	text := fmt.Sprintf("%s against %s, %s, %s: %s better%s, %s worse%s",
		english.Count(len(v.Rows), "method"), v.Label(v.Against), v.MetricLabel, v.Extent,
		howMany(better), inBrackets(better), howMany(worse), inBrackets(worse))
	cannot := 0 // too few blocks
	for _, r := range v.Rows {
		if r.Holm > Alpha && v.tooFewToTell(r) {
			cannot++
		}
	}
	rest := len(v.Rows) - len(better) - len(worse)
	if rest > cannot {
		text += fmt.Sprintf("; no difference is shown for %d", rest-cannot)
	}
	if cannot > 0 {
		text += fmt.Sprintf("; for %d there are too few blocks to show a difference", cannot)
	}
	return text + " (Wilcoxon's test with Holm's correction, .05)."
}

// shortP prints a p-value with two or three decimals, as papers do: that it is equal to
// them, or below.
func shortP(p float64) (relation, decimals string) {
	switch {
	case p < .001:
		return "<", ".001"
	case p < .0995:
		return "=", strings.TrimPrefix(strconv.FormatFloat(p, 'f', 3, 64), "0")
	}
	return "=", strings.TrimPrefix(strconv.FormatFloat(p, 'f', 2, 64), "0")
}
