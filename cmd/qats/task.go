package main

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/qats-bench/qats/experiments"
	"github.com/qats-bench/qats/experiments/cluster"
	"github.com/qats-bench/qats/experiments/spec"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/results"
)

// taskFlags say which task of a run is meant.
type taskFlags struct {
	task  string
	first int // index of task 0 in an array; -1 for what its system says
}

// flags declares --task and --first.
func (f *taskFlags) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.task, "task", "", "do only task `I/N`, from 0; auto/N takes I from the batch system")
	cmd.Flags().IntVar(&f.first, "first", -1, "with auto: index `N` of task 0 in the array")
	cmd.Flags().Lookup("first").DefValue = "" // of its system
}

// of returns the task of specs that is meant.
func (f *taskFlags) of(cmd *cobra.Command, specs []*spec.Spec, tests int) (t experiments.Task, err error) {
	if cmd.Flags().Changed("first") && (f.first < 0 || !strings.HasPrefix(f.task, "auto")) {
		return t, usage("--first %d: it is the index of task 0 in an array, 0 or more: give --task auto/N too", f.first)
	}
	t.Tests = tests
	t.I, t.N, err = parseTask(f.task, len(experiments.Tasks(specs, tests, 0)), f.first, os.Getenv)
	return t, err
}

// testsFlag declares --tests.
func testsFlag(cmd *cobra.Command, n *int) {
	cmd.Flags().IntVar(n, "tests", 25, "at most `N` test sets for a task; 0 for all of a calibration set")
}

// indexVariable is a variable of the environment by which a batch system tells a task its number.
type indexVariable struct {
	name  string
	first int    // index of task 0, where the system counts so
	alone string // value outside an array; empty if there is none

	// Variables with the indices of the first and the last task, and the distance of two; empty if there are none.
	from, to, step string
}

// indexVariables are those that --task auto reads, with the document of each maker.
var indexVariables = []indexVariable{
	{name: "SLURM_ARRAY_TASK_ID"},       // man sbatch: what --array says
	{name: "JOB_COMPLETION_INDEX"},      // an indexed job of Kubernetes: from 0
	{name: "AWS_BATCH_JOB_ARRAY_INDEX"}, // "AWS Batch job environment variables": from 0
	{name: "BATCH_TASK_INDEX"},          // Google Cloud Batch, TaskGroup: 0 to BATCH_TASK_COUNT - 1
	{name: "SGE_TASK_ID", alone: "undefined", from: "SGE_TASK_FIRST", to: "SGE_TASK_LAST", step: "SGE_TASK_STEPSIZE"}, // man qsub: what -t says
	{name: "LSB_JOBINDEX", first: 1, alone: "0"}, // LSF, "Passing arguments on the command line": positive integers, 0 outside an array
	{name: "PBS_ARRAY_INDEX"},                    // PBS Professional, man qsub: what -J says
	{name: "PBS_ARRAYID"},                        // TORQUE, "Submitting multiple jobs": what -t says
}

// taskOfEnv returns the number of the task of n that a batch system tells by its variable. first is the index of task 0
// that the user states, or -1. said has the variables that were read, with their values.
func taskOfEnv(n, first int, getenv func(string) string) (i int, said string, err error) {
	set := lists.Where(indexVariables, func(v indexVariable) bool { return getenv(v.name) != "" })
	said = strings.Join(lists.Values(set, func(v indexVariable) string { return v.name + " " + getenv(v.name) }), ", ")
	switch names := lists.Values(indexVariables, func(v indexVariable) string { return v.name }); {
	case len(set) == 0:
		return 0, "", fmt.Errorf("none of %s is set: run it in an array of tasks, or give the number of the task, as in 0/4", strings.Join(names, ", "))
	case len(set) > 1:
		return 0, said, errors.New("two batch systems number this task: give its number, as in 0/4, or unset the variables of one")
	}
	v := set[0]
	if v.alone != "" && getenv(v.name) == v.alone {
		return 0, said, errors.New("this job is no task of an array: submit an array, or give the number of the task, as in 0/4")
	}
	number := func(name string) int {
		if name != v.name {
			said += ", " + name + " " + getenv(name)
		}
		n, bad := strconv.Atoi(getenv(name))
		if bad != nil && err == nil {
			err = fmt.Errorf("%s %q is no integer", name, getenv(name))
		}
		return n
	}
	index, step, tasks := number(v.name), 1, n
	if v.step != "" {
		step = max(0, number(v.step))
	}
	switch {
	case first >= 0:
	case v.from != "":
		first = number(v.from)
		// An array of some tasks alone, such as those to be done again, begins at another task than 0.
		tasks = (number(v.to)-first)/max(1, step) + 1
	default:
		first = v.first
	}
	i = (index - first) / max(1, step)
	switch {
	case err != nil:
	case index < first:
		err = fmt.Errorf("the index is below that of task 0, %d", first)
	case step == 0 || (index-first)%step != 0:
		err = fmt.Errorf("the index is not %d and a multiple of the step", first)
	case tasks != n:
		err = fmt.Errorf("the array has %d tasks, not %d; of a part of an array give the index of task 0 by --first", tasks, n)
	case i >= n:
		err = fmt.Errorf("that is task %d, and tasks are 0 to %d; if task 0 has another index, give it by --first", i, n-1)
	}
	return i, said, err
}

