package submission

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"slices"

	"github.com/qats-bench/qats/data/folder"
	"github.com/qats-bench/qats/experiments"
	"github.com/qats-bench/qats/experiments/spec"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/results"
)

// Processors are the numbers of processors (GOMAXPROCS) of the processes of Repeat: each starts anew, so that the order
// of a map, a thread, an address or the time that a result depends on shows.
var Processors = []int{1, 2, 4, 1, 2}

// Change is a number of the run that is another one in fresh processes.
type Change struct {
	Setting results.Setting
	Metric  string
	Run     float64 // NaN where the run has none
	Fresh   float64 // of the first process that differs; NaN where it has none
	Why     string  // it has none
	Varies  bool    // the fresh processes differ from each other
}

// String names the number, and says what became of it.
func (c Change) String() string {
	at := fmt.Sprintf("%s on %s", c.Metric, c.Setting.Name())
	switch {
	case c.Why != "":
		return fmt.Sprintf("%s: %.9g in the run, and none in a fresh process: %s", at, c.Run, c.Why)
	case c.Varies:
		return fmt.Sprintf("%s: %.9g in the run, %.9g in a fresh process, and others in others", at, c.Run, c.Fresh)
	}
	return fmt.Sprintf("%s: %.9g in the run, and %.9g in each fresh process", at, c.Run, c.Fresh)
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

// Repeat runs a tier in five processes, each with a store of its own below the folder work, on the first rows of each set (0 for
// all), and returns the numbers of the entry that are not those of an earlier run. Each number is named once.
func (p *Prepared) Repeat(ctx context.Context, t *Tier, data []string, first int, work string, earlier []results.Record) ([]Change, error) {
	var records []results.Record
	for _, processors := range Processors {
		of, err := p.fresh(ctx, t, data, first, work, processors)
		if err != nil {
			return nil, err
		}
		records = append(records, of...)
	}
	return p.changes(records, earlier), nil
}

// Alone runs settings of a tier again, each by itself and in the order of the names, and returns the numbers of the entry that
// are not those of an earlier run of the whole tier: they depend on what ran before.
func (p *Prepared) Alone(ctx context.Context, t *Tier, names, data []string, work string, earlier []results.Record) ([]Change, error) {
	var records []results.Record
	for _, name := range names {
		of, err := p.fresh(ctx, t.Only([]string{name}).With(p.Method), data, 0, work, 1)
		if err != nil {
			return nil, err
		}
		records = append(records, of...)
	}
	return p.changes(records, earlier), nil
}

// changes returns the numbers of the entry that are not those of an earlier run, each once.
func (p *Prepared) changes(fresh, earlier []results.Record) (changes []Change) {
	run, found := byPlace(p.Method.Name, earlier), map[place][]results.Record{}
	var order []place
	for _, r := range ofMethod(p.Method.Name, fresh) {
		at := placeOf(r)
		if found[at] == nil {
			order = append(order, at)
		}
		found[at] = append(found[at], r)
	}
	for _, at := range order {
		of := found[at]
		i := slices.IndexFunc(of, func(r results.Record) bool { return !alike(r, run[at]) })
		if i < 0 {
			continue
		}
		c := Change{Setting: at.setting, Metric: at.metric, Run: number(run[at]), Fresh: number(of[i])}
		if of[i].Status != results.OK {
			c.Why = of[i].Note.String()
		}
		c.Varies = slices.ContainsFunc(of, func(r results.Record) bool { return !alike(r, of[0]) })
		changes = append(changes, c)
	}
	return changes
}

// DrawnNames returns n names of settings, drawn by a hash of a key and the name: whoever does not know the key cannot know them.
func DrawnNames(key string, n int, settings []results.SettingInfo) []string {
	names := lists.Values(settings, func(s results.SettingInfo) string { return s.Setting.Name() })
	of := func(name string) [sha256.Size]byte { return sha256.Sum256([]byte(key + "\n" + name)) }
	slices.SortFunc(names, func(a, b string) int { x, y := of(a), of(b); return bytes.Compare(x[:], y[:]) })
	return names[:min(n, len(names))]
}

// alike reports whether two records have the same number, or none.
func alike(a, b results.Record) bool {
	return (a.Status == results.OK) == (b.Status == results.OK) && (a.Status != results.OK || results.Same(a.Value, b.Value))
}

// fresh runs a tier in new processes with an empty store.
func (p *Prepared) fresh(ctx context.Context, t *Tier, data []string, first int, work string, processors int) ([]results.Record, error) {
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
	plan, err := experiments.MakePlan(ctx, []*spec.Spec{t.Spec}, experiments.PlanOptions{Data: data, Store: store, Digests: &folder.Digests{}, First: first, AllowExec: true, Programs: programs})
	if err != nil {
		return nil, err
	}
	out, err := plan.Run(ctx, experiments.RunOptions{Workers: 1})
	if err != nil {
		return nil, err
	}
	return out.Rows.Records, nil
}
