package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/qats-bench/qats/experiments/cluster"
	"github.com/qats-bench/qats/internal/english"
	"github.com/qats-bench/qats/internal/terminal"
	"github.com/qats-bench/qats/results"
)

func statusCommand() *cobra.Command {
	var store, only string
	cmd := &cobra.Command{
		Use:   "status OUT",
		Short: "Say how far the shards of a run are",
		Long: `status prints a line for each shard of the newest sharded run in OUT: its cells that
are done, failed and missing, and its last sign of life. It looks for the cells that
are done in the store, and counts those that are gone as missing. A shard that was killed
stays "running" with an old sign; one without a line in the store has not started. The
last line sums up what the shards have done, of all cells of the plan, and another one how
many hours are left, at the speed that they have had so far. A run without
--shard on the same store does the rest, and gives no sign.

With --shard it prints what one shard has stored since it was started last, and ends with
status 1 if that is nothing: then another start with the same time limit is of no use.`,
		Example: "  qats cluster status results/out",
		Args:    arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := cmp.Or(store, filepath.Join(args[0], "store"))
			if only != "" {
				return printGain(cmd.OutOrStdout(), dir, only)
			}
			signs, err := cluster.ReadSigns(dir)
			if err != nil {
				return err
			}
			objects, err := results.OpenToRead(dir)
			if err != nil {
				return err
			}
			return printSigns(cmd.OutOrStdout(), signs, objects, time.Now())
		},
	}
	cmd.Flags().StringVar(&store, "store", "", "folder of the store (default OUT/store)")
	cmd.Flags().StringVar(&only, "shard", "", "only part i of n, as in 1/4 or auto: what it has stored since its last start")
	cmd.MarkFlagDirname("store")
	return cmd
}

// printGain prints what a shard has stored since it was started last. Nothing is an error.
func printGain(w io.Writer, store, text string) error {
	shard, err := parseShard(text, os.Getenv)
	if err != nil {
		return err
	}
	signs, err := cluster.ReadSigns(store)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(signs, func(s cluster.Sign) bool { return s.Shard == shard.I && s.Of == shard.N })
	if at < 0 {
		return fmt.Errorf("shard %d of %d has given no sign of life", shard.I, shard.N)
	}
	s := signs[at]
	terminal.Fprintf(w, "shard %d of %d: %s; %d of %d cells done, %s stored since the last start\n", s.Shard, s.Of, s.State, s.Done, s.Total, english.Count(s.New, "object"))
	if s.New == 0 {
		return errFailed
	}
	return nil
}

func printSigns(w io.Writer, signs []cluster.Sign, store *results.Store, now time.Time) error {
	if len(signs) == 0 {
		return errors.New("no shard has written a sign of life yet")
	}
	of, plan := signs[0].Of, signs[0].Plan
	var done, failed int
	for _, s := range signs {
		missing, lost := s.Missing(store)
		done, failed = done+s.Total-missing, failed+s.Failed
		where, gone, state := s.Host, "", s.State
		if s.Job != "" {
			where += ", job " + s.Job
		}
		if lost > 0 {
			gone = fmt.Sprintf(" (%d no longer in the store)", lost)
			if state == "done" {
				state = "incomplete"
			}
		}
		terminal.Fprintf(w, "shard %d of %d: %s; %d cells done, %d of them failed, %d missing%s; last sign of life %s ago (%s)\n",
			s.Shard, of, state, s.Total-missing, s.Failed, missing, gone, now.Sub(s.Time).Round(time.Second), where)
	}
	var absent []string
	for i := 1; i <= of; i++ {
		if !slices.ContainsFunc(signs, func(s cluster.Sign) bool { return s.Shard == i }) {
			absent = append(absent, strconv.Itoa(i))
		}
	}
	if len(absent) > 0 {
		list := absent
		if len(list) > 20 {
			list = append(slices.Clone(list[:20]), "...")
		}
		fmt.Fprintf(w, "not started: %d of %d (%s)\n", len(absent), of, strings.Join(list, ", "))
	}
	_, err := fmt.Fprintf(w, "together: %d of %d cells done, %d failed\n", done, plan, failed)
	if together, longest := cluster.Left(signs); done < plan && together > 0 {
		_, err = fmt.Fprintf(w, "left: about %.2g hours of all shards together, %.2g of the longest (estimated)\n", together.Hours(), longest.Hours())
	}
	return err
}
