package claims

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/paper"
	"github.com/qats-bench/qats/results/resultstest"
)

// bins stands for the bins of uncalibrated networks, among metrics.
const bins = "bins"

// named are the metrics that sentences name, with the word for each.
var named = map[string]*regexp.Regexp{
	"ece": regexp.MustCompile(`\bECE\b`), "aece": regexp.MustCompile(`\bAECE\b`), "accuracy": regexp.MustCompile(`\baccurac(y|ies)\b`),
	"miou": regexp.MustCompile(`\bmIoU\b`), "argmax_change": regexp.MustCompile(`\bpredicted class\b`), bins: regexp.MustCompile(`\bbins?\b`),
}

// metricOf returns the metric that a claim names: its quote or its reading has the word, or it
// names a table, which prints one metric.
func metricOf(t *testing.T, c claim) string {
	t.Helper()
	found := map[string]bool{}
	for metric, word := range named {
		if word.MatchString(c.Quote) || word.MatchString(c.Reading) {
			found[metric] = true
		}
	}
	if found[bins] {
		delete(found, "accuracy") // that of a bin
	}
	for _, m := range regexp.MustCompile(`Table (\d+)`).FindAllStringSubmatch(c.Reading, -1) {
		n, _ := strconv.Atoi(m[1])
		found[paper.Tables()[n-1].Metric] = true
	}
	if len(found) != 1 {
		t.Fatalf("%q (%s) names %d metrics: %v", c.Quote, c.Reading, len(found), slices.Collect(maps.Keys(found)))
	}
	return slices.Collect(maps.Keys(found))[0]
}

// everything returns measured records of the paper's networks that let every claim be judged, with
// several metrics of each setting and method, and the bins.
func everything(t *testing.T) *results.Rows {
	t.Helper()
	printed := recordsOf(t, func(p paper.Number) paper.Points { return p.Value })
	f := &results.Rows{Records: printed}
	add := func(s results.Setting, method string, values map[string]float64) {
		for _, metric := range slices.Sorted(maps.Keys(values)) {
			r := resultstest.Value(s, method, metric, values[metric])
			f.Records = append(f.Records, resultstest.Noted(results.Notes{{Kind: results.Paper}}, r)...)
		}
	}
	high := map[string]float64{"uncal": 3, "ts": 2, "featclip": 1, "qats": 0}
	for _, r := range printed {
		if r.Metric != "ece" || r.Experiment == "ablation" {
			continue
		}
		x := high[r.Method] / 100
		add(r.Setting, r.Method, map[string]float64{"accuracy": .7 - x, "argmax_change": 0, "miou": .6 - x, "nll": .5 + x})
		if r.Method == "uncal" {
			f.Bins = append(f.Bins, binsOf(r.Setting, map[string]int{"standard": 2, "longtail": 7}[r.Experiment], .2)...)
		}
	}
	for _, backbone := range []string{"resnet50", "resnet18", "densenet121", "vit-s16", "vit-b16"} {
		for i, loss := range []string{"ce", "brier", "ls-0.05", "focal", "mmce"} {
			s := resultstest.Setting("losses", "cifar100", backbone)
			s.Loss = loss
			for method, x := range high {
				add(s, method, map[string]float64{"ece": .02 + x/100 - float64(i)/1000, "nll": .5 - x/100})
			}
		}
		for _, dataset := range []string{"cifar10", "cifar100"} {
			for _, factor := range []float64{.5, 1, 2} {
				s := resultstest.Varied(resultstest.Setting("rescale", dataset, backbone), results.Variant{Rescale: factor})
				for method, x := range high {
					add(s, method, map[string]float64{"ece": .02 + factor*x/100, "nll": .5 - factor*x/100})
				}
			}
		}
	}
	return f
}

// TestClaimsAreJudgedByTheMetricThatTheyName, and by no other: a claim names one metric. If all
// records of the others are turned round, the judgement and its figures stay; without the records of
// its own there is no judgement.
func TestClaimsAreJudgedByTheMetricThatTheyName(t *testing.T) {
	all, list := everything(t), claims()
	before := compare(published(t), all).Claims
	changed := map[string][]Judged{} // by the metric that is left as it is
	without := map[string][]Judged{}
	counts := map[string]int{}
	for metric := range named {
		others, rest := &results.Rows{Bins: all.Bins}, &results.Rows{Bins: all.Bins}
		for _, r := range all.Records {
			if r.Metric != metric {
				rest.Records = append(rest.Records, r)
				r.Value = 1 - r.Value
			}
			others.Records = append(others.Records, r)
		}
		if metric == bins {
			rest.Bins = nil
		} else {
			others.Bins = resultstest.Each(all.Bins, func(b *results.Bin) { b.Bin = 14 - b.Bin })
			others.Bins = resultstest.Each(others.Bins, func(b *results.Bin) { b.Acc = 1 - b.Acc })
		}
		changed[metric], without[metric] = compare(published(t), others).Claims, compare(published(t), rest).Claims
	}
	for i, c := range list {
		metric := metricOf(t, c)
		counts[metric]++
		if before[i].Measured.Truth == Unjudged {
			t.Errorf("%q cannot be judged: %s", c.Quote, before[i].Measured.Figures)
		}
		if got := changed[metric][i].Measured; got != before[i].Measured {
			t.Errorf("%q names %s, and other metrics change it from %+v to %+v", c.Quote, metric, before[i].Measured, got)
		}
		if got := without[metric][i].Measured; got.Truth != Unjudged {
			t.Errorf("%q names %s, and without it is %+v", c.Quote, metric, got)
		}
		for _, test := range slices.Concat(c.Test, c.Published, c.Measured) {
			for _, id := range test.tables() {
				j := slices.IndexFunc(paper.Tables(), func(p paper.Table) bool { return p.ID == id })
				if table := paper.Tables()[j]; table.Metric != metric && metric != bins {
					t.Errorf("%q names %s, and is judged by table %d of %s", c.Quote, metric, table.Number, table.Metric)
				}
			}
		}
	}
	if want := map[string]int{"ece": 25, "aece": 3, "accuracy": 3, "miou": 1, "argmax_change": 1, bins: 2}; !maps.Equal(counts, want) {
		t.Errorf("claims by metric: %v, want %v", counts, want)
	}
}

// tables are those that a test reads.
func (t test) tables() (list []string) {
	if t.Rows != nil {
		list = append(list, t.Rows.Tables...)
	}
	for _, one := range []string{of(t.Margin, func(m marginTest) string { return m.Table }), of(t.Rising, func(r risingTest) string { return r.Table })} {
		if one != "" {
			list = append(list, one)
		}
	}
	return list
}

func of[T any](p *T, table func(T) string) string {
	if p == nil {
		return ""
	}
	return table(*p)
}
