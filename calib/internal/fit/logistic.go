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
}

// mostLogistic bounds the parameters, in units of the standard deviation of their
// column. It is reached only where there is no minimum.
const mostLogistic = 1e4

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
	for j := range lo {
		lo[j], hi[j] = -mostLogistic, mostLogistic
	}
	start[0], start[p] = min(unit[0], mostLogistic), min(max(centre[0], -mostLogistic), mostLogistic) // s is the first column
	s, log := make([]float64, n), make([]float64, n)
	end, _ = BoxNewton(func(x []float64) (Local, error) { return l.at(x, scaled, s, log), nil }, start, lo, hi, 1)
	slopes, offset = make([]float64, p), end.At[p]
	for j := range slopes {
		if unit[j] > 0 {
			slopes[j] = end.At[j] / unit[j]
			offset -= float64(slopes[j] * centre[j])
		}
	}
	return slopes, offset, end
}

// at returns the loss near x. s and log are memory for n numbers each.
func (l *Logistic) at(x []float64, columns [][]float64, s, log []float64) Local {
	p := len(columns)
	n := float64(len(s))
	f := Local{Gradient: make([]float64, p+1), Hessian: make([]float64, (p+1)*(p+1))}
	for i := range s {
		v := x[p]
		for j, column := range columns {
			v += float64(x[j] * column[i])
		}
		s[i] = v
		log[i] = -math.Abs(v)
	}
	softmax.Exps(log, log)
	var row [3]float64
	row[p] = 1
	for i, v := range s {
		e, t := log[i], l.Low
		if l.Positive[i] {
			t = l.High
		}
		q := e / (1 + e)
		w := q / (1 + e)
		if v > 0 {
			q = 1 / (1 + e)
		}
		f.Value += max(v, 0) - float64(t*v)
		for j, column := range columns {
			row[j] = column[i]
		}
		for j, u := range row[:p+1] {
			f.Gradient[j] += float64((q - t) * u)
			wu := float64(w * u)
			for c := range j + 1 {
				f.Hessian[j*(p+1)+c] += float64(wu * row[c])
			}
		}
	}
	softmax.Log1ps(log, log)
	for _, v := range log {
		f.Value += v
	}
	f.Value /= n
	for j := range p + 1 {
		f.Gradient[j] /= n
		for c := range j + 1 {
			f.Hessian[j*(p+1)+c] /= n
			f.Hessian[c*(p+1)+j] = f.Hessian[j*(p+1)+c]
		}
	}
	return f
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
