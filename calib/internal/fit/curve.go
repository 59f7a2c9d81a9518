package fit

import (
	"context"
	"fmt"
	"math"
)

// A curve is a temperature that depends on the quantile q of a row, piecewise
// linear between knots t_1, ..., t_{S+1} at q = 0, 1/S, ..., 1: the paper's
// piecewise model, which for S = 1 is its Eq. 6 with t_1 = a + b, t_2 = b.

// TemperatureAt returns T(q) of the given knots for q in [0, 1]. It is held
// between the two knots of the segment, so that rounding neither leaves a flat
// curve nor, between knots of very different size, reaches 0.
func TemperatureAt(knots []float64, q float64) float64 {
	i, left := locate(len(knots)-1, q)
	a, b := knots[i], knots[i+1]
	return min(max(float64(left*a)+float64((1-left)*b), min(a, b)), max(a, b))
}

// locate returns the segment of q among s of them and the weight of its left
// knot, in [0, 1]. The last segment is closed at q = 1.
func locate(s int, q float64) (segment int, left float64) {
	at := float64(float64(s) * q)
	segment = min(int(at), s-1)
	return segment, 1 - (at - float64(segment))
}

// Curve is which curves are allowed. Parameters are the bounded
// increments v_1, ..., v_S >= 0 and b of a falling curve,
//
//	t_{S+1} = b,  t_i = t_{i+1} + v_i,
//
// or, when free, the knots themselves. Bounds are closed: with exp or softplus
// instead, a flat curve would only be reached in the limit, and the reported
// value would tell when the solver stopped. Every parameter is at most MaxT,
// b and every free knot at least MinT.
type Curve struct {
	Segments int
	Free     bool
}

// Knots returns t_1, ..., t_{S+1} of the parameters.
func (c Curve) Knots(x []float64) []float64 {
	t := append([]float64(nil), x...)
	if !c.Free {
		for i := c.Segments - 1; i >= 0; i-- {
			t[i] += t[i+1]
		}
	}
	return t
}

// Flat returns the parameters of the constant curve t.
func (c Curve) Flat(t float64) []float64 {
	x := make([]float64, c.Segments+1)
	for i := range x {
		if c.Free || i == c.Segments {
			x[i] = t
		}
	}
	return x
}

// steep returns the parameters of a free curve from t times the factor, at q = 0,
// to t divided by it.
func (c Curve) steep(t, factor float64) []float64 {
	x := make([]float64, c.Segments+1)
	for i := range x {
		u := 1 - 2*float64(i)/float64(c.Segments) // from 1 to -1
		x[i] = min(max(t*math.Pow(factor, u), MinT), MaxT)
	}
	return x
}

// Bounds returns the box of the parameters.
func (c Curve) Bounds() (lo, hi []float64) {
	lo, hi = c.Flat(MinT), make([]float64, c.Segments+1)
	for i := range hi {
		hi[i] = MaxT
	}
	return lo, hi
}

// boundNames returns what the bounds of parameter i are called in a report.
func (c Curve) boundNames(i int) (lower, upper string) {
	last := i == c.Segments
	switch {
	case c.Segments == 1 && !c.Free && last:
		return "b >= 0.001", "b <= 1000"
	case c.Segments == 1 && !c.Free:
		return "a >= 0", "a <= 1000"
	case c.Free || last:
		return fmt.Sprintf("t_%d >= 0.001", i+1), fmt.Sprintf("t_%d <= 1000", i+1)
	default:
		return fmt.Sprintf("t_%d >= t_%d", i+1, i+2), fmt.Sprintf("t_%d - t_%d <= 1000", i+1, i+2)
	}
}

// add adds what block b contributes to the totals that localOf turns into the
// mean NLL of a curve with its derivatives in the knots: gradient, diagonal
// and off-diagonal of the Hessian, p numbers each. q holds the rank of every
// row of the set.
//
// With beta = 1/T, g = E_p[l] - l_y and V = Var_p[l] at that row,
//
//	df/dT = -beta^2 g,  d2f/dT2 = beta^4 V + 2 beta^3 g,
//
// and T is linear in the two knots of its segment, so the Hessian in the knots
// is tridiagonal.
func (c Curve) add(b *RowBlock, q, sum []float64) {
	p := c.Segments + 1
	grad, diag, off := sum[:p], sum[p:2*p], sum[2*p:]
	for i := range b.Moments {
		m, beta := &b.Moments[i], b.beta(i)
		inverse := 1 / (1 + m.Tail)
		mean := float64(m.S1 * inverse) // E_p[l] - max l
		variance := max(0, float64(m.S2*inverse)-float64(mean*mean))
		g := mean - (float64(b.LabelLogit[i]) - float64(m.Max))
		b2 := float64(beta * beta)
		first := -float64(b2 * g)
		second := float64(b2 * (float64(b2*variance) + float64(2*beta*g)))
		s, left := locate(c.Segments, q[b.First+i])
		right := 1 - left
		grad[s] += float64(left * first)
		grad[s+1] += float64(right * first)
		diag[s] += float64(left * left * second)
		diag[s+1] += float64(right * right * second)
		off[s] += float64(left * right * second)
	}
}

