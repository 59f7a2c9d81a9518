package experiments

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/results"
)

// What a row takes in one pass of a fit, on one core of the machine of a profile of
// experiments/companion.yaml.
const (
	passTime    = 0.8 // of a class, in nanoseconds
	passClasses = 20  // what does not depend on the classes, counted in classes
)

// FitTime returns the estimated CPU time of a fit with the default options on so many rows
// and classes. It is rough: data and processors change it by a factor of a few.
func FitTime(e calib.Entry, rows, classes int) time.Duration {
	return time.Duration(passTime * float64(rows) * float64(classes+passClasses) * e.Passes(classes))
}

// SlowFit is the CPU time of the fits of a method from which commands say beforehand that they
// will be slow.
const SlowFit = 20 * time.Second

// SlowMethod is a method whose fits are estimated to take long.
type SlowMethod struct {
	Name string // in the specs
	Fits int    // that the store does not have
	CPU  time.Duration
}

// Slow returns the methods whose fits together are estimated to take at least so much CPU
// time, the slowest first. Fits that the store has are not counted, nor are fits of programs,
// whose time is not known.
func (p *Plan) Slow(ctx context.Context, least time.Duration) ([]SlowMethod, error) {
	type fit struct{ method, text string }
	seen := map[fit]bool{}
	var list []SlowMethod
	for i := range p.Units {
		u := &p.Units[i]
		for j := range u.Cells {
			c := &u.Cells[j]
			contract := c.Method.Contract()
			if c.State != Miss || contract.Cal == 0 && contract.Target == 0 || c.external != nil || seen[fit{c.Method.Name, c.fit}] || p.options.has(results.Fit, c.fit) {
				continue
			}
			seen[fit{c.Method.Name, c.fit}] = true
			rows, classes, err := u.source.Shape(ctx, u.Setting.Cal())
			if err != nil {
				if ctx.Err() != nil {
					return nil, ctx.Err()
				}
				continue // the cell will say it
			}
			at := slices.IndexFunc(list, func(m SlowMethod) bool { return m.Name == c.Method.Name })
			if at < 0 {
				at, list = len(list), append(list, SlowMethod{Name: c.Method.Name})
			}
			list[at].Fits++
			list[at].CPU += FitTime(c.Method.Entry, rows, classes)
		}
	}
	list = slices.DeleteFunc(list, func(m SlowMethod) bool { return m.CPU < least })
	slices.SortStableFunc(list, func(a, b SlowMethod) int { return cmp.Compare(b.CPU, a.CPU) })
	return list, nil
}
