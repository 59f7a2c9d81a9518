package linear

import (
	"context"
	"errors"
	"math"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/method"
	"github.com/qats-bench/qats/calib/onevsrest"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// QuadraticRidge is quadratic with a penalty of the distance from temperature scaling: for each class a logistic
// regression on the log odds z of the softmax at the temperature of ts and on their square. With a large penalty the map is
// ts, and with a small one nearly the map of quadratic. The penalty is the same for all classes, so a class of few rows stays
// near ts, and a class of many rows leaves it. The prediction may change.
//
// The distance is taken between the coefficients of (z - mean)/sd, (z^2 - mean)/sd and 1 and the coefficients that give z
// itself, with means and standard deviations over the calibration rows. The penalty is one of 1, 10, ..., 10^6. It has the
// least mean NLL on excluded folds, each with a temperature fitted without it; on ties the largest penalty is taken. With fewer than two rows it is 10^6.
//
//   - Formula: q_j = sigmoid(a_j z_j + c_j z_j^2 + b_j) / sum of the same, z_j = log(p_j/(1-p_j)) of p = softmax(l/T), at the
//     minimum of the mean logistic loss + lambda/(2n) times the squared distance from a = 1, b = c = 0
//   - Reference: probmetrics (Berta, Holzmueller, Jordan and Bach 2025)
//   - Compared with: none
//   - Agreement: not compared; a test has the gradient by differences, and the limits of ts and of quadratic
//   - Departures: probmetrics has penalties of the offset and of the slope on the square, for two classes, and states no value:
//     without options it has none. Ours is centred at ts and has a value.
type QuadraticRidge struct {
	Lambda float64
	Folds  int
}

// QuadraticRidgeEntry is the entry of QuadraticRidge.
var QuadraticRidgeEntry = calib.NewEntry[QuadraticRidge, quadraticRidgeMap](calib.Entry{
	Name:    "quadratic-ridge",
	Label:   "Quadratic-ridge",
	Version: 1,
	Summary: "quadratic with a penalty of the distance from ts, chosen by cross-fitting",
	Cost:    1500,
	Cost100: 2500,
})

// String returns the name of the method.
func (QuadraticRidge) String() string { return QuadraticRidgeEntry.Name }

// Options returns the options.
func (m *QuadraticRidge) Options() []calib.Option {
	return []calib.Option{
		calib.FloatOption("lambda", &m.Lambda, 0, leastPenalty, mostPenalty, "penalty of the squared distance from ts; 0: chosen by cross-fitting"),
		calib.IntOption("folds", &m.Folds, 5, 2, 20, "number of folds of the cross-fitting"),
	}
}

// Contract needs logits and labels. The prediction may change.
func (QuadraticRidge) Contract() calib.Contract { return method.Sized(method.VectorContract()) }

// ridgeGrid are the penalties that are tried.
func ridgeGrid() []float64 { return []float64{1e6, 1e5, 1e4, 1e3, 100, 10, 1} }

// Fit returns T, lambda, a, b and c of every class.
func (m QuadraticRidge) Fit(ctx context.Context, in calib.Input) (*calib.Fitted, error) {
	m, err := method.Ready(m, in)
	if err != nil {
		return nil, err
	}
	_, t, flat, err := method.Temperature(ctx, in)
	if err != nil {
		return nil, err
	}
	passes := flat.Passes
	lambda := m.Lambda
	if lambda == 0 {
		var tried float64
		if lambda, tried, err = m.choose(ctx, in); err != nil {
			return nil, err
		}
		passes += tried
	}
	f, err := fitRidge(ctx, in.Cal, t, lambda)
	if err != nil {
		return nil, err
	}
	f.Report.Passes += passes
	f.Report.Iterations += flat.Iterations
	f.Report.AtBound = flat.AtBound
	if grid := ridgeGrid(); m.Lambda == 0 && lambda == grid[0] {
		f.Report.Warn(calib.Warning{Text: "lambda = {value}, the largest that is tried: the fit is about that of ts", Value: lambda})
	}
	return f, nil
}

// choose returns the penalty of the grid with the least NLL on rows that a fit has not seen, and the passes.
func (m QuadraticRidge) choose(ctx context.Context, in calib.Input) (lambda, passes float64, err error) {
	grid, n := ridgeGrid(), in.Cal.Logits.Rows
	folds := min(m.Folds, n)
	if folds < 2 {
		return grid[0], 0, nil
	}
	part := fit.Folds(in.Cal, folds, in.Seed)
	loss := make([]float64, len(grid))
	for own := range folds {
		rest, excluded := fit.Split(in.Cal, part, own)
		o, err := fit.NewObjective(rest)
		if err != nil {
			return 0, 0, err
		}
		t, r, err := fit.Temperature(ctx, o)
		if err != nil {
			return 0, 0, err
		}
		passes += r.Passes * float64(rest.Logits.Rows) / float64(n)
		for g, lambda := range grid {
			f, err := fitRidge(ctx, rest, t, lambda)
			if err != nil {
				return 0, 0, err
			}
			passes++ // of all rows: the fit, and the excluded rows
			q := data.NewProbs(excluded.Logits.Rows, excluded.Logits.Cols)
			f.Map.(quadraticRidgeMap).Apply(q, excluded)
			for i, y := range excluded.Labels {
				loss[g] -= softmax.Log(max(q.Row(i)[y], fit.LeastProb))
			}
		}
	}
	best := 0
	for g, v := range loss {
		if v < loss[best] {
			best = g
		}
	}
	return grid[best], passes, nil
}

// fitRidge fits at a temperature and a penalty.
func fitRidge(ctx context.Context, set *data.Set, t, lambda float64) (*calib.Fitted, error) {
	k := set.Logits.Cols
	m := quadraticRidgeMap{T: t, Lambda: lambda, quadraticMap: quadraticMap{A: make([]float64, k), B: make([]float64, k), C: make([]float64, k)}}
	f, err := onevsrest.Fit(ctx, &data.Set{Logits: quotients(set.Logits, t), Labels: set.Labels}, m.quadraticMap, func(class int, f []float64, positive []bool) calib.Minimum {
		squares := make([]float64, len(f))
		for i, z := range f {
			squares[i] = float64(z * z)
		}
		l := fit.Logistic{Columns: [][]float64{f, squares}, Positive: positive, High: 1, Ridge: lambda}
		slopes, offset, end := l.Minimise()
		m.A[class], m.C[class], m.B[class] = slopes[0], slopes[1], offset
		return end
	})
	if err != nil {
		return nil, err
	}
	f.Map = m
	return f, nil
}

// quotients returns logits less the largest of their row, divided by t, at least minus half of the largest float32. An offset of a row
// has no influence.
func quotients(logits data.Matrix, t float64) data.Matrix {
	q := data.NewMatrix(logits.Rows, logits.Cols)
	for i := range logits.Rows {
		row, quotients := logits.Row(i), q.Row(i)
		top := float64(row[fit.TopClass(row)])
		for j, l := range row {
			quotients[j] = float32(max((float64(l)-top)/t, -math.MaxFloat32/2))
		}
	}
	return q
}

// quadraticRidgeMap is a quadraticMap of logits divided by T.
type quadraticRidgeMap struct {
	T      float64
	Lambda float64 `json:"lambda"` // of the fit, for the record
	quadraticMap
}

func (m quadraticRidgeMap) Check() error {
	if !(m.Lambda > 0 && m.Lambda <= math.MaxFloat64) {
		return errors.New("lambda is not above 0")
	}
	return errors.Join(fit.CheckTemperature("T", m.T), m.quadraticMap.Check())
}

// Parameters returns T and lambda.
func (m quadraticRidgeMap) Parameters() []calib.Parameter {
	return []calib.Parameter{{Name: "T", Value: m.T, Meaning: "temperature, by which logits are divided first"},
		{Name: "lambda", Value: m.Lambda, Meaning: "penalty of the squared distance from ts"}}
}

// Apply writes the n x k probabilities.
func (m quadraticRidgeMap) Apply(dst data.Probs, set *data.Set) {
	for lo := 0; lo < set.Logits.Rows; lo += fit.BlockRows {
		hi := min(lo+fit.BlockRows, set.Logits.Rows)
		onevsrest.Apply(dst.Slice(lo, hi), &data.Set{Logits: quotients(set.Logits.Slice(lo, hi), m.T)}, m.quadraticMap)
	}
}
