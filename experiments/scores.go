package experiments

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/qats-bench/qats/calib/report"
	"github.com/qats-bench/qats/experiments/engine"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/metrics/scoring"
	"github.com/qats-bench/qats/results"
)

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
		if err := engine.Guard(func() error {
			samples, err := w.metricSamples(i, w.unit.Spec.Metrics)
			if err != nil {
				return err
			}
			s, err := engine.Compute(samples, w.unit.Spec.Metrics, w.unit.seed)
			if err != nil {
				return err
			}
			fit, err := w.fitted(i)
			if err != nil {
				return err
			}
			s.Report, s.Parameters = fit.Report, fit.Parameters()
			rows, err := w.cellSamples(i)
			if err != nil {
				return err
			}
			if zeros := rows.ZeroRows(); c.external != nil && zeros > 0 {
				s.Report.Warn(report.Warning{Text: zeroRows, Count: zeros, Of: s.N})
			}
			if w.unit.Spec.PerClass {
				if s.Classes, err = metrics.PerClass(samples); err != nil && !errors.Is(err, metrics.ErrNoVector) {
					return err
				}
			}
			body, err = json.Marshal(s)
			return err
		}); err != nil {
			w.fail(i, err)
			continue
		}
		if err := w.run.put(results.Scores, c.scores, body); err != nil {
			return err
		}
		w.forget()
	}
	return nil
}

// zeroRows warns of the rows of a table of probabilities on whose zeros the NLL rests.
const zeroRows = "{count} of {of} rows have a probability of exactly 0 for their class, which counts as 2^-126"

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
	w.samples[i].K = w.classes
	return w.samples[i], nil
}

// countClasses finds the number of classes, which the store does not keep with the scores of rows,
// if one of the metrics is of two classes.
func (w *unitWork) countClasses(ctx context.Context) error {
	w.classes = w.inputs.Classes
	positive := func(e metrics.Entry) bool { return e.Positive }
	if w.classes > 0 || !slices.ContainsFunc(w.unit.Spec.Metrics, positive) && !slices.ContainsFunc(w.unit.Spec.Intervals, positive) {
		return nil
	}
	test, err := w.unit.test.Open(ctx, w.unit.Setting.Test(), scored)
	if err != nil {
		return err
	}
	w.classes = test.Classes()
	return test.Close()
}

// metricSamples returns the samples of a cell. If one of the metrics compares with the
// uncalibrated network, the samples know its scores, provided that the setting has a cell
// for it. They have the positive class of the setting.
func (w *unitWork) metricSamples(cell int, entries []metrics.Entry) (*metrics.Samples, error) {
	samples, err := w.cellSamples(cell)
	if err != nil {
		return nil, err
	}
	of := metrics.Of(samples)
	if w.unit.Setting.FirstPositive {
		if named, err := of.WithPositive(1 - metrics.Positive); err == nil { // else the metrics say why they have no value
			of = named
		}
	}
	i := w.unit.uncal()
	if !engine.ReadsOf(entries).Uncal || i < 0 || w.unit.Cells[i].samples == "" {
		return of, nil
	}
	if o := w.outcomes[i]; o.status != "" {
		return nil, fmt.Errorf("%s, with which metrics compare: %s", w.unit.Cells[i].Method.Name, o.why)
	}
	uncal, err := w.cellSamples(i)
	if err != nil {
		return nil, err
	}
	return of.Against(metrics.Of(uncal))
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

// pair stores the pairings of some cells with the baseline.
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
	pairs, err := engine.Pair(ctx, all[0], all[1:], options)
	if err != nil {
		return err
	}
	for j, i := range cells {
		body, err := json.Marshal(pairs[j])
		if err == nil {
			err = w.run.put(results.Pairs, w.unit.Cells[i].pair, body)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
