package experiments

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/external"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/keyed"
	"github.com/qats-bench/qats/experiments/spec"
)

// serves reports whether a parent serves a method of the plan.
func (p *Plan) serves() bool {
	return slices.ContainsFunc(p.Units, func(u Unit) bool {
		return slices.ContainsFunc(u.Cells, func(c Cell) bool { _, ok := c.external.(served); return ok })
	})
}

// served is a calibrator that a parent serves: the process that has started this one. It is
// no method of a spec, and AddServed adds it to those of specs. It needs no permission, since
// its parent has decided to run it.
type served struct {
	about     external.Served
	parent    *external.Parent
	limit     time.Duration
	cal, test data.Parts
}

// The limits of a method that does not state them.
const (
	servedLimit   = "10m"
	servedDiskMiB = 1024
)

// AddServed adds the methods of a parent to each spec, after the methods of the spec.
func AddServed(specs []*spec.Spec, parent *external.Parent) error {
	for _, about := range parent.Methods {
		m, err := newServed(about, parent)
		if err != nil {
			return fmt.Errorf("served method %q: %w", about.Name, err)
		}
		for _, s := range specs {
			if slices.ContainsFunc(s.Methods, func(o spec.Method) bool { return o.Name == m.Name }) {
				return fmt.Errorf("served method %q: %s has a method of this name: give it another one", m.Name, s.Name)
			}
			s.Methods = append(s.Methods, m)
		}
	}
	return nil
}

// newServed checks what a parent says of a method.
func newServed(about external.Served, parent *external.Parent) (spec.Method, error) {
	limit, err := time.ParseDuration(cmp.Or(about.Limit, servedLimit))
	switch {
	case !keyed.IsID(about.Name):
		return spec.Method{}, errors.New("a name begins with a letter or digit and has only letters, digits and . _ + -")
	case about.Source == "" && about.Version == "":
		return spec.Method{}, errors.New("it has neither the digest of its source nor a version: a stored fit of other code would be taken for its own; give a version")
	case err != nil || limit <= 0:
		return spec.Method{}, fmt.Errorf("limit %q: want a time above 0 with its unit, as 90s, 10m or 2h", about.Limit)
	case about.DiskMiB < 0:
		return spec.Method{}, fmt.Errorf("disk_mib %d: want 1 or more", about.DiskMiB)
	}
	m := served{about: about, parent: parent, limit: limit}
	if m.cal, m.test, err = needed(about.Needs); err != nil {
		return spec.Method{}, err
	}
	entry := calib.NewEntry[served, noMap](calib.Entry{Name: "served", Label: "served", Version: 1,
		Summary: "a function of the process that has started the run"})
	return spec.Method{Name: about.Name, Label: cmp.Or(about.Label, about.Name), Entry: entry, Method: m}, nil
}

// Contract asks for the labels of the calibration set, and never for the labels of a
// test set.
func (m served) Contract() calib.Contract { return calib.Contract{Cal: m.cal, Test: m.test} }

// Fit is an error: only a run can ask the parent.
func (served) Fit(context.Context, calib.Input) (*calib.Fitted, error) { return nil, spec.ErrExternal }

func (served) runs() bool { return false }

func (served) fits() bool { return true }

func (served) lacks(location) string { return "" }

// digests gives the name, the source and the version. So a function with other code, other values or another name is
// another method.
func (m served) digests(location, fileSum) (string, error) {
	return fmt.Sprintf("served %s\n  source %q\n  version %q\n", m.about.Name, m.about.Source, m.about.Version), nil
}

// calls returns how the parent is called for a fit.
func (m served) calls(seed uint64) external.Calls {
	return external.Calls{To: m.parent.Of(m.about.Name), Limit: m.limit, Disk: int64(cmp.Or(m.about.DiskMiB, servedDiskMiB)) << 20, Seed: seed}
}

func (m served) fit(ctx context.Context, _ location, in calib.Input) ([]byte, error) {
	return m.calls(in.Seed).Fit(ctx, handOver(in.Cal, data.Cal))
}

func (m served) open(ctx context.Context, at location, fit []byte, seed uint64) (*external.Table, error) {
	test, err := data.Load(ctx, at.test, at.setting.Test(), m.test)
	if err != nil {
		return nil, err
	}
	return m.calls(seed).Apply(ctx, fit, handOver(test, data.Test), test.Logits.Rows, test.Logits.Cols)
}
