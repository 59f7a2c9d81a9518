package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/qats-bench/qats/internal/english"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/results"
)

// fewSettings is the largest number of settings whose verdicts are shown one by one.
const fewSettings = 3

// named is the number of methods whose verdicts the sentence counts.
const named = 3

// verdicts is what the verdicts on single settings show, without a full stop, after what is
// compared: "TS against QaTS, ECE, 1 data set". Both are empty if there are none. Of few settings it names
// each. Of more it counts them, for the methods that are better most often.
func (v View) verdicts() (head english.Text, text string) {
	leading, _ := v.leading()
	rows := lists.Where(leading, func(r Row) bool { return r.NoVerdict < r.Settings })
	if len(rows) == 0 {
		return nil, ""
	}
	what, extent := english.Count(len(leading), "method"), v.Extent
	if len(leading) == 1 {
		what, extent = v.Label(rows[0].Method), extent.of(rows[0])
	}
	head = english.Of(what, " against ", v.Label(v.Against), ", ", v.MetricLabel, ", ", extent.Text())
	switch {
	case v.Settings <= fewSettings && len(leading) == 1:
		return head, english.List(lists.Values(rows[0].On, v.on))
	case v.Settings <= fewSettings:
		return head, strings.Join(v.bySetting(leading), "; ")
	case len(leading) == 1:
		return head, v.counts(rows[0])
	}
	slices.SortStableFunc(rows, func(a, b Row) int { return cmp.Compare(b.Win-b.Loss, a.Win-a.Loss) })
	var list []string
	for i, r := range rows[:min(named, len(rows))] {
		if i > 0 && r.Win <= r.Loss {
			break
		}
		list = append(list, v.Label(r.Method)+" is "+v.counts(r))
	}
	text = strings.Join(list, "; ")
	if rest := len(rows) - len(list); rest > 0 {
		text += fmt.Sprintf("; the table has %d more", rest)
	}
	return head, text
}

// leading returns the rows that the sentence is about, and the labels of the other methods:
// those that see the test domain, unless there are no others.
func (v View) leading() (rows []Row, others []string) {
	rows = lists.Where(v.Rows, func(r Row) bool { return !v.Sees(r.Method) })
	if len(rows) == 0 {
		return v.Rows, nil
	}
	for _, r := range v.Rows {
		if v.Sees(r.Method) {
			others = append(others, v.Label(r.Method))
		}
	}
	return rows, others
}

// besides names the methods that the sentence is not about, and says why.
func (v View) besides() string {
	switch _, others := v.leading(); {
	case len(others) == 0:
		return ""
	case len(others) == 1:
		return " The table also shows " + others[0] + ", which sees unlabelled rows of the test domain."
	default:
		return " The table also shows " + english.List(others) + ", which see unlabelled rows of the test domain."
	}
}

// counts counts the verdicts on a method: "better in 12, worse in 0, no difference in 95 of
// 107 settings".
func (v View) counts(r Row) string {
	return fmt.Sprintf("better in %d, worse in %d, no difference in %d of %s", r.Win, r.Loss, r.Tie, english.Count(r.Settings-r.NoVerdict, "setting"))
}

// on is a verdict on a setting: "better on mine/resnet50 (-1.20 points [-1.90, -0.40])".
func (v View) on(p results.Pair) string {
	return verdictOf[p.Outcome()] + " on " + p.Name() + " (" + v.difference(p, v.points()) + ")"
}

// difference prints the difference of a pair with its interval.
func (v View) difference(p results.Pair, unit string) string {
	text := v.signed(p.Difference) + unit
	if p.Interval != "" {
		text += " " + v.interval(p.Lo, p.Hi)
	}
	return text
}

// points is the unit of a printed difference, after a space.
func (v View) points() string {
	switch {
	case v.Percent:
		return " points"
	case v.Ratio:
		return " times"
	}
	return ""
}

// verdictOf has the verdicts in words.
var verdictOf = map[results.Outcome]string{results.Win: "better", results.Tie: "no difference shown", results.Loss: "worse"}

// bySetting names, for each of few settings, the methods that are better and worse on it.
func (v View) bySetting(rows []Row) (list []string) {
	for _, s := range v.settings {
		of := map[results.Outcome][]string{}
		for _, r := range rows {
			o := results.Undecided
			if p, ok := r.at(s); ok {
				o = p.Outcome()
			}
			of[o] = append(of[o], v.Label(r.Method))
		}
		text := fmt.Sprintf("on %s %s better%s, %s worse%s", s.Name(), howMany(of[results.Win]), inBrackets(of[results.Win]), howMany(of[results.Loss]), inBrackets(of[results.Loss]))
		if n := len(of[results.Tie]); n > 0 {
			text += fmt.Sprintf(", no difference is shown for %d", n)
		}
		if n := len(of[results.Undecided]); n > 0 {
			text += fmt.Sprintf(", %d without a verdict", n)
		}
		list = append(list, text)
	}
	return list
}

// at returns the pair of the row on one of few settings.
func (r Row) at(s results.Setting) (results.Pair, bool) {
	i := slices.IndexFunc(r.On, func(p results.Pair) bool {
		p.Setting.Experiment = ""
		return p.Setting == s
	})
	if i < 0 {
		return results.Pair{}, false
	}
	return r.On[i], true
}

// howMany counts methods in a sentence.
func howMany(methods []string) string {
	switch len(methods) {
	case 0:
		return "none is"
	case 1:
		return "1 is"
	}
	return fmt.Sprintf("%d are", len(methods))
}

func inBrackets(methods []string) string {
	if len(methods) == 0 {
		return ""
	}
	return " (" + strings.Join(methods, ", ") + ")"
}

// Testable reports whether a test over the blocks could show a difference for some row,
// without Holm's correction: six blocks are enough.
func (v View) Testable() bool { return v.Power().LeastP <= Alpha }

// untestable says why no test over the blocks can show anything.
func (v View) untestable() english.Text {
	blocks := english.CountOf(v.Power().Blocks, "independent block", BlockTerm)
	if !v.Testable() {
		return english.Of(blocks, ", so a test over data sets can never show a difference here")
	}
	return english.Of(blocks, " are too few to test ", english.Count(len(v.Rows), "method"), ": that takes ", v.Power().remedy())
}
