package compare

import (
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
func (v View) Sentence() string { return v.Statement().String() }

// Statement is Sentence with its terms, which are [BlockTerm].
func (v View) Statement() english.Text {
	head, verdicts := v.verdicts()
	switch {
	case !v.Judged():
		return v.description()
	case len(v.Rows) == 0:
		return english.Of("No method was compared with ", v.Label(v.Against), ".")
	case verdicts == "":
		return english.Of(v.tested(), v.besides())
	case v.Power().Possible:
		return english.Of(v.tested(), " By the verdicts on single settings: ", verdicts, ".", v.besides())
	}
	return english.Of(head, ": ", verdicts, "; ", v.untestable(), ".", v.besides())
}

// tested is the result of the test over blocks.
func (v View) tested() english.Text {
	rows, _ := v.leading()
	if len(rows) == 1 {
		return v.sentence(rows[0])
	}
	return v.tally()
}

// sentence is the result of one method.
func (v View) sentence(r Row) english.Text {
	bounds := ""
	if r.Shift.Bounded {
		bounds = " " + v.interval(r.Shift.Lo, r.Shift.Hi)
	}
	relation, p := shortP(r.Holm)
	return english.Of(v.Label(r.Method), " against ", v.Label(v.Against), ", ", v.MetricLabel, ", ", v.Extent.of(r).Text(), ": ",
		v.signed(r.Shift.Estimate), v.points(), bounds, ", p ", relation, " ", p, ": ", v.verdict(r), ".")
}

// verdict says what the test of a row shows at the level Alpha.
func (v View) verdict(r Row) english.Text {
	switch {
	case r.Holm <= Alpha && v.favours(r):
		return english.Of(v.Label(r.Method), " is better")
	case r.Holm <= Alpha:
		return english.Of(v.Label(v.Against), " is better")
	case v.tooFewToTell(r):
		e := v.Extent
		e.Blocks = r.Blocks
		return english.Of(e.count(), " cannot show a difference")
	}
	return english.Of("no difference shown")
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
func (v View) tally() english.Text {
	rows, _ := v.leading()
	var better, worse []string
	for _, r := range rows {
		switch {
		case r.Holm > Alpha:
		case v.favours(r):
			better = append(better, v.Label(r.Method))
		default:
			worse = append(worse, v.Label(r.Method))
		}
	}
	text := english.Of(english.Count(len(rows), "method"), " against ", v.Label(v.Against), ", ", v.MetricLabel, ", ", v.Extent.Text(), ": ",
		howMany(better), " better", inBrackets(better), ", ", howMany(worse), " worse", inBrackets(worse))
	cannot := 0 // too few blocks
	for _, r := range rows {
		if r.Holm > Alpha && v.tooFewToTell(r) {
			cannot++
		}
	}
	rest := len(rows) - len(better) - len(worse)
	if rest > cannot {
		text = english.Of(text, "; no difference is shown for ", rest-cannot)
	}
	if cannot > 0 {
		text = english.Of(text, "; for ", cannot, " there are too few ", english.Text{{Words: "blocks", Term: BlockTerm}}, " to show a difference")
	}
	return english.Of(text, " (Wilcoxon's test with Holm's correction, .05).")
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
