package experiments

import (
	"testing"
	"time"
)

// TestNeedsFollowTheWork: what the store has needs neither time nor memory; the longest of
// several shards takes less than one shard, and on two processors less than on one but no less
// than half.
func TestNeedsFollowTheWork(t *testing.T) {
	w := newWorld(t)
	const text = `name: t
methods: [uncal, ts, sms, dirichlet]
metrics: [ece]
settings:
  - {dataset: d, backbone: a}
  - {dataset: d-c, backbone: a, corruption: fog, severity: [1, 3], calibrate_on: d}
`
	needs := func(n, processors int) Needs {
		t.Helper()
		got, err := w.plan(text, false).Needs(t.Context(), n, processors)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	one, two, many := needs(1, 1), needs(1, 2), needs(3, 1)
	if one.Longest != one.Work || one.Work == 0 || one.Memory == 0 {
		t.Errorf("one shard on one processor: %+v", one)
	}
	if two.Work != one.Work || two.Longest < one.Longest/2 || two.Longest >= one.Longest+one.Longest/2 || two.Memory <= one.Memory {
		t.Errorf("on two processors: %+v, on one %+v", two, one)
	}
	if many.Work < one.Work || many.Longest >= one.Longest {
		t.Errorf("three shards: %+v, one %+v", many, one)
	}
	w.run(text, RunOptions{})
	if done := needs(1, 1); done != (Needs{}) {
		t.Errorf("after the run: %+v", done)
	}
}

// TestProgressCountsWhatIsLeft: from all of the work of a shard down to nothing, and of a second
// start from what the first has left.
func TestProgressCountsWhatIsLeft(t *testing.T) {
	w := newWorld(t)
	var all []Progress
	follow := RunOptions{Shard: Shard{1, 2}, Workers: 1, Progress: func(p Progress) { all = append(all, p) }}
	w.run(testSpec, follow)
	first, last := all[0], all[len(all)-1]
	if first.Left != first.Todo || first.Todo == 0 || last.Left > time.Microsecond || first.Load < first.Todo || first.Plan <= first.Load {
		t.Errorf("from %+v to %+v", first, last)
	}
	for i := 1; i < len(all); i++ {
		if all[i].Left > all[i-1].Left || all[i].New < all[i-1].New {
			t.Errorf("%+v after %+v", all[i], all[i-1])
		}
	}
	if last.New == 0 {
		t.Error("nothing was stored")
	}
	all = nil
	w.run(testSpec, follow)
	if p := all[0]; p.Todo != 0 || p.New != 0 || p.Load != first.Load {
		t.Errorf("a second start: %+v", p)
	}
}

// TestPaceIsThatOfThisMachine: a number of the right size, since no test measures time.
func TestPaceIsThatOfThisMachine(t *testing.T) {
	pace, err := Pace(t.Context())
	if err != nil || pace < 0.01 || pace > 1000 {
		t.Errorf("%v, %v", pace, err)
	}
}
