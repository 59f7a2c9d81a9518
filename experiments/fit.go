package experiments

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/external"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/experiments/engine"
	"github.com/qats-bench/qats/internal/cputime"
	"github.com/qats-bench/qats/results"
)

// fit returns the fit of a cell for a test set of some classes, from the store or by fitting.
// Of an external method it is the table of its probabilities.
func (w *unitWork) fit(ctx context.Context, cell, classes int) (*engine.Column, error) {
	c := &w.unit.Cells[cell]
	contract := c.Method.Contract()
	if err := (engine.Form{OffsetLost: w.inputs.OffsetLost, Masked: w.inputs.Masked > 0}).Suits(contract); err != nil {
		return nil, err
	}
	if c.external != nil && c.external.runs() && !w.run.plan.options.AllowExec {
		return nil, &engine.Unsuited{Why: notAllowed}
	}
	key := results.Key(c.fit)
	w.run.mu.Lock()
	f := w.run.fits[key]
	if f == nil { // the stored fit was damaged, or another cell has made it again
		f = &fitting{}
		w.run.fits[key] = f
	}
	w.run.mu.Unlock()
	f.once.Do(func() {
		w.run.begin(w.unit, c)
		f.err = engine.Guard(func() error {
			release, err := w.run.claim(ctx, c)
			if err != nil {
				return err
			}
			defer release()
			if c.external != nil {
				f.body, err = w.externalFit(ctx, c)
				return err
			}
			f.model, err = w.makeFit(ctx, c)
			return err
		})
	})
	w.run.leave(key)
	if f.err != nil {
		return nil, f.err
	}
	if c.external != nil {
		table, err := w.openTable(ctx, c, f.body)
		return &engine.Column{Contract: contract, Table: table}, err
	}
	if k := f.model.Classes; k != 0 && k != classes { // 0 for any
		cal := w.unit.Setting.Cal()
		return nil, fmt.Errorf("the test set has %d classes, its calibration set %s/%s has %d", classes, cal.Dataset, cal.Backbone, k)
	}
	w.fits[cell] = &f.model.Fitted
	return &engine.Column{Contract: contract, Map: f.model.Map}, nil
}

// makeFit finds the fit in the store, or makes it and stores it.
func (w *unitWork) makeFit(ctx context.Context, c *Cell) (*calib.Model, error) {
	store := w.run.plan.options.Store
	if !w.run.plan.options.Fresh {
		switch model, err := loadFit(store, c); {
		case err == nil:
			return model, nil
		case !errors.Is(err, fs.ErrNotExist):
			return nil, storeError(err)
		}
	}
	var model *calib.Model
	var spent results.Time
	err := w.withInput(ctx, c, func(in calib.Input) error {
		fitted, took, err := engine.Fit(ctx, c.Method, in)
		if err != nil {
			return err
		}
		spent = took
		model = c.Method.Model(in, fitted)
		return nil
	})
	if err != nil {
		return nil, err
	}
	var body bytes.Buffer
	if err := model.Save(&body); err != nil {
		return nil, err
	}
	return model, w.putFit(c, body.Bytes(), spent)
}

// withInput calls f with the arrays that the contract of c names, and with no others.
func (w *unitWork) withInput(ctx context.Context, c *Cell, f func(calib.Input) error) error {
	contract := c.Method.Contract()
	stream, err := w.calStream(ctx, contract)
	if err != nil {
		return err
	}
	if stream != nil {
		defer stream.Close()
	} else if contract.Cal != 0 {
		if err := w.loadCal(ctx); err != nil {
			return err
		}
	}
	var target *data.Set
	if contract.Target != 0 {
		if target, err = data.Load(ctx, w.unit.test, w.unit.Setting.Test(), contract.Target); err != nil {
			return err
		}
	}
	in := engine.Input(contract, w.cal, target)
	in.Seed, in.Shared = c.seed, &w.shared
	if stream != nil {
		in.Stream, in.Cal = stream, nil
	}
	for _, set := range []*data.Set{in.Cal, in.Target} {
		if set != nil {
			if err := engine.FormOf(contract, set, data.Form{}).Suits(contract); err != nil {
				return err
			}
		}
	}
	return f(in)
}

// calStream returns the calibration set as a stream if the method takes one and
// the set alone is larger than the memory of the run, else nil.
func (w *unitWork) calStream(ctx context.Context, contract calib.Contract) (*data.Stream, error) {
	if !contract.Streams {
		return nil, nil
	}
	r, err := w.unit.source.Open(ctx, w.unit.Setting.Cal(), contract.Cal)
	if err != nil {
		return nil, err
	}
	if stream := engine.Stream(r, contract, w.run.plan.options.Memory); stream != nil {
		return stream, nil
	}
	return nil, r.Close()
}

