package fit

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/qats-bench/qats/calib/report"
)

// TemperatureAt returns T(q) of the given knots for q in [0, 1]; see Curve. The
// result is clamped to the two knots of the segment. Without that, rounding
// could make a flat curve uneven, or reach 0 between knots of very different
// size.
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

// Curve is a family of temperatures that depend on a quantity q in [0, 1] of the
// row, for QaTS its quantile. They are piecewise linear between the knots t_1,
// ..., t_{S+1} at q = 0, 1/S, ..., 1. This is the paper's piecewise model. For
// S = 1 it is the paper's Eq. 6, with t_1 = a + b and t_2 = b.
//
// The parameters of a falling curve are b and the increments v_1, ..., v_S >= 0,
//
//	t_{S+1} = b,  t_i = t_{i+1} + v_i.
//
// The parameters of a free curve are its knots. Bounds are closed. With exp or
// softplus in place of a bound, a flat curve would only be reached in the limit,
// and the reported value would depend on where the solver stopped. Every
// parameter is at most the largest temperature of the span; b and every free knot are at least
// the least one.
type Curve struct {
	Segments int  // S, 1 or more
	Free     bool // the temperature may rise
	span     Span // of the temperatures; the zero Span is the usual one
}

// temperatures returns the span of the temperatures.
func (c Curve) temperatures() Span { return cmp.Or(c.span, Usual()) }

// Knots returns the knots t_1, ..., t_{S+1} of the curve with parameters x.
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

// steep returns the parameters of a free curve that goes from t times factor at
// q = 0 to t divided by factor at q = 1.
func (c Curve) steep(t, factor float64) []float64 {
	x := make([]float64, c.Segments+1)
	for i := range x {
		u := 1 - 2*float64(i)/float64(c.Segments) // from 1 to -1
		x[i] = min(max(t*math.Pow(factor, u), c.temperatures().Least), c.temperatures().Most)
	}
	return x
}

// Bounds returns the lower and upper bounds of the parameters.
func (c Curve) Bounds() (lo, hi []float64) {
	lo, hi = c.Flat(c.temperatures().Least), make([]float64, c.Segments+1)
	for i := range hi {
		hi[i] = c.temperatures().Most
	}
	return lo, hi
}

// bounds returns the bounds of parameter i as a report has them.
func (c Curve) bounds(i int) (lower, upper report.Bound) {
	last := i == c.Segments
	least, most := c.temperatures().Least, c.temperatures().Most
	switch {
	case c.Segments == 1 && !c.Free && last:
		return report.AtLeast("b", 0, least), report.AtMost("b", 0, most)
	case c.Segments == 1 && !c.Free:
		return report.AtLeast("a", 0, 0), report.AtMost("a", 0, most)
	case c.Free || last:
		return report.AtLeast("t", i+1, least), report.AtMost("t", i+1, most)
	default: // t_i - t_(i+1)
		lower, upper = report.AtLeast("t", i+1, 0), report.AtMost("t", i+1, most)
		lower.Minus, upper.Minus = i+2, i+2
		return lower, upper
	}
}

// add adds the rows of block b to sum, from which localOf computes derivatives:
// the gradient in the p = S+1 knots, and the diagonal and off-diagonal of the
// Hessian, p numbers each. q holds the quantity of every row of the set.
//
// The derivatives of a row in T are those of RowBlock.InTemperature. T is linear
// in the two knots of its segment, so the Hessian in the knots is tridiagonal.
// The formulas are repeated here because this loop is on the hot path of QaTS.
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
// parameters, given the mean NLL and the totals of add.
func (c Curve) localOf(nll float64, total []float64, n int) report.Local {
	p := c.Segments + 1
	f := report.Local{Value: nll, Gradient: make([]float64, p), Hessian: make([]float64, p*p)}
	for i := range p {
		f.Gradient[i] = total[i] / float64(n)
		f.Hessian[i*p+i] = total[p+i] / float64(n)
		if i+1 < p {
			f.Hessian[i*p+i+1] = total[2*p+i] / float64(n)
			f.Hessian[(i+1)*p+i] = f.Hessian[i*p+i+1]
		}
	}
	if !c.Free {
		accumulate(f)
	}
	return f
}

// At returns the mean NLL of the curve with parameters x, its gradient and its
// Hessian. It takes one pass. q holds the quantity of every row.
func (c Curve) At(ctx context.Context, o *Objective, q, x []float64) (report.Local, error) {
	knots := c.Knots(x)
	scale := ByRow(func(i int) float64 { return 1 / TemperatureAt(knots, q[i]) })
	p := c.Segments + 1
	total, err := o.Sums(ctx, scale, 1+3*p, func(b *RowBlock, sum []float64) {
		sum[0] += b.NLL()
		c.add(b, q, sum[1:])
	})
	if err != nil {
		return report.Local{}, err
	}
	return c.localOf(total[0]/float64(o.Rows()), total[1:], o.Rows()), nil
}

