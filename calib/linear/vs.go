package linear

import (
	"context"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/method"
	"github.com/qats-bench/qats/calib/report"
	"github.com/qats-bench/qats/data"
)

// Vector is vector scaling: a slope and an offset for each class. The prediction may
// change. It needs true logits: if the slopes differ, a constant added to a row changes
// the probabilities. As the ridge grows, vs becomes ts.
//
//   - Formula: p = softmax(v l + b), v and b of length k, by mean NLL + ridge (sum (T v -
//     1)^2 + sum b^2), T of ts
//   - Reference: Guo, Pleiss, Sun and Weinberger 2017
//   - Compared with: numpy
//   - Agreement: probabilities to 1e-6 with Newton's method on drawn rows
//   - Departures: A ridge of 1e-6 is added to the mean NLL. Without it there is no minimum
//     if a class has no calibration row: its offset goes to minus infinity. The ridge has
//     no other visible effect.
type Vector struct {
	Ridge float64 // 1e-9 to 1e9; 0 means 1e-6
}

// VSEntry is the entry of Vector.
var VSEntry = calib.NewEntry[Vector, vsMap](calib.Entry{
	Name:    "vs",
	Label:   "VS",
	Version: 5,
	Summary: "vector scaling, a slope and an offset for each class",
	Aliases: []string{"vector-scaling"},
	Cost:    65,
	Cost100: 260,
})

// String returns the name of the method.
func (Vector) String() string { return VSEntry.Name }

// Options returns the options.
func (m *Vector) Options() []calib.Option {
	return []calib.Option{
		calib.FloatOption("ridge", &m.Ridge, 1e-6, leastPenalty, mostPenalty, "penalty of the squares of the parameters"),
	}
}

// Contract needs labels and logits that are not log-probabilities.
func (Vector) Contract() calib.Contract {
	return calib.Contract{Cal: data.Logits | data.Labels, Test: data.Logits, TrueLogits: true, Masked: true}
}

// Fit returns the slopes and the offsets.
func (m Vector) Fit(ctx context.Context, in calib.Input) (*calib.Fitted, error) {
	m, err := calib.WithDefaults(m)
	if err != nil {
		return nil, err
	}
	o, t, flat, err := method.Temperature(ctx, in)
	if err != nil {
		return nil, err
	}
	k := in.Cal.Logits.Cols
	scale := 1 / t
	a := newProblem(in.Cal, false, func(dst []float64, row []float32) {
		for j, l := range row {
			dst[j] = float64(scale * float64(l))
		}
	})
	for j := range a.Penalty {
		a.Penalty[j] = m.Ridge
	}
	theta := make([]float64, 2*k)
	end, err := a.MinimiseWhitened(ctx, theta)
	if err != nil {
		return nil, err
	}
	v := theta[:k:k]
	for j, d := range v {
		v[j] = float64((1 + d) * scale)
	}
	b := theta[k:]
	fitted, err := reportedDescent(ctx, vsMap{V: v, B: b}, in.Cal, end, calib.Report{Iterations: flat.Iterations}, o.Passes+a.Passes)
	if err != nil {
		return nil, err
	}
	separated := allRight(in.Cal, func(dst []float64, row []float32) {
		for j, l := range row {
			dst[j] = float64(v[j]*float64(l)) + b[j]
		}
	})
	if separated {
		fitted.Report.Warn(report.Separable(!allRight(in.Cal, rawLogits)))
	}
	return fitted, nil
}

// vsMap holds the slopes and offsets of k classes.
type vsMap struct {
	V []float64 `json:"v"` // k
	B []float64 `json:"b"` // k
}

func (m vsMap) NumClasses() int { return len(m.V) }

func (m vsMap) Check() error { return fit.CheckVectors([]string{"v", "b"}, m.V, m.B) }

// Apply writes softmax(v l + b).
func (m vsMap) Apply(dst data.Probs, set *data.Set) { applyDiagonal(dst, set, rawLogits, m.V, m.B) }

// applyDiagonal writes softmax(v x + b), where x are the scores of a row. A masked class stays
// masked, also where v is negative.
func applyDiagonal(dst data.Probs, set *data.Set, scores scores, v, b []float64) {
	for i := range set.Logits.Rows {
		q, row := dst.Row(i), set.Logits.Row(i)
		scores(q, row)
		for j, x := range q {
			if row[j] != data.Masked {
				q[j] = float64(v[j]*x) + b[j]
			}
		}
		fit.ToSoftmax(q)
	}
}
