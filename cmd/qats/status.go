package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/qats-bench/qats/experiments"
	"github.com/qats-bench/qats/internal/atomicfile"
	"github.com/qats-bench/qats/internal/inputfile"
	"github.com/qats-bench/qats/internal/terminal"
	"github.com/qats-bench/qats/results"
)

// lifeFolder is the folder in the store with one file for each shard: its signs of
// life.
const lifeFolder = "shards"

// lifeEvery is the least time between two signs of life.
const lifeEvery = 5 * time.Second

// sign is a sign of life of a shard.
type sign struct {
	Shard  int       `json:"shard"`
	Of     int       `json:"of"`
	Done   int       `json:"done"`
	Failed int       `json:"failed"`
	Total  int       `json:"total"`
	Plan   int       `json:"plan"`  // cells of all shards
	Run    string    `json:"run"`   // digest of the specs and flags, the same for all shards
	State  string    `json:"state"` // running, done, stopped, failed
	Host   string    `json:"host"`
	Job    string    `json:"job,omitempty"` // of Slurm
	PID    int       `json:"pid"`
	Time   time.Time `json:"time"`

	// Kept has the keys of the objects in the store that hold a cell, for each cell that
	// is done and has a value.
	Kept []map[results.Kind]string `json:"kept"`
}

// missing counts the cells of a shard that are not in the store: those that it has not
// done, and those whose objects are gone.
func (s *sign) missing(store *results.Store) (missing, lost int) {
	for _, keys := range s.Kept {
		for kind, key := range keys {
			if !store.Has(kind, key) {
				lost++
				break
			}
		}
	}
	return s.Total - s.Done + lost, lost
}

// life writes the signs of life of a shard. They are for qats status alone: no result
// depends on them, and an error of writing them is none of the run.
type life struct {
	path string
	last sign
}

// newLife returns the signs of a shard of a plan with so many cells. digest is that of the
// run. A run without shards gives none.
func newLife(store string, s experiments.Shard, plan int, digest string) *life {
	if s.N == 0 {
		return &life{}
	}
	host, _ := os.Hostname()
	job := os.Getenv("SLURM_ARRAY_JOB_ID")
	if task := os.Getenv("SLURM_ARRAY_TASK_ID"); job != "" {
		job += "_" + task
	}
	return &life{path: filepath.Join(store, lifeFolder, fmt.Sprintf("%d-of-%d.json", s.I, s.N)),
		last: sign{Shard: s.I, Of: s.N, Plan: plan, Run: digest, Host: host, Job: job, PID: os.Getpid()}}
}

func (l *life) show(p experiments.Progress) {
	l.last.Done, l.last.Failed, l.last.Total = p.Done, p.Failed, p.Total
	l.last.Kept = append(l.last.Kept, p.Kept...)
	if time.Since(l.last.Time) >= lifeEvery {
		l.write("running")
	}
}

// end writes the last sign.
func (l *life) end(err error) {
	switch {
	case err == nil:
		l.write("done")
	case errors.Is(err, context.Canceled):
		l.write("stopped")
	default:
		l.write("failed")
	}
}

func (l *life) write(state string) {
	if l.path == "" {
		return
	}
	l.last.State, l.last.Time = state, time.Now().UTC().Truncate(time.Second)
	b, _ := json.Marshal(l.last)
	if os.MkdirAll(filepath.Dir(l.path), 0o777) == nil {
		atomicfile.WriteBytes(l.path, append(b, '\n'))
	}
}

func statusCommand() *cobra.Command {
	var store string
	cmd := &cobra.Command{
		Use:   "status OUT",
		Short: "Say how far the shards of a run are",
		Long: `status prints a line for each shard of the newest sharded run in OUT: its cells that
are done, failed and missing, and its last sign of life. It looks for the cells that
are done in the store, and counts those that are gone as missing. A shard that was killed
stays "running" with an old sign; one without a line in the store has not started. The
last line sums up what the shards have done, of all cells of the plan. A run without
--shard on the same store does the rest, and gives no sign.`,
		Example: "  qats status results/out",
		Args:    arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := cmp.Or(store, filepath.Join(args[0], "store"))
			signs, err := readSigns(filepath.Join(dir, lifeFolder))
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
	cmd.MarkFlagDirname("store")
	return cmd
}

// readSigns reads the signs of the newest run: those with the count of shards, the cells of
// the plan and the digest of the newest sign.
func readSigns(dir string) ([]sign, error) {
	files, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(files) == 0 {
		return nil, fmt.Errorf("%s: no shard has run here: qats run SPEC --shard i/n does, or qats slurm", filepath.Dir(dir))
	}
	if err != nil {
		return nil, err
	}
	var signs []sign
	newest := sign{}
	for _, f := range files {
		b, err := inputfile.Read(filepath.Join(dir, f.Name()))
		var s sign
		if err != nil || json.Unmarshal(b, &s) != nil || s.Of < 1 || s.Shard < 1 || s.Shard > s.Of {
			continue // an unfinished file
		}
		if s.Time.After(newest.Time) || newest.Of == 0 {
			newest = s
		}
		signs = append(signs, s)
	}
	signs = slices.DeleteFunc(signs, func(s sign) bool { return s.Of != newest.Of || s.Plan != newest.Plan || s.Run != newest.Run })
	slices.SortFunc(signs, func(a, b sign) int { return a.Shard - b.Shard })
	return signs, nil
}

func printSigns(w io.Writer, signs []sign, store *results.Store, now time.Time) error {
	if len(signs) == 0 {
		return errors.New("no shard has written a sign of life yet")
	}
	of, plan := signs[0].Of, signs[0].Plan
	var done, failed int
	for _, s := range signs {
		missing, lost := s.missing(store)
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
		if !slices.ContainsFunc(signs, func(s sign) bool { return s.Shard == i }) {
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
	return err
}
