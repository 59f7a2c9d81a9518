package metrics

import (
	"errors"
	"math"

	"github.com/qats-bench/qats/internal/exact"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

var (
	errSeparable = errors.New("undefined: a threshold of the probability separates the two classes, so the likelihood has no maximum")
	errOneProb   = errors.New("undefined: all rows have one probability, so no slope can be seen")
	errNoEnd     = errors.New("undefined: the likelihood is so flat that Newton's method does not end")
)

// mostSteps bounds the steps of Newton's method; a step that is shorter than stepEnd, relative to
// 1 and the parameter, is the last.
const (
	mostSteps = 100
	stepEnd   = 1e-13
)

// recalibration is the logistic regression of labels on log odds.
type recalibration struct {
	slope    float64
	u        []float64 // standardised log odds
	positive []bool
	unit     float64    // of the log odds, in u
	at       logistic   // at the maximum, in u
	of       [2]float64 // intercept and slope there, in u
}

// recalibrate fits the labels to the log odds.
func recalibrate(s *Samples) (*recalibration, error) {
	z, positive, err := s.logOdds()
	if err != nil {
		return nil, err
	}
	centre, unit := standard(z)
	if unit == 0 {
		return nil, errOneProb
	}
	if separable(z, positive) {
		return nil, errSeparable
	}
	r := &recalibration{u: z, positive: positive, unit: unit}
	for i, x := range z {
		r.u[i] = (x - centre) / unit
	}
	share := float64(s.positives()) / float64(len(z))
	a, b := softmax.Log(share)-softmax.Log(1-share), 0.0
	exps := make([]float64, len(z))
	l := logisticAt(r.u, positive, a, b, exps)
	for range mostSteps {
		det := float64(l.h00*l.h11) - float64(l.h01*l.h01)
		if !(det > 0) {
			return nil, errNoEnd
		}
		da := -(float64(l.h11*l.g0) - float64(l.h01*l.g1)) / det
		db := -(float64(l.h00*l.g1) - float64(l.h01*l.g0)) / det
		short := math.Abs(da) <= stepEnd*(1+math.Abs(a)) && math.Abs(db) <= stepEnd*(1+math.Abs(b))
		next := logisticAt(r.u, positive, a+da, b+db, exps)
		for t := 0; next.value > l.value && !short; t++ { // near the maximum rounding hides the descent
			if da, db = da/2, db/2; t == mostSteps {
				return nil, errNoEnd
			}
			short = math.Abs(da) <= stepEnd*(1+math.Abs(a)) && math.Abs(db) <= stepEnd*(1+math.Abs(b))
			next = logisticAt(r.u, positive, a+da, b+db, exps)
		}
		a, b, l = a+da, b+db, next
		if short {
			r.slope, r.at, r.of = b/unit, l, [2]float64{a, b}
			return r, nil
		}
	}
	return nil, errNoEnd
}

// influence returns that of each row on the slope: n times the row's share of a Newton step.
func (r *recalibration) influence() []float64 {
	n, l := float64(len(r.u)), r.at
	det := float64(l.h00*l.h11) - float64(l.h01*l.h01)
	rows := make([]float64, len(r.u))
	for i, u := range r.u {
		g := residual(r.of[0]+float64(r.of[1]*u), r.positive[i])
		rows[i] = -g * (float64(l.h00*u) - l.h01) / det * n / r.unit
	}
	return rows
}

// separable reports whether the log odds of one class are nowhere above those of the other.
func separable(z []float64, positive []bool) bool {
	least, most := [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{math.Inf(-1), math.Inf(-1)}
	for i, x := range z {
		side := 0
		if positive[i] {
			side = 1
		}
		least[side], most[side] = min(least[side], x), max(most[side], x)
	}
	return least[0] >= most[1] || least[1] >= most[0]
}

// standard returns the mean and the standard deviation of n numbers, which is 0 if they differ by
// rounding alone.
func standard(z []float64) (mean, deviation float64) {
	var sum signed
	largest := 0.0
	for _, x := range z {
		sum.add(x)
		largest = max(largest, math.Abs(x))
	}
	mean = sum.value() / float64(len(z))
	var squares exact.Sum
	for _, x := range z {
		x -= mean
		squares.Add(float64(x * x))
	}
	deviation = math.Sqrt(squares.Value() / float64(len(z)))
	if !(deviation > 1e-12*largest) {
		return mean, 0
	}
	return mean, deviation
}

// logistic is the sum over rows of -ln P(y) with its derivatives in the intercept and in the slope.
type logistic struct{ value, g0, g1, h00, h01, h11 float64 }

// logisticAt returns it at P(y = 1) = 1/(1 + e^(-s)), s = a + b u. Its sums are exact, so they do
// not depend on the order of the rows. The value is computed only if exps, memory for n numbers, is
// given.
func logisticAt(u []float64, positive []bool, a, b float64, exps []float64) logistic {
	var g0, g1, h01 signed
	var h00, h11, value exact.Sum
	for i, x := range u {
		s := a + float64(b*x)
		e := softmax.Exp(-math.Abs(s))
		q := 1 / (1 + e)
		w := float64(float64(e*q) * q)
		g := residual(s, positive[i])
		g0.add(g)
		g1.add(float64(g * x))
		wx := float64(w * x)
		h00.Add(w)
		h01.add(wx)
		h11.Add(float64(wx * x))
		if exps != nil {
			exps[i] = e
			if (s > 0) != positive[i] { // the label is the less probable class
				value.Add(math.Abs(s))
			}
		}
	}
	if exps != nil {
		softmax.Log1ps(exps, exps)
		for _, x := range exps {
			value.Add(x)
		}
	}
	return logistic{value.Value(), g0.value(), g1.value(), h00.Value(), h01.value(), h11.Value()}
}

// residual returns 1/(1 + e^(-s)) - y, with all digits where it is small.
func residual(s float64, positive bool) float64 {
	e := softmax.Exp(-math.Abs(s))
	far, near := 1/(1+e), e/(1+e)
	switch {
	case positive && s > 0:
		return -near
	case positive:
		return -far
	case s > 0:
		return far
	}
	return near
}

// signed is an exact sum of numbers of both signs.
type signed struct{ up, down exact.Sum }

func (s *signed) add(x float64) {
	if x < 0 {
		s.down.Add(-x)
	} else {
		s.up.Add(x)
	}
}

func (s *signed) value() float64 { return s.up.Value() - s.down.Value() }
