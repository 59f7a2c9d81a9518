package calib

import (
	"cmp"
	"fmt"
)

// Entry is one line of the registry: a method as users meet it. NewEntry makes
// one. Its JSON is what qats methods --json prints of it.
type Entry struct {
	Name    string `json:"name"`    // id in specs and results.csv
	Label   string `json:"label"`   // column heading
	Version int    `json:"version"` // raised whenever the method's numbers change; part of the cache key
	Summary string `json:"summary"` // one line

	Aliases []string `json:"aliases,omitempty"` // other names in use, which are answered by "did you mean"

	Facts // of the methods of this project, their doc comments have them, and calib/all sets them

	// Cost is the CPU time of a fit with the default options, in passes over the
	// calibration rows (a pass reads n x k logits and takes their log-sum-exp: about
	// 0.8 (k + 20) ns a row). It is a rough measurement, between sets of 524 x 2 and
	// 5,000 x 10 rows, and serves to divide work between processes. Zero means 30, the
	// middle of the methods that take 3 to 100 passes.
	Cost float64 `json:"-"`

	Method Method `json:"-"` // with the default options

	with    func(set func([]Option) error) (Method, error)
	restore func(params []byte) (Map, error)
}

// Facts say where a method comes from and what it was compared with. qats methods NAME
// and docs/methods.md print them. A method of another module needs a Reference only.
type Facts struct {
	Reference string `json:"reference"`     // author and year, or the paper's equation
	Formula   string `json:"formula"`       // the map and its objective, in the symbols of docs/methods.md
	Code      string `json:"compared_with"` // code that it was compared with, the authors' if they published any; "none"
	Agreement string `json:"agreement"`     // what was compared and how closely it agreed; "not compared" is an answer
	Departs   string `json:"departs"`       // where it departs from the reference, and why; "none"
}

// NewEntry completes an entry. M is the type of the method, which may be
// Configurable. P is the type of the map that it fits. The options start from the
// options of e.Method, or of the zero M if e.Method is nil.
func NewEntry[M Method, P Map](e Entry) Entry {
	start, _ := e.Method.(M)
	e.with = func(set func([]Option) error) (Method, error) {
		m, err := WithDefaults(start)
		if err == nil && set != nil {
			err = set(options(&m))
		}
		if p, ok := any(m).(Preparer); ok && err == nil {
			return p.Prepare()
		}
		return m, err
	}
	e.restore = func(params []byte) (Map, error) {
		var p P
		if err := decodeStrict(params, &p); err != nil {
			return nil, err
		}
		if err := p.Check(); err != nil {
			return nil, err
		}
		if derived, ok := any(p).(interface{ Prepared() Map }); ok {
			return derived.Prepared(), nil
		}
		return p, nil
	}
	m, err := WithDefaults(start)
	if err != nil {
		panic(fmt.Sprintf("calib: the default options of %s: %v", e.Name, err))
	}
	e.Method = m
	return e
}

// Preparer is a method whose options must fit together, or that computes something
// from them: Entry.With returns the result of Prepare.
type Preparer interface {
	Prepare() (Method, error)
}

// With returns the method with other options. It calls set with all options, at
// their defaults; set changes some of them. If set is nil, none is changed.
func (e Entry) With(set func([]Option) error) (Method, error) { return e.with(set) }

// Passes returns the Cost, or its default.
func (e Entry) Passes() float64 { return cmp.Or(e.Cost, 30) }

// Options returns the options of the method with their defaults. Most methods have
// none.
func (e Entry) Options() []Option {
	var list []Option
	e.with(func(all []Option) error {
		list = all
		return nil
	})
	return list
}
