package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/qats-bench/qats/experiments"
)

// maxShards bounds --shards and n in --shard i/n.
const maxShards = 10_000

// parseShard reads i/n with 1 <= i <= n, or auto: the place of this process in the
// array of a batch system, by its environment.
func parseShard(s string, getenv func(string) string) (experiments.Shard, error) {
	switch s {
	case "":
		return experiments.Shard{}, nil
	case "auto":
		return autoShard(getenv)
	}
	a, b, _ := strings.Cut(s, "/")
	i, err1 := strconv.Atoi(a)
	n, err2 := strconv.Atoi(b)
	if err1 != nil || err2 != nil || i < 1 || i > n {
		return experiments.Shard{}, fmt.Errorf("--shard %s: write i/n with 1 <= i <= n, as in 1/4, or auto", s)
	}
	if n > maxShards {
		return experiments.Shard{}, fmt.Errorf("--shard %s: at most %d shards", s, maxShards)
	}
	return experiments.Shard{I: i, N: n}, nil
}

// autoShard returns the shard that a Slurm array or an indexed Kubernetes job gives
// to this process.
func autoShard(getenv func(string) string) (experiments.Shard, error) {
	switch {
	case getenv("SLURM_ARRAY_TASK_ID") != "":
		return slurmShard(getenv)
	case getenv("JOB_COMPLETION_INDEX") != "":
		return jobShard(getenv)
	}
	return experiments.Shard{}, fmt.Errorf("--shard auto: neither SLURM_ARRAY_TASK_ID nor JOB_COMPLETION_INDEX is set: " +
		"run it in a Slurm array or an indexed Kubernetes job, or write i/n, as in 1/4")
}

// environment reads environment variables, which must be whole numbers.
func environment(getenv func(string) string, names ...string) ([]int, error) {
	list := make([]int, len(names))
	for i, name := range names {
		text := getenv(name)
		n, err := strconv.Atoi(text)
		switch {
		case text == "":
			return nil, fmt.Errorf("--shard auto: %s is not set", name)
		case err != nil || n < 0:
			return nil, fmt.Errorf("--shard auto: %s is %q; want a number", name, text)
		}
		list[i] = n
	}
	return list, nil
}

// slurmShard reads the place in a Slurm array, which may start anywhere and have a
// step. A list with gaps, as in --array=1,5,9-12, gives a task no place in it.
func slurmShard(getenv func(string) string) (experiments.Shard, error) {
	names := []string{"SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_MAX", "SLURM_ARRAY_TASK_COUNT"}
	if getenv("SLURM_ARRAY_TASK_STEP") != "" {
		names = append(names, "SLURM_ARRAY_TASK_STEP")
	}
	v, err := environment(getenv, names...)
	if err != nil {
		return experiments.Shard{}, err
	}
	v = append(v, 1) // the step where none is set
	id, first, last, count, step := v[0], v[1], v[2], v[3], v[4]
	if step < 1 || id < first || id > last || (id-first)%step != 0 || (last-first)/step+1 != count {
		return experiments.Shard{}, fmt.Errorf("--shard auto: task %d of an array of %d tasks from %d to %d by %d is not in a plain range: submit it as --array=1-%d",
			id, count, first, last, step, max(count, 1))
	}
	return checkedShard((id-first)/step, count)
}

// jobShard reads the place in an indexed Kubernetes job. Kubernetes does not tell
// the count, so the manifest puts it into JOB_COMPLETIONS.
func jobShard(getenv func(string) string) (experiments.Shard, error) {
	v, err := environment(getenv, "JOB_COMPLETION_INDEX", "JOB_COMPLETIONS")
	if err != nil {
		return experiments.Shard{}, err
	}
	return checkedShard(v[0], v[1])
}

// checkedShard returns shard index, counted from 0, of n.
func checkedShard(index, n int) (experiments.Shard, error) {
	if n < 1 || n > maxShards || index >= n {
		return experiments.Shard{}, fmt.Errorf("--shard auto: index %d of %d, counted from 0: want an index below the count, which is at most %d", index, n, maxShards)
	}
	return experiments.Shard{I: index + 1, N: n}, nil
}
