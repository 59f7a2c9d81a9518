package compare

import (
	"fmt"
	"slices"
	"strings"

	"github.com/qats-bench/qats/internal/english"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/compare/significance"
	"github.com/qats-bench/qats/results/table"
)

// Conclusion is a judgement with the labels that it is printed with. Its sentences are those that every
// view prints.
type Conclusion struct {
	*Judgement
	Labels map[string]string // method id -> label; the id where absent
}

func (c Conclusion) label(method string) string { return View{Labels: c.Labels}.Label(method) }

func (c Conclusion) labelled(methods []string) string {
	return english.List(lists.Values(methods, c.label))
}

// methods returns what is judged, of all tables.
func (c Conclusion) methods() (list []Judged) {
	for _, g := range c.Groups {
		list = append(list, g.Methods...)
	}
	return list
}

// scored reports whether some method has a score.
func (c Conclusion) scored() bool {
	return slices.ContainsFunc(c.methods(), func(m Judged) bool { return len(m.Scores) > 0 })
}

// String is Statement without its terms.
func (c Conclusion) String() string { return c.Statement().String() }

// Statement is the conclusion in a few short sentences: what is shown of the methods of each table, or of
// the only method; where a calibration error and a score disagree; and which methods are not shown to
// know more than [results.BaseRate].
func (c Conclusion) Statement() english.Text {
	methods := c.methods()
	switch {
	case !c.Judged():
		return described(len(methods), c.label(c.Against), c.Extent)
	case len(methods) == 0:
		return english.Of("No method was compared with ", c.label(c.Against), ".")
	case len(methods) == 1:
		return english.Of(c.ofOne(methods[0], c.Groups[0]), c.floorSentence(methods))
	}
	if !c.scored() {
		return c.unrecorded(methods)
	}
	return english.Of(c.ofGroups(), c.disagreements(methods), c.floorSentence(methods))
}

// Chosen is Statement where a trial has chosen a method, for a reason such as "was chosen on the calibration rows".
func (c Conclusion) Chosen(method, why string) english.Text {
	if !c.Judged() {
		return described(len(c.methods()), c.label(c.Against), c.Extent)
	}
	text := english.Of(c.label(method), " ", why, ".")
	m, has := c.Of(method)
	if !has {
		return text
	}
	return english.Of(text, " ", c.ofOne(m, *c.families[method]))
}

// described is the sentence of a comparison without verdicts.
func described(methods int, against string, over Extent) english.Text {
	return english.Of("SIMULATED: values of ", english.Count(methods, "method"), " beside ", against, ", ", over.Text(), ". ", unjudged)
}

// ofGroups says what is shown of the methods of each table.
func (c Conclusion) ofGroups() english.Text {
	against := c.label(c.Against)
	if !slices.ContainsFunc(c.Groups, func(g Group) bool { return g.Possible }) {
		return english.Of("No method is shown to be better than ", against, ": ", c.untestable(), c.onSettings())
	}
	none := !slices.ContainsFunc(c.methods(), func(m Judged) bool { return m.Verdict == Better })
	if none {
		var worse []string
		for _, g := range c.Groups {
			worse = append(worse, c.besideBetter(g)...)
		}
		text := english.Of("No method is shown to be better than ", against, ", over ", c.Extent.count(), ".")
		if worse != nil {
			text = english.Of(text, " ", upper(strings.Join(worse, "; ")), ".")
		}
		return text
	}
	text := english.Of("Over ", c.Extent.count(), ", ")
	for i, g := range lists.Where(c.Groups, func(g Group) bool { return len(g.with(TooFew)) < len(g.Methods) }) {
		sentence := c.ofGroup(g)
		if i > 0 {
			sentence = " " + upper(sentence)
		}
		text = english.Of(text, sentence)
	}
	return text
}

