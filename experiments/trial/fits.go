package trial

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/experiments/engine"
	"github.com/qats-bench/qats/experiments/spec"
	"github.com/qats-bench/qats/internal/cputime"
	"github.com/qats-bench/qats/internal/pool"
	"github.com/qats-bench/qats/metrics/scoring"
)

// task is the work on one method.
type task struct {
	method *spec.Method
	fitted *calib.Fitted
	spent  float64
	timed  bool
	err    error // of the fit on all rows

	cross *scoring.SampleScores // in the order of the folds
	test  *scoring.SampleScores // nil without a test set

	mu       sync.Mutex
	foldErr  error // of the lowest fold that failed
	foldAt   int
	topLabel bool
}

// work is the fits of a trial.
type work struct {
	in     *Input
	folds  *folded
	tasks  []*task
	shared [Folds + 1]calib.Shared // of the fits without each fold, and of those on all rows

	progress func(done, all int, method string)
	mu       sync.Mutex
	done     int // fits
}

// do makes all fits, the longest first, so that the processors end at about the same time.
func (w *work) do(ctx context.Context) error {
	order := slices.Clone(w.tasks)
	passes := func(t *task) float64 { return t.method.Entry.Passes(w.in.Cal.Logits.Cols) }
	slices.SortStableFunc(order, func(a, b *task) int { return cmp.Compare(passes(b), passes(a)) })
	return pool.Each(ctx, len(order)*(Folds+1), runtime.GOMAXPROCS(0), func(_, i int) error {
		t, k := order[i/(Folds+1)], i%(Folds+1)
		if k == Folds {
			t.err = engine.Guard(func() error { return w.whole(ctx, t) })
		} else if err := engine.Guard(func() error { return w.fold(ctx, t, k) }); err != nil {
			t.failed(k, err)
		}
		w.report(len(order)*(Folds+1), t.method.Name)
		return ctx.Err()
	})
}

// report reports the end of a fit.
func (w *work) report(all int, method string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.done++; w.progress != nil {
		w.progress(w.done, all, method)
	}
}

// errSeesTarget says why a method that reads rows of the deployment domain is not cross-fitted: of
// a fold it would read the rows that judge, and of the calibration rows their share of classes.
var errSeesTarget = errors.New("it reads the unlabelled test rows, so that the calibration rows cannot judge it")

// failed keeps the error of the lowest fold.
func (t *task) failed(fold int, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.foldErr == nil || fold < t.foldAt {
		t.foldErr, t.foldAt = err, fold
	}
}

// input returns what a method is fitted on, of the rows of cal.
func (w *work) input(m *spec.Method, cal *data.Set, shared *calib.Shared) calib.Input {
	c := m.Contract()
	in := calib.Input{Seed: fitSeed, Shared: shared}
	if c.Cal != 0 {
		in.Cal = cal.View(c.Cal)
	}
	if c.Target != 0 {
		in.Target = w.in.Test.View(c.Target)
	}
	return in
}

// fold fits a method without fold k and scores that fold.
func (w *work) fold(ctx context.Context, t *task, k int) error {
	if t.method.Contract().Target != 0 {
		return errSeesTarget
	}
	fitted, err := t.method.Fit(ctx, w.input(t.method, w.folds.without(k), &w.shared[k]))
	if err != nil {
		return err
	}
	part := t.cross.Part(w.folds.edges[k], w.folds.edges[k+1])
	if err := score(part, fitted.Map, t.method.Contract(), w.folds.only(k)); err != nil {
		return err
	}
	t.mu.Lock()
	t.topLabel = t.topLabel || part.TopLabel
	t.mu.Unlock()
	return nil
}

// whole fits a method on all calibration rows and scores the test rows.
func (w *work) whole(ctx context.Context, t *task) error {
	spent, known, err := cputime.Measure(ctx, func(ctx context.Context) (err error) {
		t.fitted, err = t.method.Fit(ctx, w.input(t.method, w.in.Cal.Set, &w.shared[Folds]))
		return err
	})
	t.spent, t.timed = spent.Seconds(), known
	if err != nil || w.in.Test == nil {
		return err
	}
	t.test = scoring.New(w.in.Test.Logits.Rows)
	return score(t.test, t.fitted.Map, t.method.Contract(), w.in.Test.Set)
}

// blockRows is the number of rows that are scored at a time.
const blockRows = 512

// score appends the scores of the rows of a set under a map.
func score(to *scoring.SampleScores, m calib.Map, c calib.Contract, set *data.Set) error {
	var probs data.Probs
	for lo := 0; lo < set.Logits.Rows; lo += blockRows {
		rows := set.Rows(lo, min(lo+blockRows, set.Logits.Rows))
		seen, n := rows.View(c.Test), rows.Logits.Rows
		if err := calib.CheckSet(m, seen); err != nil {
			return err
		}
		var err error
		switch m := m.(type) {
		case calib.Tempered:
			scales := make([]float64, n)
			m.Scales(scales, seen, calib.NewUnscaled(rows.Logits))
			for i, s := range scales {
				if !(s >= 0 && s <= math.MaxFloat64) {
					return fmt.Errorf("row %d: the temperature is %v", lo+i, 1/s)
				}
			}
			err = scoring.AppendScaled([]*scoring.SampleScores{to}, rows, scales)
		case calib.TopLabel:
			var class []int32
			var conf []float64
			if class, conf, err = calib.TopLabels(m, seen); err == nil {
				err = to.AppendTopLabel(class, conf, rows.Labels)
			}
		default:
			if probs.Rows < n {
				probs = data.NewProbs(n, rows.Logits.Cols)
			}
			dst := probs.Slice(0, n)
			if err = calib.Apply(m, dst, seen); err == nil {
				err = to.AppendProbs(dst, rows)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}
