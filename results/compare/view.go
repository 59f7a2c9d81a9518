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
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/table"
)

// View is a comparison with the labels and the redrawn splits that are printed with it.
type View struct {
	*Comparison
	Labels    map[string]string // method id -> label; the id where absent
	Splits    []Split
	Full      bool       // with win rates and strengths
	Judgement *Judgement // of the same rows, from [Judge]; nil for a ranking alone
}

// Conclusion returns the judgement with the labels of the view.
func (v View) Conclusion() Conclusion { return Conclusion{v.Judgement, v.Labels} }

// decides reports whether tests of the metric are printed: of the scores by the rule of [Judgement], and
// of times. All other metrics are descriptive.
func (v View) decides() bool { return v.Judgement == nil || v.Ratio || Decides(v.Metric) }

// holm returns p of a row with Holm's correction: of a score over the methods of its table and both scores.
func (v View) holm(r Row) float64 {
	switch {
	case v.Judgement == nil || v.Ratio:
		return r.Holm
	case !v.decides():
		return math.NaN()
	}
	return v.Judgement.Holm(v.Metric, r.Method)
}

// p returns p of a row without a correction; NaN of a metric that decides nothing.
func (v View) p(r Row) float64 {
	if !v.decides() {
		return math.NaN()
	}
	return r.Test.P
}

// Label returns the name of a method in print.
func (v View) Label(method string) string {
	if l, ok := v.Labels[method]; ok {
		return l
	}
	return method
}

// title is the heading of the comparison.
func (v View) title() string {
	if v.Ratio {
		return fmt.Sprintf("%s: methods over %s (%s)", v.MetricLabel, v.Label(v.Against), v.Source)
	}
	return fmt.Sprintf("%s: methods minus %s (%s)", v.MetricLabel, v.Label(v.Against), v.Source)
}

// unit names the unit of the printed numbers.
func (v View) unit() string {
	switch {
	case v.Percent:
		return "in points (per cent)"
	case v.Ratio:
		return "in milliseconds of processor time"
	}
	return "in the metric's unit"
}

// Number prints a value or a difference of the metric: of a fraction in per cent or
// points, of a time in milliseconds.
func (v View) Number(x float64) string {
	if v.Ratio {
		return milliseconds(x)
	}
	if v.Percent {
		x *= 100
	}
	return table.Fixed(x, v.Digits)
}

// signed prints a difference: Number with a plus sign if it prints above zero. Of
// times it is a ratio.
func (v View) signed(x float64) string {
	if v.Ratio {
		return results.Significant(math.Exp(x))
	}
	if v.Percent {
		x *= 100
	}
	return table.Signed(x, v.Digits)
}

// probability prints a p-value.
func probability(p float64) string {
	if math.IsNaN(p) {
		return "-"
	}
	if p < 5e-5 {
		return "<.0001"
	}
	return strings.TrimPrefix(strconv.FormatFloat(p, 'f', 4, 64), "0")
}

// Probability is a cell with a p-value.
func Probability(p float64) table.Cell { return table.Cell{Text: probability(p), Value: p} }

// pIs prints a p-value for a sentence.
func pIs(p float64) string {
	if s := probability(p); s[0] == '<' {
		return "p < " + s[1:]
	}
	return "p = " + probability(p)
}

func (v View) interval(lo, hi float64) string {
	return "[" + v.signed(lo) + ", " + v.signed(hi) + "]"
}

// value returns a mean or a difference as data: of times, seconds or a ratio.
func (v View) value(x float64) float64 {
	if v.Ratio {
		return math.Exp(x)
	}
	return x
}

// origin says what the numbers are measured on, or that they are simulated.
func (v View) origin() string {
	if !v.Judged() {
		return "SIMULATED: no number here is of a real network."
	}
	return "All numbers are " + results.MeasuredOn(v.From) + "."
}