// ofGroup says what is shown of the methods of a table.
func (c Conclusion) ofGroup(g Group) string {
	subject := "of " + english.Count(len(g.Methods)-len(g.with(TooFew)), "method")
	if g.Predicts != "" {
		subject += " " + g.which()
	}
	better := g.with(Better)
	var text string
	names := ""
	if len(g.Best) > 0 {
		names = c.labelled(g.Best)
	}
	switch {
	case len(better) == 0 && !g.Possible:
		text = fmt.Sprintf("%s none can be shown to be better than %s over so few data sets", subject, c.label(c.Against))
	case len(better) == 0:
		text = fmt.Sprintf("%s none is shown to be better than %s", subject, c.label(c.Against))
	case len(better) == len(g.Best) && len(better) == 1:
		text = fmt.Sprintf("%s %s is best: better than %s %s", subject, names, c.label(c.Against), c.by(better[0], -1))
	case len(g.Best) == 1:
		text = fmt.Sprintf("%s %s is best; better than %s are %s", subject, names, c.label(c.Against), c.bySigns(better, -1))
	case len(g.Best) > 1:
		text = fmt.Sprintf("%s %s are best; better than %s are %s", subject, names, c.label(c.Against), c.bySigns(better, -1))
	default: // each is worse than another one
		text = fmt.Sprintf("%s better than %s are %s", subject, c.label(c.Against), c.bySigns(better, -1))
	}
	for _, part := range c.besideBetter(g) {
		text += "; " + part
	}
	text += "."
	if changes := c.accuracies(g); changes != "" {
		text += " " + changes
	}
	return text
}

// with returns the methods of a verdict.
func (g Group) with(v Verdict) []Judged {
	return lists.Where(g.Methods, func(m Judged) bool { return m.Verdict == v })
}

// besideBetter says which methods of a table are worse than Against, and of which the scores oppose each other.
func (c Conclusion) besideBetter(g Group) (parts []string) {
	if worse := g.with(Worse); len(worse) > 0 {
		parts = append(parts, "worse: "+c.bySigns(worse, 1))
	}
	for _, m := range g.with(Opposed) {
		parts = append(parts, c.label(m.Method)+" is "+opposite(m))
	}
	return parts
}

