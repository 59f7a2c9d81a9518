package calib

import (
	"cmp"
	"fmt"
	"math"
)

// Entry is one line of the registry: a method as users meet it. NewEntry makes
// one. Its JSON is what qats doc methods --json prints of it.
type Entry struct {
	Name    string `json:"name"`    // id in specs and results.csv
	Label   string `json:"label"`   // column heading
	Version int    `json:"version"` // raised whenever the method's numbers change; part of the cache key
	Since   int    `json:"-"`       // the oldest version whose saved maps predict as they did; 0: Version alone
	Summary string `json:"summary"` // one line

	Aliases []string `json:"aliases,omitempty"` // other names in use, which are answered by "did you mean"

	Sheet // of the methods of this project, their doc comments have them, and calib/all sets them

	// Cost is the processor time of a fit with the default options, in passes over the
	// calibration rows: a pass reads n x k logits and takes their log-sum-exp, about
	// 0.8 (k + 20) ns a row. It is a rough measurement on 5,000 rows of 10 classes, with 128
	// features if the method reads features. Cost100 is the same with 100 classes; zero means
	// Cost. They serve to order fits and to say beforehand what will be slow. A Cost of zero
	// means 30, the middle of the methods that take 3 to 100 passes.
	Cost    float64 `json:"-"`
	Cost100 float64 `json:"-"`

	Method Method `json:"-"` // an option that it does not set has its default

	types types
}

// Sheet says where a method comes from and what it was compared with. qats doc NAME
// and docs/methods.md print them. A method of another module needs a Reference only.
type Sheet struct {
	Reference string `json:"reference"`     // author and year, or the paper's equation
	Formula   string `json:"formula"`       // the map and its objective, in the symbols of docs/methods.md
	Code      string `json:"compared_with"` // code that it was compared with, the authors' if they published any; "none"
	Agreement string `json:"agreement"`     // what was compared and how closely it agreed; "not compared" is an answer
	Departs   string `json:"departs"`       // where it departs from the reference, and why; "none"
}

// NewEntry completes an entry. M is the type of the method, which may be
// Configurable. P is the type of the map that it fits. The options start from the
// options of e.Method, or of the zero M if e.Method is nil. It runs nothing of the method, so that
// a program with many entries starts fast.
func NewEntry[M Method, P Map](e Entry) Entry {
	start, _ := e.Method.(M)
	e.Method, e.types = start, typed[M, P]{start}
	return e
}

// New returns a draft of the method with its default options. It panics if one of them is outside of
// its range, which the conformance suite finds.
func (e Entry) New() Draft { return e.types.draft() }

// Draft is a method whose options can still be set. Method returns it with the options
// set so far; a later Set leaves that method as it is.
type Draft interface {
	Options() []Option
	Method() (Method, error)
}

// Preparer is a method whose options must fit together, or that computes something
// from them: Draft.Method returns the result of Prepare.
type Preparer interface {
	Prepare() (Method, error)
}

// types makes values of the types of an entry: drafts of its method, and maps from saved
// parameters.
type types interface {
	draft() Draft
	restore(params []byte) (Map, error)
	topLabel() bool // of the maps
	tempered() bool
}

// typed is the types that NewEntry was given.
type typed[M Method, P Map] struct{ start M }

func (t typed[M, P]) draft() Draft {
	m, err := WithDefaults(t.start)
	if err != nil {
		panic(fmt.Sprintf("calib: the default options of %T: %v", m, err))
	}
	return &draft[M]{m}
}

func (typed[M, P]) restore(params []byte) (Map, error) {
	params, by, err := withoutDivisor(params)
	if err != nil {
		return nil, err
	}
	params, ends, err := withoutEnds(params)
	if err != nil {
		return nil, err
	}
	params, mass, err := withoutMass(params)
	if err != nil {
		return nil, err
	}
	var p P
	if err := decodeStrict(params, &p); err != nil {
		return nil, err
	}
	if err := p.Check(); err != nil {
		return nil, err
	}
	var m Map = p
	if derived, ok := m.(interface{ Prepared() Map }); ok {
		m = derived.Prepared()
	}
	if m, err = mass.checked(m); err != nil {
		return nil, err
	}
	if !ends.none() {
		if _, top := m.(TopLabel); !top || by != 1 {
			return nil, fmt.Errorf("%s is no parameter of this method", endsKey)
		}
		return ends.mapOf(m), nil
	}
	if by == 1 {
		return m, nil
	}
	if _, top := m.(TopLabel); !top && isRanked(m) {
		return nil, fmt.Errorf("%s is no parameter of this method", divisorKey)
	}
	return by.mapOf(m), nil
}

func (typed[M, P]) topLabel() bool {
	var p P
	_, ok := any(p).(TopLabel)
	return ok
}

func (typed[M, P]) tempered() bool {
	var p P
	_, ok := any(p).(Tempered)
	return ok
}

// draft is a Draft of an M.
type draft[M Method] struct{ method M }

func (d *draft[M]) Options() []Option { return options(&d.method) }

func (d *draft[M]) Method() (Method, error) {
	if p, ok := any(d.method).(Preparer); ok {
		return p.Prepare()
	}
	return d.method, nil
}

// TopLabelOnly reports whether the method gives a new confidence to the predicted class and
// says nothing about the other classes: its maps are TopLabel, so NLL and Brier score are
// undefined.
func (e Entry) TopLabelOnly() bool { return e.types.topLabel() }

// Divides reports whether the maps of the method divide the logits of each row by one
// temperature (Tempered).
func (e Entry) Divides() bool { return e.types.tempered() }

// Passes returns the cost of a fit with this number of classes: a power of the number that
// joins the costs with 10 and 100. With fewer than 10 or more than 1,000 classes it is that
// of 10 or 1,000.
func (e Entry) Passes(classes int) float64 {
	few := cmp.Or(e.Cost, 30)
	decades := math.Log10(float64(min(max(classes, 10), 1000)) / 10)
	return few * math.Pow(cmp.Or(e.Cost100, few)/few, decades)
}

// Reads reports whether saved maps of a version of the method predict as they did when it was fitted.
func (e Entry) Reads(version int) bool {
	return version <= e.Version && version >= cmp.Or(e.Since, e.Version)
}

// Options returns the options of the method with their defaults. Most methods have
// none.
func (e Entry) Options() []Option { return e.New().Options() }
