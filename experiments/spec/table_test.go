package spec_test

import (
	"reflect"
	"testing"

	"github.com/qats-bench/qats/experiments/spec"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/crosstab"
)

// TestTableKeys reads every key of a table, and checks what stands in for the
// keys that are left out.
func TestTableKeys(t *testing.T) {
	s := parse(t, `
name: t
title: A test
methods: [uncal, {name: tta-ts, label: AdaTS}, hfe-target, qats]
metrics: ["@default", auroc]
settings:
  - {dataset: c, backbone: x, corruption: [fog, snow], severity: [1, 5], calibrate_on: d}
tables:
  - {name: full, title: By corruption, metric: ece, paper: 7, rows: [severity, method], columns: corruption, mean: true,
     methods: [uncal, qats], labels: {fog: Fog, "5": five, qats: Ours}, unranked: uncal, severity: 5}
  - {metric: auroc, columns: corruption}
  - {metric: aece, average: corruption, highlight: qats}
`)
	all := []string{"uncal", "tta-ts", "hfe-target", "qats"}
	labels := map[string]string{"uncal": "Uncal", "tta-ts": "AdaTS", "hfe-target": "HFE (target)", "qats": "QaTS"}
	own := map[string]string{"uncal": "Uncal", "tta-ts": "AdaTS", "hfe-target": "HFE (target)", "qats": "Ours"}
	target := []string{"hfe-target"}
	want := []crosstab.Spec{
		{
			Name: "t-full", Caption: "By corruption", Number: 7, Metric: "ece", Rows: []string{"severity", "method"}, Columns: "corruption",
			Only: results.Filter{"severity": {"5"}, "method": {"uncal", "qats"}}, Labels: own, SettingLabels: map[string]string{"fog": "Fog", "5": "five"}, Mean: true,
			Better: metrics.Lower, Percent: true, Unranked: []string{"uncal"}, Target: target,
		},
		{
			Name: "t-auroc", Caption: "A test: AUROC", Metric: "auroc", Rows: []string{"dataset", "backbone", "severity", "method"}, Columns: "corruption",
			Only: results.Filter{"method": all}, Labels: labels, SettingLabels: map[string]string{}, Better: metrics.Higher, Percent: true, Target: target,
		},
		{
			Name: "t-aece", Caption: "A test: AECE", Metric: "aece", Rows: []string{"dataset", "backbone", "severity"}, Columns: "method",
			Average: []string{"corruption"}, Only: results.Filter{"method": all}, Labels: labels, SettingLabels: map[string]string{},
			Better: metrics.Lower, Percent: true, Highlight: "qats", Target: target,
		},
	}
	for i := range want {
		if !reflect.DeepEqual(s.Tables[i], want[i]) {
			t.Errorf("got  %+v\nwant %+v", s.Tables[i], want[i])
		}
	}
}

// TestDefaultTables: a spec without tables has those of ECE and AECE.
func TestDefaultTables(t *testing.T) {
	s := parse(t, "name: t\nmethods: [uncal, qats]\nmetrics: [nll, ece]\nsettings: {dataset: d, backbone: [a, b]}\n")
	if len(s.Tables) != 1 || s.Tables[0].Name != "t-ece" || s.Tables[0].Highlight != "qats" || s.Tables[0].Caption != "t: ECE" {
		t.Errorf("%+v", s.Tables)
	}
}

