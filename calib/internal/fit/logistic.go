package fit

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/qats-bench/qats/calib/report"
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

	// Identity: the solver starts at s = the first column, else at slopes of 0. It also starts
	// there if the column is of another size than log odds are (see usualOdds).
	Identity bool

	// Ridge is the penalty of the distance from the identity: Ridge/(2n) times its square is added to the mean loss. The
	// distance is taken in the slopes and the offset of the standardised columns. 0 means none; else Minimise starts at the
	// identity, whatever the size of the column.
	Ridge float64
}

// usualOdds are the largest standard deviation of a column at which the identity is a start,
// and one over the least. Beyond it the loss at the identity is flat, or far from the loss at
// every useful slope, and Newton's method would take too many steps from there.
const usualOdds = 1e3

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
func (l *Logistic) Minimise() (slopes []float64, offset float64, end report.Minimum) {
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
	if l.Ridge > 0 {
		start[0], start[p] = unit[0], centre[0]
		lo[0], hi[0] = lo[0]+start[0], hi[0]+start[0]
		lo[p], hi[p] = lo[p]+start[p], hi[p]+start[p]
	} else if l.Identity && unit[0] <= usualOdds && unit[0] >= 1/usualOdds {
		start[0], start[p] = min(unit[0], mostLogistic), min(max(centre[0], -mostLogistic), mostLogistic)
	} else {
		mean := l.meanTarget()
		start[p] = softmax.Log(max(mean, leastMean)) - softmax.Log(max(1-mean, leastMean))
	}
	standard := *l
	standard.Columns = scaled
	if l.Ridge > 0 {
		end = standard.minimiseRidge(start, lo, hi)
	} else {
		end = standard.MinimiseIn(start, lo, hi)
	}
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
// BoxNewton does from start. Many rows are first replaced by the means of groups, whose
// minimum saves most of the passes over all rows. The steps are those on all rows.
func (l *Logistic) MinimiseIn(start, lo, hi []float64) report.Minimum {
	if g := l.grouped(start); g != nil {
		if near, _ := BoxNewton(g.at, start, lo, hi, 1); near.Gradient <= report.GradTol {
			start = near.At
		}
	}
	end, _ := BoxNewton(l.rows().at, start, lo, hi, 1)
	return end // there is no error: the function has none, and does not overflow in the box
}

// minimiseRidge is MinimiseIn with the penalty of the distance from centre, where it starts.
func (l *Logistic) minimiseRidge(centre, lo, hi []float64) report.Minimum {
	rows, weight, p := l.rows(), l.Ridge/float64(len(l.Positive)), len(centre)
	end, _ := BoxNewton(func(x []float64) (report.Local, error) {
		f, err := rows.at(x)
		for j, c := range centre {
			d := x[j] - c
			f.Value += float64(weight / 2 * float64(d*d))
			f.Gradient[j] += float64(weight * d)
			f.Hessian[j*p+j] += weight
		}
		return f, err
	}, centre, lo, hi, 1)
	return end
}

func (l *Logistic) target(i int) float64 {
	if l.Positive[i] {
		return l.High
	}
	return l.Low
}

func (l *Logistic) meanTarget() float64 {
	sum := 0.0
	for i := range l.Positive {
		sum += l.target(i)
	}
	return sum / float64(len(l.Positive))
}

// logisticRows computes the loss of all rows.
type logisticRows struct {
	columns [][]float64
	targets []float64 // sums over rows of the target times each column, then of the target
	s, exps []float64 // memory for n numbers each
}

func (l *Logistic) rows() *logisticRows {
	n, p := len(l.Positive), len(l.Columns)
	r := &logisticRows{columns: l.Columns, targets: make([]float64, p+1), s: make([]float64, n), exps: make([]float64, n)}
	for i := range n {
		t := l.target(i)
		for j, column := range l.Columns {
			r.targets[j] += float64(t * column[i])
		}
		r.targets[p] += t
	}
	return r
}

// at returns the loss near x.
func (r *logisticRows) at(x []float64) (report.Local, error) {
	p, a, b := len(r.columns), r.columns[0], r.columns[len(r.columns)-1]
	s, exps := r.s[:len(a)], r.exps[:len(a)]
	for i, u := range a {
		s[i] = x[p] + float64(x[0]*u)
	}
	if p == 2 {
		for i, v := range b {
			s[i] += float64(x[1] * v)
		}
	}
	for i, v := range s {
		exps[i] = -math.Abs(v)
	}
	softmax.Exps(exps, exps)
	f := report.Local{Gradient: make([]float64, p+1), Hessian: make([]float64, (p+1)*(p+1))}
	const few = 512 // the product of as many numbers up to 2 does not overflow
	for lo := 0; lo < len(s); lo += few {
		hi := min(lo+few, len(s))
		if p == 1 {
			oneColumn(&f, a[lo:hi], s[lo:hi], exps[lo:hi])
		} else {
			twoColumns(&f, a[lo:hi], b[lo:hi], s[lo:hi], exps[lo:hi])
		}
	}
	n := float64(len(s))
	for j, t := range r.targets {
		f.Value -= float64(x[j] * t)
		f.Gradient[j] = (f.Gradient[j] - t) / n
	}
	f.Value /= n
	for i := range p + 1 {
		for j := range i + 1 { // the lower triangle was summed
			f.Hessian[i*(p+1)+j] /= n
			f.Hessian[j*(p+1)+i] = f.Hessian[i*(p+1)+j]
		}
	}
	return f, nil
}

// oneColumn adds some rows to the loss for one column and the constant, leaving out
// targets; exps are exp(-|s|). The sum of log(1 + exp(-|s|)) is the logarithm of a product.
func oneColumn(f *report.Local, column, s, exps []float64) {
	var value, g0, g1, h00, h10, h11 float64
	product := 1.0
	s, exps = s[:len(column)], exps[:len(column)]
	for i, u := range column {
		e := exps[i]
		r := 1 / (1 + e)
		sigmoid := float64(e * r)
		second := float64(sigmoid * r)
		product *= 1 + e
		if v := s[i]; v > 0 {
			value += v
			sigmoid = r
		}
		g0 += float64(sigmoid * u)
		g1 += sigmoid
		wu := float64(second * u)
		h00 += float64(wu * u)
		h10 += wu
		h11 += second
	}
	f.Value += value + softmax.Log(product)
	for j, v := range [2]float64{g0, g1} {
		f.Gradient[j] += v
	}
	for j, v := range [4]float64{h00, 0, h10, h11} {
		f.Hessian[j] += v
	}
}

// twoColumns is oneColumn for two columns and the constant.
func twoColumns(f *report.Local, a, b, s, exps []float64) {
	var value, g0, g1, g2, h00, h10, h11, h20, h21, h22 float64
	product := 1.0
	b, s, exps = b[:len(a)], s[:len(a)], exps[:len(a)]
	for i, u := range a {
		v, e := b[i], exps[i]
		r := 1 / (1 + e)
		sigmoid := float64(e * r)
		second := float64(sigmoid * r)
		product *= 1 + e
		if v := s[i]; v > 0 {
			value += v
			sigmoid = r
		}
		g0 += float64(sigmoid * u)
		g1 += float64(sigmoid * v)
		g2 += sigmoid
		wu, wv := float64(second*u), float64(second*v)
		h00 += float64(wu * u)
		h10 += float64(wu * v)
		h11 += float64(wv * v)
		h20 += wu
		h21 += wv
		h22 += second
	}
	f.Value += value + softmax.Log(product)
	for j, v := range [3]float64{g0, g1, g2} {
		f.Gradient[j] += v
	}
	for j, v := range [9]float64{h00, 0, 0, h10, h11, 0, h20, h21, h22} {
		f.Hessian[j] += v
	}
}

// logisticGroup stands for some rows.
type logisticGroup struct {
	rows   float64
	mean   [3]float64 // of the columns, then 1
	target float64    // the mean
}

// logisticGroups computes the loss as if each row had the means of its group.
type logisticGroups []logisticGroup

// numGroups is the largest number of groups, leastGrouped the least number of rows for
// which they pay.
const (
	numGroups    = 256
	leastGrouped = 2000
)

// grouped returns groups of rows that have about the same s at start or, if its slopes are
// 0, about the same number in the first column. It returns nil for few rows. It also returns
// nil if these numbers tell the positive rows from the others: then the loss has no minimum,
// and the solver must begin at start, because its result depends on it.
func (l *Logistic) grouped(start []float64) logisticGroups {
	n, p := len(l.Positive), len(l.Columns)
	if n < leastGrouped {
		return nil
	}
	key := make([]float64, n)
	for j, column := range l.Columns {
		c := start[j]
		if j == 0 && floats.Max(start[:p]) == 0 && floats.Min(start[:p]) == 0 {
			c = 1
		}
		AddTo(key, c, column)
	}
	least, most := [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{math.Inf(-1), math.Inf(-1)} // of the others and the positive rows
	for i, x := range key {
		side := 0
		if l.Positive[i] {
			side = 1
		}
		least[side], most[side] = min(least[side], x), max(most[side], x)
	}
	if least[0] >= most[1] || least[1] >= most[0] {
		return nil
	}
	first := min(least[0], least[1])
	scale := numGroups / (max(most[0], most[1]) - first)
	g := make(logisticGroups, numGroups)
	for i, x := range key {
		at := &g[min(int(float64((x-first)*scale)), numGroups-1)]
		at.rows++
		at.target += l.target(i)
		for j, column := range l.Columns {
			at.mean[j] += column[i]
		}
	}
	g = slices.DeleteFunc(g, func(g logisticGroup) bool { return g.rows == 0 })
	for i := range g {
		g[i].target /= g[i].rows
		for j := range p {
			g[i].mean[j] /= g[i].rows
		}
		g[i].mean[p] = 1
	}
	return g
}

func (g logisticGroups) at(x []float64) (report.Local, error) {
	k, n := len(x), 0.0
	f := report.Local{Gradient: make([]float64, k), Hessian: make([]float64, k*k)}
	for i := range g {
		row := &g[i]
		n += row.rows
		s := Dot(x, row.mean[:k])
		e := softmax.Exp(-math.Abs(s))
		r := 1 / (1 + e)
		sigmoid := float64(e * r)
		second := float64(row.rows * float64(sigmoid*r))
		if s > 0 {
			sigmoid = r
		}
		f.Value += float64(row.rows * (max(s, 0) + softmax.Log1p(e) - float64(row.target*s)))
		first := float64(row.rows * (sigmoid - row.target))
		for j, u := range row.mean[:k] {
			f.Gradient[j] += float64(first * u)
			for c, v := range row.mean[:k] {
				f.Hessian[j*k+c] += float64(float64(second*u) * v)
			}
		}
	}
	f.Value /= n
	floats.Scale(1/n, f.Gradient)
	floats.Scale(1/n, f.Hessian)
	return f, nil
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
