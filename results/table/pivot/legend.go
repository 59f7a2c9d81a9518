package pivot

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/qats-bench/qats/internal/english"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results/table"
)

// capital returns a sentence that begins with a capital. A word such as smECE, which has
// capitals of its own, stays as it is.
func capital(sentence string) string {
	word, _, _ := strings.Cut(sentence, " ")
	if word != strings.ToLower(word) || word == "" {
		return sentence
	}
	letters := []rune(sentence)
	letters[0] = unicode.ToUpper(letters[0])
	return string(letters)
}

// legend explains in sentences the numbers and their marks.
func (t *Pivot) legend() []table.Sentence {
	s := printing{t.Spec}
	name := s.label("metric", s.Metric)
	if s.Percent {
		name += " in per cent"
	}
	switch {
	case s.Better.Ranks():
		name += ", " + string(s.Better) + " is better"
	case s.Better == metrics.Target:
		e, _, _ := metrics.LookupOutput(s.Metric)
		name += fmt.Sprintf(", best at %g, not ranked", e.Target)
	}
	var list []table.Sentence
	say := func(format string, args ...any) {
		list = append(list, table.Sentence{Text: fmt.Sprintf(format, args...)})
	}
	say("%s.", capital(name))
	if len(t.over()) > 0 {
		say("%s", t.averages())
	}
	if t.any(func(c Cell) bool { return c.Spread != "" }) {
		say("After \u00b1: the standard deviation over the seeds of a network (n - 1 in its denominator).")
	}
	marks := t.any(func(c Cell) bool { return c.Mark != table.Plain })
	if marks {
		equal := "equal printed numbers"
		if t.levelled {
			equal += ", and numbers within 1e-6 of each other,"
		}
		list = append(list, table.Sentence{Marks: true, Text: "; " + equal + " share the mark."})
	}
	if t.any(func(c Cell) bool { return c.Gap != "" }) {
		say("Gap: %s minus the best other one; none at a tie.", s.label(t.rivalColumn(), s.Highlight))
	}
	var unranked []string
	for _, r := range t.rivals {
		if !r.Ranked {
			unranked = append(unranked, r.Label)
		}
	}
	if marks && len(unranked) > 0 {
		say("Not ranked: %s.", strings.Join(unranked, ", "))
	}
	if len(t.StandIns) > 0 {
		unranked := ""
		if s.Number > 0 {
			unranked = "; not ranked"
		}
		say("o: not the paper's network, but one that stands in for it (%s)%s.", strings.Join(t.StandIns, "; "), unranked)
	}
	if t.any(func(c Cell) bool { return c.Changes == Yes }) {
		say("%s: some predictions change.", table.Dagger)
	}
	if t.showsTarget() {
		say("%s: the method sees unlabelled samples of each target domain.", table.Star)
	}
	if t.ticks() {
		say("OOD-free: the method reads neither out-of-distribution samples nor samples of the target domain.")
	}
	if t.Uncounted > 0 {
		say("Left out: %s with rescaled logits or redrawn rows; a table shows them if it names variants.", english.Count(t.Uncounted, "setting"))
	}
	for _, r := range t.rivals {
		if text := remark(r.ID, r.Label); t.rivalColumn() == "method" && text != "" {
			say("%s", text)
		}
	}
	if len(t.Unknown) > 0 {
		of := " for " + strings.Join(t.Unknown, ", ")
		if len(t.Unknown) == len(t.rivals) {
			of = ""
		}
		say("No argmax_change is recorded%s, so predictions may change.", of)
	}
	for _, text := range t.belowLegend() {
		say("%s", text)
	}
	return list
}

