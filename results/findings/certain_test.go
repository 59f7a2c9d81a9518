package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/qats-bench/qats/calib/report"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results"
)

// Of the networks whose fit has b at its bound, the rows of probability 1 and near it are
// counted, and those of them that are wrong.
func TestCertainRowsAreTakenOfFitsAtTheBound(t *testing.T) {
	from, root := t.TempDir(), t.TempDir()
	write := func(path, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(from, certain, "a.json"), `{"report":{"at_bound":[{"parameter":"b","side":"`+string(report.Lower)+`","limit":0.001}]}}`)
	write(filepath.Join(from, certain, "b.json"), `{"report":{"at_bound":[{"parameter":"a","side":"lower"}]}}`)
	labels := filepath.Join(root, "data", "bundle", xrays, "a", "test", "labels.npy")
	write(labels, "")
	if err := data.WriteFloat64(filepath.Join(from, certain, "a.npy"), []float64{1, 0, 1, 0, 1e-7, 1 - 1e-7, .5, .5}, 4, 2); err != nil {
		t.Fatal(err)
	}
	if err := data.WriteInt32(labels, []int32{0, 1, 0, 1}, 4); err != nil {
		t.Fatal(err)
	}
	f := Facts{}
	taken, err := f.takeCertain(from, root)
	want := Facts{
		{Run: certain, Quantity: "settings"}:                                     2,
		{Run: certain, Method: "qats", Metric: "b >= 0.001", Quantity: "active"}: 1,
		{Run: certain, Part: "a", Method: "qats", Quantity: "p = 1"}:             .5,
		{Run: certain, Part: "a", Method: "qats", Quantity: "p near 1"}:          .75,
		{Run: certain, Part: "a", Method: "qats", Quantity: "p near 1, wrong"}:   2,
	}
	if err != nil || !taken || len(f) != len(want) {
		t.Fatalf("%v, %v, %v", f, taken, err)
	}
	for id, x := range want {
		if f[id] != x {
			t.Errorf("%v: %v, want %v", id, f[id], x)
		}
	}
	w := words{facts: f}
	if text, err := w.spread(certain, "p = 1"); text != "50" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
}

// A setting counts if it is won by the ECE and has a higher NLL.
func TestWinsWithAHigherNLLAreCounted(t *testing.T) {
	pair := func(backbone, metric string, difference float64) results.Pair {
		return results.Pair{Setting: results.Setting{Dataset: "d", Backbone: backbone}, Method: "qats", Against: "ts", Metric: metric, Difference: difference,
			Verdict: &metrics.Verdict{Lo: difference - .001, Hi: difference + .001}}
	}
	pairs := []results.Pair{
		pair("a", "ece", -.1), pair("a", "nll", .1), pair("b", "ece", -.1), pair("b", "nll", -.1),
		pair("c", "ece", .1), pair("c", "nll", .1), pair("d", "ece", -.1), pair("d", "nll", 1e-9),
	}
	if n := winsWithHigherNLL(pairs, every, "qats", "ts"); n != 1 {
		t.Errorf("%d settings, want 1", n)
	}
}
