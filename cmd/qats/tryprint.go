package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/qats-bench/qats/calib/report"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/experiments/inspect"
	"github.com/qats-bench/qats/experiments/trial"
	"github.com/qats-bench/qats/internal/called"
	"github.com/qats-bench/qats/internal/english"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/internal/terminal"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/plots"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/table"
)

// printed prints a trial.
type printed struct{ *trial.Trial }

// answerLines is the number of lines that have the answer, with the recommended methods: two of
// what to use, the command, and the table.
const answerLines = 13

// tryNotes is the most notes on methods that a trial prints without --verbose.
const tryNotes = 3

// text prints the answer first: what to use, the command that saves it, and the table. What
// the data are and what else is known follow, and then diagrams.
func (p printed) text(w io.Writer) error { return p.textWith(w, "", false) }

// textWith is text with a sentence before the diagrams, and with all notes or the first few.
func (p printed) textWith(w io.Writer, more string, all bool) error {
	var b strings.Builder
	width := widthOf(w)
	say := func(text string) { english.Wrap(&b, "", terminal.Line(text), min(width, lineWidth)) }
	findings := p.Input.Inspection.Problems
	for _, f := range lists.Where(findings, trial.Meaningless) {
		printFinding(&b, f, width)
	}
	findings = lists.Where(findings, func(f inspect.Problem) bool {
		return !trial.Meaningless(f) && (f.Severity == inspect.Warning || f.Severity == inspect.Known || f.AlwaysShown)
	})
	say(p.answer())
	if !p.Meaningless() {
		for _, line := range p.saveLines(width) {
			b.WriteString(line + "\n")
		}
	}
	ordinary := p.ordinary()
	if used := strings.Count(b.String(), "\n"); used+1+len(ordinary.Results) != answerLines { // a whole table is better than an empty line
		b.WriteByte('\n')
	}
	if err := ordinary.table().Text(&b, width); err != nil {
		return err
	}
	b.WriteByte('\n')
	say(p.dataLine())
	for _, line := range p.positiveLines() {
		say(line)
	}
	if details := p.details(); details != "" && !p.Meaningless() {
		say(details)
	}
	say(p.legend())
	notes := p.remarks()
	if n := len(notes); n > tryNotes+1 && !all {
		notes = append(notes[:tryNotes:tryNotes], english.Count(n-tryNotes, "more note")+": --verbose")
	}
	for _, note := range notes {
		say(note)
	}
	for _, f := range findings {
		printFinding(&b, f, width)
	}
	if more != "" {
		say(more)
	}
	diagrams, err := p.diagrams(width)
	if err != nil {
		return err
	}
	b.WriteString("\n" + diagrams)
	_, err = io.WriteString(w, b.String())
	return err
}

// dataLine says what the data are.
func (p printed) dataLine() string {
	in := p.Input
	source := string(in.Given.Origin)
	if p.simulated() {
		source = "SIMULATED"
	}
	rows := fmt.Sprintf("%d calibration and %d test rows", in.Cal.Len(), in.Judges().Len())
	if in.Test == nil {
		rows = fmt.Sprintf("one set of %d rows", in.Cal.Len())
	}
	rows += p.groupWords()
	what := fmt.Sprintf("%d classes", in.Cal.K())
	switch {
	case in.ConfidenceOnly() && in.Cal.K() > 0:
		what = fmt.Sprintf("%d classes, a confidence alone", in.Cal.K())
	case in.ConfidenceOnly():
		what = "a confidence alone"
	}
	text := fmt.Sprintf("%s: %s, %s", source, what, rows)
	if plain := p.Of(trial.Plain); plain != nil {
		text += fmt.Sprintf(", accuracy %.2f %%", 100*plain.Accuracy)
	}
	name, room := in.Given.Name(), lineWidth-2-utf8.RuneCountInString(text)
	if len(name) > room {
		name = in.Given.Setting.Backbone
	}
	return name[:max(0, min(len(name), room))] + ", " + text // names are ASCII
}

