package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/qats-bench/qats/experiments"
	"github.com/qats-bench/qats/experiments/cluster"
	"github.com/qats-bench/qats/experiments/spec"
	"github.com/qats-bench/qats/results"
)

// maxTasks is the largest number of tasks of a run.
const maxTasks = 10_000

// testsFlag declares --tests.
func testsFlag(cmd *cobra.Command, n *int) {
	cmd.Flags().IntVar(n, "tests", 25, "at most `N` test sets for a task; 0 for all of a calibration set")
}

// taskVariables are the variables of the environment that hold the number of a task, from 0: in a
// Slurm array, and in an indexed Kubernetes job.
var taskVariables = []string{"SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX"}

// parseTask reads --task: i/N or auto/N, and i or auto alone for a run with as many tasks as it
// has parts.
func parseTask(text string, parts int, getenv func(string) string) (i, n int, err error) {
	index, number, given := strings.Cut(text, "/")
	what := "--task " + text
	if index == "auto" {
		index = ""
		for _, name := range taskVariables {
			if index == "" && getenv(name) != "" {
				index = getenv(name)
				what += ", " + name + " " + index
			}
		}
		if index == "" {
			return 0, 0, fmt.Errorf("%s: neither %s is set: run it in a Slurm array or an indexed Kubernetes job, or give the number of the task, as in 0/4", what, strings.Join(taskVariables, " nor "))
		}
	}
	n = parts
	if given {
		if n, err = strconv.Atoi(number); err != nil || n < 1 || n > maxTasks {
			return 0, 0, fmt.Errorf("%s: the number of tasks is 1 to %d, as in 0/4", what, maxTasks)
		}
	}
	if i, err = strconv.Atoi(index); err != nil || i < 0 || i >= n {
		return 0, 0, fmt.Errorf("%s: tasks are counted from 0: want 0 to %d", what, n-1)
	}
	return i, n, nil
}

// taskNumber returns the number of tasks of a run: n or, if it is 0, that of its parts.
func taskNumber(specs []*spec.Spec, tests, n int) (int, error) {
	if n == 0 {
		if n = len(experiments.Tasks(specs, tests, 0)); n > maxTasks {
			return 0, fmt.Errorf("the specs have %d tasks, more than %d: give --tasks %d, or more --tests", n, maxTasks, maxTasks)
		}
	}
	if n < 1 || n > maxTasks {
		return 0, fmt.Errorf("--tasks %d: want 1 to %d, or 0", n, maxTasks)
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

// notIn is the error of an assembly that lacks cells.
type notIn struct {
	taskCells // of all tasks
	tasks     []string
}

func (e *notIn) Error() string {
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