// legend explains the columns.
func (v View) legend() []string {
	better, because := "Lower is better", ": a difference below zero is in favour of the method"
	if v.Better == metrics.Higher {
		better, because = "Higher is better", ": a difference above zero is in favour of the method"
	}
	over := " over " + unitOf(v.Block) + "s"
	means := fmt.Sprintf("Mean, difference (method minus %s): means%s, %s.", v.Label(v.Against), over, v.unit())
	shift := "Shift: Hodges-Lehmann estimate" + over + ", with its interval;"
	if v.Ratio {
		means = fmt.Sprintf("Mean, ratio (time of the method over that of %s): geometric means%s, %s.", v.Label(v.Against), over, v.unit())
		better, because = "Below 1 the method is faster", ""
		shift = "Shift: Hodges-Lehmann estimate of the ratio" + over + ", with its interval, by logarithms;"
	}
	if !v.Judged() {
		return append(append(v.blockNotes(), means, better+"."), v.Signs()...)
	}
	list := append(append(v.blockNotes(), means, better+because+"."), v.Signs()...)
	switch {
	case !v.Testable():
	case !v.decides():
		list = append(list, shift+" it is descriptive: "+v.MetricLabel+" decides nothing.")
	case v.Judgement == nil || v.Ratio:
		list = append(list, shift+" p: Wilcoxon's signed-rank test"+over+" (two-sided, zeros as in Pratt); Holm: p with Holm's correction over the methods listed.")
	default:
		list = append(list, shift+" p: Wilcoxon's signed-rank test"+over+" (two-sided, zeros as in Pratt); Holm: p with Holm's correction over the methods of the table times both scores.")
	}
	return slices.Concat(list, v.verdictLegend(), v.powerNotes(), v.alikeNote(), v.detectableNote())
}

// verdictLegend explains the verdicts on single settings, and says where there are none.
func (v View) verdictLegend() (list []string) {
	if v.Verdicts > 0 {
		list = append(list, fmt.Sprintf("Win, tie, loss: settings by the verdict on the same test rows, conditional on the fit. It rests on the difference in %s: "+
			"its 95 %% interval lies on the better side of zero, contains zero (tie), or lies on the worse side. Values within 1e-6 are a tie too. Settings that share rows or images are not independent. "+
			"win*, loss*: still significant after Holm's correction for all %s of this table.", v.basis(), english.Count(v.Verdicts, "verdict")))
		if v.Settings <= fewSettings {
			list = append(list, v.onLegend())
		}
		smallest := "Smallest: the smallest difference that the rows of a setting can show, half the width of that interval, median over the settings."
		if v.By.Squared {
			smallest = "Smallest: how far off a method must be for the rows of a setting to show it beside a calibrated one, as the root mean square of its gaps: the root of half the width of that interval, median over the settings."
		}
		list = append(list, smallest)
	}
	if v.Ratio && v.Files == timesFile {
		return append(list, "A time is of one fit, as its run measured it, on whatever processor ran it; other work beside it may add some. Times have no verdicts on single settings.")
	}
	if v.By.Name == "" {
		return append(list, fmt.Sprintf("%s gives no verdicts on single settings: no interval of its difference is known to cover it.", v.MetricLabel))
	}
	reasons, lacking := lists.Group(lists.Where(v.Rows, func(r Row) bool { return r.NoVerdict > 0 }), func(r Row) string { return r.Why })
	for _, why := range reasons {
		var names []string
		for _, r := range lacking[why] {
			name := v.Label(r.Method)
			if r.NoVerdict < r.Settings {
				name += " in " + english.Count(r.NoVerdict, "setting")
			}
			names = append(names, name)
		}
		switch {
		case why != "":
		case v.Files != "":
			why = v.Files + " has no pairs"
		default:
			why = fmt.Sprintf("pairs.csv has no pairs in %s against %s", v.Metric, v.Against)
		}
		list = append(list, fmt.Sprintf("Without a verdict (%s): %s.", why, strings.Join(names, ", ")))
	}
	return list
}

// onLegend explains the verdicts of few settings one by one.
func (v View) onLegend() string {
	text := "On a setting: the verdict, the difference, and in brackets an interval of the difference"
	if v.By.Squared {
		text += " in the values that test sets of this size report; the verdict rests on another number and need not agree with it"
	}
	return text + "."
}

// basis names what verdicts rest on.
func (v View) basis() string {
	if v.By.Squared {
		return "the " + v.By.Label
	}
	return v.MetricLabel
}
