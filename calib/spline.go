package calib

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/isotonic"
)

// SplineCalibration is calibration by splines (Gupta, Rahimi, Ajanthan, Mensink,
// Sminchisescu and Hartley 2021) of the top label. With the n calibration rows
// in the order of confidence, the cumulative error
//
//	D_i = 1/n sum over j <= i of (hit_j - conf_j)  at  t_i = (i-1)/(n-1)
//
// is fitted by least squares with a natural cubic spline S of 6 knots, uniform
// in [0, 1], and the new confidence at conf_i is conf_i + S'(t_i): linear
// between the confidences of the calibration set, constant outside them, and
// held within [0, 1]. It is the confidence of the predicted class; see TopLabel.
//
// Departure: between two calibration rows the authors' code swaps the weights
// of its linear interpolation, so that the farther row counts more. Ours are
// not swapped. Rows of equal confidence count with the mean of their
// hits and get the mean of their values, so that no order of rows matters.
type SplineCalibration struct {
	Knots int // 2 to 100; 0 means 6
}

func splineEntry() Entry {
	return NewEntry[SplineCalibration, splineMap](Entry{
		Name:      "spline",
		Label:     "Spline",
		Version:   2,
		Summary:   "confidence corrected by the slope of a natural cubic spline; a top-label method; option knots (6)",
		Reference: "Gupta, Rahimi, Ajanthan, Mensink, Sminchisescu and Hartley 2021",
	})
}

const maxKnots = 100

// Options returns the option knots.
func (m *SplineCalibration) Options() []Option {
	return []Option{IntOption("knots", &m.Knots, 6, 2, maxKnots, "knots of the spline, uniform in [0, 1]")}
}

func (SplineCalibration) Contract() Contract { return logitsContract() }

func (m SplineCalibration) Fit(ctx context.Context, in Input) (*Fitted, error) {
	m, err := WithDefaults(m)
	if err != nil {
		return nil, err
	}
	rows, err := topRows(ctx, in.Cal)
	if err != nil {
		return nil, err
	}
	return topFitted(fitSpline(rows, m.Knots)), nil
}

// fitSpline returns the map fitted to rows, which it sorts. With fewer rows
// than knots it takes as many knots as rows, two at least; a single row is at
// t = 1, which gives it the confidence 0 or 1 that it deserves.
func fitSpline(rows []topRow, knots int) splineMap {
	slices.SortFunc(rows, func(a, b topRow) int { return cmp.Compare(a.conf, b.conf) })
	n := len(rows)
	ties := func(do func(lo, hi int)) { // each block of equal confidence
		for lo, hi := 0, 0; lo < n; lo = hi {
			for hi = lo + 1; hi < n && rows[hi].conf == rows[lo].conf; hi++ {
			}
			do(lo, hi)
		}
	}
	at := func(i int) float64 {
		if n == 1 {
			return 1
		}
		return float64(i) / float64(n-1)
	}
	s := newNaturalSpline(min(knots, max(n, 2)))
	fit := s.leastSquares()
	sum := 0.0
	ties(func(lo, hi int) {
		hits := 0.0
		for _, r := range rows[lo:hi] {
			if r.hit {
				hits++
			}
		}
		mean := hits / float64(hi-lo)
		for i := lo; i < hi; i++ {
			sum += (mean - rows[i].conf) / float64(n)
			fit.add(at(i), sum)
		}
	})
	y := fit.solve()
	m := splineMap{X: []float64{}, Y: []float64{}}
	ties(func(lo, hi int) {
		slope := 0.0
		for i := lo; i < hi; i++ {
			slope += s.slope(y, at(i)) / float64(hi-lo)
		}
		m.X, m.Y = append(m.X, rows[lo].conf), append(m.Y, rows[lo].conf+slope)
	})
	return m
}

// naturalSpline are the cubic splines on [0, 1] with k uniform knots and no
// curvature at the ends, in terms of their values y at the knots: the second
// derivatives at the knots are curvature times y.
type naturalSpline struct {
	k         int
	curvature []float64 // k x k
}

// newNaturalSpline solves, for each unit vector y, the tridiagonal system
//
//	M_{j-1} + 4 M_j + M_{j+1} = 6 (y_{j-1} - 2 y_j + y_{j+1}) / h^2,  M_1 = M_k = 0.
func newNaturalSpline(k int) naturalSpline {
	s := naturalSpline{k, make([]float64, k*k)}
	h := 1 / float64(k-1)
	for unit := range k {
		y := make([]float64, k)
		y[unit] = 1
		m, upper := make([]float64, k), make([]float64, k)
		for j := 1; j < k-1; j++ {
			pivot := 4 - upper[j-1]
			upper[j] = 1 / pivot
			m[j] = (6*(y[j-1]-2*y[j]+y[j+1])/(h*h) - m[j-1]) / pivot
		}
		for j := k - 2; j > 0; j-- {
			m[j] -= float64(upper[j] * m[j+1])
		}
		for j := range k {
			s.curvature[j*k+unit] = m[j]
		}
	}
	return s
}

