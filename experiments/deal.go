package experiments

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/results"
)

// Deal says which units of a plan each of n shards does. It depends on the plan
// alone, never on the store, so that shards that start at different times agree.
//
// Units that share a fit go to one shard, so that no fit is made twice. If such a
// group has more than 1/n of the estimated work, it is split by test sets, and its
// fits are made once in each part. The groups and parts are dealt longest first,
// each to the shard with the least work so far (Graham's LPT rule).
type Deal struct {
	Units    [][]int   // of each shard, in plan order
	Load     []float64 // estimated work of each shard
	Fits     int       // different fits of the plan
	Repeated int       // how many fits more the shards make together than one run does
}

// Imbalance is the largest load over the mean load; 1 for no work.
func (d *Deal) Imbalance() float64 {
	sum := 0.0
	for _, l := range d.Load {
		sum += l
	}
	if sum == 0 {
		return 1
	}
	return slices.Max(d.Load) * float64(len(d.Load)) / sum
}

// perRow is the work on a row under one method that does not depend on the number
// of classes (sorting, resampling), in classes.
const perRow = 20

// fitPasses is the estimated number of passes of a fit over its calibration set. A
// few methods need hundreds, most need three to twenty.
const fitPasses = 10

// work is the estimated work on n rows of k classes under some methods.
func work(n, k, methods int) float64 { return float64(n) * float64(k+perRow) * float64(methods) }

// portion is what is dealt as a whole: a group of units, or a part of one.
type portion struct {
	units []int
	load  float64
}

// Deal deals the units of the plan to n shards.
func (p *Plan) Deal(ctx context.Context, n int) (*Deal, error) {
	if n < 1 {
		return nil, fmt.Errorf("%d shards: want 1 or more", n)
	}
	load, fitLoad, err := p.loads(ctx)
	if err != nil {
		return nil, err
	}
	var portions []portion
	total := 0.0
	for _, units := range p.groups() {
		g := portion{units: units, load: fitLoad[units[0]]}
		for _, i := range units {
			g.load += load[i]
		}
		total += g.load
		portions = append(portions, g)
	}
	share := total / float64(n)
	var parts []portion
	for _, g := range portions {
		parts = append(parts, g.split(share, load, fitLoad[g.units[0]])...)
	}
	d := &Deal{Units: make([][]int, n), Load: make([]float64, n)}
	deal(parts, d.Load, func(shard int, part portion) { d.Units[shard] = append(d.Units[shard], part.units...) })
	for _, units := range d.Units {
		slices.Sort(units)
	}
	d.Fits, d.Repeated = p.countFits(d.Units)
	return d, nil
}

// deal gives each portion, longest first, to the place with the least load.
func deal(parts []portion, load []float64, give func(place int, part portion)) {
	slices.SortFunc(parts, func(a, b portion) int {
		return cmp.Or(cmp.Compare(b.load, a.load), cmp.Compare(a.units[0], b.units[0]))
	})
	for _, part := range parts {
		least := 0
		for j := range load {
			if load[j] < load[least] {
				least = j
			}
		}
		load[least] += part.load
		give(least, part)
	}
}

// split divides a group with more than share of work by its test sets into as few
// parts as bring it below. Each part makes the fits of the group itself.
func (g portion) split(share float64, load []float64, fits float64) []portion {
	n := len(g.units)
	if g.load <= share || n < 2 {
		return []portion{g}
	}
	count := n
	if share > fits { // else the fits alone are more than a share
		count = min(n, int((g.load-fits)/(share-fits))+1)
	}
	single := make([]portion, n)
	for j, i := range g.units {
		single[j] = portion{[]int{i}, load[i]}
	}
	parts, loads := make([]portion, count), make([]float64, count)
	deal(single, loads, func(place int, one portion) {
		parts[place].units = append(parts[place].units, one.units...)
		parts[place].load += one.load
	})
	parts = slices.DeleteFunc(parts, func(x portion) bool { return len(x.units) == 0 })
	for j := range parts {
		slices.Sort(parts[j].units)
		parts[j].load += fits
	}
	return parts
}

// loads returns the estimated work of each unit without its fits, and that of its
// fits, which its group shares.
func (p *Plan) loads(ctx context.Context) (apply, fits []float64, err error) {
	apply, fits = make([]float64, len(p.Units)), make([]float64, len(p.Units))
	forEach(len(p.Units), runtime.GOMAXPROCS(0), func(i int) {
		u := &p.Units[i]
		if u.source == nil {
			return
		}
		methods := len(u.Cells)
		// A set that cannot be read fails at once, in any shard.
		if n, k, err := data.Shape(ctx, u.test, u.Setting.Test()); err == nil {
			apply[i] = work(n, k, methods)
		}
		if u.source.Has(u.Setting.Cal()) == 0 {
			return
		}
		if n, k, err := data.Shape(ctx, u.source, u.Setting.Cal()); err == nil {
			fits[i] = work(n, k, methods) * fitPasses
		}
	})
	return apply, fits, ctx.Err()
}

// sharedFits returns the keys of the fits of a unit that read a calibration set.
// A method without one, such as uncal, has one fit for all settings, which costs
// nothing.
func (u *Unit) sharedFits() []string {
	var keys []string
	for i := range u.Cells {
		if c := &u.Cells[i]; c.dealt != "" {
			keys = append(keys, c.dealt)
		}
	}
	return keys
}

// groups returns the units that share fits, in the order of their first units.
func (p *Plan) groups() [][]int {
	parent := make([]int, len(p.Units))
	for i := range parent {
		parent[i] = i
	}
	find := func(i int) int {
		for parent[i] != i {
			parent[i] = parent[parent[i]]
			i = parent[i]
		}
		return i
	}
	first := map[string]int{}
	for i := range p.Units {
		for _, key := range p.Units[i].sharedFits() {
			if j, ok := first[key]; ok {
				a, b := find(i), find(j)
				parent[max(a, b)] = min(a, b)
			} else {
				first[key] = i
			}
		}
	}
	var groups [][]int
	at := map[int]int{}
	for i := range p.Units {
		root := find(i)
		g, ok := at[root]
		if !ok {
			g = len(groups)
			at[root] = g
			groups = append(groups, nil)
		}
		groups[g] = append(groups[g], i)
	}
	return groups
}

// countFits returns how many different fits there are, and how many the shards make
// beyond these.
func (p *Plan) countFits(shards [][]int) (different, repeated int) {
	all := map[string]bool{}
	for _, units := range shards {
		here := map[string]bool{}
		for _, i := range units {
			for _, key := range p.Units[i].sharedFits() {
				here[key] = true
			}
		}
		for key := range here {
			if all[key] {
				repeated++
			}
			all[key] = true
		}
	}
	return len(all), repeated
}

// dealtKey is the key of a fit for dealing; empty for one without arrays.
func (c *Cell) dealtKey() string {
	if contract := c.Method.Contract(); contract.Cal == 0 && contract.Target == 0 {
		return ""
	}
	return results.Key(c.fit)
}
