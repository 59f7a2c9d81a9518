package results

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/qats-bench/qats/internal/lists"
)

// The files of a Writer have the bytes of the rows written at once. Until Commit, and after an
// error, the old files stay and nothing else is left.
func TestWriterWritesInPartsAndReplacesAtTheEnd(t *testing.T) {
	records, cell := sampleRecords(), sampleRecords()[0].Setting
	bins := []Bin{{Setting: cell, Method: "ts", Binning: "width15", Lo: 0, Hi: .1}, {Setting: cell, Method: "ts", Binning: "width15", Bin: 1, Lo: .1, Hi: .2, N: 3, Conf: .15, Acc: .5}}
	pairs := []Pair{{Setting: cell, Method: "ts", Against: "uncal", Metric: "ece", Difference: -.01, Lo: -.02, Hi: .01, N: 9}}
	for i := range bins {
		bins[i].Source = "measured"
	}
	pairs[0].Source = "measured"
	dir, whole := t.TempDir(), t.TempDir()
	if err := WriteResults(filepath.Join(whole, "results.csv"), records); err != nil {
		t.Fatal(err)
	}
	if err := WriteBins(filepath.Join(whole, "bins.csv"), bins); err != nil {
		t.Fatal(err)
	}
	if err := WritePairs(filepath.Join(whole, "pairs.csv"), pairs); err != nil {
		t.Fatal(err)
	}
	old := filepath.Join(dir, "bins.csv")
	if err := os.WriteFile(old, []byte("old"), 0o666); err != nil {
		t.Fatal(err)
	}
	metrics := lists.Distinct(records, func(r Record) string { return r.Metric })
	w, err := NewWriter(Folder(dir), metrics)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		if err := w.Write(&Rows{Records: []Record{r}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Write(&Rows{Bins: bins, Pairs: pairs}); err != nil {
		t.Fatal(err)
	}
	if b, _ := os.ReadFile(old); string(b) != "old" {
		t.Error("a file is replaced before Commit")
	}
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	w.Abort()
	if want := (RunRows{Results: len(records), Bins: len(bins), Pairs: len(pairs)}); w.Rows() != want || w.Keys() != KeysDigest(records) {
		t.Errorf("%+v rows, want %+v; keys %s", w.Rows(), want, w.Keys())
	}
	for _, name := range []string{"results.csv", "bins.csv", "pairs.csv"} {
		got, err := os.ReadFile(filepath.Join(dir, name))
		want, _ := os.ReadFile(filepath.Join(whole, name))
		if err != nil || string(got) != string(want) {
			t.Errorf("%s: %v\n%s\nwant\n%s", name, err, got, want)
		}
	}

	w, err = NewWriter(Folder(dir), metrics)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(&Rows{Records: records}); err != nil {
		t.Fatal(err)
	}
	if err := w.Write(&Rows{Records: records[:1]}); err == nil || !strings.Contains(err.Error(), "have the same identifiers") {
		t.Errorf("a record of an earlier part: %v", err)
	}
	w.Abort()
	if files, err := os.ReadDir(dir); err != nil || len(files) != 8 {
		t.Errorf("%v, %v", files, err)
	}
	if got, _ := ReadResults(filepath.Join(dir, "results.csv")); len(got) != len(records) {
		t.Error("an aborted Writer changes a file")
	}
}
func TestWideHasARowForEachSettingAndMethod(t *testing.T) {
	cell := func(backbone string) Setting {
		return Setting{Experiment: "e", Dataset: "d", Backbone: backbone, Loss: "ce"}
	}
	record := func(backbone, method, metric string, value float64) Record {
		return Record{Setting: cell(backbone), Method: method, Metric: metric, Value: value, N: 10, Source: "measured", Status: OK}
	}
	shifted := record("y", "ts", "ece", .25)
	shifted.Corruption, shifted.Severity = "fog", 3
	skipped := Record{Setting: cell("x"), Method: "gc, or \"so\"", Metric: "ece", Status: Skip, Note: Because("no features")}
	dir := t.TempDir()
	w, err := NewWriter(Folder(dir), []string{"ece", "nll"})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	for _, records := range [][]Record{{record("x", "ts", "ece", .1), record("x", "ts", "nll", 1.5), skipped, record("x", "qats", "nll", 2)}, {shifted}} {
		if err := w.Write(&Rows{Records: records}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(dir, "results-wide.csv"))
	if err != nil {
		t.Fatal(err)
	}
	want := `experiment,dataset,backbone,loss,corruption,severity,variant,method,source,ece,nll
e,d,x,ce,,,,ts,measured,0.1,1.5
e,d,x,ce,,,,"gc, or ""so""",,,
e,d,x,ce,,,,qats,measured,,2
e,d,y,ce,fog,3,,ts,measured,0.25,
`
	if string(got) != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}
