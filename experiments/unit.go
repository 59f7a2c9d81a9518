package experiments

import (
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

// unitWork is the work on one setting: fit what is not fitted, stream the test
// set once through all maps, score, pair. Each step puts what it makes into
// the store before the next one begins.
type unitWork struct {
	run      *run
	unit     *Unit
	outcomes []outcome
	inputs   inputs                  // notes on its arrays
	tables   []*external.Table       // by cell, of outside methods, while the test set is read
	facts    []*scoring.SampleScores // by cell, as far as they are in memory
	reports  []*calib.Report         // by cell, of the fits made or looked up
	cal      *data.Mapped            // with the parts that the missing cells need
	calErr   error
	shared   calib.Shared // of the fits on it
	memory   *unitMemory  // nil until it is taken
	releases []func()
}

// unitMemory is what units use one after the other. A unit takes it when it has
// reserved its own bytes, so that units that wait hold none.
type unitMemory struct {
	facts  []*scoring.SampleScores // by cell
	byMap  []float64               // scales of a block, map by map
	scales []float64               // the same, row by row
	text   []byte                  // of the object that is put into the store
}

// bytes is its size, class bins aside.
func (m *unitMemory) bytes() int64 {
	n := int64(cap(m.text) + 8*(cap(m.byMap)+cap(m.scales)))
	for _, f := range m.facts {
		n += factsBytes * int64(cap(f.Conf))
	}
	return n
}

// factsOf returns empty facts for n rows of a cell.
func (m *unitMemory) factsOf(cell, n int) *scoring.SampleScores {
	for len(m.facts) <= cell {
		m.facts = append(m.facts, &scoring.SampleScores{})
	}
	m.facts[cell].Reset(n)
	return m.facts[cell]
}

// take takes the memory of a unit before it, if it has not yet.
func (w *unitWork) take() {
	if w.memory == nil {
		w.memory = w.run.idle.Get().(*unitMemory)
	}
}

// keptShare is the part of the memory of a run that units may leave to those
// after them beyond what these reserve: 1/keptShare for all workers together.
const keptShare = 8

// release returns the memory that the unit has reserved and the files that its
// calibration set maps.
func (w *unitWork) release() {
	if w.cal != nil {
		w.cal.Close()
	}
	o := &w.run.options
	if w.memory != nil && w.memory.bytes() <= o.Memory/keptShare/int64(max(1, o.Workers)) {
		w.run.idle.Put(w.memory)
	}
	w.memory, w.facts = nil, nil
	for _, f := range w.releases {
		f()
	}
}

// live returns the cells that are in one of the states and have not failed.
func (w *unitWork) live(states ...State) []int {
	var list []int
	for i := range w.unit.Cells {
		for _, s := range states {
			if w.unit.Cells[i].State == s && w.outcomes[i].status == "" {
				list = append(list, i)
			}
		}
	}
	return list
}

// fail marks a cell.
func (w *unitWork) fail(cell int, err error) {
	w.outcomes[cell] = outcome{results.Fail, err.Error()}
}

func (w *unitWork) do(ctx context.Context) error {
	w.facts = make([]*scoring.SampleScores, len(w.unit.Cells))
	w.reports = make([]*calib.Report, len(w.unit.Cells))
	if missing := w.live(Miss); len(missing) > 0 {
		if err := w.apply(ctx, missing); err != nil {
			return err
		}
	}
	w.take()
	if err := w.score(ctx); err != nil {
		return err
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
	w.take()
	maps := make([]calib.Map, len(w.unit.Cells))
	w.tables = make([]*external.Table, len(w.unit.Cells))
	defer w.closeTables()
	for _, i := range missing {
		if w.inputs.OffsetLost && w.unit.Cells[i].Method.Contract().TrueLogits {
			w.outcomes[i] = outcome{results.Skip, OffsetLost(w.unit.Cells[i].Method.Name)}
			continue
		}
		m, classes, err := w.fit(ctx, i)
		if err == nil {
			err = checkClasses(w.unit, classes, test.Classes())
		}
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
	for _, i := range w.live(Miss) {
		body, err := w.facts[i].AppendEncoded(w.memory.text[:0])
		if err != nil {
			return err
		}
		w.memory.text = body
		if err := w.run.plan.store.Put(results.SampleScores, w.unit.Cells[i].facts, body); err != nil {
			return err
		}
	}
	return nil
}

// failAll marks cells that share an unreadable array; a cancelled context is
// no failure of theirs.
func (w *unitWork) failAll(ctx context.Context, cells []int, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	for _, i := range cells {
		w.fail(i, err)
	}
	return nil
}

// reserve waits until the memory that the missing cells need is free.
func (w *unitWork) reserve(ctx context.Context, missing []int, test data.Reader) error {
	bytes := int64(test.Rows())*int64(len(missing))*factsBytes + 3*blockBytes
	if w.unit.classes() {
		bytes += int64(test.Classes()) * int64(len(missing)) * scoring.ClassBytes
	}
	for _, need := range w.sets(missing) {
		if need.parts == 0 {
			continue
		}
		r, err := need.source.Open(ctx, need.ref, need.parts)
		if err != nil {
			continue // reported by the cell that reads it
		}
		bytes += need.times * r.Bytes()
		r.Close()
	}
	release, err := w.run.reserve(ctx, bytes)
	if err == nil {
		w.releases = append(w.releases, release)
	}
	return err
}

// wholeSet is a set that is read whole, and how many times its size is taken.
type wholeSet struct {
	source data.Source
	ref    data.Ref
	parts  data.Parts
	times  int64
}

// sets returns what fits read: the calibration set, four times over because
// isotonic regression holds every pair of probability and label in float64,
// and the target set of methods that see it.
func (w *unitWork) sets(missing []int) []wholeSet {
	cal := wholeSet{source: w.unit.source, ref: w.unit.Setting.Cal(), times: 4}
	target := wholeSet{source: w.unit.test, ref: w.unit.Setting.Test(), times: 2}
	for _, i := range missing {
		c := w.unit.Cells[i].Method.Contract()
		cal.parts |= c.Cal
		target.parts |= c.Target
		if w.unit.Cells[i].Method.outside != nil {
			target.parts |= c.Test // to be handed over
		}
	}
	return []wholeSet{cal, target}
}

// score computes the metrics of the cells that lack them.
func (w *unitWork) score(ctx context.Context) error {
	for _, i := range w.live(Miss, Score) {
		if err := ctx.Err(); err != nil {
			return err
		}
		c := &w.unit.Cells[i]
		if c.State == Score && c.scored {
			continue // it is here for its pairing
		}
		facts, err := w.cellFacts(i)
		if err != nil {
			return err
		}
		var s scores
		err = guard(c.Method.Name, func() (err error) {
			s, err = computeScores(metrics.Of(facts), w.unit.Spec.Metrics, w.unit.seed)
			return err
		})
		if err == nil {
			s.Report, err = w.reportOf(i)
		}
		var body []byte
		if err == nil {
			body, err = json.Marshal(s)
		}
		if err != nil {
			w.fail(i, err)
			continue
		}
		if err := w.run.plan.store.Put(results.Scores, c.scores, body); err != nil {
			return err
		}
		w.run.count(func(r *run) { r.scored++ })
	}
	return nil
}

// cellFacts returns the facts of a cell, from memory or the store.
func (w *unitWork) cellFacts(i int) (*scoring.SampleScores, error) {
	if w.facts[i] != nil {
		return w.facts[i], nil
	}
	c := &w.unit.Cells[i]
	body, err := w.run.plan.store.Get(results.SampleScores, results.Key(c.facts))
	if err == nil {
		w.facts[i], err = scoring.Decode(body)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: facts of %s: %w; run again with --fresh", w.unit.Setting, c.Method.Name, err)
	}
	return w.facts[i], nil
}

// pair makes the pairings with the baseline that are not in the store yet, all
// on the same resampled rows.
func (w *unitWork) pair(ctx context.Context) error {
	var cells []int
	for _, i := range w.live(Miss, Score, Hit) {
		if c := &w.unit.Cells[i]; c.pair != "" && !c.paired {
			cells = append(cells, i)
		}
	}
	base := w.baseline()
	if len(cells) == 0 || base < 0 || w.outcomes[base].status != "" {
		return nil
	}
	baseFacts, err := w.cellFacts(base)
	if err != nil {
		return err
	}
	others := make([]*metrics.Samples, len(cells))
	for j, i := range cells {
		facts, err := w.cellFacts(i)
		if err != nil {
			return err
		}
		others[j] = metrics.Of(facts)
	}
	pairs, err := metrics.Pairs(ctx, metrics.Of(baseFacts), others, metrics.PairOptions{Seed: w.unit.seed, Interval: w.run.plan.interval})
	if err != nil {
		return err
	}
	for j, i := range cells {
		of := slices.DeleteFunc(slices.Clone(pairs), func(p metrics.Pair) bool { return p.Other != j })
		body, err := json.Marshal(of)
		if err == nil {
			err = w.run.plan.store.Put(results.Pairs, w.unit.Cells[i].pair, body)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// baseline returns the cell that others are paired with, -1 if there is none.
func (w *unitWork) baseline() int {
	for i := range w.unit.Cells {
		if w.unit.Cells[i].Method.Name == w.unit.Spec.Baseline {
			return i
		}
	}
	return -1
}
