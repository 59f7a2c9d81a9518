package experiments

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"runtime"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/experiments/engine"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/internal/pool"
)

// Deal says which units of a plan each of n shards does. It depends on the plan
// alone, never on the store, so that shards that start at different times agree.
//
// Units with the same calibration rows can share fits and go to one shard, so that no fit
// is made twice. If such a group has more than 1/n of the estimated work, it is split by
// test sets, and its shared fits are made once in each part. The groups and parts are dealt
// longest first, each to the shard with the least work so far (Graham's LPT rule). Units
// without a shared fit, such as those of uncal alone, are grouped by the same rule; a group
// of them is split at no cost.
type Deal struct {
	Units    [][]int   // of each shard, in plan order
	Load     []float64 // estimated CPU time of each shard, in nanoseconds
	Fits     int       // different fits of the plan
	Repeated int       // how many more fits the shards make together than one run does
}

// Imbalance is the largest load over the mean load; 1 for no work.
func (d *Deal) Imbalance() float64 {
	sum := floats.Sum(d.Load)
	if sum == 0 {
		return 1
	}
	return slices.Max(d.Load) * float64(len(d.Load)) / sum
}

// Estimated CPU times in nanoseconds, from a profile of experiments/companion.yaml
// on one core. A deal depends on their ratios only. Most of the time of a setting
// without expensive methods is that of its paired intervals.
const (
	cellTime    = 1.5e6 // of a cell, for files of the store and of arrays
	rowTime     = 1000  // of a test row of a cell: applied and scored
	classTime   = 10    // of each class of such a row
	pairTime    = 4e6   // of the pairing of a cell with the baseline
	pairRowTime = 2500  // of a test row of a pairing
	passTime    = 0.8   // of a class of a row in one pass of a fit
	passClasses = 20    // of a row in a pass: what does not depend on its classes, counted in classes
)

// Work is the estimated CPU time of a setting, in nanoseconds.
type Work struct {
	Own  float64            // of all but the fits
	Fits map[string]float64 // by key; settings share fits with equal keys
}

// CellTime returns the estimated CPU time of a cell without its fit, in nanoseconds: applied to
// so many test rows and classes, scored and, if it is paired, compared with the baseline.
func CellTime(rows, classes int, paired bool) float64 {
	t := cellTime + float64(rows)*(rowTime+classTime*float64(classes))
	if paired {
		t += pairTime + pairRowTime*float64(rows)
	}
	return t
}

// works has the work of each unit of a plan.
type works []Work

// fits returns the different fits of some units.
func (e works) fits(units []int) map[string]float64 {
	all := map[string]float64{}
	for _, i := range units {
		maps.Copy(all, e[i].Fits)
	}
	return all
}

// of returns the time that some units take together. Each fit is made once.
func (e works) of(units []int) float64 {
	sum := 0.0
	for _, i := range units {
		sum += e[i].Own
	}
	fits := e.fits(units)
	for _, key := range slices.Sorted(maps.Keys(fits)) { // the same sum in every shard
		sum += fits[key]
	}
	return sum
}

// portion is a group of units, or a part of one, that goes to one shard.
type portion struct {
	units []int
	load  float64
}

// Deal deals the units of the plan to n shards.
func (p *Plan) Deal(ctx context.Context, n int) (*Deal, error) {
	if n < 1 {
		return nil, fmt.Errorf("%d shards: want 1 or more", n)
	}
	work, err := p.work(ctx)
	if err != nil {
		return nil, err
	}
	return DealWork(work, p.groups(), n), nil
}

