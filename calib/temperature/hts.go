package temperature

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/method"
	"github.com/qats-bench/qats/calib/report"
	"github.com/qats-bench/qats/data"
)

// EntropyTemperatureScaling is entropy-based temperature scaling, which like QaTS has
// two parameters and a temperature for each row. h is in (0, 1], with natural
// logarithms; for its floor see logEntropy. With w = 0 it is ts. The NLL is not convex
// in (w, b), so the result is a stationary point, in practice the minimum.
//
//   - Formula: p = softmax(l/T), T = max(softplus(w log h + b), 0.001), h =
//     entropy(softmax(l)) / log k, by mean NLL
//   - Reference: Balanya, Maronas and Ramos 2024
//   - Compared with: the authors' (Balanya et al.)
//   - Agreement: NLL to 1e-9 on drawn sets, with a brute-force search
//   - Departures: The authors' code starts BFGS at w = 0.01, b = 0.1. Ours starts a damped
//     Newton method at the temperature of ts, so the result is never worse than ts on the
//     calibration set. If their code converges, both end at the same point. T has a floor,
//     w is limited to [-100, 100] and b to [-1000, 1000]. Where the T of ts is outside
//     [0.001, 1000], the limits grow by max(1, spread) and the floor falls by min(1,
//     spread).
type EntropyTemperatureScaling struct{}

// HTSEntry is the entry of EntropyTemperatureScaling.
var HTSEntry = calib.NewEntry[EntropyTemperatureScaling, htsMap](calib.Entry{
	Name:    "hts",
	Label:   "HTS",
	Version: 4,
	Summary: "temperature from the entropy of the row, softplus(w log h + b)",
	Aliases: []string{"entropy-temperature-scaling"},
})

// String returns the name of the method.
func (EntropyTemperatureScaling) String() string { return HTSEntry.Name }

const (
	htsMostW = 100.0  // |w| is at most this
	htsMostB = 1000.0 // |b| too
)

// Minimises names the objective.
func (EntropyTemperatureScaling) Minimises() calib.Objective { return calib.ByNLL }

// Contract needs logits and labels, and accepts a Stream.
func (EntropyTemperatureScaling) Contract() calib.Contract { return method.StreamedContract() }

// Fit returns w and b.
func (EntropyTemperatureScaling) Fit(ctx context.Context, in calib.Input) (*calib.Fitted, error) {
	o, t0, flat, err := method.Temperature(ctx, in)
	if err != nil {
		return nil, err
	}
	f := &htsFit{Objective: o, entropy: make([]float64, o.Rows())}
	if err := f.readEntropies(ctx); err != nil {
		return nil, err
	}
	f.most = htsMostB
	unit := 1.0
	if !(t0 > fit.MinT && t0 < fit.MaxT) { // the logits may be of another size
		spread, err := o.Spread(ctx)
		if err != nil {
			return nil, err
		}
		f.most, unit = htsMostB*max(1, spread), max(1, t0)
		if spread < 1 {
			f.floor = fit.SpanOf(spread).Least
		}
	}
	box := []calib.Range{{Name: "w", Least: -htsMostW * f.most / htsMostB, Most: htsMostW * f.most / htsMostB}, {Name: "b", Least: -f.most, Most: f.most}}
	loss, err := calib.NewTemperatureLoss(in)
	if err != nil {
		return nil, err
	}
	sol, err := loss.Minimise(ctx, f.temperature, [][]float64{{0, fit.InverseSoftplus(t0)}}, box, unit)
	if err != nil {
		return nil, err
	}
	f.Passes += loss.Passes()
	m := htsMap{W: sol.At[0], B: sol.At[1], Floor: f.floor}
	return &calib.Fitted{Map: m, Report: f.report(m, sol, flat)}, nil
}

// htsFit is a calibration set with its entropies.
type htsFit struct {
	*fit.Objective
	entropy []float64 // n, log h
	floor   float64   // of the temperature; 0 for that of logits of usual size
	most    float64   // of |b|
}

