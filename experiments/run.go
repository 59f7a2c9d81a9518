package experiments

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/qats-bench/qats/results"
	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"
)

// DefaultMemory bounds the arrays in memory at one time, in bytes.
const DefaultMemory = 4 << 30

// RunOptions says how a plan is carried out. The bytes that come out do not
// depend on it.
type RunOptions struct {
	Workers int   // units at a time; 1 if less
	Memory  int64 // bytes of arrays at one time; DefaultMemory if 0. A unit that needs more runs alone, and a calibration set that is more is read anew in every pass by the fits that can
	Shard   Shard
	Fresh   bool // compute everything anew, as the plan was made

	// Progress, if not nil, is called after each unit, one call at a time.
	Progress func(Progress)
}

// Shard is part I of N of a plan, 1-based; the zero Shard is the whole.
type Shard struct{ I, N int }

// has reports whether unit i belongs to the shard.
func (s Shard) has(i int) bool { return s.N == 0 || i%s.N == s.I-1 }

// Progress says how far a run is.
type Progress struct {
	Done, Total int    // cells
	Setting     string // that was finished last
}

// Outcome is what a run came to.
type Outcome struct {
	Rows    Rows // of the whole plan; empty for a shard
	Fitted  int  // fits made, not found
	Scored  int  // cells scored, not found
	Cells   int
	Skipped int
	Failed  int

	Failures []string // one line each, in plan order
}

// Run does what the plan misses and assembles the results of all its cells
// from the store. A failing cell does not stop the others: it is a row with
// its error. A cancelled context stops the run between two blocks of rows;
// what is done stays in the store. With a shard only that part is done and
// nothing is assembled.
func (p *Plan) Run(ctx context.Context, o RunOptions) (*Outcome, error) {
	if o.Memory <= 0 {
		o.Memory = DefaultMemory
	}
	r := &run{plan: p, options: o, memory: semaphore.NewWeighted(o.Memory), fits: map[string]*fitting{}}
	r.idle.New = func() any { return &unitMemory{} }
	for i := range p.Units {
		p.verify(&p.Units[i])
		r.expect(i, &p.Units[i])
	}
	r.report(nil)
	outcomes := make([][]outcome, len(p.Units))
	errs := make([]error, len(p.Units))
	var g errgroup.Group
	g.SetLimit(max(1, o.Workers))
	for i := range p.Units {
		if !o.Shard.has(i) {
			continue
		}
		g.Go(func() error {
			if outcomes[i], errs[i] = r.unit(ctx, &p.Units[i]); errs[i] == nil {
				r.report(&p.Units[i])
			}
			return nil
		})
	}
	g.Wait() // errors are in their slots, in plan order
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("interrupted: %d of %d cells are done and kept: %w", r.done, r.total, err)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	out := &Outcome{Fitted: r.fitted, Scored: r.scored}
	for i := range p.Units {
		if o.Shard.has(i) {
			out.count(&p.Units[i], outcomes[i])
		}
	}
	if o.Shard.N != 0 {
		return out, nil
	}
	var err error
	out.Rows, err = p.rows(outcomes)
	return out, err
}

func (o *Outcome) count(u *Unit, cells []outcome) {
	o.Cells += len(cells)
	for i, c := range cells {
		switch c.status {
		case results.Skip:
			o.Skipped++
		case results.Fail:
			o.Failed++
			o.Failures = append(o.Failures, fmt.Sprintf("%s %s: %s", u.Setting, u.Cells[i].Method.Name, c.note))
		}
	}
}

// run is the state that the workers of one run share.
type run struct {
	plan    *Plan
	options RunOptions
	memory  *semaphore.Weighted
	idle    sync.Pool // of *unitMemory

	mu                          sync.Mutex
	fits                        map[string]*fitting // by key, while some unit still needs it
	done, total, fitted, scored int
}

// outcome is what became of one cell.
type outcome struct {
	status results.Status
	note   string
}

