package splines

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/method"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/stretch"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/interp"
	"gonum.org/v1/gonum/mat"
)

// Cumulative is calibration by splines of the top label; see TopLabel. The n
// calibration rows are in the order of confidence. The spline is fitted by least
// squares to the cumulative error
//
//	D_i = 1/n sum over j <= i of (hit_j - conf_j)  at  t_i = (i-1)/(n-1).
//
// The new confidence is linear between the confidences of the calibration set, constant
// outside them, and limited to [0, 1]. Calibration rows with one class that is not masked are
// left out, since their confidence is 1 whatever is fitted.
//
//   - Formula: confidence conf + S'(t), S a natural cubic spline of 6 uniform knots
//     through the cumulated hit - conf, t the rank in [0, 1]
//   - Reference: Gupta, Rahimi, Ajanthan, Mensink, Sminchisescu and Hartley 2021
//   - Compared with: kartikgupta-at-anu/spline-calibration (the authors'); numpy and
//     scipy
//   - Agreement: confidences to 1e-11 on drawn rows with numpy and scipy, which follow the
//     paper, without the mass; the authors' code differs by its interpolation
//   - Departures: A confidence that is limited to 0 or 1 has a mass (calib.Mass). Between
//     two calibration rows the authors' code swaps the weights of its linear
//     interpolation, so that the farther row counts more. Ours are not swapped. Rows of
//     tied confidence, as in ir, count with the mean of their hits and get the mean of
//     their values, so the order of the rows does not matter.
type Cumulative struct {
	Knots int // 2 to 100; 0 means 6
}

// SplineEntry is the entry of Cumulative.
var SplineEntry = calib.NewEntry[Cumulative, splineMap](calib.Entry{
	Name:    "spline",
	Label:   "Spline",
	Version: 7,
	Since:   6,
	Summary: "confidence corrected by the slope of a natural cubic spline; a top-label method",
	Aliases: []string{"spline-calibration"},
})

// String returns the name of the method.
func (Cumulative) String() string { return SplineEntry.Name }

const maxKnots = 100

// Options returns the option knots.
func (m *Cumulative) Options() []calib.Option {
	return []calib.Option{calib.IntOption("knots", &m.Knots, 6, 2, maxKnots, "number of knots of the spline, uniform in [0, 1]")}
}

// Contract needs logits and labels.
func (Cumulative) Contract() calib.Contract {
	return method.OfValues(method.Sized(method.TopContract()))
}

// Fit returns the new confidence at each confidence of the calibration set.
func (m Cumulative) Fit(ctx context.Context, in calib.Input) (*calib.Fitted, error) {
	m, err := calib.WithDefaults(m)
	if err != nil {
		return nil, err
	}
	rows, err := method.TopRows(ctx, in.Cal)
	if err != nil {
		return nil, err
	}
	fitted, err := fitSpline(rows, m.Knots)
	if err != nil {
		return nil, err
	}
	return method.TopMixed(fitted, len(rows)), nil
}

// fitSpline returns the map fitted to rows, which it sorts. If there are fewer rows
// than knots, it takes as many knots as rows, at least two. A single row is at t = 1,
// so its new confidence is 0 or 1.
func fitSpline(rows []method.TopRow, knots int) (splineMap, error) {
	slices.SortFunc(rows, func(a, b method.TopRow) int { return cmp.Compare(b.Tail, a.Tail) })
	n := len(rows)
	equal := stretch.Logits.Groups(n, func(i int) float64 { return method.TopStretched(rows[i].Tail) })
	at := make([]float64, n)
	for i := range at {
		at[i] = float64(i) / float64(n-1)
	}
	if n == 1 {
		at[0] = 1
	}
	basis := naturalBasis(min(knots, max(n, 2)))
	cumulative := make([]float64, n) // D
	sum := 0.0
	for lo, hi := range equal {
		hits := 0.0
		for _, r := range rows[lo:hi] {
			if r.Hit {
				hits++
			}
		}
		mean := hits / float64(hi-lo)
		for i := lo; i < hi; i++ {
			sum += (mean - rows[i].Conf) / float64(n)
			cumulative[i] = sum
		}
	}
	y, err := basis.leastSquares(cumulative, at)
	if err != nil {
		return splineMap{}, err
	}
	m := splineMap{X: []float64{}, Y: []float64{}}
	for lo, hi := range equal {
		slope := 0.0
		for i := lo; i < hi; i++ {
			slope += basis.slope(y, at[i]) / float64(hi-lo)
		}
		m.X, m.Y = append(m.X, method.TopStretched(rows[lo].Tail)), append(m.Y, rows[lo].Conf+slope)
	}
	return m, nil
}