// upper returns a text with a capital letter first.
func upper(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// by names the scores of a method with a sign: "by NLL and Brier score".
func (c Conclusion) by(m Judged, sign int) string {
	return "by " + english.List(labelsWith(m.Scores, sign))
}

// accuracies is a sentence with the mean changes of the accuracy of the methods that are better than Against, which the
// scores reward; nothing where the predicted class stays.
func (c Conclusion) accuracies(g Group) string {
	var list []string
	for _, m := range g.with(Better) {
		if m.Accuracy == m.Accuracy && g.Predicts != results.Keeps {
			list = append(list, c.label(m.Method)+" "+table.Signed(100*m.Accuracy, 2))
		}
	}
	if list == nil {
		return ""
	}
	return "The accuracy changes, too, in points: " + strings.Join(list, ", ") + "."
}

// bySigns lists methods with the scores that show a sign: "SVS and Platt (logits) by NLL and Brier score,
// Quadratic by Brier score".
func (c Conclusion) bySigns(methods []Judged, sign int) string {
	kinds, of := lists.Group(methods, func(m Judged) string { return english.List(labelsWith(m.Scores, sign)) })
	return strings.Join(lists.Values(kinds, func(by string) string {
		return english.List(lists.Values(of[by], func(m Judged) string { return c.label(m.Method) })) + " by " + by
	}), ", ")
}

// labelsWith returns the labels of effects with a sign.
func labelsWith(effects []Effect, sign int) []string {
	return lists.Values(lists.Where(effects, func(e Effect) bool { return e.Sign == sign }), func(e Effect) string { return e.Label })
}

// opposite says by which score a method is better, and by which worse.
func opposite(m Judged) string {
	return "better by " + english.List(labelsWith(m.Scores, -1)) + " and worse by " + english.List(labelsWith(m.Scores, 1))
}

// untestable says why no test over the blocks can show a difference.
func (c Conclusion) untestable() english.Text {
	blocks, tests := 0, 0
	var of Group
	for _, g := range c.Groups {
		n := 0
		for _, m := range g.Methods {
			n += len(m.Scores)
		}
		if n > tests {
			tests, of = n, g
		}
		blocks = max(blocks, g.Blocks)
	}
	count := c.count(blocks)
	if significance.LeastP(blocks) > Alpha || tests == 0 {
		return english.Of(count, " cannot show a difference.")
	}
	methods := english.Count(len(of.Methods), "method")
	if len(c.Groups) > 1 && of.Predicts != "" {
		methods += " " + of.which() + ","
	}
	return english.Of(count, " are too few to test ", methods, " by ", scoresIn(of.Methods), ", which takes ", english.Count(blocksFor(tests), unitOf(c.Block)), ".")
}

// count counts blocks by what they are.
func (c Conclusion) count(blocks int) english.Text {
	return Extent{Blocks: blocks, Unit: unitOf(c.Block)}.count()
}

// scoresIn names the scores that methods have, one at least.
func scoresIn(methods []Judged) string {
	var labels []string
	for _, m := range methods {
		labels = append(labels, lists.Values(m.Scores, func(e Effect) string { return e.Label })...)
	}
	return english.List(lists.Distinct(labels, func(label string) string { return label }))
}

// mostNamed is the number of methods that a sentence names one by one.
const mostNamed = 3

// onSettings says, after a space, what the rule shows on single settings: of few settings on each, of more how often.
func (c Conclusion) onSettings() string {
	methods := lists.Where(c.methods(), func(m Judged) bool { return m.Settings > 0 })
	if len(methods) == 0 {
		return ""
	}
	if c.Settings > fewSettings {
		ahead := lists.Where(methods, func(m Judged) bool { return m.Win > m.Loss })
		slices.SortStableFunc(ahead, func(a, b Judged) int { return (b.Win - b.Loss) - (a.Win - a.Loss) })
		if len(ahead) == 0 {
			return " On single settings, by " + scoresIn(methods) + ", no method is better more often than worse."
		}
		list := lists.Values(ahead[:min(mostNamed, len(ahead))], func(m Judged) string {
			return fmt.Sprintf("%s better in %d and worse in %d of %d", c.label(m.Method), m.Win, m.Loss, m.Settings)
		})
		return " On single settings, by " + scoresIn(methods) + ": " + strings.Join(list, "; ") + "."
	}
	var settings []results.Setting
	type shown struct{ method, by string }
	on := map[results.Setting]map[Verdict][]shown{}
	for _, m := range methods {
		for _, s := range m.On {
			if on[s.Setting] == nil {
				on[s.Setting] = map[Verdict][]shown{}
				settings = append(settings, s.Setting)
			}
			one := shown{method: c.label(m.Method)}
			if len(s.By) > 0 {
				one.by = " by " + english.List(s.By)
			}
			on[s.Setting][s.Verdict] = append(on[s.Setting][s.Verdict], one)
		}
	}
	text := ""
	for _, s := range settings {
		var parts []string
		for _, v := range []Verdict{Better, Worse, Opposed} {
			if list := on[s][v]; len(list) > 0 {
				scores, of := lists.Group(list, func(x shown) string { return x.by })
				parts = append(parts, string(v)+": "+strings.Join(lists.Values(scores, func(by string) string {
					return english.List(lists.Values(of[by], func(x shown) string { return x.method })) + by
				}), ", "))
			}
		}
		if parts == nil {
			parts = []string{"no difference is shown"}
		}
		text += " On the test rows of " + s.Name() + ", " + strings.Join(parts, "; ") + "."
	}
	return text
}

// ofOne says what is shown of one method.
func (c Conclusion) ofOne(m Judged, g Group) english.Text {
	head := english.Of(c.label(m.Method), " against ", c.label(c.Against))
	var scores []string
	for _, e := range m.Scores {
		if g.Possible {
			relation, p := shortP(e.Holm)
			scores = append(scores, fmt.Sprintf("%s %s, p %s %s", e.Label, e.shift(), relation, p))
		} else if judged := e.view.judged(e.Row); judged != "" {
			scores = append(scores, e.Label+" "+judged)
		}
	}
	var text english.Text
	switch {
	case m.Verdict == NotRecorded:
		text = english.Of(head, ", ", m.Errors[0].view.Extent.inRow(m.Errors[0].Row).Text(), ". ", c.notRecorded(m))
	case g.Possible:
		text = english.Of(head, ", ", m.Scores[0].view.Extent.inRow(m.Scores[0].Row).Text(), ": ", strings.Join(scores, "; "), ": ", c.verdict(m), ".")
	case scores == nil:
		text = english.Of(head, ": ", c.untestable())
	default:
		text = english.Of(head, ": ", strings.Join(scores, "; "), ".")
		if c.Settings > 1 {
			text = english.Of(text, " ", c.untestable())
		}
	}
	for _, e := range m.Errors {
		if g.Possible && m.Verdict != NotRecorded {
			text = english.Of(text, " ", e.Label, " ", e.shift(), " (descriptive)", c.alikeWithin(e), ".")
		}
	}
	if contrary := c.disagreement(m); contrary != "" {
		text = english.Of(text, " ", upper(contrary), ".")
	}
	if m.Accuracy == m.Accuracy && g.Predicts != results.Keeps {
		text = english.Of(text, " Its accuracy differs by ", table.Signed(100*m.Accuracy, 2), " points.")
	}
	if g.Possible && m.Settings > 0 {
		text = english.Of(text, fmt.Sprintf(" On single settings, by %s: better in %d, worse in %d, no difference in %d of %d.", scoresIn([]Judged{m}), m.Win, m.Loss, m.Tie, m.Settings))
	}
	return text
}

// shift prints the shift of an effect with its interval.
func (e Effect) shift() string {
	text := e.view.signed(e.Row.Shift.Estimate) + e.view.points()
	if e.Row.Shift.Bounded {
		text += " " + e.view.interval(e.Row.Shift.Lo, e.Row.Shift.Hi)
	}
	return text
}

// alikeWithin says, after a comma, within which margin the blocks show that the only method is alike. Of several
// methods a note says it, with Holm's correction.
func (c Conclusion) alikeWithin(e Effect) string {
	if len(c.methods()) > 1 {
		return ""
	}
	within := 0.
	for _, m := range slices.Backward(e.view.Margins()) {
		if significance.Equivalence(e.Row.BlockDifference, m) > Alpha {
			break
		}
		within = m
	}
	if within == 0 {
		return ""
	}
	return ", alike within " + margin(within) + e.view.points()
}

// verdict is the verdict on a method in words.
func (c Conclusion) verdict(m Judged) string {
	switch m.Verdict {
	case Better, Worse:
		return c.label(m.Method) + " is " + string(m.Verdict)
	case Opposed:
		return c.label(m.Method) + " is " + opposite(m)
	}
	return "no difference shown"
}

// disagreement is "lower ECE, higher NLL" where a calibration error and a score show opposite things.
func (c Conclusion) disagreement(m Judged) string {
	of, scores := m.disagrees()
	if of == nil {
		return ""
	}
	return of.direction() + " " + of.Label + ", " + scores[0].direction() + " " + english.List(lists.Values(scores, func(e Effect) string { return e.Label }))
}

// direction says where a shown difference lies.
func (e Effect) direction() string {
	if e.Sign < 0 == (e.view.Better == metrics.Lower) {
		return "lower"
	}
	return "higher"
}

// disagreements says, after a space, of which methods a calibration error and a score show opposite things.
func (c Conclusion) disagreements(methods []Judged) string {
	kinds, of := lists.Group(lists.Where(methods, func(m Judged) bool { return c.disagreement(m) != "" }), c.disagreement)
	text := ""
	for _, kind := range kinds {
		text += " " + upper(kind) + ": " + english.List(lists.Values(of[kind], func(m Judged) string { return c.label(m.Method) })) + "."
	}
	return text
}

// notRecorded is what is said of a method without a score.
func (c Conclusion) notRecorded(m Judged) string {
	for _, e := range m.Errors {
		if e.Row.Shift.Bounded {
			if e.Sign != 0 {
				return "NLL not recorded: " + e.direction() + " " + e.Label + " only, " + e.shift() + "."
			}
			return "NLL not recorded: " + e.Label + " only, " + e.shift() + "."
		}
	}
	return "NLL not recorded, and no calibration error over enough data sets."
}

// unrecorded is Statement where no method has a score.
func (c Conclusion) unrecorded(methods []Judged) english.Text {
	var lower, higher []string
	label, lowCanBeEmpty := "", false
	for _, m := range methods {
		if len(m.Errors) == 0 {
			continue
		}
		e := m.Errors[0]
		label, lowCanBeEmpty = e.Label, e.view.Margins() != nil // a calibration error
		switch {
		case e.Sign == 0:
		case e.direction() == "lower":
			lower = append(lower, c.label(m.Method))
		default:
			higher = append(higher, c.label(m.Method))
		}
	}
	if lower == nil && higher == nil {
		return english.Of("NLL not recorded: ", label, " only, and by that no method is shown to differ from ", c.label(c.Against), ".")
	}
	text := english.Of("NLL not recorded: ")
	beside := " beside " + c.label(c.Against) + ", over "
	switch {
	case lower == nil:
		text = english.Of(text, "higher ", label, " only, of ", english.List(higher), beside, c.Extent.count(), ".")
	case higher == nil:
		text = english.Of(text, "lower ", label, " only, of ", english.List(lower), beside, c.Extent.count(), ".")
	default:
		text = english.Of(text, "lower ", label, " only, of ", english.List(lower), beside, c.Extent.count(), "; higher of ", english.List(higher), ".")
	}
	if lowCanBeEmpty {
		text = english.Of(text, " A method that knows nothing can have a low ", label, ".")
	}
	return text
}

// floorSentence says, after a space, which of the methods are not ranked, and why.
func (c Conclusion) floorSentence(methods []Judged) string {
	text := ""
	reasons, of := lists.Group(lists.Where(methods, func(m Judged) bool { return c.Floor.Unranked[m.Method] != "" }), func(m Judged) string { return c.Floor.Unranked[m.Method] })
	for _, why := range reasons {
		names := lists.Values(of[why], func(m Judged) string { return c.label(m.Method) })
		text += " Not ranked: " + english.List(names) + ", which " + plural(why, len(names)) + "."
	}
	return text
}

// plural turns a reason of one method into that of several.
func plural(why string, n int) string {
	if n > 1 && strings.HasPrefix(why, "is ") {
		return "are " + why[3:]
	}
	return why
}

// FloorNotes say by which calibration error base-rate is ahead of Against, and why methods are ranked although it is not
// shown that they know more than base-rate; nothing where neither is so.
func (c Conclusion) FloorNotes() (notes []string) {
	f := c.Floor
	if !c.Judged() {
		return nil
	}
	if len(f.Lower) > 0 {
		e := f.Lower[0]
		notes = append(notes, fmt.Sprintf("%s knows nothing, and has %s %s than %s (%s): %s alone proves nothing.", c.label(e.Row.Method), e.direction(), e.Label, c.label(c.Against), e.shift(), e.Label))
	}
	switch {
	case !c.scored(): // the answer says that nothing is recorded
	case !f.Recorded && c.Files != "":
		notes = append(notes, "The rows have no base-rate, so nothing tells whether a method knows more than the share of right predictions.")
	case !f.Recorded:
		notes = append(notes, "Not run: base-rate, which knows nothing but the share of right predictions. Add it to the methods of the spec, and methods that are not shown to be better than it are not ranked.")
	case !f.Possible:
		notes = append(notes, fmt.Sprintf("%s cannot show which methods are better than base-rate, so all are ranked.", c.count(f.Blocks)))
	}
	return notes
}

// TooFewNote names the methods that are left out of the tests and of the short tables because they have too few blocks in
// common with Against; nothing where there is none.
func (c Conclusion) TooFewNote() string {
	var names []string
	for _, m := range c.methods() {
		if m.Verdict == TooFew {
			names = append(names, c.label(m.Method))
		}
	}
	if names == nil {
		return ""
	}
	return fmt.Sprintf("Not compared, because they have too few independent data sets in common with %s: %s.", c.label(c.Against), english.List(names))
}

// RuleNote says by which rule methods are called better, where some method has a score.
func (c Conclusion) RuleNote() string {
	if !c.Judged() || !c.scored() {
		return ""
	}
	return "Better, worse: by NLL or Brier score, and not the opposite by the other; Wilcoxon's test over " + unitOf(c.Block) + "s, Holm's correction over the table and both scores. Calibration errors decide nothing."
}
