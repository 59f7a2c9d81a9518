package compare

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/qats-bench/qats/internal/english"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/table"
)

// fewSettings is the largest number of settings whose verdicts are shown one by one.
const fewSettings = 3

// Uncalibrated is the method that leaves the network as it is. It may be ahead of all
// calibrators, and leads none of them.
const Uncalibrated = "uncal"

// unseeing returns the rows of methods that do not see the test domain, unless there are no others.
func (v View) unseeing(rows []Row) []Row {
	if some := lists.Where(rows, func(r Row) bool { return !v.Sees(r.Method) }); len(some) > 0 {
		return some
	}
	return rows
}

// Leader returns the calibrator that leads a ranking by the metric alone, as version 1 of the leaderboard's protocol says
// it, and what it leads by: "ranks best of 5
// methods by ECE, level with TS". Without a ranking it is the one with the best mean. Where the
// uncalibrated network is ahead of it, the text says so. Both are empty if there is no calibrator.
func (v View) Leader() (method, why string) {
	const ahead = "is the best calibrator by %s, but the uncalibrated network is better"
	k := v.Ranking
	for i, m := range k.Methods {
		if m == Uncalibrated {
			continue
		}
		if k.Ranks[0] < k.Ranks[i] {
			return m, fmt.Sprintf(ahead, v.MetricLabel)
		}
		why = fmt.Sprintf("ranks best of %s by %s", english.Count(len(k.Methods), "method"), v.MetricLabel)
		if k.Settings != v.Settings {
			why += " over " + english.Count(k.Settings, "setting")
		}
		if level := v.level(i); len(level) > 0 {
			why += ", level with " + english.List(level)
		}
		return m, why
	}
	rows := lists.Where(append(slices.Clone(v.Rows), v.Own), func(r Row) bool { return r.Settings > 0 && r.Method != Uncalibrated })
	rows = onMost(v.unseeing(rows))
	if len(rows) == 0 {
		return "", ""
	}
	first := slices.MinFunc(rows, func(a, b Row) int { return cmp.Compare(v.cost()*a.Value, v.cost()*b.Value) })
	if before := slices.IndexFunc(v.Rows, func(r Row) bool {
		return r.Method == Uncalibrated && r.Settings == first.Settings && v.cost()*r.Value < v.cost()*first.Value
	}); before >= 0 {
		return first.Method, fmt.Sprintf(ahead, v.MetricLabel)
	}
	word := "lowest"
	if v.Better == metrics.Higher {
		word = "highest"
	}
	return first.Method, fmt.Sprintf("has the %s mean %s over %s", word, v.MetricLabel, english.Count(first.Settings, "setting"))
}

// fastest is Leader by times, where no calibration costs nothing.
func (v View) fastest() (method, why string) {
	rows := lists.Where(append(slices.Clone(v.Rows), v.Own), func(r Row) bool { return r.Settings == v.Settings && r.Method != Uncalibrated })
	if len(rows) == 0 {
		return "", ""
	}
	first := slices.MinFunc(rows, func(a, b Row) int { return cmp.Compare(a.Value, b.Value) })
	return first.Method, "is the fastest calibrator over " + english.Count(first.Settings, "setting")
}

// onMost returns the rows with a value on most settings: means over others do not compare with theirs.
func onMost(rows []Row) []Row {
	most := 0
	for _, r := range rows {
		most = max(most, r.Settings)
	}
	return lists.Where(rows, func(r Row) bool { return r.Settings == most })
}

// Best returns the methods with the best mean, as it is printed, of those that are ranked, or, without a
// ranking, of those with a value on most settings; none where all means print alike, and none of simulated
// settings.
func (v View) Best() (best []string) {
	if !v.Judged() {
		return nil
	}
	methods, means := v.Ranking.Methods, v.Ranking.Means
	if len(methods) == 0 {
		rows := lists.Where(onMost(append(slices.Clone(v.Rows), v.Own)), func(r Row) bool { return !v.Sees(r.Method) })
		methods, means = lists.Values(rows, func(r Row) string { return r.Method }), lists.Values(rows, func(r Row) float64 { return r.Value })
	}
	places, _ := results.Best(means, func(x float64) float64 { return table.Parse(v.Number(x)) }, v.Better == metrics.Higher)
	for i, place := range places {
		if place == 1 {
			best = append(best, methods[i])
		}
	}
	return best
}

// level returns the labels of the other methods with the mean rank at a place, as it is printed.
func (v View) level(place int) (labels []string) {
	k := v.Ranking
	for i, m := range k.Methods {
		if i != place && table.Fixed(k.Ranks[i], 2) == table.Fixed(k.Ranks[place], 2) {
			labels = append(labels, v.Label(m))
		}
	}
	return labels
}

// judged is what the verdicts on single settings show of a method: of few settings each, and of
// more their numbers. It is empty without verdicts.
func (v View) judged(r Row) string {
	switch {
	case r.NoVerdict == r.Settings:
		return ""
	case v.Settings <= fewSettings:
		return english.List(lists.Values(r.On, v.on))
	}
	return v.counts(r)
}

// counts counts the verdicts on a method: "better in 12, worse in 0, no difference in 95 of
// 107 settings".
func (v View) counts(r Row) string {
	return fmt.Sprintf("better in %d, worse in %d, no difference in %d of %s", r.Win, r.Loss, r.Tie, english.Count(r.Settings-r.NoVerdict, "setting"))
}

// on is a verdict on a setting: "better on mine/resnet50 (-1.20 points [-1.90, -0.40])".
func (v View) on(p results.Pair) string {
	word := verdictOf[p.Outcome()]
	if p.Outcome() == results.Tie {
		word = "not shown to differ"
	}
	return word + " on " + p.Name() + " (" + v.difference(p, v.points()) + ")"
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

// Testable reports whether a test over the blocks could show a difference for some row,
// without Holm's correction: six blocks are enough.
func (v View) Testable() bool { return v.Power().LeastP <= Alpha }

// untestable says, after a space, why no test over the blocks can show anything; nothing where one
// can, or of one setting, where nobody expects it.
func (v View) untestable() english.Text {
	p := v.Power()
	if p.Possible || v.Settings == 1 {
		return nil
	}
	blocks := Extent{Blocks: p.Blocks, Unit: unitOf(v.Block)}.count()
	if !v.Testable() || len(v.Rows) == 1 {
		return english.Of(" ", blocks, " cannot show a difference.")
	}
	return english.Of(" ", blocks, " are too few to test ", english.Count(len(v.Rows), "method"), ": that takes ", p.remedy(unitOf(v.Block)), ".")
}
