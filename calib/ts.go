package calib

import (
	"context"

	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/data"
)

// TemperatureScaling divides all logits by one temperature, which is fitted by NLL.
// Much public code stops before the minimum or minimises something else; see TSGuo50
// and TSECEGrid.
//
// The bounds of T go with the spread of the logits, the mean gap of the two largest logits of a
// row, which is 1 if it is 0 or there is one class. So the fit of a multiple of the logits is
// the fit rescaled, also of scores in the millions, which are no logits of a network.
//
//   - Formula: p = softmax(l/T), T in [0.001 min(1, spread), 1000 max(1, spread)] at the
//     least mean NLL
//   - Reference: Guo, Pleiss, Sun and Weinberger 2017
//   - Compared with: gpleiss/temperature_scaling (the authors'); scipy; numpy
//   - Agreement: T to 1e-10 with Newton's method in numpy on drawn logits, and to 6 digits
//     with scipy on a network of data/bundle
//   - Departures: T is at the minimum, with a relative error of at most 5e-9, where the
//     authors' code takes a fixed number of steps (ts-guo50 has theirs). T is limited, since the NLL may have no
//     minimum.
type TemperatureScaling struct{}

// TSEntry is the entry of TemperatureScaling.
var TSEntry = NewEntry[TemperatureScaling, Temperature](Entry{
	Name:    "ts",
	Label:   "TS",
	Version: 4,
	Summary: "one temperature at the minimum of the calibration NLL",
	Aliases: []string{"temperature-scaling", "temperature"},
})

// String returns the name of the method.
func (TemperatureScaling) String() string { return TSEntry.Name }

// streamedContract is the contract of methods that use logits alone, keep the prediction, and accept masked
// classes and a Stream.
func streamedContract() Contract {
	return Contract{Cal: data.Logits | data.Labels, Test: data.Logits, KeepsTop1: true, Masked: true, Streams: true}
}

// Minimises names the objective.
func (TemperatureScaling) Minimises() Objective { return ByNLL }

// Contract needs logits and labels, and accepts a Stream.
func (TemperatureScaling) Contract() Contract { return streamedContract() }

// Fit returns the temperature that fit.Temperature finds. It warns if the NLL has no
// minimum inside the bounds: T is then at a bound, or 1 if all logits of every row are
// equal. It also warns if the search did not converge.
func (TemperatureScaling) Fit(ctx context.Context, in Input) (*Fitted, error) {
	o, err := in.objective()
	if err != nil {
		return nil, err
	}
	t, report, err := fit.Temperature(ctx, o)
	if err != nil {
		return nil, err
	}
	fit.Stage(in.Stage).End("ts", report.Passes)
	return &Fitted{Map: Temperature{t}, Report: report}, nil
}

// Temperature is the map of TemperatureScaling: one temperature for all rows.
type Temperature struct {
	T float64 // > 0
}

func (m Temperature) Check() error { return fit.CheckTemperature("T", m.T) }

// Parameters returns T.
func (m Temperature) Parameters() []Parameter {
	return []Parameter{{Name: "T", Value: m.T, Meaning: "temperature, by which logits are divided"}}
}

// Scales writes 1/T for every row.
func (m Temperature) Scales(dst []float64, _ *data.Set, _ *Unscaled) { fill(dst, 1/m.T) }
