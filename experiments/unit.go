package experiments

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/external"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/scoring"
	"github.com/qats-bench/qats/metrics"
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
	cal      *data.Mapped            // with the parts that the missing cells need
	calErr   error
	shared   calib.Shared // intermediate results that the fits on cal share
	free     func()       // returns the reserved memory; nil while none is reserved
	fatal    error        // the first error that ends the run
}

// release returns the memory that the unit has reserved, and closes the files
// that its calibration set maps.
func (w *unitWork) release() {
	if w.cal != nil {
		w.cal.Close()
	}
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

// fail marks a cell. An error that is none of the cell is kept for the run.
func (w *unitWork) fail(cell int, err error) {
	if isFatal(err) && w.fatal == nil {
		w.fatal = err
	}
	w.outcomes[cell] = outcome{results.Fail, err.Error()}
}

func (w *unitWork) do(ctx context.Context) error {
	w.samples = make([]*scoring.SampleScores, len(w.unit.Cells))
	w.fits = make([]*calib.Fitted, len(w.unit.Cells))
	if missing := w.live(Miss); len(missing) > 0 {
		if err := w.apply(ctx, missing); err != nil || w.fatal != nil {
			return cmp.Or(err, w.fatal)
		}
	}
	if err := w.score(ctx); err != nil {
		return err
	}
	if w.fatal != nil {
		return w.fatal
	}
	return w.pair(ctx)
}

// apply fits the missing cells and streams the test set through them.
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
	if err := w.reserve(ctx, missing, test); err != nil {
		return err
	}
	maps := make([]calib.Map, len(w.unit.Cells))
	w.tables = make([]*external.Table, len(w.unit.Cells))
	defer w.closeTables()
	for _, i := range missing {
		if w.inputs.OffsetLost && w.unit.Cells[i].Method.Contract().TrueLogits {
			w.outcomes[i] = outcome{results.Skip, OffsetLost(w.unit.Cells[i].Method.Name)}
			continue
		}
		m, err := w.fit(ctx, i, test.Classes())
		var skip *skipError
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.As(err, &skip):
			w.outcomes[i] = outcome{results.Skip, skip.reason}
		case err != nil:
			w.fail(i, err)
		default:
			maps[i] = m
		}
	}
	if err := w.stream(ctx, test, maps); err != nil {
		return w.failAll(ctx, w.live(Miss), err)
	}
	if w.unit.vectors() {
		if err := w.crossFit(ctx, test, maps); err != nil {
			return w.failAll(ctx, w.live(Miss), err)
		}
	}
	var body []byte // each cell uses the memory of the one before
	for _, i := range w.live(Miss) {
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

// sampleBytes is the memory of the sample scores of one row.
const sampleBytes = 40

// blockBytes is the memory of the block of rows that the maps are applied to at a
// time. The probabilities of a block take twice as much in addition.
const blockBytes = 1 << 20

// reserve waits until the memory that the missing cells need is free. A unit that needs
// more than the budget takes all of it and so runs alone.
func (w *unitWork) reserve(ctx context.Context, missing []int, test data.Reader) error {
	bytes := int64(test.Rows())*int64(len(missing))*sampleBytes + 3*blockBytes
	if w.unit.classes() {
		bytes += int64(len(missing)) * scoring.ClassBytes(test.Rows(), test.Classes())
	}
	if w.unit.vectors() { // one cell at a time
		bytes += scoring.VectorBytes(test.Rows(), test.Classes()) + int64(len(missing)-1)*scoring.VectorBytes(test.Rows(), 0)
	}
	cal, target := w.parts(missing)
	// The calibration set counts four times, because isotonic regression holds every pair
	// of probability and label in float64.
	bytes += 4*bytesOf(ctx, w.unit.source, w.unit.Setting.Cal(), cal) + 2*bytesOf(ctx, w.unit.test, w.unit.Setting.Test(), target)
	bytes = min(bytes, w.run.plan.options.Memory)
	if err := w.run.memory.Acquire(ctx, bytes); err != nil {
		return err
	}
	w.free = func() { w.run.memory.Release(bytes) }
	return nil
}

// bytesOf returns the bytes of some parts of a set: 0 for a set that cannot be opened,
// since the cell that reads it reports the error.
func bytesOf(ctx context.Context, src data.Source, ref data.Ref, parts data.Parts) int64 {
	if parts == 0 {
		return 0
	}
	r, err := src.Open(ctx, ref, parts)
	if err != nil {
		return 0
	}
	defer r.Close()
	return r.Bytes()
}

// parts returns the parts of the calibration set and of the target set that the missing
// cells load completely.
func (w *unitWork) parts(missing []int) (cal, target data.Parts) {
	for _, i := range missing {
		c := w.unit.Cells[i].Method.Contract()
		cal |= c.Cal
		target |= c.Target
		if w.unit.Cells[i].external != nil {
			target |= c.Test // a program gets the test set
		}
	}
	return cal, target
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
		if err := guard(c.Method.Name, func() error {
			samples, err := w.metricSamples(i, w.unit.Spec.Metrics)
			if err != nil {
				return err
			}
			s, err := computeScores(samples, w.unit.Spec.Metrics, w.unit.seed)
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
		return nil, fmt.Errorf("%s, with which metrics compare: %s", w.unit.Cells[i].Method.Name, o.note)
	}
	uncal, err := w.cellSamples(i)
	if err != nil {
		return nil, err
	}
	return metrics.Of(samples).Against(metrics.Of(uncal))
}

// pair makes the pairings with the baseline that are not in the store yet, all of
// them on the same resampled rows.
func (w *unitWork) pair(ctx context.Context) error {
	var cells []int
	for _, i := range w.live(Miss, Score, Hit) {
		if c := &w.unit.Cells[i]; c.pair != "" && !c.paired {
			cells = append(cells, i)
		}
	}
	base := w.unit.baseline()
	if len(cells) == 0 || base < 0 || w.outcomes[base].status != "" {
		return nil
	}
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
