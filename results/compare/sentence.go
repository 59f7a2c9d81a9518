package compare

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/qats-bench/qats/internal/english"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results/compare/significance"
)

// Sentence is the result in two or three short sentences. Of one method it is what the data can show:
// the test over the blocks if it can show a difference, as in "TS against QaTS, ECE, 6 data sets:
// -0.12 points [-2.27, +0.77], p = .56: no difference shown.", or else the verdicts on single
// settings. The number is the Hodges-Lehmann shift, because the interval and p belong to it; p has
// Holm's correction. Where no difference is shown and the method is shown to be alike, it says within what
// margin. Of several methods it is the one that leads ([View.Leader]), and what is shown
// of it, or where that is Against, of its nearest rival. Simulated settings get no verdict.
func (v View) Sentence() string { return v.Statement().String() }

// Statement is Sentence with its terms, which are [BlockTerm].
func (v View) Statement() english.Text {
	rows := v.leading()
	switch {
	case !v.Judged():
		return v.description()
	case len(rows) == 0:
		return english.Of("No method was compared with ", v.Label(v.Against), ".")
	case len(rows) == 1:
		return v.ofOne(rows[0])
	}
	method, why := v.Leader()
	return v.Of(method, why)
}

// Of is Statement of several methods, of which one leads, or was chosen, for a reason such as
// "ranks best of 5 methods by ECE".
func (v View) Of(method, why string) english.Text {
	if !v.Judged() {
		return v.description()
	}
	text := english.Of(v.Label(method), " ", why, ".")
	i := slices.IndexFunc(v.Rows, func(r Row) bool { return r.Method == method })
	switch {
	case v.Power().Possible && len(v.leading()) > 1:
		return english.Of(text, " ", v.tally())
	case i < 0:
		return english.Of(text, v.rivals(), v.untestable())
	case v.judged(v.Rows[i]) == "":
		return english.Of(text, v.untestable())
	}
	return english.Of(text, " Against ", v.Label(v.Against), " it is ", v.judged(v.Rows[i]), ".", v.untestable())
}

// rivals says, after a space, which method the verdicts favour against Against, where that leads; nothing
// where one of the others has no verdicts.
func (v View) rivals() string {
	rows := v.leading()
	if slices.ContainsFunc(rows, func(r Row) bool { return r.NoVerdict == r.Settings }) {
		return ""
	}
	first := slices.MinFunc(rows, func(a, b Row) int { return cmp.Compare(b.Win-b.Loss, a.Win-a.Loss) })
	if first.Win <= first.Loss {
		return " No other method is better than it in more settings than it is worse."
	}
	return " Against it, " + v.Label(first.Method) + " is " + v.judged(first) + "."
}

// ofOne is Statement of one method.
func (v View) ofOne(r Row) english.Text {
	judged := v.judged(r)
	switch {
	case judged == "":
		return v.sentence(r)
	case v.Power().Possible:
		return english.Of(v.sentence(r), " On single settings: ", judged, ".")
	}
	return english.Of(v.Label(r.Method), " against ", v.Label(v.Against), ", ", v.MetricLabel, ": ", judged, ".", v.untestable())
}

// Shown says what the test over the blocks shows of one of several methods, with its shift, interval and p: "QaTS against
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
	return english.Of(v.Label(r.Method), " against ", v.Label(v.Against), ", ", v.MetricLabel, ", ", v.Extent.of(r).Text(), ": ",
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
		if r.Margin > 0 {
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

// tally is the result of several methods: "Over 10 data sets, 1 of 3 methods is better than TS
// (Mine) and 1 is worse (IR), after Holm's correction."
func (v View) tally() english.Text {
	var better, worse []string
	var alike []Row
	for _, r := range v.leading() {
		switch {
		case r.Holm > Alpha && r.Margin > 0:
			alike = append(alike, r)
		case r.Holm > Alpha:
		case v.favours(r):
			better = append(better, v.Label(r.Method))
		default:
			worse = append(worse, v.Label(r.Method))
		}
	}
	over := english.Of("Over ", v.Extent.count(), ", ")
	all, than := english.Count(len(v.leading()), "method"), " than "+v.Label(v.Against)
	same := english.Of("")
	if len(alike) > 0 {
		same = english.Of(" Alike to ", v.Label(v.Against), ": ", strings.Join(v.withinMargins(alike), "; "), ".")
	}
	if len(better)+len(worse) == 0 {
		return english.Of(over, "none of ", all, " is shown to be better or worse", than, ", after Holm's correction.", same)
	}
	return english.Of(over, howMany(better, " of "+all), " better", than, inBrackets(better), " and ", howMany(worse, ""), " worse", inBrackets(worse), ", after Holm's correction.", same)
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
