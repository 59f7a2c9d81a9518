package experiments

import (
	"slices"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/experiments/spec"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/results"
)

// Task is task I of N of a run, counted from 0; see Tasks. The zero Task is the whole run.
type Task struct{ I, N, Tests int }

// All reports whether the task is the whole run.
func (t Task) All() bool { return t.N == 0 }

// Tasks divides the settings of specs among n tasks. A setting stands for its number, counted
// over the specs in order; the numbers of a task rise. A part is a calibration set with at most
// so many of its test sets, all of them if tests is 0. There are as many tasks as parts if n is
// 0. Otherwise task i has the parts i, i + n, i + 2n, and so on, and tasks beyond the last part
// have none.
//
// The division depends on the specs alone, neither on arrays nor on the store. Tasks that start
// at different times, on different machines, agree on it.
func Tasks(specs []*spec.Spec, tests, n int) [][]int {
	var settings []*spec.Setting
	for _, s := range specs {
		for i := range s.Settings {
			settings = append(settings, &s.Settings[i])
		}
	}
	numbers := make([]int, len(settings))
	for i := range numbers {
		numbers[i] = i
	}
	type rows struct { // that methods are fitted on
		cal  data.Ref
		draw int
	}
	var parts [][]int
	cals, of := lists.Group(numbers, func(i int) rows { return rows{settings[i].Cal(), settings[i].Variant.Split} })
	for _, cal := range cals {
		// Specs that have the same setting share its cells.
		type set struct {
			test    data.Ref
			variant results.Variant
		}
		sets, same := lists.Group(of[cal], func(i int) set { return set{settings[i].Test(), settings[i].Variant} })
		size := tests
		if size < 1 {
			size = len(sets)
		}
		for block := range slices.Chunk(sets, size) {
			var part []int
			for _, set := range block {
				part = append(part, same[set]...)
			}
			slices.Sort(part)
			parts = append(parts, part)
		}
	}
	if n < 1 {
		return parts
	}
	tasks := make([][]int, n)
	for i, part := range parts {
		tasks[i%n] = append(tasks[i%n], part...)
	}
	for _, task := range tasks {
		slices.Sort(task)
	}
	return tasks
}