// DealWork deals settings with this work to n shards. groups has the numbers of those with the
// same calibration rows.
func DealWork(work []Work, groupsOf [][]int, n int) *Deal {
	est := works(work)
	var groups []portion
	total := 0.0
	for _, units := range groupsOf {
		g := portion{units, est.of(units)}
		total += g.load
		groups = append(groups, g)
	}
	var parts []portion
	for _, g := range groups {
		parts = append(parts, g.split(total/float64(n), est)...)
	}
	slices.SortFunc(parts, func(a, b portion) int {
		return cmp.Or(cmp.Compare(b.load, a.load), cmp.Compare(a.units[0], b.units[0]))
	})
	d := &Deal{Units: make([][]int, n), Load: make([]float64, n)}
	for _, part := range parts {
		least := slices.Index(d.Load, slices.Min(d.Load))
		d.Load[least] += part.load
		d.Units[least] = append(d.Units[least], part.units...)
	}
	var all []int
	for _, units := range groupsOf {
		all = append(all, units...)
	}
	d.Fits = len(est.fits(all))
	d.Repeated = -d.Fits
	for i, units := range d.Units {
		slices.Sort(units)
		d.Load[i] = est.of(units)
		d.Repeated += len(est.fits(units))
	}
	return d
}

// split divides a group with more than share of work by its test sets. It counts the same
// time for each test set, and makes as few parts as are then below share. Each part makes
// the fits that its units share. If these alone are more than a share, no part can be below
// it; the group then gets as many parts as it has shares, since with more of them every shard
// would make the fits of several groups.
func (g portion) split(share float64, est works) []portion {
	n := len(g.units)
	if g.load <= share || n < 2 {
		return []portion{g}
	}
	separate := 0.0 // if each unit made its own fits
	for _, i := range g.units {
		separate += est.of([]int{i})
	}
	count := int(g.load / share)
	shared := (separate - g.load) / float64(n-1) // of the fits that all units share
	if share > shared {
		count = int((g.load-shared)/(share-shared)) + 1
	}
	count = min(n, count)
	parts := make([]portion, count)
	for j, i := range g.units {
		parts[j%count].units = append(parts[j%count].units, i)
	}
	for j := range parts {
		parts[j].load = est.of(parts[j].units)
	}
	return parts
}

// work returns the work of each unit, done or not. It depends on the plan and on the shapes
// of the arrays.
func (p *Plan) work(ctx context.Context) (works, error) {
	return p.workOf(ctx, func(c *Cell) (cell, fit bool) { return c.runs, c.runs && c.dealt != "" })
}

// workOf returns the work of the units. of says whether that of a cell and that of its fit
// belong to it.
func (p *Plan) workOf(ctx context.Context, of func(*Cell) (cell, fit bool)) (works, error) {
	est := make(works, len(p.Units))
	err := pool.Each(ctx, len(p.Units), runtime.GOMAXPROCS(0), func(_, i int) error {
		// A source that panics has no work known; the cells that read it say why.
		if err := engine.Guard(func() error { est[i] = p.Units[i].work(ctx, of); return nil }); err != nil {
			est[i] = Work{Fits: map[string]float64{}}
		}
		return nil
	})
	return est, err
}

// work returns the work of the unit.
func (u *Unit) work(ctx context.Context, of func(*Cell) (cell, fit bool)) Work {
	e := Work{Fits: map[string]float64{}}
	if u.source == nil {
		return e
	}
	// A set that cannot be read fails at once, in any shard.
	n, k, err := u.test.Shape(ctx, u.Setting.Test())
	if err != nil {
		return e
	}
	base := u.baseline()
	paired := base >= 0 && u.Cells[base].runs
	rows, classes := n, k
	if u.source.Has(u.Setting.Cal()) != 0 {
		if nCal, kCal, err := u.source.Shape(ctx, u.Setting.Cal()); err == nil {
			rows, classes = nCal, kCal
		}
	}
	for i := range u.Cells {
		c := &u.Cells[i]
		cell, fit := of(c)
		if cell {
			e.Own += CellTime(n, k, paired && i != base)
		}
		if fit {
			e.Fits[c.dealt] = fitTime(c.Method.Entry, rows, classes)
		}
	}
	return e
}

// groups returns the units with the same calibration rows, in the order of their first
// units.
func (p *Plan) groups() [][]int {
	type rows struct {
		cal  data.Ref
		draw int
	}
	keys, units := lists.Group(p.all(), func(i int) rows {
		s := p.Units[i].Setting
		return rows{s.Cal(), s.Variant.Split}
	})
	return lists.Values(keys, func(key rows) []int { return units[key] })
}
