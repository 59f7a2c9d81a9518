package experiments

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/experiments/engine"
	"github.com/qats-bench/qats/metrics/scoring"
	"github.com/qats-bench/qats/results"
)

// unit brings all cells of the setting with number i into the store. The error is an error of
// the store itself, such as a full disk, which no row can hold.
func (r *run) unit(ctx context.Context, i int) ([]outcome, error) {
	u := &r.plan.Units[i]
	outcomes := make([]outcome, len(u.Cells))
	work := &unitWork{run: r, unit: u, outcomes: outcomes, needs: r.needs[i]}
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
	if work.inputs, err = r.plan.inputsOf(ctx, u); err != nil {
		return nil, fmt.Errorf("%s: %w", u.Setting, err)
	}
	if !todo {
		return outcomes, nil
	}
	// A panic here is not of a single method, so all cells fail.
	if panicked := engine.Guard(func() error { err = work.do(ctx); return nil }); panicked != nil {
		err = work.failAll(ctx, work.live(Miss, Score), panicked)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", u.Setting, err)
	}
	return outcomes, nil
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
		base := pairing && c.Method.Name == u.Spec.Baseline || scoring && i == u.uncal() && engine.ReadsOf(u.Spec.Metrics).Uncal
		if c.State == Hit && base && !(r.plan.intact(results.SampleScores, c.samples) && r.plan.intact(results.Fit, c.fit)) {
			c.State = Miss
		}
	}
}

// intact reports whether the object of a key text is in the store and undamaged.
func (p *Plan) intact(kind results.Kind, text string) bool {
	_, err := p.options.Store.Get(kind, results.Key(text))
	return err == nil
}

// do fits, applies, scores and pairs. Where the memory does not suffice for the scores of all
// cells, they are applied and paired in groups, with the same results.
func (w *unitWork) do(ctx context.Context) error {
	w.samples = make([]*scoring.SampleScores, len(w.unit.Cells))
	w.fits = make([]*calib.Fitted, len(w.unit.Cells))
	missing, unpaired, limit := w.live(Miss), w.unpaired(), w.run.plan.options.Memory
	m := w.needs
	if m == nil || !slices.Equal(m.of, missing) { // a virtual network, or other cells are missing than when the run began
		now := w.unit.memory(ctx, missing, limit)
		m = &now
	}
	group, pairs := max(1, len(missing)), max(1, len(unpaired))
	need := m.Most(1+len(w.live(Miss, Score))+len(unpaired), len(unpaired))
	w.large = need > limit/4
	if need > limit { // it takes the whole memory, and so runs alone
		need, group, pairs = limit, max(1, m.Applied(limit)), max(1, m.Paired(limit))
	}
	if err := w.run.memory.Acquire(ctx, need); err != nil {
		return err
	}
	w.free = func() { w.run.memory.Release(need) }
	for cells := range slices.Chunk(missing, group) {
		if err := w.apply(ctx, cells); err != nil || w.fatal != nil {
			return cmp.Or(err, w.fatal)
		}
		w.forget()
	}
	w.cal = nil
	if err := w.countClasses(ctx); err != nil {
		return w.failAll(ctx, w.live(Miss, Score), err)
	}
	if err := w.score(ctx); err != nil {
		return err
	}
	if w.fatal != nil {
		return w.fatal
	}
	for cells := range slices.Chunk(w.unpaired(), pairs) {
		w.forget()
		if err := w.pair(ctx, cells); err != nil {
			return err
		}
	}
	return nil
}

// apply fits some missing cells and streams the test set through them.
func (w *unitWork) apply(ctx context.Context, missing []int) error {
	parts := scored
	for _, i := range missing {
		parts |= w.unit.Cells[i].Method.Contract().Test
	}
	test, err := w.unit.test.Open(ctx, w.unit.Setting.Test(), parts)
	if err != nil {
		return w.failAll(ctx, missing, err)
	}
	defer test.Close()
	w.columns = make([]*engine.Column, len(w.unit.Cells))
	defer w.closeTables()
	for rest := slices.Clone(missing); len(rest) > 0; {
		at := w.run.next(w.unit, rest)
		i := rest[at]
		rest = slices.Delete(rest, at, at+1)
		column, err := w.fit(ctx, i, test.Classes())
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			w.fail(i, err)
			continue
		}
		w.columns[i] = column
	}
	var columns []*engine.Column // in the order of the cells
	for _, i := range missing {
		if w.columns[i] != nil {
			columns = append(columns, w.columns[i])
		}
	}
	live := func() []int {
		return slices.DeleteFunc(slices.Clone(missing), func(i int) bool { return w.outcomes[i].status != "" })
	}
	err = engine.Score(ctx, test, columns, engine.ScoreOptions{Reads: w.unit.reads(), Seed: w.unit.seed})
	for _, i := range live() {
		if w.samples[i] = w.columns[i].Samples; w.columns[i].Err != nil {
			w.fail(i, w.columns[i].Err)
		}
	}
	if err != nil {
		return w.failAll(ctx, live(), err)
	}
	var body []byte // each cell uses the memory of the one before
	for _, i := range live() {
		body, err = w.samples[i].AppendEncoded(body[:0])
		if err != nil {
			return err
		}
		c := &w.unit.Cells[i]
		if err := w.unit.unchanged(w.run.plan.options.Digests, c, true); err != nil {
			w.fail(i, err)
			continue
		}
		if err := w.run.put(results.SampleScores, c.samples, body); err != nil {
			return err
		}
	}
	return nil
}
