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
	"github.com/qats-bench/qats/experiments/spec"
)

// serves reports whether a method of the plan is served.
func (p *Plan) serves() bool {
	return slices.ContainsFunc(p.Units, func(u Unit) bool {
		return slices.ContainsFunc(u.Cells, func(c Cell) bool { _, ok := c.external.(served); return ok })
	})
}

// served is a calibrator that the process which has started this one serves. No spec names it:
// AddServed adds it to specs. Its process has decided to run it, so it needs no permission.
type served struct {
	about     external.Served
	server    *external.Server
	limit     time.Duration
	cal, test data.Parts
}

// Of a method that does not state them.
const (
	servedLimit   = "10m"
	servedDiskMiB = 1024
)

// AddServed adds the methods of a server to each spec, after its own.
func AddServed(specs []*spec.Spec, server *external.Server) error {
	for _, about := range server.Methods {
		m, err := newServed(about, server)
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

// newServed checks what a process says of a method.
func newServed(about external.Served, server *external.Server) (spec.Method, error) {
	limit, err := time.ParseDuration(cmp.Or(about.Limit, servedLimit))
	switch {
	case !spec.IsID(about.Name):
		return spec.Method{}, errors.New("a name begins with a letter or digit and has letters, digits and . _ + - alone")
	case about.Source == "" && about.Version == "":
		return spec.Method{}, errors.New("it has neither the digest of its source nor a version: a stored fit of other code would be taken for its own; give a version")
	case err != nil || limit <= 0:
		return spec.Method{}, fmt.Errorf("limit %q: want a time above 0 with its unit, as 90s, 10m or 2h", about.Limit)
	case about.DiskMiB < 0:
		return spec.Method{}, fmt.Errorf("disk_mib %d: want 1 or more", about.DiskMiB)
	}
	m := served{about: about, server: server, limit: limit}
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

// Fit is an error: only the harness can ask the process.
func (served) Fit(context.Context, calib.Input) (*calib.Fitted, error) { return nil, spec.ErrExternal }

func (served) runs() bool { return false }

func (served) fits() bool { return true }

func (served) lacks(location) string { return "" }

// digests gives the name, the source and the version: a function of other code or other values is another method, and
// so is one of another name.
func (m served) digests(location, fileSum) (string, error) {
	return fmt.Sprintf("served %s\n  source %q\n  version %q\n", m.about.Name, m.about.Source, m.about.Version), nil
}

// service returns how the process is called.
func (m served) service(seed uint64) external.Service {
	return external.Service{Server: m.server, Method: m.about.Name, Limit: m.limit, Disk: int64(cmp.Or(m.about.DiskMiB, servedDiskMiB)) << 20, Seed: seed}
}

func (m served) fit(ctx context.Context, _ location, in calib.Input) ([]byte, error) {
	return m.service(in.Seed).Fit(ctx, handOver(in.Cal, data.Cal))
}

func (m served) open(ctx context.Context, at location, fit []byte, seed uint64) (*external.Table, error) {
	test, err := data.Load(ctx, at.test, at.setting.Test(), m.test)
	if err != nil {
		return nil, err
	}
	return m.service(seed).Apply(ctx, fit, handOver(test, data.Test), test.Logits.Rows, test.Logits.Cols)
}
