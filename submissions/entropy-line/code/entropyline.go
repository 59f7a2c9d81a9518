// Package entropyline is the worked example of docs/calibrator.md as an entry of the leaderboard.
package entropyline

import (
	"context"
	"fmt"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/data"
)

// EntropyLine is a temperature that is linear in the entropy of the row,
//
//	p = softmax(l/T),  T(x) = a + b h(x),  h = entropy(softmax(l)) / log k,
//
// h in [0, 1], with a in [0.001, 1000] and b in [0, steepest] at the minimum of
// the calibration NLL. With b = 0 it is temperature scaling.
type EntropyLine struct {
	Steepest float64 // largest b, 0.1 to 1000; 0 means 1000
}

// Entry is what the leaderboard calls.
var Entry = calib.NewEntry[EntropyLine, entropyLineMap](calib.Entry{
	Name:    "entropy-line",
	Label:   "Entropy line",
	Version: 1,
	Summary: "temperature linear in the entropy of the row",
	Sheet:   calib.Sheet{Reference: "a worked example"},
})

// Options returns the option steepest.
func (m *EntropyLine) Options() []calib.Option {
	return []calib.Option{
		calib.FloatOption("steepest", &m.Steepest, 1000, 0.1, 1000, "largest slope b"),
	}
}

// Contract needs logits and labels for Fit, logits afterwards.
func (EntropyLine) Contract() calib.Contract {
	return calib.Contract{Cal: data.Logits | data.Labels, Test: data.Logits, KeepsTop1: true}
}

// Fit returns a and b. It starts at temperature scaling, so its NLL is never
// above that of temperature scaling.
func (m EntropyLine) Fit(ctx context.Context, in calib.Input) (*calib.Fitted, error) {
	m, err := calib.WithDefaults(m)
	if err != nil {
		return nil, err
	}
	loss, err := calib.NewTemperatureLoss(in)
	if err != nil {
		return nil, err
	}
	t, err := loss.Temperature(ctx)
	if err != nil {
		return nil, err
	}
	h := calib.NewUnscaled(in.Cal.Logits).Entropies()
	end, err := loss.Minimise(ctx, func(i int, theta, slope []float64) (t, rate, bend float64) {
		slope[0], slope[1] = 1, h[i] // dT/da, dT/db
		return entropyLineMap{theta[0], theta[1]}.temperature(h[i]), 1, 0
	}, [][]float64{{t, 0}}, []calib.Range{{Name: "a", Least: 1e-3, Most: 1e3}, {Name: "b", Least: 0, Most: m.Steepest}}, t)
	if err != nil {
		return nil, err
	}
	return &calib.Fitted{Map: entropyLineMap{end.At[0], end.At[1]}, Report: end.Report(loss.Passes() + 1)}, nil
}

// entropyLineMap is the fitted temperature. Its exported fields are saved.
type entropyLineMap struct {
	A float64 `json:"a"`
	B float64 `json:"b"`
}

func (m entropyLineMap) temperature(h float64) float64 { return m.A + float64(m.B*h) }

// Scales writes 1/T of every row: the map is Tempered.
func (m entropyLineMap) Scales(dst []float64, _ *data.Set, at *calib.Unscaled) {
	for i, h := range at.Entropies() {
		dst[i] = 1 / m.temperature(h)
	}
}

// Check rejects parameters that no fit returns.
func (m entropyLineMap) Check() error {
	if !(m.A >= 1e-3 && m.A <= 1e3 && m.B >= 0 && m.B <= 1e3) {
		return fmt.Errorf("a = %v, b = %v: want a in [0.001, 1000] and b in [0, 1000]", m.A, m.B)
	}
	return nil
}

// Parameters returns a and b.
func (m entropyLineMap) Parameters() []calib.Parameter {
	return []calib.Parameter{{Name: "a", Value: m.A}, {Name: "b", Value: m.B}}
}
