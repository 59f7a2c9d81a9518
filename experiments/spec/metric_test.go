package spec_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/experiments/spec"
	"github.com/qats-bench/qats/metrics"
)

const metricSpec = "name: t\nmethods: [uncal, ts]\nsettings: {dataset: d, backbone: a}\nmetrics: "

// Options are a part of the id, the defaults are ece, and a table can name the id.
func TestMetricsWithOptions(t *testing.T) {
	s := parse(t, metricSpec+`[ece, {metric: ece, bins: 10}, {metric: ECE, strategy: quantile, norm: l2}, ece_20_uniform_max, {metric: nll}]
intervals: [ece_10_uniform_l1]
tables: [{metric: ece_10_uniform_l1}]
`)
	var names []string
	for _, e := range s.Metrics {
		names = append(names, e.Name)
	}
	if want := []string{"ece", "ece_10_uniform_l1", "ece_15_quantile_l2", "ece_20_uniform_max", "nll"}; !slices.Equal(names, want) {
		t.Errorf("%v, want %v", names, want)
	}
	if len(s.Intervals) != 1 || s.Intervals[0].Name != "ece_10_uniform_l1" || s.Tables[0].Metric != "ece_10_uniform_l1" {
		t.Errorf("%+v, %+v", s.Intervals, s.Tables)
	}
	if plain := parse(t, metricSpec+"[{metric: ece, bins: 15}]\ntables: []\n"); !slices.EqualFunc(plain.Metrics, []string{"ece"}, func(e metrics.Entry, name string) bool { return e.Name == name }) {
		t.Errorf("the defaults are %v", plain.Metrics)
	}
}

func TestMistakesInOptionsOfMetrics(t *testing.T) {
	for list, want := range map[string]string{
		"[{metric: nll, bins: 3}]":                            `t.yaml:4:11: metric "nll" has no options; ece has bins, strategy and norm`,
		`[{metric: "@binned", norm: l2}]`:                     `t.yaml:4:11: metric "@binned" has no options`,
		"[{bins: 10}]":                                        "t.yaml:4:11: a metric needs its name, as in {metric: ece, bins: 10}",
		"[{metric: ece, bins: 0}]":                            `t.yaml:4:31: bins "0": give 1 to 10000 bins`,
		"[{metric: ece, strategy: mass}]":                     `t.yaml:4:11: strategy "mass": want uniform or quantile`,
		"[{metric: ece, norm: l7}]":                           `t.yaml:4:11: norm "l7": want l1, l2 or max`,
		"[ece, {metric: ece, bins: 15}]":                      `metric "ece" is listed twice`,
		"[{metric: ece, bins: 10}, ece_10_uniform_l1]":        `t.yaml:4:36: metric "ece_10_uniform_l1" is listed twice`,
		"[ece_10_uniform_l3]":                                 `unknown metric "ece_10_uniform_l3"`,
		"[ece]\nbaseline: ts\nintervals: [ece_10_uniform_l1]": `unknown metric "ece_10_uniform_l1"`, // the spec does not compute it
	} {
		if _, err := spec.Parse("t.yaml", []byte(metricSpec+list+"\n"), known); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", list, err, want)
		}
	}
}
