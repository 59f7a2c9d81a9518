package experiments

import (
	"context"
	"errors"
	"io/fs"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/all"
	"github.com/qats-bench/qats/calib/external"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/experiments/spec"
	"github.com/qats-bench/qats/internal/cputime"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results"
)

// Registry returns everything that specs may name: the registered calibrators,
// the external methods and the metrics.
func Registry() spec.Registry {
	return spec.Registry{
		Methods:  all.Registry(),
		External: []calib.Entry{programEntry(), precomputedEntry()},
		Metrics:  metrics.Registry(),
	}
}

// externalMethod is a method whose probabilities are made elsewhere: by a
// program that the harness calls, or beforehand. Such methods are not in the
// registry of package calib, because they start processes or read files, and
// because their numbers have to be checked where they enter.
type externalMethod interface {
	calib.Method

	// digests returns the part of the key besides options and arrays: for a program it
	// belongs to the fit, for files to the rows. It calls sum for the digest of each file
	// that it reads.
	digests(at location, sum fileSum) (string, error)

	// lacks returns the reason why the method cannot serve a setting, or "" if it
	// can.
	lacks(at location) string

	// runs reports whether fit and open start a program.
	runs() bool

	// fit returns the bytes of a fit, for the store.
	fit(ctx context.Context, at location, in calib.Input) ([]byte, error)

	// open returns the probabilities of the test set of a setting.
	open(ctx context.Context, at location, fit []byte, seed uint64) (*external.Table, error)
}

// fileSum returns the digest of the file at path, which errors call name.
type fileSum func(path, name string) (string, error)

// location tells an external method the folders of a setting.
type location struct {
	root    string   // of the project
	folders []string // of arrays, put in front by the user
	test    data.Source
	setting *spec.Setting
	first   bool     // only the first rows of each set are used
	env     []string // names of variables that programs get
}

// location returns the location of a unit.
func (p *Plan) location(u *Unit) location {
	return location{root: projectRoot(u.Spec.File), folders: p.options.Data, test: u.test, setting: u.Setting, first: p.options.First > 0, env: p.options.Env}
}

// notAllowed says why a program is not run.
const notAllowed = "runs a program; allow it with --allow-exec, if you trust the spec and what it names"

// externalFit finds the bytes of an external fit in the store or makes them.
func (w *unitWork) externalFit(ctx context.Context, c *Cell) ([]byte, error) {
	store := w.run.plan.options.Store
	if !w.run.plan.options.Fresh {
		switch body, err := store.Get(results.Fit, results.Key(c.fit)); {
		case err == nil:
			return body, nil
		case !errors.Is(err, fs.ErrNotExist):
			return nil, storeError(err)
		}
	}
	var body []byte
	var spent results.Time
	err := w.withInput(ctx, c, func(in calib.Input) (err error) {
		var meter cputime.Meter // of the program, without handing it the arrays
		body, err = c.external.fit(cputime.With(ctx, &meter), w.run.plan.location(w.unit), in)
		took, known := meter.Total()
		spent = timeOf(took, known && c.external.runs(), in)
		return err
	})
	if err != nil {
		return nil, err
	}
	return body, w.putFit(c, body, spent)
}

// openTable opens the probabilities of an external method for the test set.
func (w *unitWork) openTable(ctx context.Context, cell int, fit []byte) error {
	c := &w.unit.Cells[cell]
	return guard(func() error {
		t, err := c.external.open(ctx, w.run.plan.location(w.unit), fit, c.seed)
		if err == nil {
			w.tables[cell] = t
		}
		return err
	})
}

// closeTables closes the tables of the cells.
func (w *unitWork) closeTables() {
	for i, t := range w.tables {
		if t != nil {
			t.Close()
			w.tables[i] = nil
		}
	}
}
