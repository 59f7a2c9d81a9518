package submission

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"

	"github.com/qats-bench/qats/data/folder"
	"github.com/qats-bench/qats/experiments"
	"github.com/qats-bench/qats/experiments/spec"
	"github.com/qats-bench/qats/results"
)

// Processors are the numbers of processors (GOMAXPROCS) of the processes of Repeat: each starts anew, so that the order
// of a map, a thread, an address or the time that a result depends on shows.
var Processors = []int{1, 2, 4, 1, 2}

// Change is a number that was another one in another process.
type Change struct {
	Setting     results.Setting
	Metric      string
	First, Then float64
	Processors  int // of the other process
}

// String names the number, and says how far it changed.
func (c Change) String() string {
	return fmt.Sprintf("%s on %s: %.9g, and %.9g in another process", c.Metric, c.Setting.Name(), c.First, c.Then)
}

// Small returns the tier with its n smallest settings alone: clean ones, by rows times classes, then by name.
func (t *Tier) Small(n int, settings []results.SettingInfo) *Tier {
	of := slices.DeleteFunc(slices.Clone(settings), func(s results.SettingInfo) bool { return s.Corruption != "" || s.N == 0 })
	slices.SortFunc(of, func(a, b results.SettingInfo) int {
		return cmp.Or(cmp.Compare(a.N*a.K, b.N*b.K), cmp.Compare(a.Setting.Name(), b.Setting.Name()))
	})
	var names []string
	for _, s := range of[:min(n, len(of))] {
		names = append(names, s.Setting.Name())
	}
	return t.Only(names)
}

// Repeat runs a tier in five processes, each with a store of its own below the folder work, and returns the numbers of
// the entry that are not those of an earlier run. Each number is named once.
func (p *Prepared) Repeat(ctx context.Context, t *Tier, data []string, work string, earlier []results.Record) ([]Change, error) {
	type place struct {
		setting results.Setting
		metric  string
	}
	first, changed := map[place]results.Record{}, map[place]bool{}
	for _, r := range earlier {
		if r.Method == p.Method.Name {
			first[place{r.Setting, r.Metric}] = r
		}
	}
	var changes []Change
	for _, processors := range Processors {
		rows, err := p.fresh(ctx, t, data, work, processors)
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			at := place{r.Setting, r.Metric}
			if before := first[at]; r.Method == p.Method.Name && !changed[at] &&
				(before.Status != r.Status || r.Status == results.OK && !results.Same(before.Value, r.Value)) {
				changed[at] = true
				changes = append(changes, Change{r.Setting, r.Metric, number(before), number(r), processors})
			}
		}
	}
	return changes, nil
}

// fresh runs a tier in new processes with an empty store.
func (p *Prepared) fresh(ctx context.Context, t *Tier, data []string, work string, processors int) ([]results.Record, error) {
	dir, err := os.MkdirTemp(work, "repeat-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	store, err := results.Open(dir)
	if err != nil {
		return nil, err
	}
	programs := p.Programs
	programs.Set = append(slices.Clone(programs.Set), fmt.Sprintf("GOMAXPROCS=%d", processors))
	plan, err := experiments.MakePlan(ctx, []*spec.Spec{t.Spec}, experiments.PlanOptions{Data: data, Store: store, Digests: &folder.Digests{}, AllowExec: true, Programs: programs})
	if err != nil {
		return nil, err
	}
	out, err := plan.Run(ctx, experiments.RunOptions{Workers: 1})
	if err != nil {
		return nil, err
	}
	return out.Rows.Records, nil
}
