// Command simulation prints the tables of docs/cluster.md about a run past one cluster: a
// simulation by discrete events of 10,000 settings under 57 methods on 1,000 nodes that fail.
// The division of the work and the costs are those of the program (experiments.DealWork,
// experiments.FitTime, experiments.CellTime); the rates of stores and failures are assumptions.
// The same seed gives the same tables.
//
//	go run ./docs/simulation
package main

import (
	"fmt"
	"io"
	"math"
	"os"
	"strings"
)

func main() { write(os.Stdout) }

const day = 24 * 3600.

// write prints the tables in Markdown.
func write(w io.Writer) {
	work, groups := plan(2000)
	few, fewGroups := plan(400)
	first := simulate(work, groups, cluster{1000, 1000, 0, folders, false}, 1)
	fmt.Fprintf(w, "%s settings with %s rows and %s classes, %d methods: %s cells. With 2,000 networks of 5 test sets each\n"+
		"they take %s node hours, and the store then has %.2f million objects, %.2f TB, of which the facts of rows\ntake %.2f TB.\n\n",
		thousands(settings), thousands(rows), thousands(classes), methods, thousands(settings*methods), thousands(int(first.work)),
		float64(first.objects)/1e6, first.bytes/1e12, float64(settings*methods)*factsBytes/1e12)

	fmt.Fprint(w, "| networks | tasks on 1,000 nodes | a node fails every | store | hours | repeated fits | lost by failures | waiting for the store | store at work |\n|--:|--:|--|--|--:|--:|--:|--:|--:|\n")
	for _, c := range []struct {
		few bool
		cluster
	}{
		{false, cluster{1000, 1000, 0, folders, false}},
		{false, cluster{1000, 1000, 30 * day, folders, false}},
		{false, cluster{1000, 1000, day, folders, false}},
		{false, cluster{1000, 2000, day, folders, false}},
		{false, cluster{1000, 1000, day, objects, false}},
		{false, cluster{1000, 1000, 0, folders, true}},
		{true, cluster{1000, 1000, 0, folders, false}},
		{true, cluster{1000, 400, 0, folders, false}},
	} {
		work, groups := work, groups
		if c.few {
			work, groups = few, fewGroups
		}
		r := simulate(work, groups, c.cluster, 1)
		name := c.store.name
		if c.whole {
			name += ", each task looks up the whole plan"
		}
		fmt.Fprintf(w, "| %s | %s | %s | %s | %.1f | %.0f %% | %.1f %% (%s failures) | %.1f %% | %.1f %% |\n", thousands(len(groups)), thousands(c.shards), every(c.mtbf), name,
			r.hours, 100*r.repeated/r.work, 100*r.lost/r.work, thousands(r.failures), 100*r.waited/r.work, 100*r.busy)
	}

	fmt.Fprint(w, "\nThe same run where every fit and every cell takes a thousandth of the time, as that of cheap methods on\nsmall sets, without failures, on more and more nodes:\n\n"+
		"| nodes | without a limit of the store: minutes | folder of files | at work | object storage | at work |\n|--:|--:|--:|--:|--:|--:|\n")
	cheap := scaled(work, groups, 0.001)
	none := store{"none", math.Inf(1), 0, 1}
	for _, n := range []int{10, 30, 100, 300, 1000, 2000} {
		minutes := func(s store) (float64, float64) {
			r := simulate(cheap, groups, cluster{n, n, 0, s, false}, 1)
			return 60 * r.hours, 100 * r.busy
		}
		ideal, _ := minutes(none)
		a, aBusy := minutes(folders)
		b, bBusy := minutes(objects)
		fmt.Fprintf(w, "| %s | %.1f | %.1f | %.0f %% | %.1f | %.0f %% |\n", thousands(n), ideal, a, aBusy, b, bBusy)
	}
}

// every prints a mean time between failures.
func every(seconds float64) string {
	switch {
	case seconds == 0:
		return "never"
	case seconds == day:
		return "day"
	}
	return fmt.Sprintf("%.0f days", seconds/day)
}

// thousands prints a number with commas.
func thousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return strings.TrimSpace(s)
}