// groupWords says how many groups the rows are of, and whose folds are used; "" where each row is its own.
func (p printed) groupWords() string {
	in, words := p.Input, ""
	of := func(s *trial.Set) string {
		if s.Files.Groups == "" && s.Files.Weights != "" {
			return fmt.Sprintf("of %d weighted rows", s.GroupCount())
		}
		name := ""
		if s.Files.Groups != "" {
			name = " (" + data.ArrayOf(s.Files.Groups) + ")"
		}
		return fmt.Sprintf("of %d groups%s", s.GroupCount(), name)
	}
	cal, test := in.Cal.Groups != nil, in.Test != nil && in.Test.Groups != nil
	switch {
	case cal && test:
		words = ", " + of(in.Cal) + " and " + of(in.Test)
	case cal && in.Test != nil:
		words = ", calibration rows " + of(in.Cal)
	case test:
		words = " " + of(in.Test)
	case cal:
		words = " " + of(in.Cal)
	}
	if in.Cal.Folds != nil {
		words += fmt.Sprintf(", %d folds of yours", p.Folds)
	}
	return words
}

// metric returns the label of the metric that chooses.
func (p printed) metric() string {
	_, output, _ := metrics.LookupOutput(string(p.By))
	return output.Label
}

// simulated reports whether the arrays are simulated. Simulated numbers have values and no
// verdicts.
func (p printed) simulated() bool { return p.Input.Given.Origin == data.Simulated }

// outcome is the verdict on a pair of the rows that judge.
func (p printed) outcome(pair *results.Pair) results.Outcome {
	if pair == nil || p.simulated() {
		return results.Undecided
	}
	return pair.Outcome()
}

// choiceHead is the heading of what chooses.
func (p printed) choiceHead() string {
	return "cal " + strings.Replace(strings.TrimSuffix(p.metric(), " score"), "top-label", "top", 1)
}

// saveWords returns the command that saves the chosen model; nil if no command can name the
// arrays, or nothing is to be saved.
func (p printed) saveWords() []string {
	g, m := p.Input.Given, p.Chosen().Method
	if g.Cal.Files.Logits == "" || m.Name == trial.Plain {
		return nil
	}
	a := arrayFiles{files: g.Cal.Files}
	if c := m.Contract(); c.Target != 0 && g.Test != nil {
		a.target = g.Test.Files.Logits
	}
	parts := m.Contract().Cal | scoredParts
	words := []string{"fit", m.Name}
	for _, x := range a.list("") {
		if *x.path != "" && (x.part&parts != 0 || x.part == 0) {
			words = append(words, "--"+x.name, filepath.ToSlash(*x.path))
		}
	}
	switch k := g.Cal.Files.Kind; k {
	case data.AnyKind:
	case data.KindConfidence:
		if n := g.Cal.Files.Classes; n > 0 {
			words = append(words, "--classes", strconv.Itoa(n))
		}
	default:
		words = append(words, "--kind", string(k))
	}
	words = append(words, besideWords(g.Cal.Files.Beside)...)
	if list := g.Cal.Files.Ignore; len(list) > 0 {
		words = append(words, "--ignore", list.String())
	}
	words = append(words, readingWords(g.Reading)...)
	return append(words, "-o", "model.json")
}

// scoredParts are the arrays that every fit is given here.
const scoredParts = data.Logits | data.Labels

