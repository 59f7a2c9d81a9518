// Package calib holds post-hoc calibrators: maps from the logits of a trained
// network to probabilities, fitted on a labelled calibration set.
//
//	cal, err := data.ReadSet("cal/logits.npy", "cal/labels.npy")
//	fitted, err := calib.Fit(ctx, calib.QaTS{}, cal)
//	probs, err := fitted.Probabilities(test) // n x k
//
// A method is an exported type whose fields are its options, with what arrays it
// may see (Contract), how it is fitted (Fit), and the map it returns.
// One line in calib/all makes it a column of every table. A method receives
// only the arrays that its contract names. Loading, skipping, footnotes and the
// cache key follow from the contract too, so a wrong contract is noticed immediately.
// docs/calibrator.md shows how to write one, here or in another module. The doc comment
// of its type ends with its formula and reference, what it was compared with, and where it
// departs from the reference. In formulas l is a row of k logits, y its label, p a row of
// probabilities, q a calibrated one, conf the largest probability, and hit is 1 if its class
// is y, else 0. h is a row of features, W and b the last layer. "By mean NLL" names what is
// minimised on the calibration set.
//
// This package has what a method is, and the methods that others are compared with:
// Uncalibrated, TemperatureScaling and QaTS. All others are in packages by family: binning,
// features, isotonic, linear, network, neighbours, quantile, splines and temperature. What
// only these share is in calib/internal/method.
//
// An unfitted Method and a Fitted map are different types. Both are immutable
// and safe for concurrent use. A fit is deterministic: a method that needs
// randomness takes it from Input.Seed, which names the cell and not the order
// of the run. The bits do not depend on the number of processors.
//
// Arrays are float32 as on disk; all arithmetic is float64. Every method with a
// temperature reads logits through the row kernel of package softmax. Problems
// of the data are errors or warnings. Panics are for misuse by a program, such
// as a destination of the wrong shape.
package calib

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/data"
)

// Contract says which arrays a method may see and what it promises.
type Contract struct {
	Cal    data.Parts // arrays of the calibration set, at Fit
	Test   data.Parts // arrays of the set it is applied to
	Target data.Parts // unlabelled arrays of the deployment domain, at Fit

	// TrueLogits: the method uses the offset of a row of logits. Log-probabilities
	// have lost it, so they are rejected.
	TrueLogits bool

	// KeepsTop1: the predicted class of every row is unchanged.
	KeepsTop1 bool

	// Masked: sets may have masked classes, at Fit and after it (see data.Masked). A masked
	// class gets a probability of exactly 0, and one that is masked in every row is as good as
	// absent. Other methods are refused such sets: their formula gives every class a share, or
	// their fit counts a probability of 0 like any other.
	Masked bool

	// Confidence: sets may have a confidence alone in the place of logits (data.Set.Confidence). The method
	// reads nothing of the logits except the confidence of the prediction, and its maps are TopLabel.
	Confidence bool

	// Sized: the fit changes if all rows are repeated, as by a prior, a penalty, a bandwidth, folds or mini-batches. The
	// method is refused sets whose weights are no whole numbers (data.Set.Unit).
	Sized bool

	// LogitSize: logits of an unusual size are divided before Fit, and the map keeps the divisor.
	LogitSize LogitSize

	// Streams: Fit accepts Input.Stream in place of Input.Cal.
	Streams bool
}

// Refuses reports whether set has masked classes and the method takes none.
func (c Contract) Refuses(set *data.Set) bool {
	return !c.Masked && set != nil && set.Masked() > 0
}

// ErrMasked is the error of a method that takes no masked classes, for a set that has some.
var ErrMasked = errors.New("needs the logit of every class; some are -Inf (masked classes)")

// ErrConfidence is the error for a set with a confidence alone, from a method that reads more of the logits than the
// confidence of the prediction.
var ErrConfidence = errors.New("needs the logits of all classes; these are predictions with a confidence alone")

// ErrUnit is the error of a method whose fit changes if all rows are repeated, for a set whose weights are no whole numbers.
var ErrUnit = errors.New("needs weights that are whole numbers, as its fit changes if all rows are repeated: round them, or take a method such as ts, qats, vs or beta")

// OODFree reports whether the method reads neither out-of-distribution samples nor unlabelled
// samples of the deployment domain.
func (c Contract) OODFree() bool { return c.Target == 0 && (c.Cal|c.Test)&data.OOD == 0 }

// Method is an unfitted calibrator. Its fields are its options; the zero value
// has the default options.
type Method interface {
	Contract() Contract

	// Fit returns the calibrator fitted on in. It keeps no reference to the
	// arrays of in. An error means that the data or the options cannot serve. A
	// fit that did not converge is a warning in the report, not an error. It is
	// called by FitInput, which divides logits first if the contract has a LogitSize.
	Fit(ctx context.Context, in Input) (*Fitted, error)
}

