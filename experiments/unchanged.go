package experiments

import (
	"encoding/json"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/results"
)

// namedFile is a file that an external method reads, and its name in errors.
type namedFile struct{ path, name string }

// putFit stores the fit of cell c and its time, if that is known, unless a file that it
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
	if err := store.Put(results.Fit, c.fit, body); err != nil {
		return storeError(err)
	}
	w.run.fitted.Add(1)
	return nil
}

// unchangedArrays returns an error if a file of these parts of the calibration set and
// of the test set has changed since the plan.
func (u *Unit) unchangedArrays(cal, test data.Parts) error {
	if cal != 0 {
		if err := data.Unchanged(u.source, u.Setting.Cal(), cal); err != nil {
			return err
		}
	}
	if test == 0 {
		return nil
	}
	return data.Unchanged(u.test, u.Setting.Test(), test)
}

// unchanged returns an error if a file that the fit of c reads has changed since
// the plan or, with applied, one that scoring it reads.
func (u *Unit) unchanged(digests *data.Digests, c *Cell, applied bool) error {
	contract := c.Method.Contract()
	test := contract.Target
	if applied {
		test |= contract.Test | scored
	}
	if err := u.unchangedArrays(contract.Cal, test); err != nil {
		return err
	}
	for _, f := range c.files {
		if err := digests.Unchanged(f.path, f.name); err != nil {
			return err
		}
	}
	return nil
}