// parseTask reads --task: i/N or auto/N, and i or auto alone for a run with as many tasks as it
// has parts. first is the index of task 0 in an array, or -1 for what its system says.
func parseTask(text string, parts, first int, getenv func(string) string) (i, n int, err error) {
	index, number, given := strings.Cut(text, "/")
	what := "--task " + text
	n = parts
	if given {
		if n, err = strconv.Atoi(number); err != nil || n < 1 || n > cluster.MaxTasks {
			return 0, 0, fmt.Errorf("%s: the number of tasks is 1 to %d, as in 0/4", what, cluster.MaxTasks)
		}
	}
	if index != "auto" {
		if i, err = strconv.Atoi(index); err != nil || i < 0 || i >= n {
			return 0, 0, fmt.Errorf("%s: tasks are counted from 0: want 0 to %d", what, n-1)
		}
		return i, n, nil
	}
	i, said, err := taskOfEnv(n, first, getenv)
	if said != "" {
		what += ", " + said
	}
	if err != nil {
		return 0, 0, fmt.Errorf("%s: %w", what, err)
	}
	return i, n, nil
}

// taskNumber returns the number of tasks of a run: n or, if it is 0, that of its parts.
func taskNumber(specs []*spec.Spec, tests, n int) (int, error) {
	if n == 0 {
		if n = len(experiments.Tasks(specs, tests, 0)); n > cluster.MaxTasks {
			return 0, fmt.Errorf("the specs have %d tasks, more than %d: give --tasks %d, or more --tests", n, cluster.MaxTasks, cluster.MaxTasks)
		}
	}
	if n < 1 || n > cluster.MaxTasks {
		return 0, fmt.Errorf("--tasks %d: want 1 to %d, or 0", n, cluster.MaxTasks)
	}
	return n, nil
}

// runDigest is the digest of specs and flags that all tasks of a run share.
func (p *places) runDigest(specs []*spec.Spec, tests int) string {
	texts := []string{fmt.Sprint(p.quick, p.AllowExec, tests)}
	for _, s := range specs {
		texts = append(texts, s.Name, s.Text)
	}
	return results.Key(strings.Join(texts, "\x00"))
}

// taskCells is what the store has of the cells of a task.
type taskCells struct {
	task, cells           int // without those that are skipped for a reason
	done, failed, missing int
	skipped               int
}

// add adds the cells of another task.
func (c *taskCells) add(o taskCells) {
	c.cells += o.cells
	c.done += o.done
	c.failed += o.failed
	c.missing += o.missing
	c.skipped += o.skipped
}

// countTasks counts the cells of n tasks of a plan of all of them. The store has nothing of a cell
// that failed, but the record of its task.
func (p *places) countTasks(plan *experiments.Plan, specs []*spec.Spec, tests, n int) []taskCells {
	records := cluster.Records(p.storeDir(), p.runDigest(specs, tests), n)
	list := make([]taskCells, n)
	for i, units := range experiments.Tasks(specs, tests, n) {
		c := &list[i]
		c.task = i
		for _, j := range units {
			for _, cell := range plan.Units[j].Cells {
				if cell.State == experiments.Skip {
					c.skipped++
					continue
				}
				switch c.cells++; cell.State {
				case experiments.Hit:
					c.done++
				case experiments.Broken:
					c.failed++
				}
			}
		}
		if records[i].Done {
			c.failed = max(c.failed, min(records[i].Failed, c.cells-c.done))
		}
		c.missing = c.cells - c.done - c.failed
	}
	return list
}

// notIn is the error of an assembly, or of the pack of a task, that lacks cells.
type notIn struct {
	taskCells // of all tasks
	tasks     []string
	here      bool // of a pack
}

func (e *notIn) Error() string {
	if e.here && e.missing == 0 {
		return fmt.Sprintf("no task with these flags has ended in the store, though it has the cells of task %s; run the task first, with the same flags", e.tasks[0])
	}
	if e.here {
		return fmt.Sprintf("%d of %d cells are missing, of task %s; run the task first, with the same flags", e.missing, e.cells, e.tasks[0])
	}
	return fmt.Sprintf("%d of %d cells are missing, of task %s; submit the array again to go on, or run without --assemble to do here what is missing",
		e.missing, e.cells, experiments.Few(e.tasks, 8))
}

// allIn returns an error if cells of n tasks are missing.
func (p *places) allIn(plan *experiments.Plan, specs []*spec.Spec, tests, n int) error {
	out := &notIn{}
	for _, c := range p.countTasks(plan, specs, tests, n) {
		out.add(c)
		if c.missing > 0 {
			out.tasks = append(out.tasks, fmt.Sprintf("%d (%d)", c.task, c.missing))
		}
	}
	if out.missing == 0 {
		return nil
	}
	return out
}
