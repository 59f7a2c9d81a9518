package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/qats-bench/qats/experiments"
	"github.com/qats-bench/qats/internal/english"
	"github.com/qats-bench/qats/internal/lists"
)

func statusCommand() *cobra.Command {
	var at places
	var tests, number int
	cmd := &cobra.Command{
		Use:   "status SPEC... --out DIR",
		Short: "Say how many cells of a run are done, failed and missing",
		Long: `status counts the cells of a run that are done, failed and missing, of the whole run and of each
task that is not done, and names the tasks with missing cells as sbatch takes them. Give it the
flags of the run.`,
		Example: examples("cluster status experiments/companion.yaml --out results/out/companion"),
		Args:    specArgs, ValidArgsFunction: completeSpecs,
		RunE: func(cmd *cobra.Command, files []string) error {
			specs, err := experiments.ReadSpecs(files)
			if err != nil {
				return err
			}
			if number, err = taskNumber(specs, tests, number); err != nil {
				return err
			}
			at.Look = true
			plan, err := at.plan(cmd, specs)
			if err != nil {
				return err
			}
			return printCounts(cmd.OutOrStdout(), at.countTasks(plan, specs, tests, number), verbose(cmd))
		},
	}
	at.sourceFlags(cmd)
	at.quickFlag(cmd)
	testsFlag(cmd, &tests)
	tasksFlag(cmd, &number)
	ofTasks(cmd)
	return cmd
}

// tasksFlag declares --tasks.
func tasksFlag(cmd *cobra.Command, n *int) {
	cmd.Flags().IntVar(n, "tasks", 0, "number `N` of tasks; 0 for one of each calibration set and --tests of its test sets")
}

// shownTasks is how many tasks are shown of those that are not done.
const shownTasks = 10

// printCounts prints the cells of the tasks that are not done, or of all, and of the run.
func printCounts(w io.Writer, tasks []taskCells, all bool) error {
	var sum taskCells
	for _, c := range tasks {
		sum.add(c)
	}
	shown := tasks
	if !all {
		shown = lists.Where(tasks, func(c taskCells) bool { return c.done < c.cells })
	}
	more := 0
	if n := len(shown); !all && n > shownTasks {
		shown, more = shown[:shownTasks], n-shownTasks
	}
	for _, c := range shown {
		fmt.Fprintf(w, "task %d of %d: %d cells done, %d failed, %d missing\n", c.task, len(tasks), c.done, c.failed, c.missing)
	}
	if more > 0 {
		fmt.Fprintf(w, "%s more not done; --verbose shows all\n", english.Count(more, "task"))
	}
	if sum.missing > 0 {
		fmt.Fprintf(w, "missing: --array=%s\n", ranges(tasks))
	}
	skipped := ""
	if sum.skipped > 0 {
		skipped = fmt.Sprintf(", %d skipped", sum.skipped)
	}
	_, err := fmt.Fprintf(w, "%d of %d cells done%s, %d failed, %d missing\n", sum.done, sum.cells, skipped, sum.failed, sum.missing)
	return err
}

// ranges returns the tasks with missing cells as sbatch takes them, such as 1,3-5.
func ranges(tasks []taskCells) string {
	var list []string
	for i := 0; i < len(tasks); i++ {
		first := i
		for i < len(tasks) && tasks[i].missing > 0 {
			i++
		}
		switch {
		case i == first+1:
			list = append(list, strconv.Itoa(first))
		case i > first:
			list = append(list, fmt.Sprintf("%d-%d", first, i-1))
		}
	}
	return strings.Join(list, ",")
}
