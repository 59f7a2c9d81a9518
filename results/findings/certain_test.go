package main

import (
	"maps"
	"os"
	"path/filepath"
	"testing"

	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results"
)

// Of the networks whose fit has b at its bound, the shares of rows are facts.
func TestCertainRowsAreTakenOfFitsAtTheBound(t *testing.T) {
	from := t.TempDir()
	if err := os.WriteFile(filepath.Join(from, certain+".csv"), []byte("network,bound,rows,ones,near,wrong\na,true,4,2,3,2\nb,false,4,4,4,4\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	f := Facts{}
	taken, err := f.takeCertain(from)
	want := Facts{
		{Run: certain, Quantity: "settings"}:                                     2,
		{Run: certain, Method: "qats", Metric: "b >= 0.001", Quantity: "active"}: 1,
		{Run: certain, Part: "a", Method: "qats", Quantity: "p = 1"}:             .5,
		{Run: certain, Part: "a", Method: "qats", Quantity: "p near 1"}:          .75,
		{Run: certain, Part: "a", Method: "qats", Quantity: "p near 1, wrong"}:   2,
	}
	if err != nil || !taken || !maps.Equal(f, want) {
		t.Fatalf("%v, %v, %v; want %v", f, taken, err, want)
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
