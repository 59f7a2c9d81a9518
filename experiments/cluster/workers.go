package cluster

import (
	"io/fs"
	"math"
	"path"
	"strconv"
	"strings"
)

// Workers is the number of processors that a batch system gives to the task, or
// else the number that Go uses and that the control groups of this process allow. root
// is the root of the file system.
func Workers(getenv func(string) string, root fs.FS, processors int) int {
	if n, err := strconv.Atoi(getenv("SLURM_CPUS_PER_TASK")); err == nil && n > 0 {
		return n
	}
	if n := quota(root); n > 0 {
		return min(n, processors)
	}
	return processors
}

// quota returns the number of processors that the control group of this process may
// use, rounded up; 0 for no limit. The limit of each group above it counts too. root
// is the root of the file system. Groups of both versions are read where Linux
// usually mounts them, below /sys/fs/cgroup.
//
// GOMAXPROCS cannot replace it: for GOMAXPROCS the Go runtime reads the files of the own
// group alone, but systemd and Slurm limit the groups above. The runtime also takes at least
// 2, and the environment variable GOMAXPROCS replaces its number.
func quota(root fs.FS) int {
	fields := func(file ...string) []string {
		text, _ := fs.ReadFile(root, path.Join(file...))
		return strings.Fields(string(text))
	}
	text, _ := fs.ReadFile(root, "proc/self/cgroup")
	least := math.Inf(1)
	for line := range strings.Lines(string(text)) {
		// hierarchy:controllers:path, as 0::/user.slice or 4:cpu,cpuacct:/docker/1f
		of := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(of) < 3 {
			continue
		}
		version2, mount := of[0] == "0", of[1]
		if !version2 && !strings.Contains(","+mount+",", ",cpu,") {
			continue
		}
		for group := path.Clean("/" + of[2]); ; group = path.Dir(group) {
			dir := path.Join("sys/fs/cgroup", mount, group)
			limit := fields(dir, "cpu.max") // as "150000 100000" or "max 100000"
			if !version2 {                  // two files; a quota of -1 is not a limit
				limit = append(fields(dir, "cpu.cfs_quota_us"), fields(dir, "cpu.cfs_period_us")...)
			}
			if n := ratio(limit); n > 0 {
				least = min(least, n)
			}
			if group == "/" {
				break
			}
		}
	}
	if math.IsInf(least, 1) {
		return 0
	}
	return int(math.Ceil(least))
}

// ratio returns the quota over the period of a limit, or 0 if there is none.
func ratio(limit []string) float64 {
	if len(limit) != 2 {
		return 0
	}
	q, err1 := strconv.Atoi(limit[0])
	p, err2 := strconv.Atoi(limit[1])
	if err1 != nil || err2 != nil || q <= 0 || p <= 0 {
		return 0
	}
	return float64(q) / float64(p)
}
