package leaderboard

import (
	"fmt"
	"slices"

	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/compare/significance"
)

// Margin is the least amount by which an accuracy or an AUROC is above the best of the registry where it gives an alarm: one point.
const Margin = .01

// LookLevel is the largest p-value for which an entry is to be looked at, after Holm's correction.
const LookLevel = .05

// Alarm is a number of an entry that is higher than calibration explains.
type Alarm struct {
	Setting results.Setting
	Metric  string  // accuracy, or auroc: that of telling right predictions from wrong ones by the confidence
	Value   float64 // of the entry
	Best    float64 // the highest of the registry's methods on the setting
	Method  string  // that has it
	Holm    float64 // p of the difference, one-sided, with Holm's correction over settings and both metrics
}

// String names the number, the setting and the method that it is compared with.
func (a Alarm) String() string {
	name := a.Metric
	if name == "auroc" {
		name = "AUROC"
	}
	return fmt.Sprintf("%s %.4f on %s, where the best method of the project (%s) has %.4f", name, a.Value, a.Setting.Name(), a.Method, a.Best)
}

// Alarms returns the numbers of an entry that cannot come from calibration: accuracies and AUROCs that are above the highest of the
// registry's methods on their setting by at least Margin, and by more than chance. registry has the records of all methods of the
// registry, whatever they read. Corrupted settings count too.
//
// The files of the leaderboard have no rows, so the test is that of two independent samples, although both methods have the same rows.
// Their numbers are positively correlated, so the variance of the difference is smaller than that of the test, and p is rather too
// large. The variance of an accuracy a over n rows is a (1 - a)/n, that of an AUROC is the one of Hanley and McNeil (1982) with n a right
// predictions. An AUROC of 0 or 1, or one of an accuracy of 0 or 1, has the variance 0.
func Alarms(entry, registry []results.Record) (alarms []Alarm) {
	type place struct {
		setting results.Setting
		metric  string
	}
	read := func(r results.Record) bool {
		return (r.Metric == "accuracy" || r.Metric == "auroc") && r.Status == results.OK && r.N > 0
	}
	entry, registry = lists.Where(entry, read), lists.Where(registry, read)
	best, accuracy := map[place]results.Record{}, map[results.Setting]map[string]float64{}
	for _, r := range slices.Concat(registry, entry) {
		if r.Metric == "accuracy" {
			if accuracy[r.Setting] == nil {
				accuracy[r.Setting] = map[string]float64{}
			}
			accuracy[r.Setting][r.Method] = r.Value
		}
	}
	for _, r := range registry {
		at := place{r.Setting, r.Metric}
		if b, known := best[at]; !known || r.Value > b.Value {
			best[at] = r
		}
	}
	variance := func(r results.Record) float64 {
		a, n := accuracy[r.Setting][r.Method], float64(r.N)
		if r.Metric == "accuracy" {
			return a * (1 - a) / n
		}
		return significance.AreaVariance(r.Value, n*a, n*(1-a))
	}
	var all []Alarm
	var p []float64
	for _, r := range entry {
		b, known := best[place{r.Setting, r.Metric}]
		if !known {
			continue
		}
		all = append(all, Alarm{Setting: r.Setting, Metric: r.Metric, Value: r.Value, Best: b.Value, Method: b.Method})
		p = append(p, significance.Above(r.Value-b.Value, variance(r)+variance(b)))
	}
	for i, holm := range significance.Holm(p) {
		if a := all[i]; holm <= LookLevel && a.Value-a.Best >= Margin {
			a.Holm = holm
			alarms = append(alarms, a)
		}
	}
	return alarms
}
