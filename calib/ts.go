package calib

import (
	"context"
	"fmt"

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
//   - Agreement: 20newsgroups-body/transformer-d64-l2 of data/bundle: T of scipy's
//     minimize_scalar to the 6 digits kept; 25,000 x 1,000 drawn logits: T of Newton's
//     method in numpy to the last bit
//   - Departures: T is at the exact minimum, where the authors' code takes a fixed
//     number of steps (ts-guo50 has theirs). T is limited, since the NLL may have no
//     minimum.
type TemperatureScaling struct{}

// TSEntry is the entry of TemperatureScaling.
var TSEntry = NewEntry[TemperatureScaling, Temperature](Entry{
	Name:    "ts",
	Label:   "TS",
	Version: 3,
	Summary: "one temperature at the minimum of the calibration NLL",
	Aliases: []string{"temperature-scaling", "temperature"},
})

// LogitsContract is the contract of methods that use logits alone and keep the
// prediction, and that take masked classes.
func LogitsContract() Contract {
	return Contract{Cal: data.Logits | data.Labels, Test: data.Logits, KeepsTop1: true, Masked: true}
}

// VectorContract is the contract of methods that use logits alone and may change
// the prediction.
func VectorContract() Contract {
	return Contract{Cal: data.Logits | data.Labels, Test: data.Logits}
}

// streamedContract is LogitsContract of methods that accept a Stream.
func streamedContract() Contract {
	c := LogitsContract()
	c.Streams = true
	return c
}

// Minimises names the objective.
func (TemperatureScaling) Minimises() Objective { return ByNLL }

// Contract needs logits and labels, and accepts a Stream.
func (TemperatureScaling) Contract() Contract { return streamedContract() }

// Fit returns the temperature that fit.Temperature finds. It warns if the NLL has no
// minimum inside the bounds: T is then at a bound, or 1 if all logits of every row are
// equal. It also warns if the search did not converge.
func (TemperatureScaling) Fit(ctx context.Context, in Input) (*Fitted, error) {
	o, err := in.Objective()
	if err != nil {
		return nil, err
	}
	t, report, err := fit.Temperature(ctx, o)
	if err != nil {
		return nil, err
	}
	in.stage("ts", report.Passes)
	return Result(Temperature{t}, report), nil
}

// Temperature is the map of TemperatureScaling: one temperature for all rows.
type Temperature struct {
	T float64 // > 0
}

func (m Temperature) Check() error { return CheckTemperature("T", m.T) }

// Parameters returns T.
func (m Temperature) Parameters() []Parameter {
	return []Parameter{{Name: "T", Value: m.T, Meaning: MeaningT}}
}

// usable reports whether a model may hold the temperature t. The range is wider
// than that of any fit, whose logits may have any size of a float32. It is narrow enough
// that 1/T is finite and a temperature between two others stays positive in float64.
func usable(t float64) bool { return t >= 1e-50 && t <= 1e50 }

// CheckTemperature rejects a temperature of a saved model that is not usable.
func CheckTemperature(name string, t float64) error {
	if !usable(t) {
		return fmt.Errorf("temperature %s = %v: want one in [1e-50, 1e50]", name, t)
	}
	return nil
}

// Scales writes 1/T for every row.
func (m Temperature) Scales(dst []float64, _ *data.Set, _ *Unscaled) { fill(dst, 1/m.T) }
