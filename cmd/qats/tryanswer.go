package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/report"
	"github.com/qats-bench/qats/experiments"
	"github.com/qats-bench/qats/experiments/trial"
	"github.com/qats-bench/qats/internal/english"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results"
)

// answer says what to use and what it does on the rows that judge: against no calibration and,
// where another method than temperature scaling is chosen, against that.
func (p printed) answer() string {
	if p.Meaningless() {
		return "No method can be recommended: until this is mended, the numbers below say nothing about calibration."
	}
	text := p.advice() + p.separation()
	switch {
	case len(p.Empty) == 0 || p.Reason == trial.OneClass:
		return text
	case p.Reason == trial.ByDefault || p.Reason == trial.ByVerdict:
		return fmt.Sprintf("%s %s no calibration row, so only methods that keep every prediction are candidates.", text, p.emptyClasses("Class", "Classes"))
	}
	return fmt.Sprintf("%s %s no calibration row.", text, p.emptyClasses("Class", "Classes"))
}

// separation says how well a confidence alone tells right from wrong predictions, which no calibrator that keeps its order changes. It is
// empty for logits, and where all rows are right or wrong.
func (p printed) separation() string {
	plain := p.Of(trial.Plain)
	if !p.Input.ConfidenceOnly() || plain == nil || plain.Samples == nil {
		return ""
	}
	auroc, err := metrics.AUROC(plain.Samples)
	if err != nil {
		return ""
	}
	return fmt.Sprintf(" The confidence separates right from wrong predictions: AUROC %.2f; base rate %.2f.", auroc, plain.Accuracy)
}

// advice is the answer without what the classes have to do with it.
func (p printed) advice() string {
	const keep, more = "Keep the network as it is: ", " Save more calibration rows, with some that the network gets wrong."
	rows := p.Input.Cal.Len()
	switch p.Reason {
	case trial.AllRight:
		return fmt.Sprintf(keep+"all %d calibration rows are right, so they show no error to correct.", rows) + more + " If the labels are the predictions of the network, save the true ones."
	case trial.OneClass:
		if p.Input.ConfidenceOnly() {
			return fmt.Sprintf(keep+"all %d calibration rows are wrong, so they show no confidence that is right. Save calibration rows of both sorts.", rows)
		}
		return fmt.Sprintf(keep+"all %d calibration rows have the label %d. Save calibration rows of all classes.", rows, p.Input.Cal.Labels[0])
	case trial.NoFit:
		return fmt.Sprintf(keep+"%s could not be fitted to these %d calibration rows.", ticked(p.Reference()), rows) + more
	case trial.NoFinite:
		return fmt.Sprintf(keep+"these %d calibration rows give no temperature (%s).", rows, p.whyBarred(p.Of(p.Reference()))) + more
	}
	chosen := p.Chosen().Method.Name
	if loss := p.worse(); loss != nil {
		what := ticked(chosen)
		if chosen == trial.Plain {
			what = "no calibration"
		}
		text := fmt.Sprintf("The calibration rows choose %s, but on your test rows it is worse than %s: %s %s.", what, named(loss.Against), p.metric(), p.interval(loss))
		if loss != p.ToPlain && p.ToPlain != nil {
			text += fmt.Sprintf(" Against no calibration %s.", p.sizes())
		}
		return text + " Save more calibration rows, or rows that are more like the test rows."
	}
	where, twice := "on your test rows", ""
	switch {
	case p.Input.Test == nil:
		where, twice = "on these rows, by cross-fitting,", "; these rows were used twice, to choose and to judge"
	case p.simulated():
		where = "on the SIMULATED test rows"
	}
	against := ""
	if p.ToReference != nil {
		against = fmt.Sprintf("; against %s %s %s", ticked(p.Reference()), p.metric(), p.interval(p.ToReference))
	}
	sentence := strings.ToUpper(where[:1]) + where[1:]
	switch {
	case chosen == trial.Plain && p.Reason == trial.ByDefault:
		return fmt.Sprintf(keep+"%s %s %s %s against %s%s.", p.begin(), sentence, p.metric(), p.interval(p.ToReference), ticked(p.Reference()), twice)
	case chosen == trial.Plain:
		return fmt.Sprintf(keep+"on these %d calibration rows %s is worse; %s %s %s against it%s.", rows, ticked(p.Begin.Method), where, p.metric(), p.interval(p.ToReference), twice)
	case p.ToPlain == nil: // there is no calibration to compare with
		return fmt.Sprintf("Use %s.", ticked(chosen))
	case p.Reason == trial.ByDefault && chosen != p.Reference():
		return fmt.Sprintf("Use %s: %s %s %s%s%s.", ticked(chosen), p.begin(), sentence, p.sizes(), against, twice)
	case chosen == p.Reference() && !p.Gain:
		return fmt.Sprintf("Use %s; on these %d calibration rows no gain over no calibration is shown. %s %s%s.", ticked(chosen), rows, sentence, p.sizes(), twice)
	}
	return fmt.Sprintf("Use %s: %s %s%s%s.", ticked(chosen), where, p.sizes(), against, twice)
}