// weights returns the segment of t and the weights at t of the values and of
// the second derivatives at its two knots, for the spline or for its slope.
func (s naturalSpline) weights(t float64, slope bool) (j int, value, curvature [2]float64) {
	h := 1 / float64(s.k-1)
	j = min(int(t*float64(s.k-1)), s.k-2)
	u := float64(t*float64(s.k-1)) - float64(j) // in [0, 1] within the segment
	v := 1 - u
	if slope {
		return j, [2]float64{-1 / h, 1 / h}, [2]float64{h * (1 - float64(3*v*v)) / 6, h * (float64(3*u*u) - 1) / 6}
	}
	return j, [2]float64{v, u}, [2]float64{h * h * (float64(v*v*v) - v) / 6, h * h * (float64(u*u*u) - u) / 6}
}

// row writes to dst the k weights of the knot values at t.
func (s naturalSpline) row(dst []float64, t float64, slope bool) []float64 {
	j, value, curvature := s.weights(t, slope)
	for i := range dst {
		dst[i] = float64(curvature[0]*s.curvature[j*s.k+i]) + float64(curvature[1]*s.curvature[(j+1)*s.k+i])
	}
	dst[j] += value[0]
	dst[j+1] += value[1]
	return dst
}

// slope returns the derivative at t of the spline with values y.
func (s naturalSpline) slope(y []float64, t float64) float64 {
	return fit.Dot(s.row(make([]float64, s.k), t, true), y)
}

// splineFit collects the normal equations of a least squares fit.
type splineFit struct {
	naturalSpline
	matrix, right, row []float64 // k x k, k; scratch
}

func (s naturalSpline) leastSquares() *splineFit {
	return &splineFit{s, make([]float64, s.k*s.k), make([]float64, s.k), make([]float64, s.k)}
}

// add adds the point (t, d).
func (f *splineFit) add(t, d float64) {
	f.naturalSpline.row(f.row, t, false)
	for i, w := range f.row {
		f.right[i] += float64(w * d)
		for j, v := range f.row {
			f.matrix[i*f.k+j] += float64(w * v)
		}
	}
}

// solve returns the knot values. One point leaves them open: a ridge of 1e-12
// of the largest diagonal element, which changes no more than the digits that
// rounding takes from the others, chooses small ones.
func (f *splineFit) solve() []float64 {
	most := 0.0
	for j := range f.k {
		most = max(most, f.matrix[j*f.k+j])
	}
	for ridge := 1e-12 * most; ; ridge *= 10 { // a matrix near to singular may need more
		a, y := slices.Clone(f.matrix), slices.Clone(f.right)
		for j := range f.k {
			a[j*f.k+j] += ridge
		}
		if fit.Cholesky(a, y) {
			return y
		}
	}
}

// splineMap is the new confidence, linear between X.
type splineMap struct {
	X []float64 `json:"x"` // confidences of the calibration rows, strictly increasing, in (0, 1]
	Y []float64 `json:"y"` // new confidences before they are held within [0, 1]
}

func (m splineMap) Check() error {
	if len(m.X) == 0 || len(m.X) != len(m.Y) {
		return fmt.Errorf("%d confidences x but %d values y: want as many, and one at least", len(m.X), len(m.Y))
	}
	for i := range m.X {
		switch {
		case !(m.X[i] >= 0 && m.X[i] <= 1) || (i > 0 && m.X[i] <= m.X[i-1]):
			return fmt.Errorf("x[%d] = %v: want increasing confidences in [0, 1]", i, m.X[i])
		case !(math.Abs(m.Y[i]) <= 1e6):
			return errors.New("y: want confidences within [0, 1], or hardly outside")
		}
	}
	return nil
}

// Confidence is linear between the points of the map and held within [0, 1].
func (m splineMap) Confidence(conf float64) float64 {
	i := isotonic.UpTo(m.X, conf)
	y := m.Y[max(i-1, 0)]
	if i > 0 && i < len(m.X) {
		y += float64((m.Y[i] - y) * ((conf - m.X[i-1]) / (m.X[i] - m.X[i-1])))
	}
	return min(max(y, 0), 1)
}
