package experiments

import (
	"context"
	"errors"
	"fmt"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/external"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/results"
)

// outside is a method whose probabilities are made elsewhere: by a program that
// the harness calls, or beforehand. Such methods are no calib.Entry of the
// registry: they start processes or read files, and the numbers they give are
// judged where they enter.
type outside interface {
	calib.Method

	// digests returns what the keys of the fit and of the rows depend on beside
	// options and arrays.
	digests(at whereabouts, files *data.Digests) (fit, rows string, err error)

	// lacks says why the method cannot serve a setting, empty if it can.
	lacks(at whereabouts) string

	// runs reports whether fit and open start a program.
	runs() bool

	// fit returns the bytes of a fit, for the store.
	fit(ctx context.Context, at whereabouts, in calib.Input) ([]byte, error)

	// open returns the probabilities of the test set of a setting.
	open(ctx context.Context, at whereabouts, fit []byte, seed uint64) (*external.Table, error)
}

// whereabouts is what an outside method may know of where it is used.
type whereabouts struct {
	root  string      // of the project
	roots []string    // folders of arrays that the user put in front
	test  data.Source // of the test set
	set   *Setting
	first bool // only the first rows are used
}

// outsideEntries are the methods that specs may name beside the registry's.
func outsideEntries() []calib.Entry { return []calib.Entry{programEntry(), precomputedEntry()} }

// errNotHere is what an outside method says where a fitted map of ours is
// wanted.
var errNotHere = errors.New("a method of specs, not of this command; see CONTRIBUTING.md")

// whereabouts returns those of a unit.
func (p *Plan) whereabouts(u *Unit) whereabouts {
	return whereabouts{root: projectRoot(u.Spec.File), roots: p.data, test: u.test, set: u.Setting, first: p.first > 0}
}

// notAllowed says why a program is not run.
func notAllowed(method string) string {
	return method + " runs a program; allow it with --allow-exec, if you trust the spec and what it names"
}

// outsideFit finds the bytes of an outside fit in the store or makes them.
func (w *unitWork) outsideFit(ctx context.Context, c *Cell) ([]byte, error) {
	store := w.run.plan.store
	if !w.run.options.Fresh {
		if body, err := store.Get(results.Fit, results.Key(c.fit)); err == nil {
			return body, nil
		}
	}
	if c.Method.outside.runs() && !w.run.plan.allowExec {
		return nil, &skipError{notAllowed(c.Method.Name)}
	}
	var body []byte
	err := w.withInput(ctx, c, func(in calib.Input) (err error) {
		body, err = c.Method.outside.fit(ctx, w.run.plan.whereabouts(w.unit), in)
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := store.Put(results.Fit, c.fit, body); err != nil {
		return nil, err
	}
	w.run.count(func(r *run) { r.fitted++ })
	return body, nil
}

// openTable opens what an outside method says of the test set.
func (w *unitWork) openTable(ctx context.Context, cell int, fit []byte) error {
	c := &w.unit.Cells[cell]
	if c.Method.outside.runs() && !w.run.plan.allowExec {
		return &skipError{notAllowed(c.Method.Name)}
	}
	return guard(c.Method.Name, func() error {
		t, err := c.Method.outside.open(ctx, w.run.plan.whereabouts(w.unit), fit, c.seed)
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

// outsideTexts adds to the key texts what an outside method depends on.
func (u *Unit) outsideTexts(at whereabouts, files *data.Digests, c *Cell, test string) error {
	fit, rows, err := c.Method.outside.digests(at, files)
	if err != nil {
		return fmt.Errorf("%s: %w", c.Method.Name, err)
	}
	c.fit += fit
	c.facts = factsText(c.fit, test+rows, u.classes())
	return nil
}