// saveLines returns the command that saves the chosen model, in lines that a shell joins.
func (p printed) saveLines(width int) []string {
	words := p.saveWords()
	switch {
	case p.Chosen().Method.Name == trial.Plain:
		return nil
	case words == nil:
		var b strings.Builder
		english.Wrap(&b, "For your own arrays:  ", called.Command()+" try CAL_LOGITS CAL_LABELS TEST_LOGITS TEST_LABELS", width)
		return strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	}
	var lines []string
	line := "  " + called.Command() + " " + quoted(words[:2])
	for rest := words[2:]; len(rest) > 0; {
		n := min(2, len(rest)) // a flag and its value
		if n == 2 && strings.HasPrefix(rest[1], "-") {
			n = 1
		}
		next := " " + quoted(rest[:n])
		rest = rest[n:]
		if room := width - 2*min(1, len(rest)); utf8.RuneCountInString(line+next) > room && len(line) > 6 { // the last line needs no backslash
			lines, line = append(lines, line+` \`), "     "
		}
		line += next
	}
	return append(lines, line)
}

// ordinary is the trial without the methods whose NLL explodes, which a line below the table names.
func (p printed) ordinary() printed {
	t := *p.Trial
	t.Results = lists.Where(t.Results, func(r trial.Result) bool { return r.Excluded != trial.Explodes })
	return printed{&t}
}

// table is the table of the methods.
func (p printed) table() *table.Table {
	number := func(key, head string, factor float64, digits int) table.Column {
		return table.Column{Key: key, Head: head, Align: table.Right, Factor: factor, Digits: digits}
	}
	choice := number("choice", p.choiceHead(), 1, 4)
	choice.Data = p.Input.Test == nil // the column of the metric has the same numbers
	nll, brier, ece := number("nll", "NLL", 1, 4), number("brier", "Brier", 1, 4), number("ece", "ECE", 100, 2)
	if p.Input.ConfidenceOnly() {
		nll, brier = number("nll_top", "top NLL", 1, 4), number("brier_top", "top Brier", 1, 4)
	}
	brier.Data = !p.ByBrier()
	seconds := number("fit_seconds", "fit", 1, 2)
	seconds.Data = p.Input.Two() // two columns of the positive class leave no room
	only := func(key string) table.Column { return table.Column{Key: key, Data: true} }
	positive, positiveData := p.positiveColumns()
	t := &table.Table{List: true, Labels: 2, Columns: slices.Concat([]table.Column{only("kind"), {}, {Key: "method", Head: "method"}, choice, nll, brier}, positive, []table.Column{ece,
		{Head: "band", Align: table.Right}, only("ece_null_lo"), only("ece_null_hi"), only("inside"),
		{Head: "accuracy", Align: table.Right}, only("accuracy"), only("changed"), seconds, only("chosen"), only("bar"), only("barred"), only("parameters"), only("warnings"), only("label"), only("bins")}, positiveData)}
	for i := range p.Results {
		r := &p.Results[i]
		arrow, inside := "", "outside"
		if i == 0 && !p.Meaningless() {
			arrow = "->"
		}
		if r.Inside() {
			inside = "inside"
		}
		accuracy := "kept"
		switch {
		case r.Method.Name == trial.Plain:
			accuracy = fmt.Sprintf("%.2f %%", 100*r.Accuracy)
		case r.Changed > 0:
			accuracy = "changed"
			if plain := p.Of(trial.Plain); plain != nil {
				accuracy = table.Signed(100*(r.Accuracy-plain.Accuracy), 2)
			}
		}
		took := table.Cell{Text: "-"}
		switch {
		case r.Time.Known && r.Time.Seconds < .005:
			took = table.Cell{Text: "<0.01 s", Value: r.Time.Seconds}
		case r.Time.Known:
			took = table.Cell{Text: fmt.Sprintf("%.2f s", r.Time.Seconds), Value: r.Time.Seconds}
		}
		value := func(c table.Column, v float64) table.Cell {
			if math.IsNaN(v) {
				return table.Cell{Text: "-"}
			}
			return c.Number(v)
		}
		warnings := fitWarnings(r)
		if w, off := p.sharesOff(); off && i == 0 {
			warnings = append(warnings, newFitWarning(r.Method.Name, w))
		}
		var barred any // as JSON null
		if r.Excluded != "" {
			barred = p.whyBarred(r)
		}
		two, twoData := p.positiveCells(r, positive, positiveData)
		t.Rows = append(t.Rows, table.Row{Cells: slices.Concat([]table.Cell{{Value: "method"}, {Text: arrow}, table.Words(r.Method.Name), value(choice, r.Choice), value(nll, r.NLL), value(brier, r.Brier)}, two, []table.Cell{value(ece, r.ECE),
			{Text: fmt.Sprintf("[%.1f, %.1f] %7s", 100*r.Band.Lo, 100*r.Band.Hi, inside)}, {Value: r.Band.Lo}, {Value: r.Band.Hi}, {Value: r.Inside()},
			{Text: accuracy}, {Value: r.Accuracy}, {Value: r.Changed}, took, {Value: i == 0 && !p.Meaningless()}, {Value: r.Excluded}, {Value: barred}, {Value: parametersOf(r.Fitted)}, {Value: warnings}, {Value: r.Method.Label}, {Value: binsJSON(p.Bins(r))}}, twoData)})
	}
	return t
}

// fitWarnings returns the warnings of a fit.
func fitWarnings(r *trial.Result) []fitWarning {
	list := lists.Values(r.Fitted.Report.Warnings, func(w report.Warning) fitWarning { return newFitWarning(r.Method.Name, w) })
	return append([]fitWarning{}, list...)
}

// sharesOff is the warning of shares that the chosen method has wrong.
func (p printed) sharesOff() (report.Warning, bool) {
	r := p.Chosen()
	return r.Shares.Warning(r.Method.Name, r.Fitted.Map)
}

// nineDigits returns a number as JSON has it.
func nineDigits(v float64) *float64 {
	v = report.Rounded(v, jsonDigits)
	return &v
}

// legend says what the columns of the table are.
func (p printed) legend() string {
	text := fmt.Sprintf("%s (calibration rows, %d-fold cross-fitting) chooses; the other columns are of the test rows. ", p.choiceHead(), p.Folds)
	if p.Input.Test == nil {
		text = fmt.Sprintf("All scores are by %d-fold cross-fitting. The same rows choose and judge, so the chosen method looks a little better than it is; a test set would show it. ", p.Folds)
	}
	both := ""
	if p.Input.Two() {
		text += fmt.Sprintf("P(%d): ECE of the probability of class %d. ", p.Positive, p.Positive)
		both = "; inside: both are"
	}
	text += "ECE in %; band: 95 % of calibrated models" + both + ". accuracy: kept, or change in points."
	if p.Input.Two() || p.hasInterval() {
		text += " [ , ]: 95 % interval."
	}
	return text
}

// hasInterval reports whether the answer has an interval.
func (p printed) hasInterval() bool {
	return p.worse() != nil || p.ToReference != nil && p.ToReference.Verdict != nil && !p.simulated()
}

// diagrams draws the rows that judge before and after the chosen method.
func (p printed) diagrams(width int) (string, error) {
	in := plots.Input{Labels: map[string]string{}}
	legend := "A bar is the accuracy of the rows in a bin of confidence, a line their mean confidence: above the bar they are overconfident, inside it underconfident."
	if p.Input.Two() && p.Chosen().Positive != nil {
		in.Positive = className(p.Positive)
		legend = fmt.Sprintf("A bar is the share of %[1]s among the rows in a bin of its probability, a line their mean probability: above the bar it is too high, inside it too low.", in.Positive)
	}
	for _, r := range []*trial.Result{p.Of(trial.Plain), p.Chosen()} {
		if r != nil && !slices.Contains(in.Methods, r.Method.Name) {
			in.Labels[r.Method.Name] = r.Method.Label
			in.Methods = append(in.Methods, r.Method.Name)
			bins := p.Bins(r)
			if in.Positive != "" {
				bins = p.PositiveBins(r)
			}
			in.Bins = append(in.Bins, bins...)
		}
	}
	text, err := plots.ReliabilityText(in, width)
	var b strings.Builder
	b.WriteString(text + "\n")
	english.Wrap(&b, "", legend, min(width, lineWidth))
	return b.String(), err
}

// remarks says what else is known of methods: which have no choice, which are left out, and warnings of their fits.
func (p printed) remarks() []string {
	lines := p.bars()
	whys, of := lists.Group(p.LeftOut, func(l trial.LeftOut) results.Note { return l.Why })
	for _, why := range whys {
		names := lists.Values(of[why], func(l trial.LeftOut) string { return l.Method })
		lines = append(lines, fmt.Sprintf("left out: %s: %s", strings.Join(names, ", "), why))
	}
	if w, off := p.sharesOff(); off {
		lines = append(lines, fmt.Sprintf("%s: %s", p.Chosen().Method.Name, w))
	}
	for _, r := range p.Results {
		for _, warning := range r.Fitted.Report.Warnings {
			if r.Excluded == trial.Explodes { // its line says what matters
				break
			}
			lines = append(lines, fmt.Sprintf("%s: %s", r.Method.Name, warning))
		}
	}
	return lines
}

// printFinding prints a finding as a paragraph.
func printFinding(w io.Writer, f inspect.Problem, width int) {
	text := fmt.Sprintf("%s: %s", f.Place, f.Cause)
	switch {
	case f.Severity == inspect.Known: // a manifest says why nothing need be changed
		text = fmt.Sprintf("%s: %s", f.Oddity, f.Reason)
	case f.Fix != "":
		text += "; " + f.Fix
	}
	english.Wrap(w, string(f.Severity)+": ", terminal.Line(text), min(width, lineWidth))
}

// jsonDigits are the significant digits of numbers in JSON, as in results.csv.
const jsonDigits = 9

// choiceLine is the choice of a trial as JSON.
type choiceLine struct {
	Kind        string           `json:"kind"` // choice
	Method      *string          `json:"method"`
	Reason      trial.Reason     `json:"reason,omitempty"`
	By          trial.By         `json:"by"`
	Begin       *beginJSON       `json:"begin,omitempty"` // the method with which the choice begins
	Folds       int              `json:"folds"`
	Judged      string           `json:"judged_on"`   // test, or cross-fitting
	Rows        int              `json:"rows"`        // that judge
	Differences []differenceJSON `json:"differences"` // to no calibration and to temperature scaling
	Empty       []int            `json:"empty_classes,omitempty"`
	Answer      string           `json:"answer"` // in words
	Command     string           `json:"command,omitempty"`
}

// beginJSON is the method with which a choice begins, and why.
type beginJSON struct {
	Method string    `json:"method"`
	Why    trial.Why `json:"why"`
	T      *float64  `json:"t"` // of ts; null if it has none
	Z      *float64  `json:"z"` // ln T over its standard error
	Rows   *float64  `json:"rows_to_decide,omitempty"`
}

// beginOf returns the method with which a choice begins.
func (p printed) beginOf() *beginJSON {
	b := &beginJSON{Method: p.Begin.Method, Why: p.Begin.Why}
	if !math.IsNaN(p.Begin.Z) {
		b.T, b.Z = nineDigits(p.Begin.T), nineDigits(p.Begin.Z)
	}
	if rows, _ := p.Begin.Rows(p.Input.Cal.Len()); rows > 0 {
		b.Rows = nineDigits(rows)
	}
	return b
}

// differenceJSON is a paired difference on the rows that judge.
type differenceJSON struct {
	Against    string   `json:"against"`
	Difference *float64 `json:"difference"` // to Against, in the metric that chooses
	Lo         *float64 `json:"lo"`         // of the verdict
	Hi         *float64 `json:"hi"`
	Verdict    string   `json:"verdict"` // better, worse, no difference shown, none
}

// differenceOf returns a difference. Simulated rows give no verdict.
func (p printed) differenceOf(pair *results.Pair) differenceJSON {
	d := differenceJSON{Against: pair.Against, Difference: nineDigits(pair.Difference), Verdict: outcomes[p.outcome(pair)]}
	if v := pair.Verdict; v != nil && !p.simulated() {
		d.Lo, d.Hi = nineDigits(v.Lo), nineDigits(v.Hi)
	}
	return d
}

// pairLine is the difference of a method to the reference as JSON.
type pairLine struct {
	Kind   string `json:"kind"` // pair
	Method string `json:"method"`
	Metric string `json:"metric"`
	differenceJSON
}

// outcomes are the verdicts in words.
var outcomes = map[results.Outcome]string{results.Win: "better", results.Loss: "worse", results.Tie: "no difference shown", results.Undecided: "none"}

// json prints one object for each method, method left out, finding and difference to the
// reference, and one for the choice.
func (p printed) json(ctx context.Context, w io.Writer) error {
	if err := p.table().JSON(w); err != nil {
		return err
	}
	type leftOut struct {
		Kind   string `json:"kind"`
		Method string `json:"method"`
		Why    string `json:"why"`
	}
	type finding struct {
		Kind string `json:"kind"`
		inspect.Problem
	}
	var objects []any
	for _, l := range p.LeftOut {
		objects = append(objects, leftOut{"left-out", l.Method, l.Why.String()})
	}
	for _, f := range p.Input.Inspection.Problems {
		objects = append(objects, finding{"finding", f})
	}
	pairs, err := p.Pairs(ctx)
	if err != nil {
		return err
	}
	for i := range pairs {
		objects = append(objects, pairLine{"pair", pairs[i].Method, pairs[i].Metric, p.differenceOf(&pairs[i])})
	}
	choice := choiceLine{Kind: "choice", By: p.By, Folds: p.Folds, Judged: "test", Rows: p.Input.Judges().Len(), Differences: []differenceJSON{}, Empty: p.Empty, Answer: p.answer()}
	if p.Input.Test == nil {
		choice.Judged = "cross-fitting"
	}
	if !p.Meaningless() {
		choice.Method, choice.Reason, choice.Begin = &p.Chosen().Method.Name, p.Reason, p.beginOf()
		if words := p.saveWords(); words != nil {
			choice.Command = called.Command() + " " + quoted(words)
		}
		for _, pair := range []*results.Pair{p.ToPlain, p.ToReference} {
			if pair != nil {
				choice.Differences = append(choice.Differences, p.differenceOf(pair))
			}
		}
	}
	return table.WriteJSON(w, append(objects, choice))
}
