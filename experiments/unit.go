package experiments

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/external"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/metrics/scoring"
	"github.com/qats-bench/qats/results"
)

// unitWork is the work on one setting: make the missing fits, stream the test
// set once through all maps, score, pair. Each step puts its results into the
// store before the next step begins.
type unitWork struct {
	run      *run
	unit     *Unit
	outcomes []outcome
	inputs   inputs                  // notes on its arrays
	tables   []*external.Table       // by cell, of external methods, while the test set is read
	samples  []*scoring.SampleScores // by cell; nil where they are not in memory
	fits     []*calib.Fitted         // by cell, of the fits made or looked up
	cal      *data.Set               // with the parts that the missing cells need
	calErr   error
	shared   calib.Shared // intermediate results that the fits on cal share
	free     func()       // returns the reserved memory; nil while none is reserved
	large    bool         // the scores of the cells are a large part of the memory
	fatal    error        // the first error that ends the run
}

// collected is the size in bytes of a calibration set that is collected once no cell needs
// it. Otherwise the next one would stand beside it.
const collected = 64 << 20

// dropCal drops the calibration set.
func (w *unitWork) dropCal() {
	cal := w.cal
	w.cal = nil
	if cal != nil && 4*(len(cal.Logits.Data)+len(cal.Features.Data)) >= collected {
		cal = nil
		runtime.GC()
	}
}

// release returns the memory that the unit has reserved, and drops its calibration set.
func (w *unitWork) release() {
	w.dropCal()
	if w.free != nil {
		w.free()
	}
}

// live returns the cells that are in one of the states and have not failed.
func (w *unitWork) live(states ...State) []int {
	var list []int
	for i := range w.unit.Cells {
		if slices.Contains(states, w.unit.Cells[i].State) && w.outcomes[i].status == "" {
			list = append(list, i)
		}
	}
	return list
}

// fail marks a cell. An error of the machine, not of the cell, ends the run.
func (w *unitWork) fail(cell int, err error) {
	if isFatal(err) && w.fatal == nil {
		w.fatal = err
	}
	w.outcomes[cell] = outcome{results.Fail, because(err.Error())}
}

