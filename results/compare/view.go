package compare

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/compare/significance"
	"github.com/qats-bench/qats/results/table"
)

// View is a comparison with what is printed beside it.
type View struct {
	*Comparison
	Labels map[string]string // method id -> label; the id where absent
	Splits []Split
}

// Label is what is printed for a method.
func (v View) Label(method string) string {
	if l, ok := v.Labels[method]; ok {
		return l
	}
	return table.Name("method", method)
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

// number prints a value or a difference of the metric.
func (v View) number(x float64) string {
	if v.Ratio {
		return milliseconds(x)
	}
	if v.Percent {
		x *= 100
	}
	return unsigned(strconv.FormatFloat(x, 'f', v.Digits, 64))
}

// signed prints a difference: number with a plus sign if it prints above zero. Of
// times it is a ratio.
func (v View) signed(x float64) string {
	if v.Ratio {
		return results.Significant(math.Exp(x))
	}
	s := v.number(x)
	if !strings.HasPrefix(s, "-") && strings.Trim(s, "0.") != "" {
		s = "+" + s
	}
	return s
}

// unsigned drops the sign of a printed zero.
func unsigned(s string) string {
	if strings.Trim(s, "-0.") == "" {
		return strings.TrimPrefix(s, "-")
	}
	return s
}

// probability prints a p-value.
func probability(p float64) string {
	if p < 5e-5 {
		return "<.0001"
	}
	return strings.TrimPrefix(strconv.FormatFloat(p, 'f', 4, 64), "0")
}

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

// Columns of the table of methods.
const (
	alikeColumn = 3
	winColumn   = 10
)

// headings returns the headings of the table of methods.
func (v View) headings() []string {
	difference := "difference"
	if v.Ratio {
		difference = "ratio"
	}
	return []string{"Method", "#", "rank", "alike", "mean", "settings", "blocks", difference, "shift", "95 % interval", "win", "tie", "loss", "smallest", "p", "Holm"}
}

// alike lists the places of the methods that a comparison against the method at
// place i does not tell apart from it, including itself: "1-4, 7".
func (k Ranking) alike(i int) string {
	var parts []string
	for from := 0; from < len(k.Methods); from++ {
		to := from
		for to < len(k.Methods) && !k.Apart[i][to] {
			to++
		}
		switch {
		case to > from+1:
			parts = append(parts, fmt.Sprintf("%d-%d", from+1, to))
		case to == from+1:
			parts = append(parts, strconv.Itoa(to))
		}
		from = to
	}
	return strings.Join(parts, ", ")
}

// cells returns the rows of the table of methods: the ranked ones in order, then the
// others. Against has its place in the order but no difference.
func (v View) cells() [][]string {
	var list [][]string
	byMethod := map[string]Row{}
	order := slices.Clone(v.Ranking.Methods)
	if order == nil {
		order = []string{v.Against}
	}
	for _, r := range v.Rows {
		byMethod[r.Method] = r
		if !slices.Contains(order, r.Method) {
			order = append(order, r.Method)
		}
	}
	for _, m := range order {
		place, rank, alike := "-", "-", "-"
		if i := slices.Index(v.Ranking.Methods, m); i >= 0 {
			place, rank, alike = strconv.Itoa(i+1), strconv.FormatFloat(v.Ranking.Ranks[i], 'f', 2, 64), v.Ranking.alike(i)
		}
		if m == v.Against {
			list = append(list, []string{v.Label(m), place, rank, alike, v.number(v.AgainstValue), strconv.Itoa(v.AgainstSettings), strconv.Itoa(v.AgainstBlocks), "", "", "", "", "", "", "", "", ""})
			continue
		}
		r := byMethod[m]
		wins := []string{"-", "-", "-"}
		if r.NoInterval < r.Settings {
			wins = []string{strconv.Itoa(r.Win), strconv.Itoa(r.Tie), strconv.Itoa(r.Loss)}
		}
		bounds := "-"
		if r.Shift.Bounded {
			bounds = v.interval(r.Shift.Lo, r.Shift.Hi)
		}
		smallest := "-"
		if r.Smallest > 0 {
			smallest = v.number(r.Smallest)
		}
		list = append(list, []string{v.Label(m), place, rank, alike, v.number(r.Value), strconv.Itoa(r.Settings), strconv.Itoa(r.Blocks),
			v.signed(r.Difference), v.signed(r.Shift.Estimate), bounds, wins[0], wins[1], wins[2], smallest,
			probability(r.Test.P), probability(r.Holm)})
	}
	return list
}

// origin says what the numbers are measured on, or that they are simulated.
func (v View) origin() string {
	if v.Source == "simulated" {
		return "SIMULATED: no number here is of a real network."
	}
	return "All numbers are " + results.MeasuredOn(v.From) + "."
}

// legend explains the columns.
func (v View) legend() []string {
	better := "Lower is better: a difference below zero is in favour of the method."
	if v.Better == metrics.Higher {
		better = "Higher is better: a difference above zero is in favour of the method."
	}
	means := fmt.Sprintf("Mean, difference (method minus %s): means over blocks.", v.Label(v.Against))
	shift := "Shift: Hodges-Lehmann estimate over blocks, with its interval;"
	if v.Ratio {
		means = fmt.Sprintf("Mean, ratio (time of the method over that of %s): geometric means over blocks.", v.Label(v.Against))
		better = "Below 1 the method is faster."
		shift = "Shift: Hodges-Lehmann estimate of the ratio over blocks, with its interval, by logarithms;"
	}
	list := []string{
		fmt.Sprintf("%s in %s; %s.", table.Count(v.Settings, "setting"), v.blockText(), v.unit()),
		means,
		better,
		shift + " p: Wilcoxon's signed-rank test over blocks (two-sided, zeros as in Pratt); Holm: p with Holm's correction over the methods listed.",
	}
	var without []string
	for _, r := range v.Rows {
		switch {
		case r.NoInterval == r.Settings:
			without = append(without, v.Label(r.Method))
		case r.NoInterval > 0:
			without = append(without, fmt.Sprintf("%s in %s", v.Label(r.Method), table.Count(r.NoInterval, "setting")))
		}
	}
	if len(without) < len(v.Rows) {
		list = append(list, fmt.Sprintf("Win, tie, loss: settings by the paired 95 %% interval (%s) of the difference on the same test rows, conditional on the fit (tie: it contains zero); settings that share rows or images are not independent. "+
			"Smallest: the smallest detectable difference of a setting, half the width of that interval, median over the settings.", v.intervals()))
	}
	switch {
	case v.Ratio && v.Files == timesFile:
		list = append(list, "A time is of one fit, as its run measured it, on whatever processor ran it; other work beside it may add some. Times have no intervals of single settings.")
	case len(without) > 0:
		why := fmt.Sprintf("pairs.csv has no pairs in %s against %s", v.Metric, v.Against)
		if v.Files != "" {
			why = v.Files + " has no paired intervals"
		}
		list = append(list, fmt.Sprintf("Without such intervals, because %s: %s.", why, strings.Join(without, ", ")))
	}
	return append(list, v.leastP()...)
}

// leastP says where there are too few blocks for a small p, however clear the
// difference is.
func (v View) leastP() []string {
	const small = .01
	n := len(v.Blocks)
	least := significance.LeastP(n)
	if least <= small {
		var few []string
		for _, r := range v.Rows {
			if p := significance.LeastP(r.Blocks); p > small {
				few = append(few, fmt.Sprintf("%s (%s: %s)", v.Label(r.Method), table.Count(r.Blocks, "block"), probability(p)))
			}
		}
		if len(few) == 0 {
			return nil
		}
		return []string{"The smallest p that the blocks of a method can reach, where it is above .01: " + strings.Join(few, ", ") + "."}
	}
	text := fmt.Sprintf("With %s no p can be below %s", table.Count(n, "block"), probability(least))
	if n < 6 {
		text += ", and there is no 95 % interval of a shift"
	}
	return []string{text + "."}
}

// intervals names the bootstrap intervals of pairs.csv, and says why they are not
// the plain ones.
func (v View) intervals() string {
	if v.Interval == "" {
		return "BC bootstrap: bias-corrected, since resampling adds noise to the bins and so raises every binned error"
	}
	return v.Interval
}

// contrary lists the methods whose mean difference and shift have opposite signs,
// with the block that causes it.
func (v View) contrary() []string {
	sign := func(x float64) int {
		switch s := v.signed(x); {
		case strings.HasPrefix(s, "-"):
			return -1
		case strings.HasPrefix(s, "+"):
			return 1
		case !v.Ratio || s == results.Significant(1):
			return 0
		case x < 0:
			return -1
		}
		return 1
	}
	var list []string
	for _, r := range v.Rows {
		if block, difference, ok := r.Apart(sign); ok {
			list = append(list, fmt.Sprintf("%s: the mean difference (%s) and the shift (%s) have opposite signs, because of block %s (%s). Report the shift: p and the interval refer to it.",
				v.Label(r.Method), v.signed(r.Difference), v.signed(r.Shift.Estimate), block, v.signed(difference)))
		}
	}
	return list
}

// blockText says how many blocks there are and what a block is.
func (v View) blockText() string {
	n := table.Count(len(v.Blocks), "block")
	switch v.Block {
	case ByNetwork:
		return n + " by network (corruptions of a network are averaged first, and count once)"
	case BySetting:
		return n + ", each setting by itself (settings that share test images count several times)"
	}
	if v.Block == ByDataset {
		return n + " by dataset (settings of a dataset share test samples: they are averaged first, and count once; data sets that share samples count several times)"
	}
	text := n + " by test samples (settings of a data set share test samples: they are averaged first"
	if shared := v.sharedBlocks(); shared != "" {
		text += ", then the data sets of a block: " + shared
	}
	return text + "; a block counts once)"
}

// sharedBlocks lists the blocks of several data sets with these: "cifar10 (cifar10-jpeg,
// cifar10-jpeg-c)".
func (v View) sharedBlocks() string {
	var list []string
	for _, b := range v.Blocks {
		if d := v.Datasets[b]; len(d) > 1 {
			list = append(list, fmt.Sprintf("%s (%s)", b, strings.Join(d, ", ")))
		}
	}
	return strings.Join(list, ", ")
}

// RankingNotes describes the ranking in sentences: what was ranked, the tests, which
// methods they tell apart, and what was left out.
func (v View) RankingNotes() []string {
	k := v.Ranking
	if k.Methods == nil {
		return append([]string{"No ranking: " + k.None + "."}, v.leftOut()...)
	}
	list := []string{fmt.Sprintf("Mean ranks of %s over %s (%s); 1 is best, ties share. Alike: the places of the methods that a comparison against this one does not tell apart from it, after Holm's correction.",
		table.Count(len(k.Methods), "method"), table.Count(len(k.Blocks), "block"), table.Count(k.Settings, "setting"))}
	if !k.Tested() {
		return append(append(list, "Two methods are compared by Wilcoxon's test above, and by no other."), v.leftOut()...)
	}
	if least := k.LeastP * float64(len(k.Methods)-1); least > Alpha {
		list = append(list, fmt.Sprintf("With %s and %s the smallest p after Holm's correction is %s, so it tells no two methods apart.",
			table.Count(len(k.Blocks), "block"), table.Count(len(k.Methods), "method"), probability(min(1, least))))
	}
	t := k.Test
	f := "F infinite (the blocks all agree)"
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
		list = append(list, "Nemenyi's test tells no two methods apart.")
	case len(groups) > 0:
		list = append(list, "Not told apart by Nemenyi's test, in the order of ranks: "+strings.Join(groups, "; ")+".")
	default:
		list = append(list, "Nemenyi's test tells all methods apart.")
	}
	return append(list, v.leftOut()...)
}

