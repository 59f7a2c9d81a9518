package compare

import (
	"slices"
	"strconv"
	"strings"

	"github.com/qats-bench/qats/internal/english"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results/compare/significance"
)

// Sentence is Statement without its terms.
func (v View) Sentence() string { return v.Statement().String() }

// Statement is the answer, in a few short sentences: that of the judgement ([Conclusion.Statement]), whatever
// the metric of the view is; of times, which calibrator is the fastest, or what is shown of the only one.
func (v View) Statement() english.Text {
	switch {
	case !v.Ratio:
		return v.Conclusion().Statement()
	case !v.Judged():
		return described(len(v.Rows), v.Label(v.Against), v.Extent)
	case len(v.Rows) == 1:
		return english.Of(v.sentence(v.Rows[0]), v.untestable())
	}
	method, why := v.fastest()
	if method == "" {
		return english.Of("No method was compared with ", v.Label(v.Against), ".")
	}
	return english.Of(v.Label(method), " ", why, ".")
}

// Shown says what the test over the blocks by the metric alone shows of one of several methods, with its shift, interval and p: "QaTS against
// TS, ECE, 32 data sets: -0.31 points [-0.52, -0.12], p < .001: QaTS is better." It is nothing of Against, and without
// verdicts.
func (v View) Shown(method string) english.Text {
	i := slices.IndexFunc(v.Rows, func(r Row) bool { return r.Method == method })
	if i < 0 || !v.Judged() {
		return nil
	}
	return v.sentence(v.Rows[i])
}

// sentence is the result of one method.
func (v View) sentence(r Row) english.Text {
	bounds := ""
	if r.Shift.Bounded {
		bounds = " " + v.interval(r.Shift.Lo, r.Shift.Hi)
	}
	relation, p := shortP(r.Holm)
	return english.Of(v.Label(r.Method), " against ", v.Label(v.Against), ", ", v.MetricLabel, ", ", v.Extent.inRow(r).Text(), ": ",
		v.signed(r.Shift.Estimate), v.points(), bounds, ", p ", relation, " ", p, ": ", v.verdict(r), ".")
}

// verdict says what the test of a row shows at the level Alpha.
func (v View) verdict(r Row) english.Text {
	switch {
	case r.Holm <= Alpha:
		better := v.Against
		if v.favours(r) {
			better = r.Method
		}
		switch {
		case v.Ratio:
			return english.Of(v.Label(better), " is faster")
		case r.Margin > 0:
			return english.Of(v.Label(better), " is better, by less than ", margin(r.Margin), v.points())
		}
		return english.Of(v.Label(better), " is better")
	case v.tooFewToTell(r):
		e := v.Extent
		e.Blocks = r.Blocks
		return english.Of(e.count(), " cannot show a difference")
	case r.Margin > 0:
		return english.Of("alike within ", margin(r.Margin), v.points())
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
