package engine

import (
	"context"
	"fmt"
	"math"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/metrics/scoring"
)

// Column is a fit that is applied to a set, or probabilities that were made elsewhere.
type Column struct {
	Contract calib.Contract // of the method
	Map      calib.Map      // nil if there is a Table
	Table    Table          // nil if there is a Map

	// Samples are the scores of the rows. If it is nil, Score sets it. Otherwise it is memory for
	// the rows (scoring.SampleScores.Part), which Score fills.
	Samples *scoring.SampleScores

	// Shares, if it is not nil, counts the classes that are seen and expected. A top-label column
	// has no probabilities of them.
	Shares *scoring.ShareTally

	Err error // the column has failed or, of type *Unsuited, its method does not take the set

	failed int  // first row of the block of Err
	alone  bool // the set has a confidence alone
}

// Table has the probabilities of the rows of a set. It is used by one goroutine.
type Table interface {
	Rows(dst data.Probs, lo int) error // fills dst with the rows from lo on
	Name() string                      // in errors
	FileRow(row int) int               // the row as the file counts
}

// topLabel reports whether the column predicts a class and its confidence alone.
func (c *Column) topLabel() bool {
	if c.alone {
		return true
	}
	_, ok := c.Map.(calib.TopLabel)
	return ok
}

// tempered reports whether the column divides each row by a temperature.
func (c *Column) tempered() bool {
	_, ok := c.Map.(calib.Tempered)
	return ok && !c.alone
}

// View returns the arrays of a block that the method may see. It is an error if its fit cannot
// be applied to them.
func (c *Column) View(set *data.Set) (*data.Set, error) {
	view := set.View(c.Contract.Test)
	if c.Map == nil {
		return view, nil
	}
	return view, calib.CheckSet(c.Map, view)
}

// Probabilities fills dst with the probabilities of rows lo, lo+1, ..., which set holds. See
// calib.Apply.
func (c *Column) Probabilities(dst data.Probs, lo int, set *data.Set) error {
	if c.Table != nil {
		return c.Table.Rows(dst, lo)
	}
	view, err := c.View(set)
	if err != nil {
		return err
	}
	return calib.Apply(c.Map, dst, view)
}

// Scales writes the numbers 1/T of rows lo, lo+1, ... to dst. at is the same rows at T = 1. The
// map must be calib.Tempered. A temperature that is no positive number is an error.
func (c *Column) Scales(dst []float64, lo int, set *data.Set, at *calib.Unscaled) error {
	view, err := c.View(set)
	if err != nil {
		return err
	}
	c.Map.(calib.Tempered).Scales(dst, view, at)
	for row, v := range dst {
		if !(v >= 0 && v <= math.MaxFloat64) {
			return fmt.Errorf("row %d: the temperature is %v", lo+row, 1/v)
		}
	}
	return nil
}

// TopLabels returns the predicted classes and their confidences. The map must be calib.TopLabel or, for a set with a
// confidence alone, one of calib.OfConfidence.
func (c *Column) TopLabels(set *data.Set) (class []int32, conf []float64, err error) {
	view, err := c.View(set)
	if err != nil {
		return nil, nil, err
	}
	top, _ := calib.OfConfidence(c.Map)
	return calib.TopLabels(top, view)
}

// room returns memory for the scores of n rows.
func (c *Column) room(n int) *scoring.SampleScores {
	s := scoring.Zeros(n)
	if c.topLabel() {
		s.TopLabel, s.NLL, s.Brier = true, nil, nil
	}
	s.ConfidenceOnly = c.alone
	return s
}

// Apply reads a set in blocks and calls do for each in order. It is an error, of type
// *Unsuited, if the set has masked classes that the method does not take, or if a method that
// needs true logits has got log-probabilities alone, which is known at the end.
func Apply(ctx context.Context, c *Column, r data.Reader, do func(lo int, set *data.Set) error) error {
	offset := !c.Contract.TrueLogits || r.Rows() == 0
	err := data.Blocks(ctx, r, BlockBytes, func(lo int, set *data.Set) error {
		offset = offset || !data.LogProbs(set.Logits)
		if err := (Form{Masked: c.Contract.Refuses(set)}).Suits(c.Contract); err != nil {
			return err
		}
		return do(lo, set)
	})
	if err != nil || offset {
		return err
	}
	return Form{LogProbs: true}.Suits(c.Contract)
}
