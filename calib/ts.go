package calib

import (
	"context"
	"fmt"

	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/data"
)

// tsEntry is temperature scaling, p = softmax(l/T), T at the minimum of the
// calibration NLL (Guo et al. 2017). Common code stops short of the minimum or
// minimises something else; see ts-guo50 and ts-ecegrid.
func tsEntry() Entry {
	return Entry{
		Name:      "ts",
		Label:     "TS",
		Version:   2,
		Summary:   "one temperature at the minimum of the calibration NLL",
		Reference: "Guo, Pleiss, Sun and Weinberger 2017",
		New:       func(func(any) error) (Method, error) { return ts{}, nil },
		Restore:   restore(restoreTS),
	}
}

type ts struct{}

// logitsContract is that of methods that see logits alone.
func logitsContract() Contract {
	return Contract{Cal: data.Logits | data.Labels, Test: data.Logits, KeepsTop1: true}
}

func (ts) Contract() Contract {
	c := logitsContract()
	c.Streams = true
	return c
}

func (ts) Fit(ctx context.Context, in Input) (*Fitted, error) {
	o, err := in.objective()
	if err != nil {
		return nil, err
	}
	t, report, err := fit.Temperature(ctx, o)
	if err != nil {
		return nil, err
	}
	in.stage("ts", report.Passes)
	return result(tsMap{t}, report), nil
}

// tsMap is what every method with one temperature fits.
type tsMap struct {
	T float64 // > 0
}

func restoreTS(m tsMap) (Map, error) {
	if !usable(m.T) {
		return nil, fmt.Errorf("temperature T = %v: want one in [1e-6, 1e8]", m.T)
	}
	return m, nil
}

// usable reports whether a model may hold the temperature t. The range is wider
// than any fit yields and narrow enough that 1/T is finite and a temperature
// between two others stays positive in float64.
func usable(t float64) bool { return t >= 1e-6 && t <= 1e8 }

// Apply writes softmax(l/T).
func (m tsMap) Apply(dst data.Probs, set *data.Set) { applyTempered(m, dst, set) }

// Scales writes 1/T for every row.
func (m tsMap) Scales(dst []float64, _ *data.Set, _ *Unscaled) { fill(dst, 1/m.T) }
