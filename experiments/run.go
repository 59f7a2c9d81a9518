package experiments

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	"github.com/qats-bench/qats/calib/external"
	"github.com/qats-bench/qats/experiments/spec"
	"github.com/qats-bench/qats/results"
)

// DefaultMemory bounds the arrays in memory at one time, in bytes.
const DefaultMemory = 4 << 30

// RunOptions configures how a plan is run. The results do not depend on it, to the
// last byte.
type RunOptions struct {
	Workers int // units at a time; 1 if less
	Shard   Shard

	// Out is the folder that the CSV files of the whole plan are written to, some settings
	// at a time. If it is empty, their rows are kept in Outcome.Rows.
	Out string

	// Progress, if not nil, is called after each unit, one call at a time.
	Progress func(Progress)
}

// Shard is part I of N of a plan, counted from 1; the zero Shard is all of it.
type Shard struct{ I, N int }

// Progress tells how far a run has come.
type Progress struct {
	Done, Total int    // cells
	Failed      int    // of the cells done
	Setting     string // that was finished last
	Experiment  string // that was finished with it; empty where settings of it are left

	// Kept has the keys of the objects in the store that hold a cell of the setting, for
	// each cell that has a value.
	Kept []map[results.Kind]string
}

// Outcome is the result of a run.
type Outcome struct {
	results.RunCounts              // all settings of the plan, and the cells of the run or shard
	Rows              results.Rows // of the whole plan; empty for a shard, and with RunOptions.Out
	Fitted            int          // fits made, not found in the store
	Scored            int          // cells scored, not found in the store

	Reasons []Reason // of the cells skipped and failed, in the order of the first of each

	keys    string // KeysDigest of the records
	written results.RunRows
}

// Run does what the plan misses and assembles the results of all its cells
// from the store. A cell that fails does not stop the others: its rows hold the
// error. An error of the store, or a machine without memory, disk or file
// descriptors, ends the run with that error. A cancelled context stops the run between two blocks of rows; finished
// work stays in the store. With a shard only that part is done and nothing is
// assembled.
func (p *Plan) Run(ctx context.Context, o RunOptions) (*Outcome, error) {
	if p.options.AllowExec {
		if err := external.Recover(); err != nil {
			return nil, err
		}
	}
	r := &run{plan: p, options: o, memory: semaphore.NewWeighted(p.options.Memory), fits: map[string]*fitting{}, left: map[*spec.Spec]int{}}
	units, err := p.shard(ctx, o.Shard)
	if err != nil {
		return nil, err
	}
	if err := p.enough(ctx, units); err != nil {
		return nil, err
	}
	for _, i := range units {
		r.expect(&p.Units[i])
	}
	r.report(nil, nil)
	outcomes := make([][]outcome, len(p.Units))
	work, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	forEach(len(units), o.Workers, func(j int) {
		i := units[j]
		var err error
		if outcomes[i], err = r.unit(work, &p.Units[i]); err != nil {
			stop(err) // the others stop too; the first of several errors counts
			return
		}
		r.report(&p.Units[i], outcomes[i])
	})
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("interrupted: %d of %d cells are done and kept: %w", r.done, r.total, err)
	}
	if err := context.Cause(work); err != nil {
		return nil, fmt.Errorf("%w; %d of %d cells are done and kept, and no file was written", err, r.done, r.total)
	}
	out := &Outcome{RunCounts: p.CountSettings(), Fitted: int(r.fitted.Load()), Scored: int(r.scored.Load())}
	for _, i := range units {
		out.count(&p.Units[i], outcomes[i])
	}
	if o.Shard.N != 0 {
		return out, nil
	}
	if o.Out == "" {
		err = p.rows(outcomes, func(r *results.Rows) error { out.Rows.Append(r); return nil })
		out.keys = results.KeysDigest(out.Rows.Records)
		out.written = results.RunRows{Results: len(out.Rows.Records), Bins: len(out.Rows.Bins), Pairs: len(out.Rows.Pairs)}
		return out, err
	}
	w, err := results.Folder(o.Out).WriteParts(p.metrics(), func(add func(*results.Rows) error) error { return p.rows(outcomes, add) })
	if err != nil {
		return out, err
	}
	out.keys, out.written = w.Keys(), w.Rows()
	return out, nil
}

// shard returns the units of a shard.
func (p *Plan) shard(ctx context.Context, s Shard) ([]int, error) {
	if s.N == 0 {
		return p.all(), nil
	}
	d, err := p.Deal(ctx, s.N)
	if err != nil {
		return nil, err
	}
	return d.Units[s.I-1], nil
}

// all returns the numbers of all units.
func (p *Plan) all() []int {
	units := make([]int, len(p.Units))
	for i := range units {
		units[i] = i
	}
	return units
}

// forEach calls do(0), ..., do(n-1), as many at a time as there are workers. do keeps its
// errors in its own place, so that they do not depend on which call failed first.
func forEach(n, workers int, do func(i int)) {
	var group errgroup.Group
	group.SetLimit(max(1, workers))
	for i := range n {
		group.Go(func() error {
			do(i)
			return nil
		})
	}
	group.Wait()
}

