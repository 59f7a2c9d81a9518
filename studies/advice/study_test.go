package main

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/experiments"
	"github.com/qats-bench/qats/experiments/spec"
	"github.com/qats-bench/qats/results"
)

// The same draws give the same answers, and separable and shuffled networks those that they must.
func TestAnswersOfMadeNetworks(t *testing.T) {
	pools := madePools()
	first, err := drawAll(context.Background(), pools, 100, 1)
	if err != nil {
		t.Fatal(err)
	}
	again, err := drawAll(context.Background(), pools, 100, 1)
	if err != nil {
		t.Fatal(err)
	}
	if len(first) != len(rules) || len(first[0]) != len(pools) {
		t.Fatalf("%d rules, %d draws", len(first), len(first[0]))
	}
	for r := range first {
		for i, a := range first[r] {
			if a != again[r][i] {
				t.Errorf("%s: %+v, then %+v", rules[r].name, a, again[r][i])
			}
			if r == 0 && a.kind == "separable" && a.method != "uncal" || a.kind == "shuffled" && !a.void {
				t.Errorf("%s: %+v", rules[r].name, a)
			}
		}
	}
	rows := summarise(100, first)
	for _, row := range rows {
		if n := strings.Count(row, ","); n != strings.Count(header, ",") || !strings.HasPrefix(row, "100,") {
			t.Errorf("%d separators in %s", n, row)
		}
	}
}

// Models of two classes have the methods that qats try takes for them.
func TestModelsOfTwoClassesHaveTheirMethods(t *testing.T) {
	p := pool{"two", "made", 4, func(rng *rand.Rand, n int) (cal, test *data.Set) { return made(rng, n, 2, 2), made(rng, 500, 2, 2) }}
	draws, err := drawAll(context.Background(), []pool{p}, 100, 0)
	if err != nil {
		t.Fatal(err)
	}
	list, err := spec.NewMethods(experiments.Registry(), []string{"@recommended-2"})
	if err != nil {
		t.Fatal(err)
	}
	known, own := map[string]bool{}, 0
	for _, m := range list {
		known[m.Name] = true
	}
	for r := range draws {
		for _, a := range draws[r] {
			if !known[a.method] {
				t.Errorf("%s: %s", rules[r].name, a.method)
			}
			if a.method == "beta" || a.method == "ivap" || a.method == "quadratic-ridge" {
				own++
			}
		}
	}
	if own == 0 {
		t.Error("no draw has a method that @recommended lacks: the test shows nothing")
	}
}

// Shares done by hand: of four draws one has no answer, one is worse than temperature scaling.
func TestSharesByHand(t *testing.T) {
	draws := [][]answer{{{void: true}, {method: "ts", nll: 1}, {method: "hts", nll: 2, toTS: results.Loss, overTS: .5, toUncal: results.Loss, overUncal: .1, claims: true}, {method: "ts", nll: 3, toUncal: results.Loss, overUncal: .1}}}
	got := summarise(50, draws)[0]
	want := "50,verdict,3,1,0.3333,0.0615,0.7923,0.6667,0.2077,0.9385,0.3333,0.3333,0.6667,0.0000,2.000000,hts 1; ts 2"
	if got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// Draws of a network take calibration rows from its calibration set while that has twice as many, and
// else from both sets; no row is in both parts.
func TestDrawsOfANetworkShareNoRow(t *testing.T) {
	rng := newRand("test", 1, 1)
	cal, test := made(rng, 300, 3, 1), made(rng, 900, 3, 1)
	draw := realDraw(cal, test)
	for n, want := range map[int][2]int{100: {100, 900}, 200: {200, 1000}, 800: {0, 0}} {
		a, b := draw(rng, n)
		if a == nil {
			if want[0] != 0 {
				t.Errorf("%d rows: no draw", n)
			}
			continue
		}
		if len(a.Labels) != want[0] || len(b.Labels) != want[1] {
			t.Errorf("%d rows: %d and %d, want %v", n, len(a.Labels), len(b.Labels), want)
		}
		seen := map[float32]bool{}
		for i := range a.Labels {
			seen[a.Logits.Row(i)[0]] = true
		}
		for i := range b.Labels {
			if seen[b.Logits.Row(i)[0]] {
				t.Fatalf("%d rows: row %d of the test rows is a calibration row", n, i)
			}
		}
	}
}