// leftOut lists the methods and settings that the ranking leaves out.
func (v View) leftOut() []string {
	var list, nature []string
	for _, l := range v.Ranking.ByNature {
		nature = append(nature, v.Label(l.Method))
	}
	if len(nature) > 0 {
		list = append(list, fmt.Sprintf("Not ranked by %s, which needs the probabilities of all classes (top-label methods have none): %s.",
			v.MetricLabel, strings.Join(nature, ", ")))
	}
	// Methods that lack as many values for the same reason share a sentence.
	var reasons []string
	byReason := map[string][]string{}
	for _, l := range v.Ranking.Aside {
		why := fmt.Sprintf("no value in %s: %s", table.Count(len(l.Settings), "setting"), reason(l.Why))
		if byReason[why] == nil {
			reasons = append(reasons, why)
		}
		byReason[why] = append(byReason[why], v.Label(l.Method))
	}
	for _, why := range reasons {
		list = append(list, fmt.Sprintf("Not ranked: %s (%s).", strings.Join(byReason[why], ", "), why))
	}
	for _, l := range v.Ranking.Missing {
		list = append(list, fmt.Sprintf("Left out of the ranking because %s has no value: %s (%s).", v.Label(l.Method), names(l.Settings), reason(l.Why)))
	}
	return list
}