// loadCal reads the calibration set once for all methods of the unit.
func (w *unitWork) loadCal(ctx context.Context) error {
	if w.cal == nil && w.calErr == nil {
		parts, _ := w.unit.parts(w.live(Miss))
		w.cal, w.calErr = data.Load(ctx, w.unit.source, w.unit.Setting.Cal(), parts)
	}
	return w.calErr
}

// loadFit returns the stored fit of a cell, as its own method saved it. The error wraps
// fs.ErrNotExist if there is none, or one that does not load, which is made again like a
// damaged object.
func loadFit(store *results.Store, c *Cell) (*calib.Model, error) {
	key := results.Key(c.fit)
	body, err := store.Get(results.Fit, key)
	if err != nil {
		return nil, err
	}
	model, err := calib.LoadModel(bytes.NewReader(body), []calib.Entry{c.Method.Entry})
	if err == nil && model.Older {
		err = errors.New("its bounds and warnings are text")
	}
	if err != nil {
		return nil, fmt.Errorf("fit %.12s of the store (%v): %w", key, err, fs.ErrNotExist)
	}
	return model, nil
}

// fitted returns the fit of a cell, from memory or the store. It is empty for an
// external method.
func (w *unitWork) fitted(cell int) (*calib.Fitted, error) {
	c := &w.unit.Cells[cell]
	if c.external != nil {
		return &calib.Fitted{}, nil
	}
	if w.fits[cell] == nil {
		model, err := loadFit(w.run.plan.options.Store, c)
		if err != nil {
			return nil, storeError(err)
		}
		w.fits[cell] = &model.Fitted
	}
	return w.fits[cell], nil
}

// putFit stores the fit of cell c and its time, if that is known, under the same key: a fit
// that is found in the store keeps its time. It stores nothing if a file that it
// was computed from has changed since the plan: the key would name another content than
// the one that was read. The time is stored first, so that a run that is killed leaves
// no fit without one.
func (w *unitWork) putFit(c *Cell, body []byte, spent results.Time) error {
	store := w.run.plan.options.Store
	if err := w.unit.unchanged(w.run.plan.options.Digests, c, false); err != nil {
		return err
	}
	if spent.Known {
		text, err := json.Marshal(spent)
		if err == nil {
			err = storeError(store.Put(results.Times, c.fit, text))
		}
		if err != nil {
			return err
		}
	}
	if err := w.run.put(results.Fit, c.fit, body); err != nil {
		return storeError(err)
	}
	w.run.made()
	return nil
}

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
		body, err = c.external.fit(cputime.With(ctx, &meter), w.run.location(w.unit), in)
		took, known := meter.Total()
		spent = engine.TimeOf(took, known, in)
		return err
	})
	if err != nil {
		return nil, err
	}
	return body, w.putFit(c, body, spent)
}

// openTable opens the probabilities of an external method for the test set.
func (w *unitWork) openTable(ctx context.Context, c *Cell, fit []byte) (table *external.Table, err error) {
	err = engine.Guard(func() (err error) {
		table, err = c.external.open(ctx, w.run.location(w.unit), fit, c.seed)
		return err
	})
	return table, err
}

// closeTables closes the tables of the cells.
func (w *unitWork) closeTables() {
	for _, c := range w.columns {
		if c != nil && c.Table != nil {
			c.Table.(*external.Table).Close()
		}
	}
	w.columns = nil
}

// Fits returns the fits of a method in the store of the plan, by their contents: one for each that several settings
// share, at the first of them, in the order of the plan. A setting without a fit, because the method cannot run or failed there, has none.
func (p *Plan) Fits(method string) ([]results.EntryFit, error) {
	var list []results.EntryFit
	seen := map[string]bool{}
	for i := range p.Units {
		for _, c := range p.Units[i].Cells {
			if c.Method.Name != method || c.fit == "" || seen[c.fit] {
				continue
			}
			seen[c.fit] = true
			body, err := p.options.Store.Get(results.Fit, results.Key(c.fit))
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return nil, storeError(err)
			}
			sum := sha256.Sum256(body)
			list = append(list, results.EntryFit{Setting: p.Units[i].Setting.Setting, Bytes: len(body), SHA256: hex.EncodeToString(sum[:])})
		}
	}
	return list, nil
}
