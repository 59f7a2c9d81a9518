package experiments

import (
	"fmt"
	"slices"
	"testing"
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
