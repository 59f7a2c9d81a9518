package experiments

import (
	"fmt"
	"slices"
	"testing"

	"github.com/qats-bench/qats/experiments/spec"
)

// parsed returns specs from their texts.
func parsed(t *testing.T, texts ...string) []*spec.Spec {
	t.Helper()
	var specs []*spec.Spec
	for i, text := range texts {
		s, err := spec.Parse(fmt.Sprintf("t%d.yaml", i), []byte(text), Registry())
		if err != nil {
			t.Fatal(err)
		}
		specs = append(specs, s)
	}
	return specs
}

// TestTasksAreAPartition of all settings, for any number of tasks and test sets, each in the order
// of the plan.
func TestTasksAreAPartition(t *testing.T) {
	specs := parsed(t, testSpec, sharedSpec)
	for _, tests := range []int{0, 1, 2, 25} {
		for _, n := range []int{0, 1, 2, 3, 4, 7, 100} {
			tasks := Tasks(specs, tests, n)
			var all []int
			for _, task := range tasks {
				if !slices.IsSorted(task) || n == 0 && len(task) == 0 {
					t.Errorf("%d tests, %d tasks: %v", tests, n, task)
				}
				all = append(all, task...)
			}
			slices.Sort(all)
			if n > 0 && len(tasks) != n || !slices.Equal(all, []int{0, 1, 2, 3, 4, 5, 6, 7}) {
				t.Errorf("%d tests, %d tasks: %v", tests, n, tasks)
			}
		}
	}
}

// TestTasksAreCalibrationSets, with a block of their test sets: those that have one calibration set
// come together up to the number of tests, a setting that two specs have stays in one task, and
// parts are dealt in turn.
func TestTasksAreCalibrationSets(t *testing.T) {
	// Settings 0 to 4 are d/a, d/b, fog 1, fog 3, nowhere; 5 to 7 are d/a, fog 1, fog 3 again.
	specs := parsed(t, testSpec, sharedSpec)
	for _, c := range []struct {
		tests, n int
		want     string
	}{
		{0, 0, "[[0 2 3 5 6 7] [1] [4]]"},
		{3, 0, "[[0 2 3 5 6 7] [1] [4]]"},
		{2, 0, "[[0 2 5 6] [3 7] [1] [4]]"},
		{1, 0, "[[0 5] [2 6] [3 7] [1] [4]]"},
		{0, 2, "[[0 2 3 4 5 6 7] [1]]"},
		{1, 3, "[[0 1 5] [2 4 6] [3 7]]"},
		{0, 4, "[[0 2 3 5 6 7] [1] [4] []]"},
	} {
		if got := fmt.Sprint(Tasks(specs, c.tests, c.n)); got != c.want {
			t.Errorf("%d tests, %d tasks: %s, want %s", c.tests, c.n, got, c.want)
		}
	}
}

// TestTasksOfTheProject: an experiment whose 75 corrupted test sets share a calibration set is
// divided by --tests alone, and draws of rows have calibration sets of their own.
func TestTasksOfTheProject(t *testing.T) {
	shift, err := ReadSpecs([]string{"paper/shift.yaml"})
	if err != nil {
		t.Fatal(err)
	}
	for tests, want := range map[int]int{0: 1, 25: 3, 10: 8, 1: 75} {
		if n := len(Tasks(shift, tests, 0)); n != want {
			t.Errorf("shift.yaml by %d test sets: %d tasks, want %d", tests, n, want)
		}
	}
	draws := parsed(t, "name: t\nmethods: [ts]\nsettings: {dataset: d, backbone: a, splits: 3}\n")
	if n := len(Tasks(draws, 0, 0)); n != 3 {
		t.Errorf("3 draws: %d tasks", n)
	}
}

// TestTaskLooksUpItsOwnCells, and no others.
func TestTaskLooksUpItsOwnCells(t *testing.T) {
	w := newWorld(t)
	p := w.planWith(sharedSpec, PlanOptions{Task: Task{I: 1, N: 3, Tests: 1}})
	for i := range p.Units {
		want := State("")
		if i == 1 {
			want = Miss
		}
		if got := p.Units[i].Cells[1].State; got != want {
			t.Errorf("unit %d: state %q, want %q", i, got, want)
		}
	}
	if n := p.CountSettings(); !slices.Equal(p.Part, []int{1}) || n.Settings != 1 || len(p.Counts()) != 1 {
		t.Errorf("part %v, %+v, %v", p.Part, n, p.Counts())
	}
}

// TestTasksMakeTheFitsOfOneRun, if each has whole calibration sets: none is made twice, although
// each task has a store of its own here.
func TestTasksMakeTheFitsOfOneRun(t *testing.T) {
	w := newWorld(t)
	one, _ := w.run(testSpec, RunOptions{})
	for _, n := range []int{2, 3, 5} {
		fits := 0
		for i := range n {
			apart := newWorld(t)
			apart.data = w.data
			out, err := apart.planWith(testSpec, PlanOptions{Task: Task{I: i, N: n}}).Run(t.Context(), RunOptions{})
			if err != nil {
				t.Fatal(err)
			}
			fits += out.Fitted
		}
		uncal := min(n, 2) - 1 // it reads no array, so each task with cells makes it
		if fits != one.Fitted+uncal {
			t.Errorf("%d tasks make %d fits, one run %d", n, fits, one.Fitted)
		}
	}
}

// TestProgressCountsWhatIsLeft: from the work on the cells that the store lacks down to none, and of a second
// start from what the first has left.
func TestProgressCountsWhatIsLeft(t *testing.T) {
	w := newWorld(t)
	var all []Progress
	run := func() {
		all = nil
		p := w.planWith(testSpec, PlanOptions{Task: Task{I: 0, N: 2}})
		if _, err := p.Run(t.Context(), RunOptions{Progress: func(p Progress) { all = append(all, p) }}); err != nil {
			t.Fatal(err)
		}
	}
	run()
	first, last := all[0], all[len(all)-1]
	const work = 7 * (300 + 2*200) * (5 + rowWork) // of seven methods on a test set of 300 rows and two of 200, of 5 classes
	if first.Left != first.Todo || first.Todo != work || last.Left != 0 || last.New == 0 {
		t.Errorf("from %+v to %+v", first, last)
	}
	for i := 1; i < len(all); i++ {
		if all[i].Left > all[i-1].Left || all[i].New < all[i-1].New {
			t.Errorf("%+v after %+v", all[i], all[i-1])
		}
	}
	run()
	if p := all[0]; p.Todo != 0 || p.New != 0 {
		t.Errorf("a second start: %+v", p)
	}
}
