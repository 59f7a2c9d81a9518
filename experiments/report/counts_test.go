package report

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/qats-bench/qats/experiments"
	"github.com/qats-bench/qats/experiments/report/page"
	"github.com/qats-bench/qats/experiments/spec"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/compare"
	"github.com/qats-bench/qats/results/figure"
	"github.com/qats-bench/qats/results/resultstest"
)

// TestPageReportAndCompareCountTheSameSettings: two experiments share a network, and one of them
// rescales logits, also by 1. The networks are two and the corrupted set is one: three settings.
func TestPageReportAndCompareCountTheSameSettings(t *testing.T) {
	dir := t.TempDir()
	const networks = "settings:\n  - {dataset: cifar10-like, backbone: [small, large]}\n"
	files := map[string]string{
		"one.yaml": "name: one\ntitle: One\nbaseline: ts\nmethods: [uncal, ts, qats, hfe-target]\nmetrics: [ece]\n" + networks + "tables:\n  - {metric: ece, rows: [backbone], corruption: \"\"}\n",
		"two.yaml": "name: two\ntitle: Two\nbaseline: ts\nmethods: [uncal, ts, qats]\nmetrics: [ece]\n" + networks + "  - {dataset: cifar10-like, backbone: small, rescale: [0.5, 1, 2]}\n",
	}
	var rows results.Rows
	at := func(experiment, backbone string) results.Setting {
		return resultstest.Setting(experiment, "cifar10-like", backbone)
	}
	settings := []results.Setting{at("one", "small"), at("one", "large"), resultstest.Shifted(at("one", "small"), "fog", 1), at("two", "small"), at("two", "large")}
	for _, factor := range []float64{.5, 1, 2} {
		settings = append(settings, resultstest.Varied(at("two", "small"), results.Variant{Rescale: factor}))
	}
	for _, s := range settings {
		for i, m := range []string{"uncal", "ts", "qats"} {
			rows.Records = append(rows.Records, resultstest.Value(s, m, "ece", .1-.01*float64(i)+s.Variant.Rescale/100))
		}
	}
	rows.Bins, rows.Pairs = []results.Bin{}, []results.Pair{}
	if err := results.Folder(dir).Write(&rows); err != nil {
		t.Fatal(err)
	}
	var specs []*spec.Spec
	for _, name := range []string{"one.yaml", "two.yaml"} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(files[name]), 0o666); err != nil {
			t.Fatal(err)
		}
		s, err := spec.Read(path, experiments.Registry())
		if err != nil {
			t.Fatal(err)
		}
		specs = append(specs, s)
	}

	list, err := compare.Of(rows.Records, rows.Pairs, compare.Options{Metric: "ece", Against: "ts"})
	if err != nil || len(list) != 1 || list[0].Settings != 3 {
		t.Fatalf("compare: %v, %+v", err, list)
	}
	v := compare.View{Comparison: list[0]}
	if notes := strings.Join(v.BlockNotes(), " "); !strings.HasPrefix(notes, "3 settings in 1 independent data set; ") || !strings.Contains(notes, "Not counted: 3 settings with rescaled logits") {
		t.Errorf("compare: %s", notes)
	}

	var said strings.Builder
	if err := WriteViews(&said, specs, dir, ViewOptions{}); err != nil {
		t.Fatal(err)
	}
	report := strings.Join(strings.Fields(said.String()), " ")
	for _, part := range []string{"One 3 measured", "Two 2 measured", "3 settings in all: 3 measured.", "counts once: 5 settings, 3 without duplicates.", "Not counted: 3 settings with rescaled logits."} {
		if !strings.Contains(report, part) {
			t.Errorf("report does not say %q:\n%s", part, said.String())
		}
	}
	document, err := os.ReadFile(filepath.Join(dir, "report.tex"))
	if err != nil || !strings.Contains(string(document), "3 of 3 settings measured, 0 simulated") || !strings.Contains(string(document), "Not counted: 3 settings") {
		t.Errorf("report.tex: %v", err)
	}

	if err := WritePage(io.Discard, dir, page.Options{Against: "ts"}); err != nil {
		t.Fatal(err)
	}
	html, err := os.ReadFile(filepath.Join(dir, page.File))
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(strings.Fields(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(string(html), " ")), " ")
	for _, part := range []string{"3 methods on 3 measured settings", "All 3 settings of this page", "3: 3 measured, 0 simulated, 0 without a value", "3 settings in 1 independent data set; ", "Not counted: 3 settings with rescaled logits."} {
		if !strings.Contains(text, part) {
			t.Errorf("the page does not say %q", part)
		}
	}
	if n := strings.Count(string(html), `"counts":true`); n != 5 { // one of each experiment, which the leaderboard merges by name
		t.Errorf("%d settings of the page's data count", n)
	}
}

