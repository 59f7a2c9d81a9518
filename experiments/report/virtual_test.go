package report

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/experiments"
	"github.com/qats-bench/qats/experiments/report/page"
	"github.com/qats-bench/qats/experiments/spec"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/paper"
	"github.com/qats-bench/qats/results/resultstest"
)

// shifts are values of methods on two corruptions, and one of another network.
func shifts(source string, other bool) (list []results.Record) {
	for i, m := range []string{"uncal", "ts", "featclip", "qats"} {
		for j, corruption := range []string{"fog", "snow"} {
			at := resultstest.Shifted(resultstest.Setting("shift", "cifar100-c", "vit-b16"), corruption, 1)
			list = append(list, resultstest.Value(at, m, "ece", .1-.01*float64(i)+.02*float64(j)))
		}
		if other {
			list = append(list, resultstest.Value(resultstest.Setting("standard", "cifar100", "resnet50"), m, "ece", .1))
		}
	}
	return resultstest.From(source, list...)
}

func recordsWhere(records []results.Record, keep func(results.Record) bool) (list []results.Record) {
	for _, r := range records {
		if keep(r) {
			list = append(list, r)
		}
	}
	return list
}

// TestWhatVirtualNetworksCannotShow: a sentence on the tilt if all are of the tilted network, one on
// FeatClip if it is shown, and none of measured numbers or of data sets that the paper does not have.
func TestWhatVirtualNetworksCannotShow(t *testing.T) {
	simulated := shifts("simulated", false)
	both := virtual(simulated)
	if len(both) != 2 || !strings.Contains(both[0], "tilt of -0.2") || !strings.Contains(both[1], "FeatClip stands near Uncal") {
		t.Fatal(both)
	}
	for name, c := range map[string]struct {
		records []results.Record
		want    []string
	}{
		"measured":         {shifts("measured", true), nil},
		"several networks": {shifts("simulated", true), both[1:]},
		"without FeatClip": {recordsWhere(simulated, func(r results.Record) bool { return r.Method != "featclip" }), both[:1]},
		"without QaTS":     {recordsWhere(simulated, func(r results.Record) bool { return r.Method != "qats" }), both[1:]},
		"other data sets":  {resultstest.Each(simulated, func(r *results.Record) { r.Dataset = "example" }), nil},
		"no values":        {resultstest.Each(simulated, func(r *results.Record) { r.Status = results.Skip }), nil},
		"none":             {nil, nil},
	} {
		if got := virtual(c.records); strings.Join(got, " ") != strings.Join(c.want, " ") {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	if got := virtualOfPage(shifts("simulated", true)); len(got) != 2 {
		t.Errorf("a page with the shifts among others says %q", got)
	}
}

// TestTheTiltIsTheDeclaredOne, of the network of every data set of the paper that has it.
func TestTheTiltIsTheDeclaredOne(t *testing.T) {
	src, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(spec.NetworksFile)))
	if err != nil {
		t.Fatal(err)
	}
	uncal, err := paper.UncalibratedECE()
	if err != nil {
		t.Fatal(err)
	}
	networks, err := spec.ParseNetworks(spec.NetworksFile, src, uncal)
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, dataset := range paper.Datasets() {
		if w, ok := networks.Lookup(data.Ref{Dataset: dataset, Backbone: tilted, Loss: "ce"}); ok {
			if found++; w.Tilt != tilt || w.Tilt >= 0 {
				t.Errorf("%s/%s has a tilt of %g, and captions say %g", dataset, tilted, w.Tilt, tilt)
			}
		}
	}
	if found < 6 {
		t.Errorf("%d data sets have the network", found)
	}
}

const shiftSpec = `name: shift
methods: [uncal, ts, featclip, qats]
baseline: ts
metrics: [ece]
settings: {dataset: cifar100-c, backbone: vit-b16, corruption: [fog, snow], severity: 1, calibrate_on: cifar100}
tables:
  - {name: ece, metric: ece, paper: 3, rows: severity, average: corruption}
  - {name: full, metric: ece, paper: 7, rows: [severity, method], columns: corruption}
  - {name: forms, metric: ece, paper: 6, rows: method, columns: dataset, average: corruption, methods: [uncal, qats]}
figures: [{kind: severity}]
`

// TestCaptionsAndPageSayItInTheSameWords, of simulated rows alone, as report and page say whose the
// settings are.
func TestCaptionsAndPageSayItInTheSameWords(t *testing.T) {
	both := virtual(shifts("simulated", false))
	for _, source := range []string{"simulated", "measured"} {
		dir := t.TempDir()
		rows := &results.Rows{Records: shifts(source, false), Bins: []results.Bin{}, Pairs: []results.Pair{}}
		if err := results.Folder(dir).Write(rows); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, "shift.yaml")
		if err := os.WriteFile(path, []byte(shiftSpec), 0o666); err != nil {
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
		if err := WritePage(io.Discard, dir, page.Options{}); err != nil {
			t.Fatal(err)
		}
		read := func(name string) string {
			text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
			if err != nil {
				t.Fatal(err)
			}
			return strings.NewReplacer("&#39;", "'", "&#43;", "+").Replace(string(text))
		}
		shown := map[string][]string{"tables/shift-ece.tex": both, "tables/shift-full.tex": both, "tables/shift-forms.tex": both[:1], "report.tex": both, page.File: both}
		for name, want := range shown {
			text := read(name)
			for _, sentence := range both {
				has := source == "simulated" && strings.Contains(strings.Join(want, " "), sentence)
				if got := strings.Contains(text, sentence); got != has {
					t.Errorf("%s of %s rows says %q: %v", name, source, sentence, got)
				}
			}
		}
		const are = "2 of the paper's 162 settings."
		for name, text := range map[string]string{"summary": said.String(), "report.tex": read("report.tex"), page.File: read(page.File)} {
			if !strings.Contains(text, are) {
				t.Errorf("%s does not say %q", name, are)
			}
		}
	}
}