func (o *Outcome) count(u *Unit, cells []outcome) {
	o.Cells += len(cells)
	for i, c := range cells {
		if c.status != "" {
			o.AddReason(c.status, u.Setting, u.Cells[i].Method.Name, c.why)
		}
		switch c.status {
		case results.Skip:
			o.Skipped++
		case results.Fail:
			o.Failed++
		}
	}
}

// run is the state that the workers of one run share.
type run struct {
	plan    *Plan
	options RunOptions
	memory  *semaphore.Weighted

	fitted, scored atomic.Int64

	mu                  sync.Mutex
	fits                map[string]*fitting // by key, while some unit still needs it
	done, total, failed int
	left                map[*spec.Spec]int // settings that are not done
}

// outcome is the result of one cell. The status is empty until the cell has failed
// or is skipped.
type outcome struct {
	status results.Status
	why    results.Fact
}

// expect counts the cells of a unit and, for each fit that it misses, the cells
// that share it.
func (r *run) expect(u *Unit) {
	r.total += len(u.Cells)
	r.left[u.Spec]++
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

// report counts a finished unit, if u is one, and calls Progress.
func (r *run) report(u *Unit, cells []outcome) {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := Progress{Total: r.total}
	if u != nil {
		r.done += len(u.Cells)
		p.Setting = u.Setting.String()
		for _, c := range cells {
			if c.status == results.Fail {
				r.failed++
			}
		}
		p.Kept = u.kept(cells)
		if r.left[u.Spec]--; r.left[u.Spec] == 0 {
			p.Experiment = u.Spec.Name
		}
	}
	p.Done, p.Failed = r.done, r.failed
	if r.options.Progress != nil {
		r.options.Progress(p)
	}
}

// kept returns the keys of the objects of the cells that have a value.
func (u *Unit) kept(cells []outcome) []map[results.Kind]string {
	base := u.baseline()
	var list []map[results.Kind]string
	for i, o := range cells {
		if o.status != "" {
			continue
		}
		c := &u.Cells[i]
		keys := map[results.Kind]string{results.Scores: results.Key(c.scores)}
		if c.pair != "" && cells[base].status == "" {
			keys[results.Pairs] = results.Key(c.pair)
		}
		list = append(list, keys)
	}
	return list
}

// unit brings all cells of one setting into the store. The error is an error of
// the store itself, such as a full disk, which no row can hold.
func (r *run) unit(ctx context.Context, u *Unit) ([]outcome, error) {
	outcomes := make([]outcome, len(u.Cells))
	work := &unitWork{run: r, unit: u, outcomes: outcomes}
	defer work.release()
	if !r.plan.options.Fresh {
		r.verify(u)
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
	var err error
	if work.inputs, err = r.inputsOf(ctx, u); err != nil {
		return nil, fmt.Errorf("%s: %w", u.Setting, err)
	}
	if !todo {
		return outcomes, nil
	}
	// A panic here is not of a single method, so all cells fail.
	if panicked := guard(func() error { err = work.do(ctx); return nil }); panicked != nil {
		err = work.failAll(ctx, work.live(Miss, Score), panicked)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", u.Setting, err)
	}
	return outcomes, nil
}

// intact reports whether the object of a key text is in the store and undamaged.
func (p *Plan) intact(kind results.Kind, text string) bool {
	_, err := p.options.Store.Get(kind, results.Key(text))
	return err == nil
}

// verify reads the objects that a run will use of the cells of a unit: another spec may
// have the same setting, and this run may have finished it since the plan was made. A
// damaged object, or a fit that does not load, counts as absent and is made again.
func (r *run) verify(u *Unit) {
	pairing, scoring := false, false
	for i := range u.Cells {
		c := &u.Cells[i]
		if c.State == Hit || c.State == Score || c.State == Miss {
			missing := c.State == Miss
			c.State, _ = c.inStore(u.Spec.Baseline, r.plan.intact)
			if c.State == Score && !c.scored && c.external == nil {
				if _, err := loadFit(r.plan.options.Store, c); err != nil { // the scores hold its report
					c.State = Miss
				}
			}
			if missing && c.State != Miss {
				r.leave(results.Key(c.fit))
			}
			pairing, scoring = pairing || !c.paired, scoring || c.State != Hit
		}
	}
	for i := range u.Cells {
		c := &u.Cells[i]
		base := pairing && c.Method.Name == u.Spec.Baseline || scoring && i == u.uncal() && comparesUncal(u.Spec.Metrics)
		if c.State == Hit && base && !(r.plan.intact(results.SampleScores, c.samples) && r.plan.intact(results.Fit, c.fit)) {
			c.State = Miss
		}
	}
}

// leave counts one cell less that needs a fit. After the last one the run
// forgets the fit, which is in the store.
func (r *run) leave(key string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if f := r.fits[key]; f != nil {
		if f.users--; f.users <= 0 { // below 0 for a fit that no cell was expected to make
			delete(r.fits, key)
		}
	}
}

// guard calls f and turns a panic, which is a mistake of this program, into an
// error: one cell fails and the others go on.
func guard(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("internal error: %v", p)
		}
	}()
	return f()
}
