package experiments

import (
	"context"
	"errors"
	"slices"
	"sync"

	"golang.org/x/sync/semaphore"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/external"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/experiments/engine"
	"github.com/qats-bench/qats/experiments/spec"
	"github.com/qats-bench/qats/metrics/scoring"
	"github.com/qats-bench/qats/results"
)

// run is the state that the workers of one run share.
type run struct {
	plan    *Plan
	options RunOptions
	memory  *semaphore.Weighted
	needs   map[int]*memory // of its units
	claims  *claims         // nil for a whole run

	programs external.Programs

	mu      sync.Mutex
	fits    map[string]*fitting // by key, while some unit still needs it
	now     Progress            // without Experiment
	lacking map[int]int         // the work on the cells that the store lacked at the start, by unit
	left    map[*spec.Spec]int  // settings that are not done
}

// outcome is the result of one cell. The status is empty until the cell has failed
// or is skipped.
type outcome struct {
	status results.Status
	why    results.Note
}

// fitting is one fit of a run. The first unit that needs it makes it; all
// settings with the same calibration arrays share it.
type fitting struct {
	users int // cells that still need it
	once  sync.Once
	model *calib.Model
	body  []byte // of an external method, in place of the model
	err   error
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

// unitWork is the work on one setting: make the missing fits, stream the test
// set once through all maps, score, pair. Each step puts its results into the
// store before the next step begins.
type unitWork struct {
	run      *run
	unit     *Unit
	outcomes []outcome
	inputs   inputs                  // notes on its arrays
	classes  int                     // of the test set; 0 where no metric asks for it
	columns  []*engine.Column        // by cell, while the test set is read; nil where none is missing or the fit failed
	samples  []*scoring.SampleScores // by cell; nil where they are not in memory
	fits     []*calib.Fitted         // by cell, of the fits made or looked up
	cal      *data.Set               // with the parts that the missing cells need
	calErr   error
	shared   calib.Shared // intermediate results that the fits on cal share
	free     func()       // returns the reserved memory; nil while none is reserved
	needs    *memory      // of the cells that were missing when the run began
	large    bool         // the scores of the cells are a large part of the memory
	fatal    error        // the first error that ends the run
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

// fail marks a cell whose arrays do not suit its method, or which has failed. An error of the
// machine, not of the cell, ends the run.
func (w *unitWork) fail(cell int, err error) {
	var unsuited *engine.Unsuited
	if errors.As(err, &unsuited) {
		w.outcomes[cell] = outcome{results.Skip, because(unsuited.Why)}
		return
	}
	if isFatal(err) && w.fatal == nil {
		w.fatal = err
	}
	w.outcomes[cell] = outcome{results.Fail, because(err.Error())}
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

// release returns the memory that the unit has reserved, and drops its calibration set.
func (w *unitWork) release() {
	w.cal = nil
	if w.free != nil {
		w.free()
	}
}

// forget drops large scores, which the next step reads from the store.
func (w *unitWork) forget() {
	if w.large {
		clear(w.samples)
	}
}
