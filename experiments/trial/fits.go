package trial

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/experiments/engine"
	"github.com/qats-bench/qats/experiments/spec"
	"github.com/qats-bench/qats/internal/pool"
	"github.com/qats-bench/qats/metrics/scoring"
	"github.com/qats-bench/qats/results"
)

// task is the work on one method.
type task struct {
	method *spec.Method
	fitted *calib.Fitted
	time   results.Time
	err    error // of the fit on all rows

	cross *scoring.SampleScores // in the order of the folds
	test  *scoring.SampleScores // nil without a test set

	shares *scoring.ShareTally // of the rows that judge; nil of a confidence alone

	mu       sync.Mutex
	foldErr  error // of the lowest fold that failed
	foldAt   int
	topLabel bool
}

// work is the fits of a trial.
type work struct {
	in     *Input
	folds  *engine.Folded
	tasks  []*task
	shared []calib.Shared // of the fits without each fold, and of those on all rows

	progress func(done, all int, method string)
	mu       sync.Mutex
	done     int // fits
}

// do makes all fits, the longest first, so that the processors end at about the same time.
func (w *work) do(ctx context.Context) error {
	order, folds := slices.Clone(w.tasks), w.folds.Count()
	passes := func(t *task) float64 { return t.method.Entry.Passes(w.in.Cal.K()) }
	slices.SortStableFunc(order, func(a, b *task) int { return cmp.Compare(passes(b), passes(a)) })
	return pool.Each(ctx, len(order)*(folds+1), runtime.GOMAXPROCS(0), func(_, i int) error {
		t, k := order[i/(folds+1)], i%(folds+1)
		if k == folds {
			t.err = engine.Guard(func() error { return w.whole(ctx, t) })
		} else if err := engine.Guard(func() error { return w.fold(ctx, t, k) }); err != nil {
			t.failed(k, err)
		}
		w.report(len(order)*(folds+1), t.method.Name)
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
	var target *data.Set
	if c.Target != 0 {
		target = w.in.Test.Set
	}
	in := engine.Input(c, cal, target)
	in.Seed, in.Shared = fitSeed, shared
	return in
}

// fold fits a method without fold k and scores that fold.
func (w *work) fold(ctx context.Context, t *task, k int) error {
	if t.method.Contract().Target != 0 {
		return errSeesTarget
	}
	lo, hi := w.folds.Edges(k)
	c := &engine.Column{Samples: t.cross.Part(lo, hi)}
	if w.in.Test == nil {
		c.Shares = t.shares
	}
	if err := w.folds.Cross(ctx, t.method, w.input(t.method, nil, &w.shared[k]), k, c); err != nil {
		return err
	}
	_, top := c.Map.(calib.TopLabel)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.topLabel = t.topLabel || top || w.in.ConfidenceOnly()
	return nil
}

// whole fits a method on all calibration rows and scores the test rows.
func (w *work) whole(ctx context.Context, t *task) (err error) {
	t.fitted, t.time, err = engine.Fit(ctx, t.method, w.input(t.method, w.in.Cal.Set, &w.shared[w.folds.Count()]))
	if err != nil || w.in.Test == nil {
		return err
	}
	c := &engine.Column{Contract: t.method.Contract(), Map: t.fitted.Map, Shares: t.shares}
	err = cmp.Or(engine.Score(ctx, data.ReadRows(w.in.Test.Set), []*engine.Column{c}, engine.ScoreOptions{}), c.Err)
	t.test = c.Samples
	return err
}
