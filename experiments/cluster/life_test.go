package cluster

import (
	"testing"

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
