package experiments

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/experiments/spec"
	"github.com/qats-bench/qats/results"
)

// TestDealIsAPartition for any number of shards, the same whatever the store holds.
func TestDealIsAPartition(t *testing.T) {
	w := newWorld(t)
	before := w.plan(testSpec, false)
	var first []string
	for _, n := range []int{1, 2, 3, 4, 7, 100} {
		d, err := before.Deal(t.Context(), n)
		if err != nil {
			t.Fatal(err)
		}
		var all []int
		for _, units := range d.Units {
			if !slices.IsSorted(units) {
				t.Errorf("%d shards: %v is not in plan order", n, units)
			}
			all = append(all, units...)
		}
		slices.Sort(all)
		if len(d.Units) != n || !slices.Equal(all, []int{0, 1, 2, 3, 4}) {
			t.Errorf("%d shards: %v", n, d.Units)
		}
		first = append(first, fmt.Sprint(d.Units))
	}
	w.run(testSpec, RunOptions{})
	after := w.plan(testSpec, false)
	for i, n := range []int{1, 2, 3, 4, 7, 100} {
		d, err := after.Deal(t.Context(), n)
		if err != nil || fmt.Sprint(d.Units) != first[i] {
			t.Errorf("%d shards: the store changes the deal from %s to %v (%v)", n, first[i], d.Units, err)
		}
	}
	if _, err := before.Deal(t.Context(), 0); err == nil {
		t.Error("no shards")
	}
}

// TestDealAnnouncesRepeatedFits: settings that share a calibration set stay together
// while no shard gets too much by it, and all shards make as many fits as announced.
func TestDealAnnouncesRepeatedFits(t *testing.T) {
	const spec = `
name: t
methods: [ts, ir, qats]
metrics: [ece]
settings:
  - {dataset: d, backbone: [a, b]}
  - {dataset: d-c, backbone: a, corruption: fog, severity: [1, 3], calibrate_on: d}
`
	for _, n := range []int{2, 3, 4} {
		w := newWorld(t)
		d, err := w.plan(spec, false).Deal(t.Context(), n)
		if err != nil {
			t.Fatal(err)
		}
		fits := 0
		for i := range n {
			// Each shard has a store of its own, as if all ran at once.
			one := newWorld(t)
			one.data = w.data
			out, _ := one.run(spec, RunOptions{Shard: Shard{i + 1, n}})
			fits += out.Fitted
		}
		if fits != d.Fits+d.Repeated || d.Fits != 6 {
			t.Errorf("%d shards make %d fits; announced %d and %d again", n, fits, d.Fits, d.Repeated)
		}
	}
}

// TestDealBalancesTheCompanion: the largest estimated load of its shards is at most
// 1.3 times their mean, for the specs of make companion.
func TestDealBalancesTheCompanion(t *testing.T) {
	var specs []*spec.Spec
	for _, name := range []string{"companion", "companion-pixels", "companion-forms", "companion-hfe"} {
		s, err := ReadSpecs([]string{name + ".yaml"})
		if err != nil {
			t.Fatal(err)
		}
		specs = append(specs, s...)
	}
	store, err := results.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p, err := MakePlan(t.Context(), specs, PlanOptions{Data: []string{filepath.Join("..", "data", "bundle")}, Store: store, Digests: &data.Digests{}})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{2, 3, 4, 8, 16} {
		d, err := p.Deal(t.Context(), n)
		if err != nil {
			t.Fatal(err)
		}
		if d.Imbalance() > 1.3 {
			t.Errorf("%d shards: the largest load is %.2f times the mean", n, d.Imbalance())
		}
	}
}

// TestEstimatesCountWhatIsComputed: a method that cannot run on a setting takes no
// time, an expensive fit takes more than a cheap one, a fit is counted once for all
// settings that share it, and a method without a number has a default.
func TestEstimatesCountWhatIsComputed(t *testing.T) {
	w := newWorld(t)
	time := func(methods string, settings ...string) float64 {
		text := "name: t\nmethods: " + methods + "\nmetrics: [ece]\nsettings:\n"
		for _, s := range settings {
			text += "  - " + s + "\n"
		}
		p := w.plan(text, false)
		est, err := p.work(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		units := make([]int, len(est))
		for i := range units {
			units[i] = i
		}
		return est.of(units)
	}
	clean, fog := "{dataset: d, backbone: a}", "{dataset: d-c, backbone: a, corruption: fog, severity: [1, 3], calibrate_on: d}"
	uncal, ts, dirichlet := time("[uncal]", clean), time("[ts]", clean), time("[dirichlet]", clean)
	if !(0 < uncal && uncal < ts && 2*ts < dirichlet) {
		t.Errorf("uncal %v, ts %v, dirichlet %v: want rising times", uncal, ts, dirichlet)
	}
	if got := time("[featclip]", clean); got != 0 { // the set has no features
		t.Errorf("a skipped cell takes %v", got)
	}
	if got := time("[ts]", "{dataset: nowhere, backbone: a}"); got != 0 {
		t.Errorf("a setting without arrays takes %v", got)
	}
	const rows, classes = 300, 5
	fit := passTime * rows * (classes + passClasses)
	if got, want := ts-uncal, fit*30; !(math.Abs(got-want) <= 1) {
		t.Errorf("the fit of ts takes %v, want 30 passes, %v", got, want)
	}
	shared := time("[dirichlet]", clean, fog)
	apart := time("[uncal]", clean, fog)
	if got, want := shared-apart, fit*2600; !(math.Abs(got-want) <= 1) {
		t.Errorf("a fit for three test sets takes %v, want one fit, %v", got, want)
	}
	if got, want := time("[uncal, ts]", clean), uncal+ts+pairTime+pairRowTime*rows; got != want {
		t.Errorf("a method and its baseline take %v, want %v", got, want)
	}
}

// TestDealKeepsGroupsTogether: where the fits of a group alone are more than a share, it is not
// divided into more parts than its shares, so that no shard makes the fits of several groups.
func TestDealKeepsGroupsTogether(t *testing.T) {
	var work []Work
	var groups [][]int
	for g := range 4 {
		var units []int
		for range 25 {
			units = append(units, len(work))
			work = append(work, Work{Own: 1, Fits: map[string]float64{string(rune('a' + g)): 1000}})
		}
		groups = append(groups, units)
	}
	for n, repeated := range map[int]int{1: 0, 4: 0, 7: 0, 8: 4, 10: 4} {
		d := DealWork(work, groups, n)
		if d.Fits != 4 || d.Repeated != repeated || n >= 4 && slices.Max(d.Load) > 1025 {
			t.Errorf("%d shards: %d fits, %d repeated, loads %v; want 4 and %d", n, d.Fits, d.Repeated, d.Load, repeated)
		}
	}
}

// TestShardLooksUpItsOwnCells, and no others.
func TestShardLooksUpItsOwnCells(t *testing.T) {
	w := newWorld(t)
	const text = `name: t
methods: [uncal, ts]
metrics: [ece]
settings:
  - {dataset: d, backbone: a}
  - {dataset: d-c, backbone: a, corruption: fog, severity: [1, 3], calibrate_on: d}
`
	all := w.plan(text, false)
	d, err := all.Deal(t.Context(), 2)
	if err != nil {
		t.Fatal(err)
	}
	p := w.planWith(text, PlanOptions{Shard: Shard{1, 2}})
	for i := range p.Units {
		want := State("")
		if slices.Contains(d.Units[0], i) {
			want = Miss
		}
		if got := p.Units[i].Cells[1].State; got != want {
			t.Errorf("unit %d: state %q, want %q", i, got, want)
		}
	}
}