// do fits, applies, scores and pairs. Where the memory does not suffice for the scores of all
// cells, they are applied and paired in groups, with the same results.
func (w *unitWork) do(ctx context.Context) error {
	w.samples = make([]*scoring.SampleScores, len(w.unit.Cells))
	w.fits = make([]*calib.Fitted, len(w.unit.Cells))
	missing, unpaired, limit := w.live(Miss), w.unpaired(), w.run.plan.options.Memory
	m := w.unit.needs
	if m == nil || !slices.Equal(m.of, missing) { // a virtual network, or other cells are missing than when the run began
		now := w.unit.memory(ctx, missing, limit)
		m = &now
	}
	group, pairs := max(1, len(missing)), max(1, len(unpaired))
	need := m.whole(1+len(w.live(Miss, Score))+len(unpaired), len(unpaired))
	w.large = need > limit/4
	if need > limit { // it takes the whole memory, and so runs alone
		need, group, pairs = limit, max(1, m.applied(limit)), max(1, m.paired(limit))
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
	w.dropCal()
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

// forget drops large scores, which the next step reads from the store.
func (w *unitWork) forget() {
	if w.large {
		clear(w.samples)
		w.tidy()
	}
}

// tidy removes large garbage before a step that takes memory. The collector alone begins when
// such a step has taken it.
func (w *unitWork) tidy() {
	if w.large {
		runtime.GC()
	}
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
	maps := make([]calib.Map, len(w.unit.Cells))
	w.tables = make([]*external.Table, len(w.unit.Cells))
	defer w.closeTables()
	for _, i := range missing {
		if w.inputs.OffsetLost && w.unit.Cells[i].Method.Contract().TrueLogits {
			w.outcomes[i] = outcome{results.Skip, because(OffsetLost)}
			continue
		}
		m, err := w.fit(ctx, i, test.Classes())
		var skip *skipError
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.As(err, &skip):
			w.outcomes[i] = outcome{results.Skip, because(skip.reason)}
		case err != nil:
			w.fail(i, err)
		default:
			maps[i] = m
		}
	}
	live := func() []int {
		return slices.DeleteFunc(slices.Clone(missing), func(i int) bool { return w.outcomes[i].status != "" })
	}
	if err := w.stream(ctx, test, maps); err != nil {
		return w.failAll(ctx, live(), err)
	}
	if w.unit.vectors() {
		if err := w.crossFit(ctx, test, maps); err != nil {
			return w.failAll(ctx, live(), err)
		}
	}
	var body []byte // each cell uses the memory of the one before, unless it is large
	for _, i := range live() {
		if w.large {
			body = nil
			w.tidy()
		}
		body, err = w.samples[i].AppendEncoded(body[:0])
		if err != nil {
			return err
		}
		c := &w.unit.Cells[i]
		if err := w.unit.unchanged(w.run.plan.options.Digests, c, true); err != nil {
			w.fail(i, err)
			continue
		}
		if err := w.run.plan.options.Store.Put(results.SampleScores, c.samples, body); err != nil {
			return err
		}
	}
	return nil
}

// failAll marks cells that share an unreadable array. A cancelled context is not
// a failure of the cells, but an error of the run.
func (w *unitWork) failAll(ctx context.Context, cells []int, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	for _, i := range cells {
		w.fail(i, err)
	}
	return nil
}

// score computes the metrics of the cells that lack them.
func (w *unitWork) score(ctx context.Context) error {
	for _, i := range w.live(Miss, Score) {
		if err := ctx.Err(); err != nil {
			return err
		}
		c := &w.unit.Cells[i]
		if c.State == Score && c.scored {
			continue // only its pairing is missing
		}
		var body []byte
		if err := guard(func() error {
			samples, err := w.metricSamples(i, w.unit.Spec.Metrics)
			if err != nil {
				return err
			}
			s, err := computeScores(samples, w.unit.Spec.Metrics, w.unit.seed, w.tidy)
			if err != nil {
				return err
			}
			fit, err := w.fitted(i)
			if err != nil {
				return err
			}
			s.Report, s.Parameters = fit.Report, fit.Parameters()
			body, err = json.Marshal(s)
			return err
		}); err != nil {
			w.fail(i, err)
			continue
		}
		if err := w.run.plan.options.Store.Put(results.Scores, c.scores, body); err != nil {
			return err
		}
		w.run.scored.Add(1)
		w.forget()
	}
	return nil
}

// cellSamples returns the sample scores of a cell, from memory or the store.
func (w *unitWork) cellSamples(i int) (*scoring.SampleScores, error) {
	if w.samples[i] != nil {
		return w.samples[i], nil
	}
	c := &w.unit.Cells[i]
	body, err := w.run.plan.options.Store.Get(results.SampleScores, results.Key(c.samples))
	if err == nil {
		w.samples[i], err = scoring.Decode(body)
		w.tidy()
	}
	if err != nil {
		return nil, storeError(fmt.Errorf("%s: sample scores of %s: %w; run again with --fresh", w.unit.Setting, c.Method.Name, err))
	}
	return w.samples[i], nil
}

// metricSamples returns the samples of a cell. If one of the metrics compares with the
// uncalibrated network, the samples know its scores, provided that the setting has a cell
// for it.
func (w *unitWork) metricSamples(cell int, entries []metrics.Entry) (*metrics.Samples, error) {
	samples, err := w.cellSamples(cell)
	if err != nil {
		return nil, err
	}
	i := w.unit.uncal()
	if !comparesUncal(entries) || i < 0 || w.unit.Cells[i].samples == "" {
		return metrics.Of(samples), nil
	}
	if o := w.outcomes[i]; o.status != "" {
		return nil, fmt.Errorf("%s, with which metrics compare: %s", w.unit.Cells[i].Method.Name, o.why)
	}
	uncal, err := w.cellSamples(i)
	if err != nil {
		return nil, err
	}
	return metrics.Of(samples).Against(metrics.Of(uncal))
}

// unpaired returns the cells whose pairing with the baseline is not in the store yet.
func (w *unitWork) unpaired() []int {
	base := w.unit.baseline()
	if base < 0 || w.outcomes[base].status != "" {
		return nil
	}
	return slices.DeleteFunc(w.live(Miss, Score, Hit), func(i int) bool {
		return w.unit.Cells[i].pair == "" || w.unit.Cells[i].paired
	})
}

// pair makes the pairings of some cells with the baseline. The resampled rows of a test set
// are always the same.
func (w *unitWork) pair(ctx context.Context, cells []int) error {
	base := w.unit.baseline()
	all := make([]*metrics.Samples, 1+len(cells)) // the baseline first
	for j, i := range slices.Concat([]int{base}, cells) {
		var err error
		if all[j], err = w.metricSamples(i, w.unit.Spec.Intervals); err != nil {
			return err
		}
	}
	options := metrics.PairOptions{Seed: w.unit.seed, Interval: w.run.plan.options.Interval}
	if more := w.unit.Spec.Intervals; len(more) > 0 {
		options.Metrics = slices.Concat(metrics.Paired(), more)
	}
	pairs, err := metrics.Pairs(ctx, all[0], all[1:], options)
	if err != nil {
		return err
	}
	for j, i := range cells {
		of := results.Where(pairs, func(p metrics.Pair) bool { return p.Other == j })
		body, err := json.Marshal(of)
		if err == nil {
			err = w.run.plan.options.Store.Put(results.Pairs, w.unit.Cells[i].pair, body)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