// TestReportShowsMethodsThatTheRunAdded: the rows have a method that the spec does not list, as
// qats.run of the Python package adds it. A table that names no methods shows it; if all tables
// name theirs, report says what they leave out.
func TestReportShowsMethodsThatTheRunAdded(t *testing.T) {
	rows := measured([]string{"uncal", "ts", "mine"}, []string{"ece"})
	rows.Bins, rows.Pairs = []results.Bin{}, []results.Pair{}
	const start = "name: t\nmethods: [uncal, ts]\nmetrics: [ece]\nsettings:\n  - {dataset: d, backbone: [a, b]}\ntables:\n  - {metric: ece, rows: [dataset, backbone, corruption, severity]"
	two, many := figure.Spec{Kind: figure.Kind{Two: true}, Methods: []string{"uncal", "ts"}}, figure.Spec{Methods: []string{"uncal", "ts"}}
	a := addedTo([]string{"uncal", "ts"}, rows.Records, nil)
	if n, m := len(a.figure(two).Methods), len(a.figure(many).Methods); n != 2 || m != 3 || len(many.Methods) != 2 {
		t.Errorf("figures of two and of all methods have %d and %d", n, m)
	}
	for tables, want := range map[string]struct {
		shown bool
		said  string
	}{
		"}\n":                       {true, ""},
		", methods: [uncal, ts]}\n": {true, ""}, // all of the spec
		", methods: [ts]}\n":        {false, `t: no table shows My method, which the run added and the spec does not list, because all of them name their methods; a table without methods shows all of the run, and so do index.html and qats compare --out`},
		", methods: [ts]}\n  - {metric: ece, name: all, rows: [dataset, backbone, corruption, severity]}\n": {true, ""},
	} {
		dir := t.TempDir()
		rows.Methods = []results.MethodInfo{{Experiment: "t", Method: "mine", Label: "My method", Registered: "served", Source: results.OfProgram}}
		if err := results.Folder(dir).Write(rows); err != nil {
			t.Fatal(err)
		}
		run := results.Run{Keys: results.KeysDigest(rows.Records), Rows: rows.Count(),
			Specs: []results.RunSpec{{Name: "t"}}}
		if err := results.Folder(dir).WriteRun(run); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, "t.yaml")
		if err := os.WriteFile(path, []byte(start+tables), 0o666); err != nil {
			t.Fatal(err)
		}
		s, err := spec.Read(path, experiments.Registry())
		if err != nil {
			t.Fatal(err)
		}
		var said strings.Builder
		if err := WriteViews(&said, []*spec.Spec{s}, dir, ViewOptions{}); err != nil {
			t.Fatal(err)
		}
		shown := false
		files, _ := filepath.Glob(filepath.Join(dir, "tables", "*.txt"))
		for _, f := range files {
			text, err := os.ReadFile(f)
			shown = shown || err == nil && strings.Contains(string(text), "My method")
		}
		if shown != want.shown || !strings.Contains(said.String(), want.said) || want.said == "" && strings.Contains(said.String(), "the run added") {
			t.Errorf("tables%s: shown %v, said\n%s", tables, shown, said.String())
		}
	}
}