// Fit fits m on the labelled calibration set cal, with the seed 1. It hands m
// the arrays of its contract and no others, after it has checked them (see
// data.Set.Check). The error names an array that cal lacks, or the row and class that no
// method can take. Methods that also need unlabelled rows of the deployment domain are
// fitted by FitInput, with Input.Target. Each row counts as often as its weight in cal says.
func Fit(ctx context.Context, m Method, cal *data.Set) (*Fitted, error) {
	if cal == nil {
		return nil, errors.New("calibration set: no set")
	}
	c := m.Contract()
	switch missing := c.Cal &^ cal.Parts(); {
	case c.Target != 0:
		return nil, errors.New("the method needs rows of the deployment domain: call FitInput with Input.Target")
	case missing != 0:
		return nil, fmt.Errorf("the method needs %s of the calibration set", missing)
	}
	if err := cal.View(c.Cal).Check(); err != nil {
		return nil, fmt.Errorf("calibration set: %w", err)
	}
	cal, err := cal.Counted(false)
	switch {
	case err != nil:
		return nil, fmt.Errorf("calibration set: %w", err)
	case c.Sized && cal.Unit != 0:
		return nil, fmt.Errorf("calibration set: the method %w", ErrUnit)
	case c.TrueLogits && data.LogProbs(cal.Logits):
		return nil, errors.New("the method needs true logits: those of the calibration set are log-probabilities, whose offset is lost")
	case !c.Confidence && cal.Confidence != nil:
		return nil, fmt.Errorf("calibration set: the method %w", ErrConfidence)
	case c.Refuses(cal.View(c.Cal)):
		return nil, fmt.Errorf("calibration set: the method %w", ErrMasked)
	}
	return FitInput(ctx, m, Input{Cal: cal.View(c.Cal), Seed: 1})
}

// Input is what a method is fitted on: views that hold exactly the parts of
// its contract. Sets that no reader of files has checked are checked by data.Set.Check
// first, as the function Fit does: the methods take finite numbers for granted.
type Input struct {
	Cal    *data.Set
	Target *data.Set // nil unless the contract asks for it
	Seed   uint64    // identity of the cell

	// Stream is the calibration set if Cal is nil, for a method that Streams.
	Stream Stream

	// Shared caches results of other fits on the same calibration set; may be nil.
	Shared *Shared

	// Stage, if it is not nil, is called at the end of each stage of a fit that
	// has stages, by the goroutine of Fit: with its name ("rank", "ts", "qats")
	// and its passes over the calibration set. It is for clocks; the result does
	// not depend on it.
	Stage func(name string, passes float64)
}

// Classes returns k of the calibration set, 0 if there is none.
func (in Input) Classes() int {
	switch {
	case in.Cal != nil:
		return in.Cal.K()
	case in.Stream != nil:
		return in.Stream.Classes()
	}
	return 0
}

// objective returns the calibration set, in memory or streamed.
func (in Input) objective() (*fit.Objective, error) {
	return fit.ObjectiveOf(in.Cal, in.Stream, in.Shared)
}

// Stream gives the logits and labels of a calibration set in blocks of rows,
// again for every pass, so that a fit needs memory for a few blocks and for what
// its method keeps of each row. A method fits a stream and the same rows in
// memory with the same bits.
type Stream interface {
	Rows() int
	Classes() int

	// Read writes the logits of rows lo..hi-1, row-major, to the (hi-lo) k
	// elements of logits and their classes to the hi-lo elements of labels.
	// Every logit is finite and every label in 0..k-1, or the error names the
	// place. Several goroutines call it at a time, and every pass asks for the
	// same rows again. Most calls ask for some hundred rows or more, which follow
	// the rows of the last call by the same goroutine. To guess a start, a fit
	// reads up to 4,096 single rows, and some groups of eight among millions.
	Read(ctx context.Context, lo, hi int, logits []float32, labels []int32) error
}

// Shared caches results that several fits on one calibration set need: the
// temperature of the whole set, at which many fits start. A fit has the same
// bits, and reports the same passes, with or without a Shared and in any order
// of the fits. The zero Shared is empty, and a nil
// one stays empty. It is safe for concurrent use.
type Shared struct{ found atomic.Value }

// Load returns what a fit has found, nil at first.
func (s *Shared) Load() any {
	if s == nil {
		return nil
	}
	return s.found.Load()
}

// Store keeps what a fit has found. Fits of this project call it, and choose the type of found.
func (s *Shared) Store(found any) {
	if s != nil {
		s.found.Store(found)
	}
}

// Objective is what a fit makes as small as it can on its calibration rows.
type Objective string

// The objectives. Each has a score of the same name.
const (
	ByNLL   Objective = "NLL"
	ByBrier Objective = "Brier score"
	ByECE   Objective = "ECE"
)

// Minimiser is a Method whose fit minimises one score of its calibration rows, and nothing
// beside it, such as a penalty.
type Minimiser interface {
	Minimises() Objective
}
