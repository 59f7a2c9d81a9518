package compare

import (
	"fmt"
	"math"
	"strings"

	"github.com/qats-bench/qats/internal/english"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/results"
)

// contrary lists the methods whose mean difference and shift have opposite signs,
// with the block that causes it.
func (v View) contrary() []string {
	if !v.Judged() || !v.Testable() {
		return nil // the table has no shift
	}
	var list []string
	for _, r := range v.Rows {
		if block, difference, ok := r.Apart(v.sign); ok {
			list = append(list, fmt.Sprintf("%s: the mean difference (%s) and the shift (%s) have opposite signs, because of %s (%s). Report the shift: p and the interval refer to it.",
				v.Label(r.Method), v.signed(r.Difference), v.signed(r.Shift.Estimate), block, v.signed(difference)))
		}
	}
	return list
}

// sign returns the sign of a difference, 0 where it rounds to zero in print, and of a ratio
// that of its logarithm, 0 where the ratio rounds to 1.
func (v View) sign(x float64) int {
	unit := math.Pow10(-v.Digits)
	switch {
	case v.Ratio && x < 0: // three digits, as results.Significant prints them
		x, unit = math.Expm1(x), .001
	case v.Ratio:
		x, unit = math.Expm1(x), .01
	case v.Percent:
		x *= 100
	}
	switch {
	case math.Abs(x) <= unit/2:
		return 0
	case x < 0:
		return -1
	}
	return 1
}

// RankingNotes describes the ranking in sentences: what was ranked, the tests, which
// methods they tell apart, and what was left out.
func (v View) RankingNotes() []string {
	k := v.Ranking
	if k.Methods == nil {
		return append([]string{"No ranking: " + k.None + "; the table has the order of the means."}, v.leftOut()...)
	}
	list := []string{fmt.Sprintf("Mean ranks of %s over %s; 1 is best, ties share.",
		english.Count(len(k.Methods), "method"), k.Extent)}
	if !v.Judged() {
		return append(list, v.leftOut()...)
	}
	if v.Testable() {
		list[0] += " Alike: the places of the methods that do not differ significantly from this one, after Holm's correction."
	}
	if !k.Tested() {
		return append(list, v.leftOut()...)
	}
	if least := k.LeastP * float64(len(k.Methods)-1); least > Alpha {
		list = append(list, fmt.Sprintf("With %s and %s the smallest p after Holm's correction is %s, so it distinguishes no two methods.",
			english.Count(len(k.Blocks), unitOf(v.Block)), english.Count(len(k.Methods), "method"), probability(min(1, least))))
	}
	t := k.Test
	f := "F infinite (they all agree)"
	if !math.IsInf(t.F, 1) {
		f = fmt.Sprintf("Iman-Davenport F(%d, %d) = %.2f, %s", t.Methods-1, (t.Methods-1)*(t.Blocks-1), t.F, pIs(t.PF))
	}
	list = append(list, fmt.Sprintf("Friedman chi2(%d) = %.2f, %s; %s; Nemenyi critical difference at .05: %.2f.", t.Methods-1, t.ChiSquared, pIs(t.P), f, k.Critical))
	var groups []string
	for _, g := range k.Groups {
		groups = append(groups, fmt.Sprintf("%s to %s", v.Label(k.Methods[g[0]]), v.Label(k.Methods[g[len(g)-1]])))
	}
	switch {
	case len(k.Groups) == 1 && len(k.Groups[0]) == len(k.Methods):
		list = append(list, "Nemenyi's test distinguishes no two methods.")
	case len(groups) > 0:
		list = append(list, "Not distinguished by Nemenyi's test, in the order of ranks: "+strings.Join(groups, "; ")+".")
	default:
		list = append(list, "Nemenyi's test tells all methods apart.")
	}
	return append(list, v.leftOut()...)
}

// leftOut lists the methods and settings that the ranking leaves out.
func (v View) leftOut() []string {
	var list []string
	if nature := v.labels(v.Ranking.ByNature); len(nature) > 0 {
		list = append(list, fmt.Sprintf("Not ranked by %s, which needs the probabilities of all classes (top-label methods have none): %s.",
			v.MetricLabel, strings.Join(nature, ", ")))
	}
	if targets := lists.Values(v.Ranking.Target, v.Label); len(targets) > 0 {
		list = append(list, fmt.Sprintf("Not ranked: %s (%s).", strings.Join(targets, ", "), seesTarget))
	}
	reasons, unranked := lists.Group(v.Ranking.Unranked, func(m string) string { return v.Unranked[m] })
	for _, why := range reasons {
		list = append(list, fmt.Sprintf("Not ranked: %s (%s).", strings.Join(lists.Values(unranked[why], v.Label), ", "), why))
	}
	// Methods that lack as many values for the same reason share a sentence.
	lacks, lacking := lists.Group(v.Ranking.Aside, func(l Lacking) string {
		return fmt.Sprintf("no value in %d of %s: %s", len(l.Settings), english.Count(v.Settings, "setting"), l.Why)
	})
	for _, why := range lacks {
		list = append(list, fmt.Sprintf("Not ranked: %s (%s).", strings.Join(v.labels(lacking[why]), ", "), why))
	}
	for _, l := range v.Ranking.Missing {
		list = append(list, fmt.Sprintf("Left out of the ranking because %s has no value: %s (%s).", v.Label(l.Method), names(l.Settings), l.Why))
	}
	return list
}

// seesTarget is the reason why a method is shown and not ranked.
const seesTarget = "sees unlabelled rows of the domain that it is tested on"

// labels returns the labels of methods that lack values.
func (v View) labels(list []Lacking) []string {
	return lists.Values(list, func(l Lacking) string { return v.Label(l.Method) })
}

// warnings lists the warnings of fits, such as an active bound, with their settings
// where the method is Against or was asked for by name.
func (v View) warnings() []string {
	var list []string
	for _, w := range v.Warnings {
		where := ""
		if w.Method == v.Against || v.Methods != nil {
			where = ": " + names(w.Settings)
		}
		list = append(list, fmt.Sprintf("%s: %s (%d of %s%s).", v.Label(w.Method), w.Text, len(w.Settings), english.Count(v.Settings, "setting"), where))
	}
	return list
}

// names lists settings: the corrupted ones of a network in one item, at most twelve
// items, and how many more there are.
func names(settings []results.Setting) string {
	type item struct {
		clean     results.Setting
		corrupted bool
	}
	items, of := lists.Group(settings, func(s results.Setting) item {
		i := item{s, s.Corruption != ""}
		i.clean.Corruption, i.clean.Severity = "", 0
		return i
	})
	var list []string
	for _, i := range items {
		name := of[i][0].Name()
		if n := len(of[i]); n > 1 {
			name = fmt.Sprintf("%s (%d corrupted sets)", i.clean.Name(), n)
		}
		list = append(list, name)
	}
	if more := len(list) - 12; more > 0 {
		list = append(list[:12], fmt.Sprintf("%d more", more))
	}
	return strings.Join(list, ", ")
}
