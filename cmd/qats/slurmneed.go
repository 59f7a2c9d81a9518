package main

import (
	"fmt"
	"math"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"github.com/qats-bench/qats/experiments"
	"github.com/qats-bench/qats/internal/english"
)

// What a task gets beyond the estimate.
const (
	timeFactor = 3               // estimates of methods are wrong by a factor of a few
	timeStart  = 5 * time.Minute // to start, and to be told of the limit a minute early
	leastArray = 256 << 20       // bytes for arrays
	beside     = 192 << 20       // bytes of the program beside arrays and plan
)

// need is what the tasks of a run get, and what it is estimated from.
type need struct {
	of      experiments.Needs
	pace    float64
	shards  int
	cpus    int
	minutes int   // of a task
	memory  int64 // of a task for arrays, in bytes
	task    int64 // of a task, in bytes
}

// arrays is the value of --max-memory.
func (n need) arrays() string { return fmt.Sprintf("%dMiB", n.memory>>20) }

// String is the estimate in lines.
func (n need) String() string {
	hours := func(d time.Duration) float64 { return n.pace * d.Hours() }
	return fmt.Sprintf("estimated work: %.2g processor hours on this machine, where a pass takes %.2g times as long as planned with\n"+
		"longest of %d tasks: %.2g hours on %s; each gets %d minutes, which is that %d times and %.0f minutes\n"+
		"memory: %s for arrays, %d MiB for a task\n",
		hours(n.of.Work), n.pace, n.shards, hours(n.of.Longest), english.Count(n.cpus, "processor"), n.minutes, timeFactor, timeStart.Minutes(), n.arrays(), n.task>>20)
}

// estimateNeed estimates what the tasks need.
func (f *slurmFlags) estimateNeed(cmd *cobra.Command, plan *experiments.Plan) error {
	of, err := plan.Needs(cmd.Context(), f.shards, f.cpus)
	if err != nil {
		return err
	}
	pace, err := experiments.Pace(cmd.Context())
	if err != nil {
		return err
	}
	var held runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&held)
	given := int64(0)
	if cmd.Flags().Changed("max-memory") {
		given = f.at.memory.bytes
	}
	f.need = needOf(of, pace, f.shards, f.cpus, given, int64(held.HeapAlloc))
	return nil
}

// needOf returns what tasks get that need so much, on a machine with this pace. given is the
// memory for arrays that the user has given, 0 for none, and held that of the plan: a task has
// one too, and the collector lets it grow to twice that.
func needOf(of experiments.Needs, pace float64, shards, cpus int, given, held int64) need {
	n := need{of: of, pace: pace, shards: shards, cpus: cpus, memory: given}
	n.minutes = int(math.Ceil((timeFactor*pace*of.Longest.Minutes() + timeStart.Minutes())))
	if given == 0 {
		n.memory = max(leastArray, upTo(of.Memory, 64<<20))
	}
	n.task = upTo(n.memory+2*held+beside, 64<<20)
	return n
}

// upTo rounds bytes up to a multiple of a step.
func upTo(bytes, step int64) int64 { return (bytes + step - 1) / step * step }
