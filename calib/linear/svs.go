package linear

import (
	"context"
	"fmt"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/method"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// StructuredVector is structured vector scaling: vector scaling of the
// log-probabilities of temperature scaling, kept near them by a ridge that shrinks with
// n. The mixture with w keeps x finite. As both options grow, the method becomes ts,
// except for w. The prediction may change.
//
//   - Formula: p = softmax(v x + b), x = log((1-w) softmax(l/T) + w/k), w = 1/(n+1), T
//     of ts, by mean NLL + (k/n) (diagonal sum (v-1)^2 + intercept sum b^2), diagonal =
//     intercept = 1
//   - Reference: Berta, Holzmueller, Jordan and Bach 2026
//   - Compared with: numpy; dholzmueller/probmetrics (the authors')
//   - Agreement: probabilities to 1e-6 with Newton's method in numpy on drawn rows
//   - Departures: The public code stops a BFGS method at its default tolerance. Ours goes
//     on to the minimum, which is unique. The public code has other methods for two
//     classes, which the caller selects; here two classes are treated like any other
//     number.
type StructuredVector struct {
	Diagonal  float64 // 1e-9 to 1e9, times k/n; 0 means 1
	Intercept float64 // 1e-9 to 1e9, times k/n; 0 means 1
}

// SVSEntry is the entry of StructuredVector.
var SVSEntry = calib.NewEntry[StructuredVector, svsMap](calib.Entry{
	Name:    "svs",
	Label:   "SVS",
	Version: 4,
	Summary: "vector scaling kept near temperature scaling by a ridge of k/n",
	Cost:    190,
	Cost100: 180,
})

// String returns the name of the method.
func (StructuredVector) String() string { return SVSEntry.Name }

// Options returns the options.
func (s *StructuredVector) Options() []calib.Option {
	return []calib.Option{
		calib.FloatOption("diagonal", &s.Diagonal, 1, leastPenalty, mostPenalty, "ridge of the slopes, times k/n"),
		calib.FloatOption("intercept", &s.Intercept, 1, leastPenalty, mostPenalty, "ridge of the offsets, times k/n"),
	}
}

// Contract needs logits and labels. The prediction may change.
func (StructuredVector) Contract() calib.Contract { return method.Sized(method.VectorContract()) }

// Fit returns T, w, the slopes and the offsets.
func (s StructuredVector) Fit(ctx context.Context, in calib.Input) (*calib.Fitted, error) {
	s, err := calib.WithDefaults(s)
	if err != nil {
		return nil, err
	}
	o, base, flat, err := fitMixed(ctx, in)
	if err != nil {
		return nil, err
	}
	n, k := o.Rows(), o.Logits.Cols
	a := newProblem(in.Cal, false, base.scores)
	unit := float64(k) / float64(n)
	for j := range k {
		a.Penalty[j] = float64(s.Diagonal * unit)
		a.Penalty[k+j] = float64(s.Intercept * unit)
	}
	theta := make([]float64, 2*k)
	end, err := a.Minimise(ctx, theta)
	if err != nil {
		return nil, err
	}
	for j := range k {
		theta[j]++
	}
	return reportedDescent(ctx, svsMap{base, theta[:k], theta[k:]}, in.Cal, end, flat, o.Passes+a.Passes)
}

// mixed is temperature scaling mixed with the uniform distribution, from which svs
// and sms start.
type mixed struct {
	T   float64
	Mix float64 `json:"mix"` // w, in (0, 1)
}

// fitMixed returns T of ts and w = 1/(n+1); see Input.temperature.
func fitMixed(ctx context.Context, in calib.Input) (*fit.Objective, mixed, calib.Report, error) {
	o, t, report, err := method.Temperature(ctx, in)
	if err != nil {
		return nil, mixed{}, report, err
	}
	return o, mixed{t, 1 / float64(o.Rows()+1)}, report, nil
}

func (m mixed) check() error {
	if err := fit.CheckTemperature("T", m.T); err != nil {
		return err
	}
	if !(m.Mix >= 1e-15 && m.Mix < 1) {
		return fmt.Errorf("mix = %v: want a number in [1e-15, 1)", m.Mix)
	}
	return nil
}

// scores writes x of a row of logits.
func (m mixed) scores(dst []float64, row []float32) {
	uniform := m.Mix / float64(len(row))
	for j, p := range softmax.Probs(dst, row, 1/m.T) {
		dst[j] = float64((1-m.Mix)*p) + uniform
	}
	softmax.Logs(dst, dst)
}

// svsMap holds the slopes and offsets of k classes.
type svsMap struct {
	mixed
	V []float64 `json:"v"` // k
	B []float64 `json:"b"` // k
}

func (m svsMap) NumClasses() int { return len(m.V) }

func (m svsMap) Check() error {
	if err := m.mixed.check(); err != nil {
		return err
	}
	return fit.CheckVectors([]string{"v", "b"}, m.V, m.B)
}

// Apply writes softmax(v x + b).
func (m svsMap) Apply(dst data.Probs, set *data.Set) { applyDiagonal(dst, set, m.scores, m.V, m.B) }
