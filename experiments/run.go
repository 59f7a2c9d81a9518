package experiments

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	"github.com/qats-bench/qats/calib/external"
	"github.com/qats-bench/qats/experiments/spec"
	"github.com/qats-bench/qats/results"
)

// Run does what the plan misses and assembles the results of all its cells
// from the store. A cell that fails does not stop the others: its rows hold the
// error. An error of the store, or a machine without memory, disk or file
// descriptors, ends the run with that error. A cancelled context stops the run between two blocks of rows; finished
// work stays in the store. Of a task only its part is done and nothing is
// assembled.
func (p *Plan) Run(ctx context.Context, o RunOptions) (*Outcome, error) {
	if p.options.AllowExec || p.serves() {
		if err := external.Recover(); err != nil {
			return nil, err
		}
	}
	r := &run{plan: p, options: o, memory: semaphore.NewWeighted(p.options.Memory), fits: map[string]*fitting{}, lacking: map[int]int{}, left: map[*spec.Spec]int{}}
	if t := p.options.Task; t.N > 1 && !p.options.Fresh {
		r.claims = newClaims(p.options.Store.Dir())
	}
	units := p.Part
	var err error
	if r.needs, err = p.enough(ctx, units); err != nil {
		return nil, err
	}
	for _, i := range units {
		r.expect(ctx, i)
	}
	r.tell("")
	defer r.programs.Close()
	outcomes := make([][]outcome, len(p.Units))
	work, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	forEach(len(units), o.Workers, func(j int) {
		i := units[j]
		var err error
		if outcomes[i], err = r.unit(work, i); err != nil {
			stop(err) // the others stop too; the first of several errors counts
			return
		}
		r.finish(i, outcomes[i])
	})
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("interrupted: %d of %d cells are done and kept: %w", r.now.Done, r.now.Total, err)
	}
	if err := context.Cause(work); err != nil {
		return nil, fmt.Errorf("%w; %d of %d cells are done and kept, and no file was written", err, r.now.Done, r.now.Total)
	}
	out := &Outcome{RunCounts: p.CountSettings(), Fitted: r.now.Fits, Scored: r.now.Scored}
	for _, i := range units {
		out.count(&p.Units[i], outcomes[i])
	}
	if !p.options.Task.All() {
		return out, nil
	}
	if o.Out == "" {
		err = p.rows(outcomes, func(r *results.Rows) error { out.Rows.Append(r); out.warn(r); return nil })
		out.keys = results.KeysDigest(out.Rows.Records)
		out.written = out.Rows.Count()
		return out, err
	}
	w, err := results.Folder(o.Out).WriteParts(p.metrics(), func(add func(*results.Rows) error) error {
		return p.rows(outcomes, func(r *results.Rows) error { out.warn(r); return add(r) })
	})
	if err != nil {
		return out, err
	}
	out.keys, out.written = w.Keys(), w.Rows()
	return out, nil
}

// Outcome is the result of a run.
type Outcome struct {
	results.RunCounts              // of the run or task
	Rows              results.Rows // of the whole plan; empty for a task, and with RunOptions.Out
	Fitted            int          // fits made, not found in the store
	Scored            int          // cells scored, not found in the store

	Reasons Absences // of the cells skipped and failed

	Warned int // cells with a value and a warning; 0 for a task
	First  Warned

	keys    string // KeysDigest of the records
	written results.RunRows
}

// HasClasses reports whether the run wrote classes.csv.
func (o *Outcome) HasClasses() bool { return o.written.Classes > 0 }

// Warned is a cell with its first warning.
type Warned struct {
	Setting results.Setting
	Method  string
	Text    string
}

// String returns "METHOD on SETTING: TEXT".
func (w Warned) String() string {
	return fmt.Sprintf("%s on %s: %s", w.Method, w.Setting.Name(), w.Text)
}

// warn counts the cells that carry a warning. The rows of a cell stand beside each other, and
// all cells of a unit are in one call.
func (o *Outcome) warn(rows *results.Rows) {
	var last Warned
	for i := range rows.Records {
		r := &rows.Records[i]
		warnings := r.Note.Warnings()
		if len(warnings) == 0 || last.Setting == r.Setting && last.Method == r.Method {
			continue
		}
		last = Warned{r.Setting, r.Method, warnings[0].String()}
		if o.Warned++; o.Warned == 1 {
			o.First = last
		}
	}
}

func (o *Outcome) count(u *Unit, cells []outcome) {
	o.Cells += len(cells)
	for i, c := range cells {
		if c.status != "" {
			o.Reasons.Add(c.status, u.Setting, u.Cells[i].Method.Name, c.why)
		}
		switch c.status {
		case results.Skip:
			o.Skipped++
		case results.Fail:
			o.Failed++
		}
	}
}

// expect counts the cells of unit i, the work on those that the store lacks and, for each fit that it
// misses, the cells that share it.
func (r *run) expect(ctx context.Context, i int) {
	u := &r.plan.Units[i]
	work := 0
	r.now.Total += len(u.Cells)
	r.left[u.Spec]++
	for j := range u.Cells {
		c := &u.Cells[j]
		if c.State == Miss || c.State == Score {
			if work == 0 {
				work = u.work(ctx)
			}
			r.lacking[i] += work
			r.now.Todo += work
			r.now.Left += work
		}
		if c.State == Miss {
			key := results.Key(c.fit)
			if r.fits[key] == nil {
				r.fits[key] = &fitting{}
			}
			r.fits[key].users++
		}
	}
}

// rowWork is the work on a row of test scores, which metrics draw again and again, in that on a logit.
const rowWork = 100

// work is about how long a cell of the unit takes, in no unit of time: the time that is left of a run is estimated by it. It
// reads headers alone. A set that cannot be opened counts as 1.
func (u *Unit) work(ctx context.Context) int {
	rows, classes, err := u.test.Shape(ctx, u.Setting.Test())
	if err != nil {
		return 1
	}
	return max(1, rows*(classes+rowWork))
}

// put stores an object of a cell.
func (r *run) put(kind results.Kind, text string, body []byte) error {
	if err := r.plan.options.Store.Put(kind, text, body); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.now.New++
	if kind == results.Scores {
		r.now.Scored++
	}
	return nil
}

// begin reports that a fit begins.
func (r *run) begin(u *Unit, c *Cell) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.now.Fitting = c.Method.Name + " on " + u.Setting.String()
	r.tell("")
}

// made reports that a fit is made and stored.
func (r *run) made() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.now.Fits++
	r.tell("")
}

// finish reports the end of the unit with number i.
func (r *run) finish(i int, cells []outcome) {
	r.mu.Lock()
	defer r.mu.Unlock()
	u, done := &r.plan.Units[i], ""
	r.now.Done += len(u.Cells)
	r.now.Left -= r.lacking[i]
	r.now.Setting = u.Setting.String()
	for _, c := range cells {
		if c.status == results.Fail {
			r.now.Failed++
		}
	}
	if r.left[u.Spec]--; r.left[u.Spec] == 0 {
		done = u.Spec.Name
	}
	r.tell(done)
}

// tell calls Progress. done is the experiment that has ended, if one has.
func (r *run) tell(done string) {
	if r.options.Progress != nil {
		p := r.now
		p.Experiment = done
		r.options.Progress(p)
	}
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

// location returns the location of a unit, whose programs are those of the run.
func (r *run) location(u *Unit) location {
	at := r.plan.location(u)
	at.programs = &r.programs
	return at
}