// reason returns the note of a skip in words, without the method and the setting.
func reason(why string) string {
	return strings.TrimPrefix(table.InWords("skip: "+why), "not run: ")
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
		list = append(list, fmt.Sprintf("%s: %s (%d of %s%s).", v.Label(w.Method), table.InWords(w.Text), len(w.Settings), table.Count(v.Settings, "setting"), where))
	}
	return list
}

// names lists settings: the corrupted ones of a network in one item, at most twelve
// items, and how many more there are.
func names(settings []results.Setting) string {
	var list []string
	index, sets := map[string]int{}, map[string]int{}
	for _, s := range settings {
		if s.Corruption == "" {
			list = append(list, s.Name())
			continue
		}
		network := network(s)
		if sets[network]++; sets[network] == 1 {
			index[network] = len(list)
			list = append(list, s.Name())
		} else {
			list[index[network]] = fmt.Sprintf("%s (%d corrupted sets)", network, sets[network])
		}
	}
	if more := len(list) - 12; more > 0 {
		list = append(list[:12], fmt.Sprintf("%d more", more))
	}
	return strings.Join(list, ", ")
}

// splitHeadings returns the headings of the table of redrawn splits.
func (v View) splitHeadings() []string {
	return []string{"Setting", "Method", "draws", "difference", "SD", "SD, fit fixed", "least", "largest", "better", "worse"}
}

// splitCells returns the rows of the table of redrawn splits.
func (v View) splitCells() [][]string {
	var list [][]string
	for _, s := range v.Splits {
		resampling := "-"
		if s.Resampling > 0 {
			resampling = v.number(s.Resampling)
		}
		list = append(list, []string{s.Setting.Name(), v.Label(s.Method), strconv.Itoa(s.Draws), v.signed(s.Mean), v.number(s.Deviation), resampling,
			v.signed(s.Lo), v.signed(s.Hi), strconv.Itoa(s.Better), strconv.Itoa(s.Worse)})
	}
	return list
}

// splitLegend explains the table of redrawn splits.
func (v View) splitLegend() string {
	return "Calibration and test rows are redrawn from their union, within each class so that both keep their class counts, and everything is fitted again. " +
		"SD: standard deviation of the difference over draws. SD, fit fixed: its standard deviation in the bootstrap of the test rows of one draw, without a new fit. " +
		"Draws share rows, so this is a description and not a test. Shifted settings are not redrawn."
}