// belowLegend explains what stands under the numbers.
func (t *Pivot) belowLegend() (list []string) {
	s := printing{t.Spec}
	if len(t.Baselines) > 0 {
		text := fmt.Sprintf("After the band: the difference from %s on the same rows", strings.Join(t.Baselines, ", "))
		for _, kind := range t.Intervals {
			name, covers := kind.Describe()
			text += fmt.Sprintf(", with a 95 %% interval (%s) of %s", name, covers)
		}
		list = append(list, text+".")
	} else if s.Interval {
		list = append(list, fmt.Sprintf("Differences from the baseline are not known (pairs.csv has none in %s of measured rows).", s.Metric))
	}
	means := t.any(func(c Cell) bool { return len(c.records) > 1 })
	if s.Interval && means {
		list = append(list, "Of several seeds the ends of an interval are the means of the ends of each.")
	}
	if s.ConsistencyBand && t.any(func(c Cell) bool { return c.Band != "" }) {
		list = append(list, "In square brackets: consistency band, the 95 % range of a perfectly calibrated model with the same confidences and the same n.")
	} else if s.ConsistencyBand && means {
		list = append(list, "The mean of several seeds has no consistency band: rows by variant show that of each.")
	} else if s.ConsistencyBand {
		list = append(list, fmt.Sprintf("Consistency bands are not known (no %s_null_lo and %s_null_hi recorded).", s.Metric, s.Metric))
	}
	return list
}

// averages says how many settings are averaged in the numbers.
func (t *Pivot) averages() string {
	switch n := t.seedsOfAll(); {
	case n > 0:
		return fmt.Sprintf("Each number is the mean over the %d seeds of a network.", n)
	case len(t.Spec.Average) == 0 && !t.seeds():
		return "A number of a network with several seeds is the mean over them."
	}
	over := "over " + strings.Join(t.over(), ", ")
	once := ""
	if t.seeded {
		once = " Several trainings of a network, which differ in the seed, are one setting with their mean."
	}
	return t.averaged(over) + once
}

// over names what the numbers are means over.
func (t *Pivot) over() []string {
	if t.seeded && t.Spec.JoinsSeeds() {
		return append(slices.Clone(t.Spec.Average), "seeds")
	}
	return t.Spec.Average
}

// seeds reports whether the rows have numbers of seeds.
func (t *Pivot) seeds() bool {
	return slices.ContainsFunc(t.Rows, func(r Row) bool { return r.Seeds > 0 })
}

// seedsOfAll returns the number of seeds of every number, 0 if the numbers are not of one network each or have
// different numbers of seeds.
func (t *Pivot) seedsOfAll() int {
	n := 0
	for _, r := range t.Rows {
		switch {
		case r.Mean:
		case r.Seeds == 0 || n > 0 && r.Seeds != n:
			return 0
		default:
			n = r.Seeds
		}
	}
	return n
}

// averaged says over what each number is a mean.
func (t *Pivot) averaged(over string) string {
	if t.seeds() {
		return fmt.Sprintf("Each number is a mean %s; the number of settings, or of the seeds of one, is given with each row.", over)
	}
	if t.Settings > 0 {
		return fmt.Sprintf("Each number is the mean of %s (%s).", english.Count(t.Settings, "setting"), over)
	}
	byRow, byColumn := true, true
	for _, r := range t.Rows {
		byRow = byRow && r.Settings > 0
	}
	var list []string
	for _, c := range t.Columns {
		switch {
		case c.Mean:
		case c.Settings == 0:
			byColumn = false
		case c.Settings > 1:
			list = append(list, fmt.Sprintf("%s is the mean of %s", c.Label, english.Count(c.Settings, "setting")))
		}
	}
	switch {
	case byRow:
		return fmt.Sprintf("Each number is a mean %s; the number of settings is given with each row.", over)
	case byColumn && len(list) > 0:
		return fmt.Sprintf("%s (%s).", strings.Join(list, "; "), over)
	}
	return fmt.Sprintf("Each number is a mean %s; the number of settings differs within rows and columns.", over)
}

// remark is the sentence that explains the label of a method, empty if none is
// needed.
func remark(method, label string) string {
	if method == "tta-ts" && label == "AdaTS" {
		return "AdaTS: the TTA-extended TS of Hekler et al. (2023) that the paper cites under this name."
	}
	return ""
}
