package temperature

import (
	"context"
	"fmt"
	"math"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/method"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// BoundedEntropyScaling is hts with temperatures between bounds. Where few calibration rows are wrong, hts gives a temperature near 0 to
// rows with almost no entropy, and such a test row costs hundreds of nats if it is wrong. Here every temperature is within
// the factor range of the temperature of ts. The bounds are approached smoothly. With w = b = 0 it is ts, so the fit is
// never worse than ts on the calibration set. The NLL is not convex in (w, b), so the result is a stationary point.
//
//   - Formula: p = softmax(l/T), T = T_ts exp(L tanh(x/L)), x = w log h + b, L = log range, h = entropy(softmax(l)) / log k, T_ts
//     the temperature of ts, by mean NLL
//   - Reference: variant of hts (Balanya, Maronas and Ramos 2024)
//   - Compared with: none
//   - Agreement: not compared; a test has the derivatives by differences
//   - Departures: T is an exponential between bounds, where that of hts is a softplus. w and b are limited to [-100, 100].
type BoundedEntropyScaling struct{ Range float64 }

// HTSBoundedEntry is the entry of BoundedEntropyScaling.
var HTSBoundedEntry = calib.NewEntry[BoundedEntropyScaling, htsBoundedMap](calib.Entry{
	Name:    "hts-bounded",
	Label:   "HTS-bounded",
	Version: 1,
	Summary: "temperature from the entropy of the row as in hts, at most 1.5 times above or below that of ts",
})

const htsMostRange = 1000

// String returns the name of the method.
func (BoundedEntropyScaling) String() string { return HTSBoundedEntry.Name }

// Options returns the option range.
func (m *BoundedEntropyScaling) Options() []calib.Option {
	return []calib.Option{calib.FloatOption("range", &m.Range, 1.5, 1.01, htsMostRange, "largest quotient of a temperature and that of ts, and of ts and a temperature")}
}

// Minimises names the objective.
func (BoundedEntropyScaling) Minimises() calib.Objective { return calib.ByNLL }

// Contract needs logits and labels, and accepts a Stream.
func (BoundedEntropyScaling) Contract() calib.Contract { return method.StreamedContract() }

// Fit returns T of ts, w and b.
func (m BoundedEntropyScaling) Fit(ctx context.Context, in calib.Input) (*calib.Fitted, error) {
	m, err := calib.WithDefaults(m)
	if err != nil {
		return nil, err
	}
	o, t0, flat, err := method.Temperature(ctx, in)
	if err != nil {
		return nil, err
	}
	f := &htsFit{Objective: o, entropy: make([]float64, o.Rows())}
	if err := f.readEntropies(ctx); err != nil {
		return nil, err
	}
	bounded := htsBoundedMap{T: t0, Range: m.Range}
	box := []calib.Range{{Name: "w", Least: -htsMostW, Most: htsMostW}, {Name: "b", Least: -htsMostW, Most: htsMostW}}
	loss, err := calib.NewTemperatureLoss(in)
	if err != nil {
		return nil, err
	}
	sol, err := loss.Minimise(ctx, func(i int, theta, slope []float64) (t, rate, bend float64) {
		at, h := bounded, f.entropy[i]
		at.W, at.B = theta[0], theta[1]
		slope[0], slope[1] = h, 1
		return at.derivatives(h)
	}, [][]float64{{0, 0}}, box, 1)
	if err != nil {
		return nil, err
	}
	f.Passes += loss.Passes()
	bounded.W, bounded.B = sol.At[0], sol.At[1]
	r := calib.Report{NLL: sol.Value, Gradient: sol.Gradient, Iterations: flat.Iterations + sol.Steps, Passes: f.Passes}
	if sol.Steps == 0 {
		r.AtBound, r.Warnings = flat.AtBound, flat.Warnings // it is ts
	}
	r.AtBound = append(r.AtBound, sol.AtBound...)
	r.WarnUnconverged()
	return &calib.Fitted{Map: bounded, Report: r}, nil
}

// htsBoundedMap is the temperature T exp(L tanh(x/L)), x = W log h + B, L = log Range.
type htsBoundedMap struct {
	T     float64
	Range float64 `json:"range"`
	W     float64 `json:"w"`
	B     float64 `json:"b"`
}

func (m htsBoundedMap) Check() error {
	if !(math.Abs(m.W) <= htsMostW) || !(math.Abs(m.B) <= htsMostW) {
		return fmt.Errorf("w = %v, b = %v: want |w| and |b| of at most %g", m.W, m.B, htsMostW)
	}
	if !(m.Range > 1 && m.Range <= htsMostRange) {
		return fmt.Errorf("range = %v: want a number above 1 and at most %g", m.Range, float64(htsMostRange))
	}
	return fit.CheckTemperature("T", m.T)
}

// Parameters returns T, w and b.
func (m htsBoundedMap) Parameters() []calib.Parameter {
	return []calib.Parameter{
		{Name: "T", Value: m.T, Meaning: "temperature of ts"},
		{Name: "w", Value: m.W, Meaning: "slope of the logarithm of the temperature in the logarithm of the normalised entropy, near T"},
		{Name: "b", Value: m.B, Meaning: "offset of it"},
	}
}

// Scales writes 1/T of every row.
func (m htsBoundedMap) Scales(dst []float64, _ *data.Set, at *calib.Unscaled) {
	for i, h := range at.LogEntropies() {
		t, _, _ := m.derivatives(h)
		dst[i] = 1 / t
	}
}

// derivatives returns the temperature of a row with the given log h, its derivative in x, and its second one divided by that.
func (m htsBoundedMap) derivatives(logH float64) (t, rate, bend float64) {
	l := softmax.Log(m.Range)
	x := float64(m.W*logH) + m.B
	tanh := float64(2*fit.Sigmoid(2*x/l)) - 1
	t = float64(m.T * softmax.Exp(float64(l*tanh)))
	flat := 1 - float64(tanh*tanh)
	return t, float64(t * flat), flat - 2*tanh/l
}
