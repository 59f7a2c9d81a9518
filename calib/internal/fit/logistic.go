package fit

import (
	"math"

	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// Logistic is logistic regression on one or two columns of n numbers and a constant: it
// minimises the mean over rows of
//
//	log(1 + e^s) - t s,  s = sum_j slope_j column_j + offset,
//
// where t is High for positive rows and Low for the others, in [0, 1].
type Logistic struct {
	Columns   [][]float64
	Positive  []bool
	Low, High float64

	// Identity: the solver starts at s = the first column, else at slopes of 0.
	Identity bool
}

// mostLogistic bounds the parameters, in units of the standard deviation of their
// column. It is reached only where there is no minimum.
const mostLogistic = 1e4

// mostSlope bounds a slope, and its share of the offset, in units of the column itself:
// a saved model must not overflow. It matters for columns that are all but constant,
// such as the probability of a class that is about 1e-26 for every row.
const mostSlope = 1e14

// leastMean limits the mean target from which the solver starts, which may be 0 or 1.
const leastMean = 1e-4

// Minimise returns the slopes of the columns, then the offset, and says how the solver
// ended; the gradient is in units of a standard deviation of the columns. A column of
// equal numbers has slope 0.
func (l *Logistic) Minimise() (slopes []float64, offset float64, end Solution) {
	n, p := len(l.Positive), len(l.Columns)
	centre, unit := make([]float64, p), make([]float64, p)
	scaled := make([][]float64, p)
	for j, column := range l.Columns {
		centre[j], unit[j] = meanAndDeviation(column)
		scaled[j] = make([]float64, n)
		for i, x := range column {
			if unit[j] > 0 {
				scaled[j][i] = (x - centre[j]) / unit[j]
			}
		}
	}
	start, lo, hi := make([]float64, p+1), make([]float64, p+1), make([]float64, p+1)
	lo[p], hi[p] = -mostLogistic, mostLogistic
	for j, u := range unit {
		hi[j] = min(mostLogistic, float64(mostSlope*u)/max(1, math.Abs(centre[j])))
		lo[j] = -hi[j]
	}
	if l.Identity {
		start[0], start[p] = min(unit[0], mostLogistic), min(max(centre[0], -mostLogistic), mostLogistic)
	} else {
		mean := l.meanTarget()
		start[p] = softmax.Log(max(mean, leastMean)) - softmax.Log(max(1-mean, leastMean))
	}
	standard := *l
	standard.Columns = scaled
	end = standard.MinimiseIn(start, lo, hi)
	slopes, offset = make([]float64, p), end.At[p]
	for j := range slopes {
		if unit[j] > 0 {
			slopes[j] = end.At[j] / unit[j]
			offset -= float64(slopes[j] * centre[j])
		}
	}
	return slopes, offset, end
}

// MinimiseIn minimises in a box of the slopes of the columns, then the offset, as
// BoxNewton does from start.
func (l *Logistic) MinimiseIn(start, lo, hi []float64) Solution {
	s, log := make([]float64, len(l.Positive)), make([]float64, len(l.Positive))
	end, _ := BoxNewton(func(x []float64) (Local, error) { return l.at(x, s, log), nil }, start, lo, hi, 1)
	return end // an error comes only from the function
}

func (l *Logistic) meanTarget() float64 {
	sum := 0.0
	for _, positive := range l.Positive {
		if positive {
			sum += l.High
		} else {
			sum += l.Low
		}
	}
	return sum / float64(len(l.Positive))
}

// at returns the loss near x. s and log are memory for n numbers each.
func (l *Logistic) at(x []float64, s, log []float64) Local {
	p, columns := len(l.Columns), l.Columns
	for i, u := range columns[0] {
		s[i] = x[p] + float64(x[0]*u)
	}
	if p == 2 {
		for i, u := range columns[1] {
			s[i] += float64(x[1] * u)
		}
	}
	for i, v := range s {
		log[i] = -math.Abs(v)
	}
	softmax.Exps(log, log)
	var f Local
	if p == 1 {
		f = l.oneColumn(columns[0], s, log)
	} else {
		f = l.twoColumns(columns[0], columns[1], s, log)
	}
	softmax.Log1ps(log, log)
	for _, v := range log {
		f.Value += v
	}
	n := float64(len(s))
	f.Value /= n
	for j := range f.Gradient {
		f.Gradient[j] /= n
	}
	for j := range f.Hessian {
		f.Hessian[j] /= n
	}
	return f
}

// logisticRow returns, given s, exp(-|s|) and the target t of a row, its loss without
// log(1 + exp(-|s|)), and the first and second derivative of its loss in s.
func logisticRow(s, e, t float64) (loss, first, second float64) {
	r := 1 / (1 + e)
	q := e * r
	second = q * r
	if s > 0 {
		return s - float64(t*s), r - t, second
	}
	return -float64(t * s), q - t, second
}

// oneColumn returns the sums over rows for one column and the constant, without the
// logarithms of the loss. exps are exp(-|s|).
func (l *Logistic) oneColumn(column, s, exps []float64) Local {
	var value, g0, g1, h00, h01, h11 float64
	for i, u := range column {
		t := l.Low
		if l.Positive[i] {
			t = l.High
		}
		loss, first, second := logisticRow(s[i], exps[i], t)
		value += loss
		g0 += float64(first * u)
		g1 += first
		wu := float64(second * u)
		h00 += float64(wu * u)
		h01 += wu
		h11 += second
	}
	return Local{Value: value, Gradient: []float64{g0, g1}, Hessian: []float64{h00, h01, h01, h11}}
}

// twoColumns is oneColumn for two columns and the constant.
func (l *Logistic) twoColumns(a, b, s, exps []float64) Local {
	var value, g0, g1, g2, h00, h01, h02, h11, h12, h22 float64
	for i, u := range a {
		v, t := b[i], l.Low
		if l.Positive[i] {
			t = l.High
		}
		loss, first, second := logisticRow(s[i], exps[i], t)
		value += loss
		g0 += float64(first * u)
		g1 += float64(first * v)
		g2 += first
		wu, wv := float64(second*u), float64(second*v)
		h00 += float64(wu * u)
		h01 += float64(wu * v)
		h02 += wu
		h11 += float64(wv * v)
		h12 += wv
		h22 += second
	}
	return Local{
		Value: value, Gradient: []float64{g0, g1, g2},
		Hessian: []float64{h00, h01, h02, h01, h11, h12, h02, h12, h22},
	}
}

// meanAndDeviation returns the mean and the standard deviation of a column, which is 0
// if all its numbers are equal.
func meanAndDeviation(column []float64) (mean, deviation float64) {
	least, most := column[0], column[0]
	for _, x := range column {
		mean += x
		least, most = min(least, x), max(most, x)
	}
	if least == most {
		return least, 0
	}
	mean /= float64(len(column))
	for _, x := range column {
		deviation += float64((x - mean) * (x - mean))
	}
	return mean, math.Sqrt(deviation / float64(len(column)))
}
