package calib

import (
	"context"

	"github.com/qats-bench/qats/data"
)

// Uncalibrated is the network itself. It is a method, so that the first column of every
// table is computed like the others. A confidence alone stays as it is.
// There is no temperature, so the map does not follow the size of the logits.
//
//   - Formula: p = softmax(l)
//   - Reference: the network itself
//   - Compared with: none
//   - Agreement: not compared: nothing is fitted
//   - Departures: none
type Uncalibrated struct{}

// UncalEntry is the entry of Uncalibrated.
var UncalEntry = NewEntry[Uncalibrated, uncalMap](Entry{
	Name:    "uncal",
	Label:   "Uncal",
	Version: 1,
	Summary: "softmax of the logits, nothing fitted",
	Aliases: []string{"none", "uncalibrated", "softmax", "identity"},
	Cost:    1,
})

// String returns the name of the method.
func (Uncalibrated) String() string { return UncalEntry.Name }

// Contract needs no calibration set.
func (Uncalibrated) Contract() Contract {
	return Contract{Test: data.Logits, KeepsTop1: true, Masked: true, Confidence: true}
}

// Fit does nothing. The report is empty.
func (Uncalibrated) Fit(ctx context.Context, _ Input) (*Fitted, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return &Fitted{Map: uncalMap{}}, nil
}

type uncalMap struct{}

func (uncalMap) Check() error { return nil }

// Scales writes 1 for every row.
func (uncalMap) Scales(dst []float64, _ *data.Set, _ *Unscaled) { fill(dst, 1) }