// basis holds natural cubic splines on [0, 1] with uniform knots. Spline j is 1 at
// knot j and 0 at the others.
type basis []interp.NaturalCubic

func naturalBasis(knots int) basis {
	at := floats.Span(make([]float64, knots), 0, 1)
	b := make(basis, knots)
	for j := range b {
		unit := make([]float64, knots)
		unit[j] = 1
		if err := b[j].Fit(at, unit); err != nil {
			panic(err) // uniform knots are never singular
		}
	}
	return b
}

// leastSquares returns the values at the knots of the spline that is nearest to the
// points (at_i, y_i). For a single point it returns the values of least norm.
func (b basis) leastSquares(y, at []float64) ([]float64, error) {
	a := mat.NewDense(len(y), len(b), nil)
	for i := range y {
		for j := range b {
			a.Set(i, j, b[j].Predict(at[i]))
		}
	}
	var x mat.Dense
	if err := x.Solve(a, mat.NewDense(len(y), 1, y)); err != nil {
		return nil, fmt.Errorf("least squares of the spline: %w", err)
	}
	return x.RawMatrix().Data, nil
}

// slope returns its derivative.
func (b basis) slope(y []float64, t float64) float64 {
	sum := 0.0
	for j := range b {
		sum += float64(y[j] * b[j].PredictDerivative(t))
	}
	return sum
}

// splineMap is the new confidence, linear in the old one between its points.
type splineMap struct {
	X []float64 `json:"x"` // confidences of the calibration rows, stretched (package stretch), strictly increasing
	Y []float64 `json:"y"` // new confidences before they are limited to [0, 1]
}

func (m splineMap) Check() error {
	if len(m.X) == 0 || len(m.X) != len(m.Y) {
		return fmt.Errorf("%d confidences x but %d values y: want the same number, at least one", len(m.X), len(m.Y))
	}
	for i := range m.X {
		switch {
		case !(m.X[i] >= 0 && m.X[i] <= stretch.Most) || (i > 0 && m.X[i] <= m.X[i-1]):
			return fmt.Errorf("x[%d] = %v: want increasing numbers in [0, %.3g]", i, m.X[i], stretch.Most)
		case !(math.Abs(m.Y[i]) <= 1e6):
			return errors.New("y: want numbers in [-1e6, 1e6]")
		}
	}
	return nil
}

// Certain reports whether a confidence is limited to 0 or 1; see calib.Certain.
func (m splineMap) Certain() bool {
	return slices.ContainsFunc(m.Y, func(y float64) bool { return y <= 0 || y >= 1 })
}

// Confidences writes the new confidences.
func (m splineMap) Confidences(dst []float64, _ *data.Set, at *calib.Unscaled) {
	method.EachConfidence(dst, at, func(tail float64) float64 { return m.confidence(method.TopStretched(tail)) })
}

// confidence returns the new confidence, limited to [0, 1], of the stretched one x.
func (m splineMap) confidence(x float64) float64 {
	i, tied := stretch.Logits.Find(m.X, fit.UpTo(m.X, x), x)
	y := m.Y[min(i, len(m.Y)-1)]
	if !tied && i > 0 && i < len(m.Y) {
		y = m.Y[i-1] + float64((m.Y[i]-m.Y[i-1])*stretch.Between(x, m.X[i-1], m.X[i]))
	}
	return min(max(y, 0), 1)
}