// begin says why the choice begins with another method than temperature scaling.
func (p printed) begin() string {
	b, n := &p.Begin, p.Input.Cal.Len()
	switch b.Why {
	case trial.NotSharper:
		text := fmt.Sprintf("%s would make it more confident (T = %.3g), and these %d calibration rows do not show that it should be (ln T is %.2g standard errors below 0).", ticked(p.Reference()), b.T, n, -b.Z)
		rows, more := b.Rows(n)
		about := "About"
		if more {
			about = "More than"
		}
		return fmt.Sprintf("%s %s %s rows: an 80 %% chance to show it, if T is as estimated.", text, about, rounded(rows))
	case trial.ByShares:
		off := b.Shares.Off[0] // the largest difference
		if n := len(off.Classes); n > 1 {
			return fmt.Sprintf("%d rare classes together have a mean probability of %.3f and a share of %.3f, which no temperature can mend.", n, off.Expected, off.Observed)
		}
		return fmt.Sprintf("the mean probability of class %d is %.3f and its share %.3f, which no temperature can mend.", off.Classes[0], off.Expected, off.Observed)
	case trial.ByZeros:
		return fmt.Sprintf("%.2g %% of the probabilities are exactly 0, and a temperature leaves them near 0.", 100*float64(b.Zeros)/float64(len(p.Input.Cal.Logits.Data)))
	}
	return ""
}

// rounded prints a number of rows with two significant digits.
func rounded(rows float64) string {
	unit := math.Pow(10, max(0, math.Floor(math.Log10(rows))-1))
	n := int(math.Round(rows/unit) * unit)
	if n < 1000 {
		return strconv.Itoa(n)
	}
	return fmt.Sprintf("%d,%03d", n/1000, n%1000)
}

// beginName is the name of the method with which the choice begins.
func (p printed) beginName() string {
	if p.Begin.Method == trial.Plain {
		return "no calibration"
	}
	return p.Begin.Method
}

// worse returns the difference by which the test rows show that the choice is worse, to no
// calibration first; or nil.
func (p printed) worse() *results.Pair {
	for _, pair := range []*results.Pair{p.ToPlain, p.ToReference} {
		if p.outcome(pair) == results.Loss {
			return pair
		}
	}
	return nil
}

// sizes are the metric that chooses and the ECE before and after, on the rows that judge.
func (p printed) sizes() string {
	before, after := p.Of(trial.Plain), p.Chosen()
	a, b := before.NLL, after.NLL
	if p.ByBrier() {
		a, b = before.Brier, after.Brier
	}
	text := fmt.Sprintf("%s %s, ECE %s %%", p.metric(), fromTo(a, b, 3), fromTo(100*before.ECE, 100*after.ECE, 1))
	if x, y := before.Positive, after.Positive; x != nil && y != nil {
		text += fmt.Sprintf(", ECE of P(%s) %s %%", className(p.Positive), fromTo(100*x.ECE, 100*y.ECE, 1))
	}
	return text
}

// fromTo prints two numbers with so many decimals, and one more where they would be equal.
func fromTo(a, b float64, digits int) string {
	if x, y := fmt.Sprintf("%.*f", digits, a), fmt.Sprintf("%.*f", digits, b); x != y {
		return x + " -> " + y
	}
	return fmt.Sprintf("%.*f -> %.*f", digits+1, a, digits+1, b)
}

// interval prints a difference with the interval of its verdict. Its ends have two significant
// digits of its length, the difference one more.
func (p printed) interval(pair *results.Pair) string {
	v := pair.Verdict
	if v == nil || p.simulated() {
		why := ""
		switch {
		case p.simulated():
			why = " (SIMULATED, so without an interval)"
		case p.Input.Test == nil: // the answer says why
		case len(pair.Note) > 0:
			why = " (without an interval: " + pair.Note.String() + ")"
		}
		return fmt.Sprintf("%+.4f%s", pair.Difference, why)
	}
	digits := 3
	if length := v.Hi - v.Lo; length > 0 {
		digits = min(max(digits, int(math.Ceil(-math.Log10(length)))+1), 9)
	}
	return fmt.Sprintf("%+.*f [%+.*f, %+.*f]", digits+1, pair.Difference, digits, v.Lo, digits, v.Hi)
}

