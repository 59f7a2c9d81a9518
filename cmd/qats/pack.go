package main

import (
	"cmp"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/qats-bench/qats/experiments"
	"github.com/qats-bench/qats/experiments/cluster"
	"github.com/qats-bench/qats/internal/english"
	"github.com/qats-bench/qats/internal/terminal"
	"github.com/qats-bench/qats/results"
)

// packName is the name of the pack of a task.
func packName(i, n any) string { return fmt.Sprintf("task-%v-of-%v.pack", i, n) }

func packCommand() *cobra.Command {
	var at places
	var task taskFlags
	var file string
	cmd := &cobra.Command{
		Use:               "pack SPEC... --task I/N",
		Short:             "Write what a task has stored as one file",
		Long:              "pack writes what a task has stored as one file. Give it the flags of the task.",
		Example:           examples("cluster pack experiments/companion.yaml --task 0/8"),
		Args:              specArgs,
		ValidArgsFunction: completeSpecs,
		RunE: func(cmd *cobra.Command, files []string) error {
			specs, err := experiments.ReadSpecs(files)
			if err != nil {
				return err
			}
			if task.task == "" {
				return usage("%s", "cluster pack needs --task, as in --task 0/8")
			}
			if err := checkOutput(file); err != nil {
				return err
			}
			if at.Task, err = task.of(cmd, specs, at.Task.Tests); err != nil {
				return err
			}
			plan, err := at.plan(cmd, specs)
			if err != nil {
				return err
			}
			t := at.Task
			count := at.countTasks(plan, specs, t.Tests, t.N)[t.I]
			record := cluster.Records(at.storeDir(), at.runDigest(specs, t.Tests), t.N)[t.I]
			if count.missing > 0 || !record.Done { // its record says with which flags it has ended, and which cells failed
				return &notIn{taskCells: count, tasks: []string{fmt.Sprintf("%d of %d", t.I, t.N)}, here: true}
			}
			file = cmp.Or(file, packName(t.I, t.N))
			stdout, err := binaryOutput(cmd, file)
			if err != nil {
				return err
			}
			objects := 0
			err = save(file, stdout, func(w io.Writer) error {
				objects = 0
				pack, err := record.NewPack(w)
				if err != nil {
					return err
				}
				err = plan.Pack(func(kind results.Kind, text string, body []byte) error {
					objects++
					return pack.Add(kind, text, body)
				})
				if err != nil {
					return err
				}
				return pack.Close()
			})
			if err != nil || file == stdoutName {
				return err
			}
			_, err = terminal.Fprintf(unlessQuiet(cmd), "%s: %s of task %d of %d\n", file, english.Count(objects, "object"), t.I, t.N)
			return err
		},
	}
	at.sourceFlags(cmd)
	at.quickFlag(cmd)
	task.flags(cmd)
	testsFlag(cmd, &at.Task.Tests)
	cmd.Flags().StringVarP(&file, "output", "o", "", "`FILE` (default task-I-of-N.pack)")
	ofTasks(cmd)
	return cmd
}

func mergeCommand() *cobra.Command {
	var at places
	cmd := &cobra.Command{
		Use:   "merge PACK... --out DIR",
		Short: "Put the packs of all tasks into a store",
		Long: `merge puts packs into the store of OUT, from which run --assemble N makes the CSV files. It merges
nothing if a pack is damaged, two do not agree, or a task is missing, and says which.`,
		Example: examples("cluster merge task-*-of-8.pack --out results/out/companion"),
		Args:    argumentsOr(1, 1<<20, "cluster merge needs the packs of tasks, as in: cluster merge task-*-of-8.pack --out DIR"),
		RunE: func(cmd *cobra.Command, files []string) error {
			dir := at.storeDir()
			if err := cmp.Or(writable("--out", at.out), writable("--store", dir)); err != nil {
				return err
			}
			store, err := results.Open(dir)
			if err != nil {
				return err
			}
			m, err := cluster.Merge(store, files)
			if err != nil {
				return err
			}
			_, err = terminal.Fprintf(unlessQuiet(cmd), "%s: %s from %s, %d there before\n", dir, english.Count(m.New, "object"), english.Count(m.Tasks, "task"), m.Known)
			return err
		},
	}
	at.outFlags(cmd)
	ofTasks(cmd)
	return cmd
}
