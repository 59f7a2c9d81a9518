package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/qats-bench/qats/experiments"
)

// slurm is the environment of a task of a Slurm array.
func slurm(id, first, last, step, count int) map[string]string {
	return map[string]string{
		"SLURM_ARRAY_TASK_ID": fmt.Sprint(id), "SLURM_ARRAY_TASK_MIN": fmt.Sprint(first), "SLURM_ARRAY_TASK_MAX": fmt.Sprint(last),
		"SLURM_ARRAY_TASK_STEP": fmt.Sprint(step), "SLURM_ARRAY_TASK_COUNT": fmt.Sprint(count),
	}
}

// TestAutoShard: every array and job gives each of its tasks another shard, or an
// error that says what to do.
func TestAutoShard(t *testing.T) {
	for _, c := range []struct {
		env  map[string]string
		want experiments.Shard
		err  string
	}{
		{slurm(1, 1, 4, 1, 4), experiments.Shard{I: 1, N: 4}, ""},
		{slurm(0, 0, 15, 1, 16), experiments.Shard{I: 1, N: 16}, ""},
		{slurm(15, 0, 15, 1, 16), experiments.Shard{I: 16, N: 16}, ""},
		{slurm(7, 3, 11, 4, 3), experiments.Shard{I: 2, N: 3}, ""},
		{slurm(11, 3, 12, 4, 3), experiments.Shard{I: 3, N: 3}, ""}, // 3-12:4
		{slurm(9, 1, 12, 1, 6), experiments.Shard{}, "submit it as --array=1-6"},
		{slurm(5, 3, 11, 4, 3), experiments.Shard{}, "not in a plain range"},
		{slurm(2, 1, 20_000, 1, 20_000), experiments.Shard{}, "at most 10000"},
		{map[string]string{"SLURM_ARRAY_TASK_ID": "1"}, experiments.Shard{}, "SLURM_ARRAY_TASK_MIN is not set"},
		{map[string]string{"SLURM_ARRAY_TASK_ID": "x", "SLURM_ARRAY_TASK_MIN": "1"}, experiments.Shard{}, `SLURM_ARRAY_TASK_ID is "x"`},
		{map[string]string{"JOB_COMPLETION_INDEX": "0", "JOB_COMPLETIONS": "4"}, experiments.Shard{I: 1, N: 4}, ""},
		{map[string]string{"JOB_COMPLETION_INDEX": "3", "JOB_COMPLETIONS": "4"}, experiments.Shard{I: 4, N: 4}, ""},
		{map[string]string{"JOB_COMPLETION_INDEX": "4", "JOB_COMPLETIONS": "4"}, experiments.Shard{}, "index 4 of 4"},
		{map[string]string{"JOB_COMPLETION_INDEX": "0"}, experiments.Shard{}, "JOB_COMPLETIONS is not set"},
		{nil, experiments.Shard{}, "neither SLURM_ARRAY_TASK_ID nor JOB_COMPLETION_INDEX is set"},
	} {
		got, err := parseShard("auto", func(name string) string { return c.env[name] })
		if got != c.want || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%v: %v, %v; want %v, %s", c.env, got, err, c.want, c.err)
		}
	}
}