// expect counts the cells of a unit and those of its fits that others share.
func (r *run) expect(i int, u *Unit) {
	if !r.options.Shard.has(i) {
		return
	}
	r.total += len(u.Cells)
	for j := range u.Cells {
		if c := &u.Cells[j]; c.State == Miss {
			key := results.Key(c.fit)
			if r.fits[key] == nil {
				r.fits[key] = &fitting{}
			}
			r.fits[key].users++
		}
	}
}

// report counts a finished unit and tells the observer.
func (r *run) report(u *Unit) {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := Progress{Total: r.total}
	if u != nil {
		r.done += len(u.Cells)
		p.Setting = u.Setting.String()
	}
	p.Done = r.done
	if r.options.Progress != nil {
		r.options.Progress(p)
	}
}

// unit brings all cells of one setting into the store. The error is one of the
// store itself (a full disk, say), which no row can carry.
func (r *run) unit(ctx context.Context, u *Unit) ([]outcome, error) {
	outcomes := make([]outcome, len(u.Cells))
	work := &unitWork{run: r, unit: u, outcomes: outcomes}
	defer work.release()
	if !r.options.Fresh {
		r.catchUp(u)
	}
	todo := false
	for i := range u.Cells {
		switch c := &u.Cells[i]; c.State {
		case Skip:
			outcomes[i] = outcome{results.Skip, c.Why}
		case Broken:
			outcomes[i] = outcome{results.Fail, c.Why}
		case Miss, Score:
			todo = true
		}
	}
	if !slices.ContainsFunc(outcomes, func(o outcome) bool { return o.status == "" }) {
		return outcomes, nil
	}
	var err error // of the store; what guard returns is a panic outside of any one method
	if work.inputs, err = r.inputsOf(ctx, u); err != nil {
		return nil, fmt.Errorf("%s: %w", u.Setting, err)
	}
	if !todo {
		return outcomes, nil
	}
	if panicked := guard(u.Setting.String(), func() error { err = work.do(ctx); return nil }); panicked != nil {
		err = work.failAll(ctx, work.live(Miss, Score), panicked)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", u.Setting, err)
	}
	return outcomes, nil
}

// catchUp looks missing cells up again: a setting that two specs have may have
// been done for the other one since the plan.
func (r *run) catchUp(u *Unit) {
	for i := range u.Cells {
		c := &u.Cells[i]
		if c.State != Miss || c.damaged {
			continue
		}
		p := r.plan
		c.scored = p.intact(results.Scores, c.scores)
		c.paired = c.pair == "" || p.intact(results.Pairs, c.pair)
		switch {
		case c.scored && c.paired:
			c.State = Hit
		case p.intact(results.SampleScores, c.facts) && p.intact(results.Fit, c.fit):
			c.State = Score
		default:
			continue
		}
		r.leave(results.Key(c.fit))
	}
}

// leave counts a cell that asks for a fit no more; after the last one the fit
// is forgotten, for it is in the store.
func (r *run) leave(key string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if f := r.fits[key]; f != nil {
		if f.users--; f.users == 0 {
			delete(r.fits, key)
		}
	}
}

// reserve takes memory from the budget; a unit that needs more than there is
// takes all of it and so runs alone.
func (r *run) reserve(ctx context.Context, bytes int64) (release func(), err error) {
	bytes = min(bytes, r.options.Memory)
	if err := r.memory.Acquire(ctx, bytes); err != nil {
		return nil, err
	}
	return func() { r.memory.Release(bytes) }, nil
}

// guard runs f and turns a panic, which is a mistake of ours, into an error:
// one cell fails and the others go on.
func guard(what string, f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%s: internal error: %v", what, p)
		}
	}()
	return f()
}

// checkClasses says when a fit and a test set disagree about the classes.
func checkClasses(u *Unit, fitted, test int) error {
	if fitted != 0 && test != fitted {
		cal := u.Setting.Cal()
		return fmt.Errorf("the test set has %d classes, its calibration set %s/%s has %d", test, cal.Dataset, cal.Backbone, fitted)
	}
	return nil
}

// factsBytes is the memory of the facts of one row, blockBytes that of the
// arrays that are applied at a time; the probabilities of a block take twice
// as much again.
const (
	factsBytes = 40
	blockBytes = 4 << 20
)
