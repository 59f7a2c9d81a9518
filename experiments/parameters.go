package experiments

import (
	"fmt"
	"slices"
	"sync"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/results"
)

// fitParameters reads the parameters of stored fits, each fit once: the corrupted
// sets of a network share its fits.
type fitParameters struct {
	store *results.Store
	mu    sync.Mutex
	seen  map[string]func() ([]calib.Parameter, error) // by key
}

// of returns the parameters of the fit of a cell. They are nil for an external
// method.
func (f *fitParameters) of(c *Cell) ([]calib.Parameter, error) {
	if c.external != nil {
		return nil, nil
	}
	key := results.Key(c.fit)
	f.mu.Lock()
	read := f.seen[key]
	if read == nil {
		read = sync.OnceValues(func() ([]calib.Parameter, error) {
			model, err := loadFit(f.store, c)
			if err != nil {
				return nil, fmt.Errorf("fit %.12s of the store: %w; run again with --fresh", key, err)
			}
			return model.Parameters(), nil
		})
		f.seen[key] = read
	}
	f.mu.Unlock()
	return read()
}

// rows returns the rows of fits.csv of a cell: its parameters, each with its
// active bound, then the other active bounds, then the warnings.
func (f *fitParameters) rows(cell results.Setting, c *Cell, report calib.Report) ([]results.Parameter, error) {
	parameters, err := f.of(c)
	if err != nil {
		return nil, err
	}
	var list []results.Parameter
	row := results.Parameter{Setting: cell, Method: c.Method.Name}
	bounds := slices.Clone(report.AtBound)
	for _, p := range parameters {
		r := row
		r.Name, r.Value, r.Bound = p.Name, p.Value, p.Bound
		bounds = slices.DeleteFunc(bounds, func(b string) bool { return b == p.Bound })
		list = append(list, r)
	}
	for _, b := range distinct(bounds) {
		r := row
		r.Bound = b
		list = append(list, r)
	}
	for _, w := range distinct(report.Warnings) {
		r := row
		r.Warning = w
		list = append(list, r)
	}
	return list, nil
}

// intactFits looks each stored fit up once.
type intactFits struct {
	plan *Plan
	seen map[string]bool // by key text
}

// intact reports whether the fit of a cell is in the store, undamaged.
func (f *intactFits) intact(c *Cell) bool {
	ok, known := f.seen[c.fit]
	if !known {
		ok = f.plan.intact(results.Fit, c.fit)
		f.seen[c.fit] = ok
	}
	return ok
}

// distinct returns the different texts in the order of their first place.
func distinct(list []string) []string {
	var kept []string
	for _, s := range list {
		if !slices.Contains(kept, s) {
			kept = append(kept, s)
		}
	}
	return kept
}
