package main

import (
	"math"
	"strings"
	"testing"

	"github.com/qats-bench/qats/data/simulate"
)

// TestConstantsAreThoseOfTheSearch: the committed ones have the bits that the search finds.
func TestConstantsAreThoseOfTheSearch(t *testing.T) {
	list, err := simulate.Known()
	if err != nil {
		t.Fatal(err)
	}
	every := 1
	if testing.Short() {
		every = 25
	}
	var some, want []simulate.Solved
	for i, s := range list {
		if i%every == 0 && (s.Classes < 1000 || !testing.Short()) {
			some, want = append(some, s), append(want, s)
		}
	}
	if err := solveAll(some, true); err != nil {
		t.Fatal(err)
	}
	for i, s := range some {
		if s.Constants != want[i].Constants {
			t.Errorf("%s %v: the search finds %+v; the file has %+v", s.Name, s.Shift, s.Constants, want[i].Constants)
		}
	}
}

// TestOutOfReachIsAnError: there are accuracies and errors that the model cannot have.
func TestOutOfReachIsAnError(t *testing.T) {
	for want, change := range map[string]func(w *simulate.Network){
		"accuracy is out of": func(w *simulate.Network) { w.Accuracy = 0.2 },
		"stays 0.1000 away": func(w *simulate.Network) {
			w.Shift = simulate.Shift{Corruption: "fog", Severity: 1, Accuracy: 0.7, ECE: 0.1}
		},
		"ece is out of reach": func(w *simulate.Network) {
			w.Imbalance, w.Shift = 50, simulate.Shift{Corruption: "fog", Severity: 1, Accuracy: 0.4}
		},
	} {
		w := simulate.Network{Name: "n", Classes: 3, Width: 4, Accuracy: 0.6, ECE: 0.1}
		change(&w)
		if err := solveAll([]simulate.Solved{{Network: w}}, false); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

func TestRootFindsAZeroOrSaysWhyNot(t *testing.T) {
	cube := func(x float64) float64 { return x*x*x - 8 }
	for _, guess := range []float64{0, 0.1, 2, 2.1, 50, 100} {
		x, err := root("it", 0, 100, guess, 0.1, 1e-9, cube)
		if err != nil || !(math.Abs(x-2) <= 1e-9) {
			t.Errorf("from %g: %g, %v", guess, x, err)
		}
	}
	step := func(x float64) float64 { return math.Copysign(1, x-2) }
	for name, f := range map[string]func(float64) float64{
		"stays 1.0000 away":           func(x float64) float64 { return x + 1 },
		"stays 2.0000 away":           func(x float64) float64 { return x - 102 },
		"jumps past its target by 1.": step,
	} {
		if _, err := root("it", 0, 100, 3, 1, 1e-9, f); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
