package page

import (
	"fmt"
	"slices"

	"github.com/qats-bench/qats/internal/english"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/compare"
	"github.com/qats-bench/qats/results/table"
)

// answer is the result of a comparison in about 20 words: the method that leads and what the
// verdicts, or the test over the blocks, say of it against the method of the comparison.
type answer struct{ Source, Text string }

// answersOf answers by the first metric, for each source.
func answersOf(f *results.Rows, list []comparison, o Options) (answers []answer) {
	for _, c := range list {
		if c.made.Metric == list[0].made.Metric {
			answers = append(answers, answer{c.Source, answerOf(f, compare.View{Comparison: c.made, Labels: o.labels})})
		}
	}
	return answers
}

// answerOf answers by one comparison.
func answerOf(f *results.Rows, v compare.View) string {
	method, why := leader(v)
	if chosen, by := chosenOf(f); chosen != "" {
		method, why = chosen, "was chosen on the calibration rows, by cross-fitted "+by
	} else if len(v.Ranking.Methods) > 0 && method != "" {
		why = fmt.Sprintf("ranks best of %s by %s", english.Count(len(v.Ranking.Methods), "method"), v.MetricLabel)
		if beside := level(v, method); len(beside) > 0 {
			why += ", level with " + english.List(beside)
		}
		if i := slices.Index(v.Ranking.Methods, method); i > 0 && v.Ranking.Ranks[0] < v.Ranking.Ranks[i] {
			why = fmt.Sprintf("is the best calibrator by %s, but the uncalibrated network ranks better", v.MetricLabel)
		}
	}
	if method == "" {
		return v.Sentence()
	}
	text := v.Label(method) + " " + why + "."
	if !v.Judged() {
		return text + " These settings are simulated: they say nothing about real networks."
	}
	return text + against(v, method)
}

// level returns the labels of the other methods with the mean rank of a method, as it is printed.
func level(v compare.View, method string) (labels []string) {
	k := v.Ranking
	own := table.Fixed(k.Ranks[slices.Index(k.Methods, method)], 2)
	for i, m := range k.Methods {
		if m != method && table.Fixed(k.Ranks[i], 2) == own {
			labels = append(labels, v.Label(m))
		}
	}
	return labels
}

// against says what is shown of a method against that of the comparison, after a space; nothing
// where it is that method.
func against(v compare.View, method string) string {
	i := slices.IndexFunc(v.Rows, func(r compare.Row) bool { return r.Method == method })
	if i < 0 {
		return ""
	}
	r, other := v.Rows[i], v.Label(v.Against)
	switch judged := r.Settings - r.NoVerdict; {
	case judged == 1 && r.Win == 1:
		return fmt.Sprintf(" On the test rows its %s is better than with %s.", v.MetricLabel, other)
	case judged == 1 && r.Loss == 1:
		return fmt.Sprintf(" On the test rows its %s is worse than with %s.", v.MetricLabel, other)
	case judged == 1:
		return fmt.Sprintf(" On the test rows no difference to %s in %s is shown.", other, v.MetricLabel)
	case judged > 1:
		return fmt.Sprintf(" Against %s it is better in %d, worse in %d and not clearly different in %d of %d settings.", other, r.Win, r.Loss, r.Tie, judged)
	}
	return ""
}