// details says what the answer has no room for: fits that are the same, and what the calibration
// rows showed.
func (p printed) details() string {
	var list []string
	say := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	chosen := p.Chosen().Method.Name
	if same := p.SameFit(); len(same) > 0 {
		say("%s %s the same fit as %s.", english.List(same), plural(same, "has", "have"), chosen)
	}
	if ends, ok := calib.EndsOf(p.Chosen().Fitted.Map); ok {
		say("In this fit %s.", endsCount(ends))
	}
	switch {
	case p.Reason == trial.ByVerdict && chosen == trial.Plain:
		say("On the calibration rows, by cross-fitting, %s is shown to be worse than no calibration (95 %% level, Holm's correction for %s).", p.Begin.Method, english.Count(p.Tests, "candidate"))
	case p.Reason == trial.ByVerdict:
		say("On the calibration rows, by cross-fitting, %s is shown to be better than %s (95 %% level, Holm's correction for %s).", chosen, p.beginName(), english.Count(p.Tests, "candidate"))
	case p.Reason == trial.ByDefault && len(p.Results) > 2:
		say("No other candidate is shown to be better than %s on the calibration rows.", p.beginName())
	}
	return strings.Join(list, " ")
}

// endsCount says as what confidences of exactly 0 and 1 count.
func endsCount(e calib.Ends) string {
	var list []string
	if e.One < 1 {
		list = append(list, fmt.Sprintf("a confidence of 1 counts as %.6g", e.One))
	}
	if e.Zero > 0 {
		list = append(list, fmt.Sprintf("a confidence of 0 counts as %.6g", e.Zero))
	}
	return strings.Join(list, ", and ")
}

// bars says why methods are no candidates, a line for each reason.
func (p printed) bars() []string {
	barred := lists.Where(p.Results, func(r trial.Result) bool { return r.Excluded != "" && r.Method.Name != p.Reference() })
	whys, of := lists.Group(barred, func(r trial.Result) string { return p.whyBarred(&r) })
	return lists.Values(whys, func(why string) string {
		return fmt.Sprintf("no candidate: %s: %s", strings.Join(lists.Values(of[why], func(r trial.Result) string { return r.Method.Name }), ", "), why)
	})
}

// whyBarred says why a method is no candidate.
func (p printed) whyBarred(r *trial.Result) string {
	switch r.Excluded {
	case trial.TopLabelAlone:
		return "a confidence of only the top class has no " + p.metric()
	case trial.MovesEmpty:
		return fmt.Sprintf("it can change predictions, and %s no calibration row", p.emptyClasses("class", "classes"))
	case trial.Explodes:
		text := fmt.Sprintf("by cross-fitting its NLL is %.3g and that of %s %.3g", p.crossed(r), p.Reference(), p.crossed(p.Of(p.Reference())))
		if r.Instead() != "" {
			text += "; take " + r.Instead()
		}
		return text
	case trial.AtABound:
		return report.End(r.End).String()
	case trial.NeedsClasses:
		return "it needs the number of classes: without it no temperature gives a confidence below 0.5"
	case trial.Probabilities:
		return "in a simulation, of probabilities of several classes, answers without it were better"
	case trial.Unconverged:
		return "its fit did not converge"
	}
	return r.NoChoice.Error()
}

// crossed is the NLL of a method by cross-fitting.
func (p printed) crossed(r *trial.Result) float64 {
	if p.Input.ConfidenceOnly() {
		return metrics.TopNLL(r.Cross())
	}
	v, _ := metrics.NLL(r.Cross()) // it is what the bar was decided by
	return v
}

// emptyClasses names the classes without a calibration row, with their verb.
func (p printed) emptyClasses(one, several string) string {
	names := lists.Values(p.Empty, strconv.Itoa)
	return fmt.Sprintf("%s %s %s", plural(names, one, several), experiments.Few(names, 5), plural(names, "has", "have"))
}

// ticked marks the name of a method in a sentence.
func ticked(name string) string { return "`" + name + "`" }

// named is the name of a method that another is compared with.
func named(name string) string {
	if name == trial.Plain {
		return "no calibration"
	}
	return ticked(name)
}

// plural returns the word for one name or for several.
func plural(names []string, one, several string) string {
	if len(names) == 1 {
		return one
	}
	return several
}
