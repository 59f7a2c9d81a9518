// Package calib holds the post-hoc calibrators: maps from the logits of a
// trained network to probabilities, fitted on a labelled calibration set.
//
// A method is one file: its options, what arrays it may see (Contract), how it
// is fitted (Fit) and the map it yields. One line in the registry makes it a
// column of every table. A method is handed only what it declares; the
// declaration also drives loading, skipping, footnotes and the cache key, so
// it cannot be wrong quietly.
//
// An unfitted Method and a Fitted map are different types. Both are immutable
// and safe for concurrent use. Fitting is deterministic: randomness, where a
// method needs it, comes from Input.Seed, which names the cell and not the
// order of the run.
//
// Arrays are float32 as on disk; all arithmetic is float64. Every temperature
// method reads logits through the one row kernel of package softmax. Facts
// about the data are errors or warnings; panics are for misuse by our own
// code, such as a dst of the wrong shape.
package calib

import (
	"context"

	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/data"
)

// Contract says what a method may see and what it promises.
type Contract struct {
	Cal    data.Parts // arrays of the calibration set, at Fit
	Test   data.Parts // arrays of the set it is applied to
	Target data.Parts // unlabelled arrays of the deployment domain, at Fit; none means OOD-free

	// TrueLogits: the offset of a row of logits carries information, so
	// log-probabilities, which have lost it, are refused.
	TrueLogits bool

	// KeepsTop1: the predicted class of every row is unchanged.
	KeepsTop1 bool

	// Streams: Fit takes Input.Stream in place of Input.Cal.
	Streams bool
}

// Method is an unfitted calibrator: its options, checked.
type Method interface {
	Contract() Contract

	// Fit returns the calibrator fitted on in. It keeps no reference to the
	// arrays of in. An error means that the data cannot serve; a fit that did
	// not converge is a warning in the report, not an error.
	Fit(ctx context.Context, in Input) (*Fitted, error)
}

// Input is what a method is fitted on: views that hold exactly the parts of
// its contract.
type Input struct {
	Cal    *data.Set
	Target *data.Set // nil unless the contract asks for it
	Seed   uint64    // identity of the cell

	// Stream is the calibration set of a method that Streams where Cal is nil.
	Stream Stream

	// Shared, where it is not nil, is of other fits on the same calibration set.
	Shared *Shared

	// Stage, where it is not nil, is called at the end of each stage of a fit
	// that has stages, by the goroutine of Fit: with its name ("rank", "ts",
	// "qats") and its passes over the calibration set. It is for a clock; what
	// is fitted does not depend on it.
	Stage func(name string, passes float64)
}

// Classes returns k of the calibration set, 0 where there is none.
func (in Input) Classes() int {
	switch {
	case in.Cal != nil:
		return in.Cal.Logits.Cols
	case in.Stream != nil:
		return in.Stream.Classes()
	}
	return 0
}

// objective returns the calibration set, in memory or streamed.
func (in Input) objective() (*fit.Objective, error) {
	var o *fit.Objective
	var err error
	if in.Cal == nil && in.Stream != nil {
		o, err = fit.NewStreamed(in.Stream)
	} else {
		o, err = fit.NewObjective(in.Cal)
	}
	if err == nil {
		if in.Shared != nil {
			o.Shared = &in.Shared.fits
		}
	}
	return o, err
}

// stage reports the end of a stage.
func (in Input) stage(name string, passes float64) {
	if in.Stage != nil {
		in.Stage(name, passes)
	}
}

// Map turns rows of a set into calibrated probabilities. It is row-wise: row i
// of dst depends on row i of the set and on the fit alone, so a set may be
// applied in blocks of any size with the same bits. A Map is also what is
// saved: its exported fields, as JSON, under the names that users know (T; a,
// b; ...).
type Map interface {
	// Apply writes an n x k table to dst, whose shape is that of the logits.
	Apply(dst data.Probs, set *data.Set)
}

// Fitted is a calibrator ready for use.
type Fitted struct {
	Map    Map
	Report Report
}

// Report says how a fit ended.
type Report struct {
	NLL        float64  `json:"nll"`                // mean NLL on the calibration set, nats; 0 where none is computed (uncal, TopLabel)
	Gradient   float64  `json:"gradient"`           // largest absolute component of the projected gradient of the objective
	Iterations int      `json:"iterations"`         // steps taken by the solver
	Passes     float64  `json:"passes"`             // reads of the whole calibration set by the row kernel; reading a part counts as its share, and what is Shared as if it were not
	AtBound    []string `json:"at_bound,omitempty"` // bounds that are active at the solution, as "a >= 0"
	Warnings   []string `json:"warnings,omitempty"` // one line each; they reach the tables as footnotes
}

// Entry is one line of the registry: a method as users meet it.
type Entry struct {
	Name      string // id in specs and results.csv
	Label     string // column heading
	Version   int    // raised whenever the method's numbers change; part of the cache key
	Summary   string // one line
	Reference string // author and year, or the paper's equation

	// New returns the method with its options. It fills the defaults, calls
	// decode once with a pointer to its options struct (yaml tags), checks
	// the values and returns the method. A method without options does not
	// call decode.
	New func(decode func(options any) error) (Method, error)

	// Restore returns the map saved by a fit: decode fills the pointer it is
	// given from the saved JSON.
	Restore func(decode func(v any) error) (Map, error)
}

// Shared caches results that several fits on one calibration set share: the
// temperature of the whole set, at which many fits start. A fit has the same
// bits, and reports the same passes, with or without a Shared and in any order
// of the fits. The zero Shared is empty. It is safe for concurrent use.
type Shared struct{ fits fit.Shared }

// result returns a fitted calibrator.
func result(m Map, r fit.Report) *Fitted { return &Fitted{Map: m, Report: Report(r)} }