// accumulate turns derivatives in the knots into derivatives in b and the
// increments. Parameter i moves the knots 1..i equally, so the gradient and the
// Hessian become running sums.
func accumulate(f report.Local) {
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

// TemperatureCurve returns the parameters x of the curve of family c with the
// least mean NLL, given the quantity q of every row. It starts at the flat curve
// at the temperature of ts. A falling curve that stays flat has that temperature
// to the last bit. stage is called after the fit of ts and after the fit of the
// curve; see calib.Input.Stage.
//
// The NLL is not convex in T, so another start could end elsewhere. The start
// (a, b) = (1, T_ts/2) never did: over 45 calibration sets of real networks,
// falling and free, with 1, 4 and 10 segments (270 fits), both starts ended
// within 1e-10 nats of each other. So there is one start. Only a free curve on
// at most FewRows rows has two more, one rising and one falling steeply.
func TemperatureCurve(ctx context.Context, stage Stage, o *Objective, q []float64, c Curve) (x []float64, r report.Report, err error) {
	before := o.Passes
	t, flat, totals, err := temperatureWithSums(ctx, o, 3*(c.Segments+1), func(b *RowBlock, sum []float64) { c.add(b, q, sum) })
	if err != nil {
		return nil, report.Report{}, err
	}
	stage.End("ts", o.Passes-before)
	before = o.Passes
	eval := func(x []float64) (report.Local, error) {
		if totals != nil { // the last pass of ts is also the first pass of the curve
			f := c.localOf(flat.NLL, totals, o.Rows())
			totals = nil
			return f, nil
		}
		return c.At(ctx, o, q, x)
	}
	if !Usual().inside(t) {
		if c.span, err = o.span(ctx); err != nil {
			return nil, report.Report{}, err
		}
	}
	var sol report.Minimum
	var lo, hi []float64
	var starts [][]float64
	for {
		lo, hi = c.Bounds()
		starts = [][]float64{c.Flat(t)}
		if c.Free && o.Rows() <= FewRows {
			starts = append(starts, c.steep(t, 2), c.steep(t, 0.5))
		}
		if sol, err = BoxNewtonFrom(eval, starts, lo, hi, t); err != nil {
			return nil, report.Report{}, err
		}
		if usual := Usual(); c.span != (Span{}) || !slices.ContainsFunc(sol.At, func(v float64) bool { return v == usual.Least || v == usual.Most }) {
			break
		}
		wide, err := o.span(ctx)
		if err != nil {
			return nil, report.Report{}, err
		}
		if !slices.ContainsFunc(sol.At, wide.extends) {
			break
		}
		c.span = wide
	}
	stage.End("qats", o.Passes-before)
	r = report.Report{NLL: sol.Value, Gradient: sol.Gradient, Iterations: flat.Iterations + sol.Steps, Passes: o.Passes}
	r.WarnLocalMinima(sol.Starts, sol.Spread)
	if c.isFlat(sol.At) {
		sol.At = c.Flat(t)
		r.NLL = flat.NLL
		r.Warnings = append(flat.Warnings, c.flatWarning())
	}
	for i, v := range sol.At {
		lower, upper := c.bounds(i)
		switch {
		case v == lo[i]:
			r.AtBound = append(r.AtBound, lower)
		case v == hi[i]:
			r.AtBound = append(r.AtBound, upper)
		default:
			continue
		}
		if v != 0 && !c.isFlat(sol.At) {
			r.Warn(report.End(r.AtBound[len(r.AtBound)-1]))
		}
	}
	r.WarnUnconverged()
	return sol.At, r, nil
}

// flatWarning returns the warning of a falling curve without increments.
func (c Curve) flatWarning() report.Warning {
	if c.Segments == 1 {
		return report.Warning{Kind: report.EqualToTS, Text: "a = 0"}
	}
	return report.Warning{Kind: report.EqualToTS, Text: "no increments"}
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

// Ranked returns the rank q of every row, and the distribution of the confidence, which a map
// holds. In memory these are 16 bytes a row beside the logits.
func (o *Objective) Ranked(ctx context.Context, stage Stage) (q []float64, ranks ECDF, err error) {
	if q, err = o.Tails(ctx); err != nil {
		return nil, nil, err
	}
	if ranks, err = RankRows(ctx, q); err != nil {
		return nil, nil, err
	}
	stage.End("rank", o.Passes)
	return q, ranks, nil
}

// RankedCurve fits a curve over the rank, and returns its parameters and the distribution of
// the confidence.
func RankedCurve(ctx context.Context, stage Stage, o *Objective, c Curve) ([]float64, ECDF, report.Report, error) {
	q, ranks, err := o.Ranked(ctx, stage)
	if err != nil {
		return nil, nil, report.Report{}, err
	}
	x, report, err := TemperatureCurve(ctx, stage, o, q, c)
	return x, ranks, report, err
}

// Line is the temperature A (1-q) + B of QaTS and its variants, with the ranks that give q.
type Line struct {
	A    float64 `json:"a"` // >= 0 except for qats-free and qats-reading
	B    float64 `json:"b"` // > 0, as is A + B
	ECDF ECDF    `json:"ecdf"`
}

// Check rejects parameters that no fit returns.
func (l Line) Check() error {
	if !Usable(l.B) || !Usable(l.A+l.B) {
		return fmt.Errorf("a = %v, b = %v: want b and a + b in [1e-50, 1e50]", l.A, l.B)
	}
	return l.ECDF.Check()
}

// Parameters returns a and b.
func (l Line) Parameters() []report.Parameter {
	return []report.Parameter{
		{Name: "a", Value: l.A, Meaning: "how much higher the temperature is at confidence rank q = 0 than at q = 1"},
		{Name: "b", Value: l.B, Meaning: "temperature at confidence rank q = 1"},
	}
}

// Temperature returns T at rank q.
func (l Line) Temperature(q float64) float64 { return float64(l.A*(1-q)) + l.B }

// AtTails writes 1/T(q) for every row with the given tail, q its rank.
func (l Line) AtTails(dst, tails []float64) {
	l.ECDF.Scales(dst, tails, l.Temperature)
}

// OfRanks returns the line of a map that embeds it.
func (l Line) OfRanks() Line { return l }