// readEntropies reads log h of every row.
func (f *htsFit) readEntropies(ctx context.Context) error {
	_, err := f.Sums(ctx, fit.Constant(1), 0, func(b *fit.RowBlock, _ []float64) {
		for i := range b.Moments {
			f.entropy[b.First+i] = fit.LogEntropy(&b.Moments[i], f.Logits.Cols)
		}
	})
	return err
}

// temperature is the RowTemperature of the set: x = w log h + b, and softplus(x) has the
// derivatives sigmoid(x) and sigmoid(x) (1 - sigmoid(x)).
func (f *htsFit) temperature(i int, theta, slope []float64) (t, rate, bend float64) {
	m, h := htsMap{theta[0], theta[1], f.floor}, f.entropy[i]
	slope[0], slope[1] = h, 1
	if t = m.temperature(h); t <= m.least() {
		return t, 0, 0
	}
	rate = fit.Sigmoid(float64(m.W*h) + m.B)
	return t, rate, 1 - rate
}

func (f *htsFit) report(m htsMap, sol calib.Minimum, flat calib.Report) calib.Report {
	r := calib.Report{
		NLL: sol.Value, Gradient: sol.Gradient, Iterations: flat.Iterations + sol.Steps, Passes: f.Passes,
	}
	if sol.Steps == 0 {
		r.AtBound, r.Warnings = flat.AtBound, flat.Warnings // it is ts
	}
	r.AtBound = append(r.AtBound, sol.AtBound...)
	if len(r.AtBound) > 0 && sol.Steps > 0 {
		r.Warn(calib.Warning{Text: "the NLL has no minimum inside the bounds of w and b"})
	}
	r.WarnUnconverged()
	floored := 0
	for _, h := range f.entropy {
		if m.floored(h) {
			floored++
		}
	}
	if floored > 0 {
		r.Warn(report.Floored(m.least(), floored, f.Rows()))
	}
	return r
}

// htsMap is the temperature max(softplus(W log h + B), floor).
type htsMap struct {
	W     float64 `json:"w"`               // above 0, confident rows are sharpened most
	B     float64 `json:"b"`               // the value before softplus at log h = 0
	Floor float64 `json:"floor,omitempty"` // below 0.001, of logits of a spread below 1; 0 means 0.001
}

// htsMostSaved bounds |w| and |b| of a saved model. The fit of any finite float32 logits is within it.
const htsMostSaved = 1e45

func (m htsMap) Check() error {
	if !(math.Abs(m.W) <= htsMostSaved) || !(math.Abs(m.B) <= htsMostSaved) {
		return fmt.Errorf("w = %v, b = %v: want |w| <= %g and |b| <= %g", m.W, m.B, htsMostSaved, htsMostSaved)
	}
	if m.Floor != 0 && !(fit.Usable(m.Floor) && m.Floor < fit.MinT) {
		return fmt.Errorf("floor = %v: want a temperature below %g", m.Floor, fit.MinT)
	}
	return nil
}

// least returns the floor of the temperature.
func (m htsMap) least() float64 { return cmp.Or(m.Floor, fit.MinT) }

// Parameters returns w and b.
func (m htsMap) Parameters() []calib.Parameter {
	return []calib.Parameter{
		{Name: "w", Value: m.W, Meaning: "slope of the temperature in the logarithm of the normalised entropy"},
		{Name: "b", Value: m.B, Meaning: "offset of the temperature"},
	}
}

// Scales writes 1/T of every row.
func (m htsMap) Scales(dst []float64, _ *data.Set, at *calib.Unscaled) {
	for i, h := range at.LogEntropies() {
		dst[i] = 1 / m.temperature(h)
	}
}

// temperature returns T of a row with the given log h.
func (m htsMap) temperature(logH float64) float64 {
	return max(fit.Softplus(float64(m.W*logH)+m.B), m.least())
}

func (m htsMap) floored(logH float64) bool { return m.temperature(logH) <= m.least() }
