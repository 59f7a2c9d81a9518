// Package calibtest is the conformance suite of calibrators. It checks, for one
// registry entry, all that package calib promises about every Method and Map.
//
// The test of package calib runs the suite over every line of the registry. Another
// module calls Run. The suite tests what a method promises in its Contract, and
// also what it does not promise. A Contract with KeepsTop1 false fails if the method
// never changes a prediction, and a Contract with TrueLogits fails if the method
// ignores the offset, since both add marks to tables and skip cells needlessly.
//
// The sets are small and synthetic. Methods that need features get the logits
// themselves, with the identity for the last layer. Augmented views and
// out-of-distribution rows are noise around them. Every check is a function
// from a subject to an error, so that the suite can be tested too, on methods
// that each break one rule.
package calibtest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/data"
)

// Claims are the promises of a method beyond its Contract, and their tolerance.
type Claims struct {
	// MinimisesNLL: the NLL on the calibration set is at most that of the
	// uncalibrated network.
	MinimisesNLL bool

	// Tolerance is the largest change of a probability when the order of the
	// calibration rows or of the classes changes, and sums round differently. 0
	// means 1e-12.
	Tolerance float64

	// Scale is the promise for multiples of the logits. Without one there is no check.
	Scale Scale

	// Certainty is the promise for probabilities of exactly 0 and 1. Without one there is no check.
	Certainty Certainty

	// Options are values of options by name, as in a spec. The others keep their
	// defaults.
	Options map[string]any
}

// deadline is the longest time of a fit of the suite, whose sets have some hundred
// rows.
const deadline = 30 * time.Second

// errDeadline is the error of a fit that takes longer than the deadline.
var errDeadline = errors.New("the fit does not end")

// Run runs every check of the suite on entry, each as a subtest.
func Run(t *testing.T, entry calib.Entry, claims Claims) {
	t.Helper()
	s, err := newSubject(entry, claims)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range checks() {
		t.Run(c.name, func(t *testing.T) {
			if err := c.run(s); err != nil {
				t.Error(err)
			}
		})
	}
}

// check is one rule.
type check struct {
	name string
	run  func(s *subject) error
}

func checks() []check {
	return []check{
		{"entry", entryComplete},
		{"deterministic", deterministic},
		{"shared", fitted(shared)},
		{"declared-parts", fitted(declaredPartsOnly)},
		{"probabilities", probabilities},
		{"top1", top1},
		{"row-wise", fitted(rowWise)},
		{"kind", kind},
		{"parameters", fitted(parameters)},
		{"offset", fitted(offset)},
		{"class-order", fitted(classOrder)},
		{"row-order", fitted(rowOrder)},
		{"absent-class", absentClass},
		{"masked", masked},
		{"confidence-alone", confidenceAlone},
		{"no-aliasing", noAliasing},
		{"save-load", fitted(saveLoad)},
		{"hostile-params", hostileParams},
		{"cancel", cancelled},
		{"tiny-sets", tinySets},
		{"extreme-sets", extremeSets},
		{"nll", nll},
		{"scale", scale},
		{"certain", certain},
	}
}

// fitted returns the check of a rule of the fit on the standard sets.
func fitted(run func(s *subject, f *calib.Fitted) error) func(s *subject) error {
	return func(s *subject) error {
		f, err := s.fit(s.cal, s.test)
		if err != nil {
			return err
		}
		return run(s, f)
	}
}

// subject is a method under test with its standard sets.
type subject struct {
	entry     calib.Entry
	claims    Claims
	method    calib.Method
	contract  calib.Contract
	cal, test *data.Set // all parts; a method sees views
	deadline  time.Duration

	situations []situation
	fits       map[situation]*calib.Fitted // that several checks use
}

// situation is a pair of sets: a method is fitted on cal and applied to test.
type situation struct{ cal, test *data.Set }

func newSubject(entry calib.Entry, claims Claims) (*subject, error) {
	claims.Tolerance = cmp.Or(claims.Tolerance, 1e-12)
	m, err := Method(entry, claims.Options)
	if err != nil {
		return nil, fmt.Errorf("options: %w", err)
	}
	s := &subject{
		entry: entry, claims: claims, method: m, contract: m.Contract(),
		cal: drawn(100, 5, 1), test: drawn(40, 5, 2), deadline: deadline,
		fits: map[situation]*calib.Fitted{},
	}
	s.situations = s.newSituations()
	return s, nil
}

// input returns the parts of the sets that the method may see.
func (s *subject) input(cal, target *data.Set) calib.Input {
	in := calib.Input{Seed: 7}
	if s.contract.Cal != 0 {
		in.Cal = cal.View(s.contract.Cal)
	}
	if s.contract.Target != 0 {
		in.Target = target.View(s.contract.Target)
	}
	return in
}

// fit fits once for each pair of sets and returns the same result again.
func (s *subject) fit(cal, target *data.Set) (*calib.Fitted, error) {
	on := situation{cal, target}
	if f := s.fits[on]; f != nil {
		return f, nil
	}
	f, err := s.fitAnew(cal, target)
	if err == nil {
		s.fits[on] = f
	}
	return f, err
}

// fitAnew returns the method fitted on cal, and on target if the contract asks for one.
func (s *subject) fitAnew(cal, target *data.Set) (*calib.Fitted, error) {
	f, err := s.fitInput(context.Background(), s.input(cal, target))
	if err != nil {
		return nil, fmt.Errorf("fit: %w", err)
	}
	return f, nil
}

// fitInput fits the method. It returns an error if that takes longer than the
// deadline; then the goroutine of the fit goes on.
func (s *subject) fitInput(ctx context.Context, in calib.Input) (*calib.Fitted, error) {
	type outcome struct {
		fitted *calib.Fitted
		err    error
	}
	done := make(chan outcome, 1)
	go func() {
		f, err := calib.FitInput(ctx, s.method, in)
		done <- outcome{f, err}
	}()
	select {
	case o := <-done:
		return o.fitted, o.err
	case <-time.After(s.deadline):
		set := in.Cal
		if set == nil {
			set = &data.Set{}
		}
		return nil, fmt.Errorf("%w: %s on %d rows of %d classes took over %v", errDeadline, s.entry.Name, set.Logits.Rows, set.Logits.Cols, s.deadline)
	}
}

// apply returns the probabilities of a set, from the parts it may see.
func (s *subject) apply(f *calib.Fitted, set *data.Set) data.Probs {
	dst := data.NewProbs(set.Logits.Rows, set.Logits.Cols)
	for i := range dst.Data {
		dst.Data[i] = -1 // an element that Apply does not write is not a probability
	}
	must(calib.Apply(f.Map, dst, set.View(s.contract.Test)))
	return dst
}

// fitApply fits on cal and applies to test, which is also the target.
func (s *subject) fitApply(cal, test *data.Set) (data.Probs, error) {
	f, err := s.fit(cal, test)
	if err != nil {
		return data.Probs{}, err
	}
	return s.apply(f, test), nil
}

// different returns an error that names the first element where a and b differ
// by more than tol.
func different(what string, a, b data.Probs, tol float64) error {
	if a.Rows != b.Rows || a.Cols != b.Cols {
		return fmt.Errorf("%s: %d x %d against %d x %d", what, a.Rows, a.Cols, b.Rows, b.Cols)
	}
	for i, v := range a.Data {
		if d := v - b.Data[i]; !(d >= -tol && d <= tol) {
			return fmt.Errorf("%s: row %d, class %d: %v against %v", what, i/a.Cols, i%a.Cols, v, b.Data[i])
		}
	}
	return nil
}
