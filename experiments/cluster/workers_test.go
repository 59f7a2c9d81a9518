package cluster

import (
	"testing"
	"testing/fstest"
)

// TestWorkersFollowTheQuota: the default of --workers is what Slurm gives to the
// task, else the least quota of the control groups of the process, rounded up, and
// never more than the processors.
func TestWorkersFollowTheQuota(t *testing.T) {
	const own = "proc/self/cgroup"
	for name, c := range map[string]struct {
		files map[string]string
		slurm string
		want  int // of 8 processors
	}{
		"no control groups":     {nil, "", 8},
		"no limit":              {map[string]string{own: "0::/\n", "sys/fs/cgroup/cpu.max": "max 100000\n"}, "", 8},
		"container":             {map[string]string{own: "0::/\n", "sys/fs/cgroup/cpu.max": "300000 100000\n"}, "", 3},
		"one processor":         {map[string]string{own: "0::/\n", "sys/fs/cgroup/cpu.max": "100000 100000\n"}, "", 1},
		"half a processor":      {map[string]string{own: "0::/\n", "sys/fs/cgroup/cpu.max": "50000 100000\n"}, "", 1},
		"rounded up":            {map[string]string{own: "0::/\n", "sys/fs/cgroup/cpu.max": "210000 100000\n"}, "", 3},
		"more than there are":   {map[string]string{own: "0::/\n", "sys/fs/cgroup/cpu.max": "6400000 100000\n"}, "", 8},
		"a group above":         {map[string]string{own: "0::/a/b\n", "sys/fs/cgroup/a/b/cpu.max": "max 100000\n", "sys/fs/cgroup/a/cpu.max": "400000 100000\n"}, "", 4},
		"the least of all":      {map[string]string{own: "0::/a/b\n", "sys/fs/cgroup/a/b/cpu.max": "200000 100000\n", "sys/fs/cgroup/a/cpu.max": "400000 100000\n"}, "", 2},
		"another group":         {map[string]string{own: "0::/a\n", "sys/fs/cgroup/b/cpu.max": "200000 100000\n"}, "", 8},
		"version 1":             {map[string]string{own: "4:cpu,cpuacct:/d/1\n", "sys/fs/cgroup/cpu,cpuacct/d/1/cpu.cfs_quota_us": "500000\n", "sys/fs/cgroup/cpu,cpuacct/d/1/cpu.cfs_period_us": "100000\n"}, "", 5},
		"version 1, container":  {map[string]string{own: "4:cpu,cpuacct:/d/1\n", "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us": "100000\n", "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us": "50000\n"}, "", 2},
		"version 1, no limit":   {map[string]string{own: "4:cpu:/\n", "sys/fs/cgroup/cpu/cpu.cfs_quota_us": "-1\n", "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000\n"}, "", 8},
		"version 1, cpuset":     {map[string]string{own: "7:cpuset:/\n", "sys/fs/cgroup/cpuset/cpu.cfs_quota_us": "100000\n", "sys/fs/cgroup/cpuset/cpu.cfs_period_us": "100000\n"}, "", 8},
		"files of another form": {map[string]string{own: "0::/\nnonsense\n", "sys/fs/cgroup/cpu.max": "many 0\n"}, "", 8},
		"Slurm":                 {map[string]string{own: "0::/\n", "sys/fs/cgroup/cpu.max": "300000 100000\n"}, "6", 6},
		"Slurm gives more":      {nil, "12", 12},
		"Slurm says nothing":    {map[string]string{own: "0::/\n", "sys/fs/cgroup/cpu.max": "300000 100000\n"}, "0", 3},
		"Slurm says many":       {nil, "many", 8},
		"Slurm says -1":         {nil, "-1", 8},
	} {
		root := fstest.MapFS{}
		for file, text := range c.files {
			root[file] = &fstest.MapFile{Data: []byte(text)}
		}
		getenv := func(name string) string {
			if name == "SLURM_CPUS_PER_TASK" {
				return c.slurm
			}
			return ""
		}
		if got := Workers(getenv, root, 8); got != c.want {
			t.Errorf("%s: %d workers, want %d", name, got, c.want)
		}
	}
}
