package main

import (
	"io/fs"
	"math"
	"path"
	"strconv"
	"strings"
)

// quota returns the number of processors that the control group of this process may
// use, rounded up; 0 for no limit. The limit of each group above it counts too. root
// is the root of the file system. Groups of both versions are read where Linux
// usually mounts them, below /sys/fs/cgroup.
//
// GOMAXPROCS cannot replace it: for GOMAXPROCS the Go runtime reads the files of the own
// group alone, but systemd and Slurm limit the groups above. The runtime also takes at least
// 2, and the environment variable GOMAXPROCS replaces its number.
func quota(root fs.FS) int {
	text, _ := fs.ReadFile(root, "proc/self/cgroup")
	least := math.Inf(1)
	for line := range strings.Lines(string(text)) {
		// hierarchy:controllers:path, as 0::/user.slice or 4:cpu,cpuacct:/docker/1f
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(fields) < 3 {
			continue
		}
		mount, limit := "", limitV2
		if fields[0] != "0" {
			if mount, limit = fields[1], limitV1; !strings.Contains(","+mount+",", ",cpu,") {
				continue
			}
		}
		for group := path.Clean("/" + fields[2]); ; group = path.Dir(group) {
			dir := path.Join("sys/fs/cgroup", mount, group)
			if n := limit(func(name string) []string {
				b, _ := fs.ReadFile(root, path.Join(dir, name))
				return strings.Fields(string(b))
			}); n > 0 {
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

// limitV2 reads cpu.max, as "150000 100000" or "max 100000". It returns 0 for no limit.
func limitV2(read func(name string) []string) float64 {
	if f := read("cpu.max"); len(f) == 2 {
		return ratio(f[0], f[1])
	}
	return 0
}

// limitV1 reads the two files of version 1. A quota of -1 is no limit.
func limitV1(read func(name string) []string) float64 {
	if q, p := read("cpu.cfs_quota_us"), read("cpu.cfs_period_us"); len(q) == 1 && len(p) == 1 {
		return ratio(q[0], p[0])
	}
	return 0
}

// ratio returns quota over period, or 0 if one of them is not a positive number.
func ratio(quota, period string) float64 {
	q, err1 := strconv.Atoi(quota)
	p, err2 := strconv.Atoi(period)
	if err1 != nil || err2 != nil || q <= 0 || p <= 0 {
		return 0
	}
	return float64(q) / float64(p)
}