// TestLabelsOfASpec are those of its tables and figures, unless a view has its own.
func TestLabelsOfASpec(t *testing.T) {
	for keys, want := range map[string][2]string{ // the label of resnet50 in tables, and in figures
		"tables: [{metric: ece}]":                                                         {"", ""},
		"tables: [{metric: ece, labels: {resnet50: R}}]":                                  {"R", ""},
		"labels: {resnet50: RN-50}\ntables: [{metric: ece, paper: 1}]":                    {"RN-50", "RN-50"},
		"labels: {resnet50: RN-50, d: D}\ntables: [{metric: ece, labels: {resnet50: R}}]": {"R", "RN-50"},
	} {
		s := parse(t, "name: t\nmethods: [uncal]\nsettings: {dataset: d, backbone: [resnet50, mine]}\nfigures: [{kind: reliability}]\n"+keys+"\n")
		if got := [2]string{s.Tables[0].SettingLabels["resnet50"], s.Figures[0].SettingLabels["resnet50"]}; got != want {
			t.Errorf("%s: labels %q, want %q", keys, got, want)
		}
	}
	_, err := spec.Parse("t.yaml", []byte("name: t\nmethods: [uncal]\nlabels: {resnet51: RN-51}\nsettings: {dataset: d, backbone: [resnet50, mine]}\n"), known)
	if want := `t.yaml:3:10: unknown key "resnet51" in labels (datasets and networks of the settings) (did you mean resnet50?)`; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// TestFigureKeys reads every key of a figure, and checks what stands in for the
// keys that are left out.
func TestFigureKeys(t *testing.T) {
	s := parse(t, `
name: t
methods: [uncal, {name: tta-ts, label: AdaTS}]
settings: {dataset: d, backbone: [a, b]}
figures:
  - {kind: dominance, name: one, title: A title, methods: [tta-ts, uncal], experiments: [t, other], backbone: a}
  - {kind: reliability}
  - {kind: rank-agreement, metric: [nll, ece]}
  - {kind: severity, width: 5, height: 2.5, heading: "", labels: {tta-ts: Augmented, a: Net A}}
`)
	if f := s.Figures[3]; f.Width != 5 || f.Height != 2.5 || f.Heading == nil || *f.Heading != "" || f.Labels["tta-ts"] != "Augmented" || f.SettingLabels["a"] != "Net A" {
		t.Errorf("layout of %+v", f)
	}
	if f := s.Figures[1]; f.Width != 0 || f.Height != 0 || f.Heading != nil || len(f.SettingLabels) != 0 {
		t.Errorf("layout of %+v", f)
	}
	if got := s.Figures[2].Metrics; !reflect.DeepEqual(got, []string{"nll", "ece"}) || s.Figures[1].Metrics != nil {
		t.Errorf("metrics %v and %v", got, s.Figures[1].Metrics)
	}
	for i, want := range []struct {
		name, kind, caption  string
		methods, experiments []string
		only                 results.Filter
	}{
		{"one", "dominance", "A title", []string{"tta-ts", "uncal"}, []string{"t", "other"}, results.Filter{"backbone": {"a"}}},
		{"reliability", "reliability", "", []string{"uncal", "tta-ts"}, []string{"t"}, results.Filter{}},
	} {
		f := s.Figures[i]
		if f.Name != want.name || f.Kind.Name != want.kind || f.Caption != want.caption || f.Labels["tta-ts"] != "AdaTS" ||
			!reflect.DeepEqual([]any{f.Methods, f.Experiments, f.Only}, []any{want.methods, want.experiments, want.only}) {
			t.Errorf("%+v, want %+v", f, want)
		}
	}
}

// TestTablesJoinSeeds: the rows of a table are named by the variant, but not where it tells the seeds of networks apart, and
// what does not count.
func TestTablesJoinSeeds(t *testing.T) {
	const plain = "{dataset: d, backbone: a}"
	for settings, want := range map[string][]string{
		"{dataset: d, backbone: a, seeds: [0, 1]}":                                                                  {"dataset", "backbone"},
		"[{dataset: d, backbone: a, seeds: [0, 1]}, {dataset: d, backbone: b}]":                                     {"dataset", "backbone"},
		"[{dataset: d, backbone: a, seeds: 0}, {dataset: d, backbone: b, splits: 3}, {dataset: d, backbone: b}]":    {"dataset", "backbone"},
		"[{dataset: d, backbone: a, seeds: 0}, " + plain + "]":                                                      {"dataset", "backbone", "variant"},
		"[{dataset: d, backbone: a, splits: 2}, " + plain + "]":                                                     {"dataset", "backbone", "variant"},
		"[{dataset: d, backbone: b, seeds: 0}, {dataset: d, backbone: a, test_shares: calibration}, " + plain + "]": {"dataset", "backbone", "variant"},
	} {
		s := parse(t, "name: t\nmethods: [uncal]\nsettings: "+settings+"\n")
		if got := s.Tables[0].Rows; !reflect.DeepEqual(got, want) {
			t.Errorf("%s: rows %v, want %v", settings, got, want)
		}
	}
}

// TestCorruptionsKeepSeeds: a view that names corruptions shows sets as they are and all trainings, and no other variants.
func TestCorruptionsKeepSeeds(t *testing.T) {
	s := parse(t, `
name: t
methods: [uncal]
settings:
  - {dataset: c, backbone: x, corruption: fog, severity: [1, 2], calibrate_on: d, seeds: [0, 3]}
  - {dataset: d, backbone: y, rescale: 2}
tables: [{metric: ece, corruption: [fog, ""]}]
figures: [{kind: severity, corruption: fog}]
`)
	want := []string{"", "seed=0", "seed=3"}
	if got := s.Tables[0].Only["variant"]; !reflect.DeepEqual(got, want) {
		t.Errorf("table: %q", got)
	}
	if got := s.Figures[0].Only["variant"]; !reflect.DeepEqual(got, want) {
		t.Errorf("figure: %q", got)
	}
}
