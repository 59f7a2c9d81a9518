package experiments

import (
	"context"
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	"gonum.org/v1/gonum/floats"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/all"
	"github.com/qats-bench/qats/data"
)

// Needs is what the shards of a plan are estimated to need for what the store does not have.
type Needs struct {
	Work    time.Duration // CPU time of all shards
	Longest time.Duration // time of the shard that takes longest, on the processors of a task
	Memory  int64         // for arrays, in bytes: with so much no setting waits for another or is divided
}

// Needs estimates the time and the memory of n shards on so many processors each. The times are
// those of the machine of the constants; times Pace they are those of this one. A shard takes at
// most its work divided by the processors and then its longest setting alone (Graham's bound of a
// list schedule). Memory is that of the settings that are largest, one for each processor.
// Virtual networks count as small.
func (p *Plan) Needs(ctx context.Context, n, processors int) (Needs, error) {
	d, err := p.Deal(ctx, n)
	if err != nil {
		return Needs{}, err
	}
	work, err := p.todo(ctx)
	if err != nil {
		return Needs{}, err
	}
	var needs Needs
	for _, units := range d.Units {
		load, longest := work.of(units), 0.0
		var sizes []int64
		for _, i := range units {
			longest = max(longest, work.of([]int{i}))
			sizes = append(sizes, p.Units[i].size(ctx, p.options.Memory))
		}
		if processors == 1 {
			longest = 0
		}
		needs.Work += time.Duration(load)
		needs.Longest = max(needs.Longest, time.Duration(load/float64(processors)+longest))
		slices.Sort(sizes)
		sum := int64(0)
		for _, size := range sizes[max(0, len(sizes)-processors):] {
			sum += size
		}
		needs.Memory = max(needs.Memory, sum)
	}
	return needs, nil
}

// size returns the memory in which all scores of the unit stay until they are paired, or the
// least in which it can be done if that is more than the limit.
func (u *Unit) size(ctx context.Context, limit int64) int64 {
	var missing []int
	work, pairs := 0, 0
	for i := range u.Cells {
		c := &u.Cells[i]
		if c.State == Miss || c.State == Score {
			work++
			if c.State == Miss {
				missing = append(missing, i)
			}
			if c.pair != "" && !c.paired {
				pairs++
			}
		}
	}
	if work == 0 || u.Provenance.Origin == data.Simulated {
		return 0
	}
	m := u.memory(ctx, missing, limit)
	least, _ := m.least(pairs > 0)
	return max(least, min(m.whole(1+work+pairs, pairs), limit))
}

// todo returns the work of each unit that the store does not have.
func (p *Plan) todo(ctx context.Context) (works, error) {
	return p.workOf(ctx, func(c *Cell) (cell, fit bool) {
		return c.State == Miss || c.State == Score, c.State == Miss && c.dealt != "" && !c.fitted
	})
}

// ahead is the estimated work of a shard.
type ahead struct {
	works
	fits                   map[string]float64 // of the shard
	made                   map[string]bool    // fits
	todo, left, load, plan time.Duration      // load and plan are those of a shard
}

// ahead returns the work that is ahead of a shard, or of a whole run.
func (p *Plan) ahead(ctx context.Context, s Shard) (ahead, error) {
	work, err := p.todo(ctx)
	switch {
	case err != nil && s.N == 0: // of ctx: the run says how far it came
		work = make(works, len(p.Units))
	case err != nil:
		return ahead{}, err
	}
	a := ahead{works: work, made: map[string]bool{}}
	units := p.all()
	if s.N != 0 {
		d, err := p.Deal(ctx, s.N)
		if err != nil {
			return ahead{}, err
		}
		units, a.load, a.plan = d.Units[s.I-1], time.Duration(d.Load[s.I-1]), time.Duration(floats.Sum(d.Load))
	}
	a.fits, a.todo = work.fits(units), time.Duration(work.of(units))
	a.left = a.todo
	return a, nil
}

// fitted takes a fit away from what is left.
func (a *ahead) fitted(key string) {
	if took, ok := a.fits[key]; ok && !a.made[key] {
		a.made[key] = true
		a.left = max(0, a.left-time.Duration(took))
	}
}

// finish takes the work of a unit away from what is left.
func (a *ahead) finish(unit int) {
	w := a.works[unit]
	took := w.Own
	for _, key := range slices.Sorted(maps.Keys(w.Fits)) {
		if !a.made[key] {
			a.made[key] = true
			took += w.Fits[key]
		}
	}
	a.left = max(0, a.left-time.Duration(took))
}

// Pace measures how much longer a pass over calibration rows takes on this machine than on that
// of the constants: the least of several fits of ts to 2,000 drawn rows of 100 classes, by their
// passes. It takes some 0.1 s.
func Pace(ctx context.Context) (float64, error) {
	const rows, classes = 2000, 100
	set := &data.Set{Logits: data.Matrix{Rows: rows, Cols: classes, Data: make([]float32, rows*classes)}, Labels: make([]int32, rows)}
	rng := rand.New(rand.NewPCG(1, 0x70616365)) // a stream of random numbers for this function
	for i := range set.Logits.Data {
		set.Logits.Data[i] = float32(3 * rng.NormFloat64())
	}
	for i := range set.Labels {
		set.Labels[i] = int32(rng.IntN(classes))
	}
	ts, _ := all.Lookup("ts")
	pace := 0.0
	for range 7 {
		start := time.Now()
		fitted, err := ts.Method.Fit(ctx, calib.Input{Cal: set, Shared: &calib.Shared{}})
		if err != nil {
			return 0, err
		}
		took := float64(time.Since(start)) / (passTime * rows * (classes + passClasses) * float64(max(1, fitted.Report.Passes)))
		if pace == 0 || took < pace {
			pace = took
		}
	}
	return pace, nil
}