// localOf returns the mean NLL of n rows with its gradient and Hessian in the
// parameters, from the totals of add.
func (c Curve) localOf(nll float64, total []float64, n int) Local {
	p := c.Segments + 1
	f := Local{Value: nll, Gradient: make([]float64, p), Hessian: make([]float64, p*p)}
	for i := range p {
		f.Gradient[i] = total[i] / float64(n)
		f.Hessian[i*p+i] = total[p+i] / float64(n)
		if i+1 < p {
			f.Hessian[i*p+i+1] = total[2*p+i] / float64(n)
			f.Hessian[(i+1)*p+i] = f.Hessian[i*p+i+1]
		}
	}
	if !c.Free {
		f.accumulate()
	}
	return f
}

// At returns the mean NLL of the curve with parameters x, its gradient and its
// Hessian: one pass. q holds the rank of every row.
func (c Curve) At(ctx context.Context, o *Objective, q, x []float64) (Local, error) {
	knots := c.Knots(x)
	scale := func(dst []float64, lo int) []float64 {
		for i := range dst {
			dst[i] = 1 / TemperatureAt(knots, q[lo+i])
		}
		return dst
	}
	p := c.Segments + 1
	total, err := o.Sums(ctx, scale, 1+3*p, func(b *RowBlock, sum []float64) {
		sum[0] += b.NLL()
		c.add(b, q, sum[1:])
	})
	if err != nil {
		return Local{}, err
	}
	return c.localOf(total[0]/float64(o.Rows()), total[1:], o.Rows()), nil
}

// accumulate turns derivatives in the knots into derivatives in b and the
// increments: parameter i moves the knots 1..i alike, so both are running
// sums.
func (f *Local) accumulate() {
	p := len(f.Gradient)
	for i := range p {
		for j := range p {
			if j > 0 {
				f.Hessian[i*p+j] += f.Hessian[i*p+j-1]
			}
		}
		if i > 0 {
			f.Gradient[i] += f.Gradient[i-1]
			for j := range p {
				f.Hessian[i*p+j] += f.Hessian[(i-1)*p+j]
			}
		}
	}
}

// TemperatureCurve returns the knots of the curve with the least mean NLL, given the
// rank of every row. It starts at the flat curve at the temperature of ts; a
// falling curve that stays flat is that temperature to the last bit.
//
// The NLL is not convex in T, so another start could end elsewhere. One from
// (a, b) = (1, T_ts/2) never did: over 45 calibration sets of real networks,
// falling and free, 1, 4 and 10 segments (270 fits), both starts ended within
// 1e-10 nats of each other. Hence one start; only a free curve on few rows has
// two more, steep in either direction.
func TemperatureCurve(ctx context.Context, stage func(name string, passes float64), o *Objective, q []float64, c Curve) (x []float64, r Report, err error) {
	before := o.Passes
	t, flat, totals, err := fitTemperatureAnd(ctx, o, 3*(c.Segments+1), func(b *RowBlock, sum []float64) { c.add(b, q, sum) })
	if err != nil {
		return nil, Report{}, err
	}
	stage("ts", o.Passes-before)
	before = o.Passes
	lo, hi := c.Bounds()
	starts := [][]float64{c.Flat(t)}
	if c.Free && o.Rows() <= FewRows {
		starts = append(starts, c.steep(t, 2), c.steep(t, 0.5))
	}
	sol, apart, err := BoxNewtonFrom(func(x []float64) (Local, error) {
		if totals != nil { // the last pass of ts was the first of the curve
			f := c.localOf(flat.NLL, totals, o.Rows())
			totals = nil
			return f, nil
		}
		return c.At(ctx, o, q, x)
	}, starts, lo, hi, t)
	if err != nil {
		return nil, Report{}, err
	}
	stage("qats", o.Passes-before)
	r = Report{NLL: sol.Value, Gradient: sol.Gradient, Iterations: flat.Iterations + sol.Steps, Passes: o.Passes}
	WarnLocalMinima(&r, len(starts), apart)
	if c.isFlat(sol.At) {
		sol.At = c.Flat(t)
		r.NLL = flat.NLL
		r.Warnings = append(flat.Warnings, c.flatWarning())
	}
	for i, v := range sol.At {
		lower, upper := c.boundNames(i)
		switch {
		case v == lo[i]:
			r.AtBound = append(r.AtBound, lower)
		case v == hi[i]:
			r.AtBound = append(r.AtBound, upper)
		default:
			continue
		}
		if v != 0 && !c.isFlat(sol.At) {
			r.Warnings = append(r.Warnings, fmt.Sprintf("a temperature is at its bound: %s", r.AtBound[len(r.AtBound)-1]))
		}
	}
	if r.Gradient > GradTol {
		r.Warnings = append(r.Warnings, fmt.Sprintf("not converged: gradient %.1e after %d iterations", r.Gradient, r.Iterations))
	}
	return sol.At, r, nil
}

// flatWarning is what a table says of a falling curve without increments.
func (c Curve) flatWarning() string {
	if c.Segments == 1 {
		return "a = 0: equal to ts"
	}
	return "no increments: equal to ts"
}

// isFlat reports whether a falling curve has no increment.
func (c Curve) isFlat(x []float64) bool {
	if c.Free {
		return false
	}
	for _, v := range x[:c.Segments] {
		if v != 0 {
			return false
		}
	}
	return true
}
