package simulate

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/qats-bench/qats/data"
)

func digest(t *testing.T, w Network, split data.Split, parts data.Parts) string {
	t.Helper()
	text, err := sourceOf(w).Digest(context.Background(), data.Ref{Split: split}, parts)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestDigestChangesWithItsPartOnly, and whenever the part changes.
func TestDigestChangesWithItsPartOnly(t *testing.T) {
	base := Network{Name: "n", Classes: 3, Width: 4, CalRows: 49, TestRows: 48, OODRows: 7, Accuracy: 0.6, ECE: 0.1}
	tail := base
	tail.Imbalance = 10
	for name, change := range map[string]func(w *Network){
		"nothing":   func(w *Network) {},
		"name":      func(w *Network) { w.Name = "m" },
		"classes":   func(w *Network) { w.Classes = 4 },
		"width":     func(w *Network) { w.Width = 5 },
		"cal rows":  func(w *Network) { w.CalRows = 10 },
		"test rows": func(w *Network) { w.TestRows = 10 },
		"ood rows":  func(w *Network) { w.OODRows = 10 },
		"imbalance": func(w *Network) { w.Imbalance = 20 },
		"balanced":  func(w *Network) { w.Imbalance, w.BalancedCal = 10, true },
		"accuracy":  func(w *Network) { w.Accuracy = 0.7 },
		"ece":       func(w *Network) { w.ECE = 0.2 },
		"tilt":      func(w *Network) { w.Tilt = 1 },
		"shift":     func(w *Network) { w.Shift = Shift{"fog", 1, 0.5, 0.2} },
	} {
		for _, old := range []Network{base, tail} {
			w := old
			change(&w)
			for _, split := range []data.Split{data.Cal, data.Test} {
				if w.rows(split) == 0 {
					continue
				}
				before, after := load(t, old, split, everything), load(t, w, split, everything)
				for _, part := range everything.List() {
					changed := bitsOf(before.View(part)) != bitsOf(after.View(part))
					said := digest(t, old, split, part) != digest(t, w, split, part)
					if changed != said {
						t.Errorf("%s, imbalance %g, %s %s: changed %t, digest changed %t", name, old.Imbalance, split, part, changed, said)
					}
				}
			}
		}
	}
	const want = `labels simulate/2 name="n" classes=3 imbalance=10 split=cal rows=49
head simulate/2 name="n" classes=3 imbalance=10 width=4 accuracy=0.6 ece=0.1 tilt=0
`
	if got := digest(t, tail, data.Cal, data.Labels|data.Head); got != want {
		t.Errorf("digest\n%swant\n%s", got, want)
	}
}

func TestSourceHasThePartsOfItsRows(t *testing.T) {
	clean := Network{Name: "n", Classes: 3, Width: 4, CalRows: 9, TestRows: 8, Accuracy: 0.6, ECE: 0.1}
	src := New(func(ref data.Ref) (Network, bool) {
		w := clean
		if ref.Corruption != "" {
			w.Shift = Shift{ref.Corruption, ref.Severity, 0.5, 0.2}
		}
		return w, ref.Dataset == "d"
	}, known)
	for _, c := range []struct {
		ref  data.Ref
		want data.Parts
	}{
		{data.Ref{Dataset: "d", Split: data.Cal}, everything &^ data.OOD},
		{data.Ref{Dataset: "d", Split: data.Test}, everything &^ data.OOD},
		{data.Ref{Dataset: "d", Split: data.Test, Corruption: "fog", Severity: 1}, everything &^ data.OOD},
		{data.Ref{Dataset: "d", Split: data.Cal, Corruption: "fog", Severity: 1}, 0},
		{data.Ref{Dataset: "d", Split: "other"}, 0},
		{data.Ref{Dataset: "e", Split: data.Test}, 0},
	} {
		if got := src.Has(c.ref); got != c.want {
			t.Errorf("%v has %s, want %s", c.ref, got, c.want)
		}
		if p := src.Describe(c.ref); (p.Origin == data.Simulated) != (c.want != 0) {
			t.Errorf("%v is %q", c.ref, p.Origin)
		}
	}
	_, err := src.Open(context.Background(), data.Ref{Dataset: "d", Backbone: "b", Split: data.Test}, everything)
	if err == nil || err.Error() != "simulated d/b test: there is no ood" {
		t.Error(err)
	}
}

func TestRejectsWrongParameters(t *testing.T) {
	good := Network{Name: "n", Classes: 3, Width: 4, CalRows: 9, TestRows: 8, OODRows: 7, Accuracy: 0.6, ECE: 0.1}
	for want, change := range map[string]func(w *Network){
		"name":               func(w *Network) { w.Name = "" },
		"a line of text":     func(w *Network) { w.Name = "a\nb" },
		"1 classes":          func(w *Network) { w.Classes = 1 },
		"width 129":          func(w *Network) { w.Width = 129 },
		"rows":               func(w *Network) { w.OODRows = -1 },
		"prior of 2 classes": func(w *Network) { w.Prior = []float64{1, 2} },
		"prior of class 1":   func(w *Network) { w.Prior = []float64{1, 0, 1} },
		"prior of class 2":   func(w *Network) { w.Prior = []float64{1, 1, math.NaN()} },
		"imbalance 0.5":      func(w *Network) { w.Imbalance = 0.5 },
		"exclude each other": func(w *Network) { w.Imbalance, w.Prior = 10, []float64{1, 1, 1} },
		"tilt 2":             func(w *Network) { w.Tilt = 2 },
		"accuracy 1":         func(w *Network) { w.Accuracy = 1 },
		"ece 0.4":            func(w *Network) { w.ECE = 0.4 },
		"ece NaN":            func(w *Network) { w.ECE = math.NaN() },
		"severity 0":         func(w *Network) { w.Shift = Shift{"fog", 0, 0.5, 0.1} },
		"corruption \"\"":    func(w *Network) { w.Shift = Shift{"", 1, 0.5, 0.1} },
		"accuracy -0.1":      func(w *Network) { w.Shift = Shift{"fog", 1, -0.1, 0.1} },
		`its constants are not known; add the line {"name":"n","classes":3,"width":4,"accuracy":0.61,"ece":0.1} to data/simulate/constants.jsonl`: func(w *Network) { w.Accuracy = 0.61 },
	} {
		w := good
		change(&w)
		_, err := sourceOf(w).Open(context.Background(), data.Ref{Split: data.Test}, data.Logits)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	if err := good.Check(); err != nil {
		t.Error(err)
	}
}
