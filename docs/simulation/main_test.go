package main

import (
	"flag"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/qats-bench/qats/experiments"
)

var update = flag.Bool("update", false, "write the tables of docs/cluster.md")

// The tables in the page stand between these lines.
const (
	page  = "../cluster.md"
	begin = "<!-- made by: go run ./docs/simulation -->\n"
	end   = "<!-- end of what the simulation made -->\n"
)

// TestTables: docs/cluster.md has the tables that the simulation makes.
func TestTables(t *testing.T) {
	if testing.Short() && !*update {
		t.Skip("simulates 20 runs")
	}
	var b strings.Builder
	write(&b)
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(text), begin)
	was, tail, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatalf("%s has no place for the tables", page)
	}
	switch {
	case was == b.String():
	case *update:
		if err := os.WriteFile(page, []byte(head+begin+b.String()+end+tail), 0o666); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s has other tables; make golden writes\n%s", page, b.String())
	}
}

// small returns the work of 2 networks with 3 test sets each: fits of an hour, and settings of
// an hour.
func small() (work []experiments.Work, groups [][]int) {
	for n, key := range []string{"a", "b"} {
		for range 3 {
			work = append(work, experiments.Work{Own: 3.6e12, Fits: map[string]float64{key: 3.6e12}})
		}
		groups = append(groups, []int{3 * n, 3*n + 1, 3*n + 2})
	}
	return work, groups
}

// TestClosedForms: without failures the hours are those of the largest shard, and a store that
// is asked for S seconds in all by one node keeps it waiting for them.
func TestClosedForms(t *testing.T) {
	work, groups := small()
	fast := store{"fast", math.Inf(1), 0, 1}
	for _, c := range []struct {
		nodes, shards   int
		store           store
		hours, repeated float64
		waited          float64
	}{
		{1, 1, fast, 8, 0, 0},
		{2, 2, fast, 4, 0, 0},
		{1, 2, fast, 8, 0, 0},
		{4, 2, fast, 4, 0, 0},
		{1, 1, store{"slow", 1, 0, 1}, 8, 0, float64(6*methods*missLookups+2*2+6*3*methods) / 3600},
		{1, 1, store{"far", math.Inf(1), 36, 1}, 8, 0, 9 * 36. / 3600}, // a look, 2 fits, 6 settings
	} {
		r := simulate(work, groups, cluster{c.nodes, c.shards, 0, c.store, false}, 1)
		if math.Abs(r.hours-c.hours-c.waited) > 1e-9 || math.Abs(r.waited-c.waited) > 1e-9 || math.Abs(r.repeated-c.repeated) > 1e-9 || r.work != 8 || r.failures != 0 {
			t.Errorf("%+v: %+v", c, r)
		}
	}
}

// TestFailuresCostWork: the mean of what one node loses in pieces of one hour, when it fails
// every m hours, is that of the exponential distribution: m (e^(1/m) - 1) - 1 hours for each
// hour of work.
func TestFailuresCostWork(t *testing.T) {
	work, groups := small()
	fast := store{"fast", math.Inf(1), 0, 1}
	for _, m := range []float64{1, 5} {
		lost, runs := 0.0, 3000
		for seed := range runs {
			lost += simulate(work, groups, cluster{1, 1, m * 3600, fast, false}, uint64(seed)).lost
		}
		mean, want := lost/float64(runs)/8, m*(math.Exp(1/m)-1)-1
		if math.Abs(mean-want) > 0.1*want {
			t.Errorf("a failure every %v hours: %.3f hours lost for an hour of work, want %.3f", m, mean, want)
		}
	}
}

// TestSameSeedSameRun.
func TestSameSeedSameRun(t *testing.T) {
	work, groups := small()
	c := cluster{2, 2, 3600, folders, false}
	if a, b := simulate(work, groups, c, 7), simulate(work, groups, c, 7); a != b {
		t.Errorf("%+v and %+v", a, b)
	}
	if a, b := simulate(work, groups, c, 7), simulate(work, groups, c, 8); a == b {
		t.Errorf("another seed gives the same run: %+v", a)
	}
}
