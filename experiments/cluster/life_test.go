package cluster

import (
	"testing"
	"time"

	"github.com/qats-bench/qats/experiments"
)

// TestSignsAreOfOneRun: shards of another run on the same store are not counted, also if it
// has as many shards and cells.
func TestSignsAreOfOneRun(t *testing.T) {
	store := t.TempDir()
	for i, run := range []string{"first", "first", "second"} {
		l := NewLife(store, experiments.Shard{I: 1 + i%2, N: 2}, 4, run)
		l.Show(experiments.Progress{Done: 2, Total: 2})
		l.End(nil)
		l.last.Time = l.last.Time.AddDate(0, 0, i)
		l.write("done")
	}
	signs, err := ReadSigns(store)
	if err != nil {
		t.Fatal(err)
	}
	if len(signs) != 1 || signs[0].Shard != 1 || signs[0].Run != "second" {
		t.Errorf("%+v", signs)
	}
}

// TestLeft: what is left of the shards that are not done, at the speed that each has had, and
// the rest of the plan for those without a sign.
func TestLeft(t *testing.T) {
	store := t.TempDir()
	for i := 1; i <= 3; i++ {
		l := NewLife(store, experiments.Shard{I: i, N: 5}, 10, "run")
		l.start = l.start.Add(-time.Duration(10*i) * time.Second) // 10, 20 and 30 seconds for an estimated 5
		p := experiments.Progress{Todo: 20 * time.Second, Left: 15 * time.Second, Load: 40 * time.Second, Plan: 180 * time.Second}
		if i == 3 {
			p.Left = 0
		}
		l.Show(p)
		if i == 3 {
			l.End(nil)
		}
	}
	signs, err := ReadSigns(store)
	if err != nil {
		t.Fatal(err)
	}
	// 30 and 60 seconds are left of two shards, and 60 of the plan for two more.
	if together, longest := Left(signs); together.Round(time.Second) != 150*time.Second || longest.Round(time.Second) != 60*time.Second {
		t.Errorf("%v together, %v the longest", together, longest)
	}
	if together, longest := Left(nil); together != 0 || longest != 0 {
		t.Errorf("of no signs: %v, %v", together, longest)
	}
}
