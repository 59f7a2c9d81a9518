package fit

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"github.com/qats-bench/qats/calib/report"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/cputime"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// Temperature returns the T in the span of the logits with the least mean NLL. The last pass
// was at that T, and the report is for it. Report.Passes counts all passes of o.
func Temperature(ctx context.Context, o *Objective) (float64, report.Report, error) {
	t, report, _, err := temperatureWithSums(ctx, o, 0, nil)
	return t, report, err
}

// TemperatureOfPart is Temperature for some rows of a set whose temperature is whole. A few rows
// often have no minimum, and then any bound would do: it is the bound of the usual span,
// unless whole is beyond that span. The search begins at start, or at the usual place if start is 0.
func TemperatureOfPart(ctx context.Context, o *Objective, whole, start float64) (float64, report.Report, error) {
	o.usual, o.start = whole >= MinT && whole <= MaxT, start
	return Temperature(ctx, o)
}

// AtLeastT reports whether a fit ended at the least temperature, and AtMostT whether at the
// largest.
func AtLeastT(t float64, r report.Report) bool {
	return slices.Contains(r.AtBound, report.AtLeast("T", 0, t))
}

// AtMostT is AtLeastT for the largest temperature.
func AtMostT(t float64, r report.Report) bool {
	return slices.Contains(r.AtBound, report.AtMost("T", 0, t))
}

// temperatureWithSums returns Temperature and, from the same last pass, the totals,
// at T, of width additional sums to which visit adds; see slopeWithSums. The totals are
// nil if the solver did not expect that pass to be the last. If another fit has
// found T before, only that last pass is made, for the totals.
func temperatureWithSums(ctx context.Context, o *Objective, width int, visit func(b *RowBlock, sum []float64)) (float64, report.Report, []float64, error) {
	before := o.Passes
	var totals []float64
	var f *temperatureFit
	if o.Shared != nil {
		f, _ = o.Shared.Load().(*temperatureFit)
	}
	if f == nil {
		o.Passes = 0
		spent, err := cputime.Part(ctx, func(ctx context.Context) (err error) {
			f, totals, err = solveTemperature(ctx, o, width, visit)
			return err
		})
		if err != nil {
			return 0, report.Report{}, nil, err
		}
		f.spent = spent
		if o.Shared != nil {
			o.Shared.Store(f)
		}
	} else if cputime.Add(ctx, f.spent); f.near && visit != nil {
		var err error
		if totals, err = o.Sums(ctx, Constant(f.beta), width, visit); err != nil {
			return 0, report.Report{}, nil, err
		}
	}
	o.Passes = before + f.report.Passes
	report := f.report
	report.Passes = o.Passes
	report.AtBound, report.Warnings = slices.Clip(report.AtBound), slices.Clip(report.Warnings) // other fits share them
	return f.t, report, totals, ctx.Err()
}

// temperatureFit is the result of solveTemperature.
type temperatureFit struct {
	t      float64
	report report.Report // Passes counts the passes of this fit alone
	beta   float64
	spent  time.Duration // processor time of this fit, if it was measured
	near   bool          // the last pass was at beta, and the solver expected it to be the last
}

// stepTol bounds the relative error of a fitted temperature: the Newton step of the
// last pass, which is not taken, is below it.
const stepTol = 5e-9

// solveTemperature returns the temperature that minimises the NLL, and the totals of
// temperatureWithSums, without looking whether another fit has found it. o must have no
// passes yet; the report counts its passes.
//
// The spread of the logits is asked for only where the search ends at a bound of the usual
// span, or does not converge. There is a second search, in the span of the spread, with the
// logits divided by a power of two near it.
func solveTemperature(ctx context.Context, o *Objective, width int, visit func(b *RowBlock, sum []float64)) (*temperatureFit, []float64, error) {
	f, totals, err := searchTemperature(ctx, o, Usual(), width, visit)
	if err != nil || len(f.report.Warnings) == 0 || o.usual {
		return f, totals, err
	}
	spread, err := o.Spread(ctx)
	if err != nil {
		return nil, nil, err
	}
	span := SpanOf(spread)
	o.unit = unitOf(spread)
	defer func() { o.unit = 0 }()
	if unconverged := Usual().inside(f.t) && o.unit != 1; !unconverged && !span.extends(f.t) {
		return f, totals, nil
	}
	if f, totals, err = searchTemperature(ctx, o, span, width, visit); err != nil {
		return nil, nil, err
	}
	return f, totals, nil
}

// searchTemperature returns the temperature in a span. T of o is in its unit, that of the
// result is not.
//
// The NLL is convex in beta = 1/T. Its slope is g = G - D(beta). G =
// mean(max l - l_y) does not depend on beta, and D = mean(max l - E_p[l]) falls in
// beta. So the minimum is where log D = log G. D is close to a power of beta, so
// u = log beta is nearly linear in y = log D. A pass at u gives y and the slope
// du/dy = -D/(beta Var_p[l]), and so Newton's next u, u + du/dy (log G - y). Near the minimum
// the error of u is squared in each pass.
//
// A step that leaves the bracket of the minimum is replaced by a bisection. The fit ends
// after a pass whose gradient is below report.GradTol and whose Newton step is below stepTol.
// That step is the error of u to first order.
func searchTemperature(ctx context.Context, o *Objective, span Span, width int, visit func(b *RowBlock, sum []float64)) (*temperatureFit, []float64, error) {
	unit := cmp.Or(o.unit, 1)
	span.Least /= unit
	span.Most /= unit
	f, totals, err := searchInUnits(ctx, o, span, width, visit)
	if err != nil {
		return nil, nil, err
	}
	f.t *= unit
	f.beta /= unit
	return f, totals, nil
}

// searchInUnits is searchTemperature for temperatures in the unit of o.
func searchInUnits(ctx context.Context, o *Objective, span Span, width int, visit func(b *RowBlock, sum []float64)) (*temperatureFit, []float64, error) {
	first := firstU
	if o.start > 0 {
		first = -softmax.Log(o.start / cmp.Or(o.unit, 1))
	}
	r := newRootSearch(first, span)
	const maxIterations = 100
	for iter := 0; ; iter++ {
		beta := softmax.Exp(r.u)
		near := math.Abs(r.moved) <= likelyLast
		last := visit
		if !near {
			last = nil
		}
		s, also, err := o.slopeWithSums(ctx, beta, width, last)
		if err != nil {
			return nil, nil, err
		}
		if last == nil {
			also = nil
		}
		g := s.LabelGap - s.MeanGap
		switch {
		case s.LabelGap == 0:
			f, err := o.separable(ctx, span)
			return f, nil, err
		case g > 0 && r.u <= r.minU:
			f, err := o.atMaxTemperature(ctx, span)
			return f, nil, err
		case g < 0 && r.u >= r.maxU:
			f, err := o.atBound(ctx, span, span.Least, "the minimum of the NLL is below the least temperature")
			return f, nil, err
		case g > 0:
			r.hi = r.u
		default:
			r.lo = r.u
		}
		step := s.newtonStep(beta)
		done := math.Abs(g) < report.GradTol && math.Abs(step) < stepTol
		if done || iter == maxIterations {
			r := report.Report{NLL: s.NLL, Gradient: math.Abs(g), Iterations: iter, Passes: o.Passes}
			if !done {
				r.Warn(report.Unconverged(g, iter))
			}
			return &temperatureFit{t: 1 / beta, report: r, beta: beta, near: near}, also, nil
		}
		r.advance(step)
	}
}

// newtonStep returns the step of u = log beta to the minimum. It is NaN or infinite if D or
// the variance underflowed.
func (s Slope) newtonStep(beta float64) float64 {
	du := -s.MeanGap / float64(beta*s.Variance)
	return float64(du * (softmax.Log(s.LabelGap) - softmax.Log(s.MeanGap)))
}

// rootSearch is the search for the u at which g = 0.
type rootSearch struct {
	u          float64 // of the next pass
	moved      float64 // the last change of u
	lo, hi     float64 // u with g < 0 and with g > 0
	minU, maxU float64 // of the largest and the least T
}

// firstU is the first u of a fit, T = 1.5: most networks are overconfident.
const firstU = -0.4

func newRootSearch(u float64, span Span) *rootSearch {
	r := &rootSearch{moved: math.Inf(1), lo: math.Inf(-1), hi: math.Inf(1), minU: softmax.Log(1 / span.Most), maxU: softmax.Log(1 / span.Least)}
	r.u = min(max(u, r.minU), r.maxU)
	return r
}

// advance moves u after a pass there, by its Newton step or by bisection.
func (r *rootSearch) advance(step float64) {
	next := r.u + step
	if math.IsNaN(step) || math.IsInf(step, 0) {
		next = math.NaN()
		if math.IsInf(r.lo, -1) && r.u == r.hi {
			next = r.minU // every row is certain at u: a bisection would take a pass for each power of two
		}
	}
	next = min(max(next, r.minU), r.maxU)
	if !(next > r.lo && next < r.hi) {
		next = (max(r.lo, r.minU) + min(r.hi, r.maxU)) / 2
	}
	r.moved, r.u = next-r.u, next
}

// likelyLast is the largest change of u after which the next pass is expected to
// be the last.
const likelyLast = 0.05

// separable ends a fit in which no row has a larger logit than the logit of its
// label.
func (o *Objective) separable(ctx context.Context, span Span) (*temperatureFit, error) {
	zero, err := o.Slope(ctx, 0)
	if err != nil {
		return nil, err
	}
	if zero.MeanGap > 0 {
		return o.atBound(ctx, span, span.Least, "every calibration row is classified correctly, so the NLL has no minimum")
	}
	return &temperatureFit{t: 1, report: report.Report{NLL: zero.NLL, Passes: o.Passes, Warnings: report.Warnings{
		{Text: "the logits of every row are equal: any temperature gives the same probabilities; T = 1"}}}}, nil
}

// atMaxTemperature ends a fit whose NLL still falls at the largest T.
func (o *Objective) atMaxTemperature(ctx context.Context, span Span) (*temperatureFit, error) {
	zero, err := o.Slope(ctx, 0)
	if err != nil {
		return nil, err
	}
	why := "the minimum of the NLL is beyond the largest temperature"
	if zero.LabelGap >= zero.MeanGap {
		why = "the calibration labels contradict the logits, so the NLL has no minimum"
	}
	return o.atBound(ctx, span, span.Most, why)
}

// atBound ends a fit at T = t, one of the bounds. It takes one pass for the NLL.
func (o *Objective) atBound(ctx context.Context, span Span, t float64, why string) (*temperatureFit, error) {
	nll, err := o.NLL(ctx, t)
	value := t * cmp.Or(o.unit, 1)
	bound := report.AtLeast("T", 0, value)
	if t == span.Most {
		bound = report.AtMost("T", 0, value)
	}
	return &temperatureFit{t: t, report: report.Report{
		NLL:      nll,
		Passes:   o.Passes,
		AtBound:  report.Bounds{bound},
		Warnings: report.Warnings{{Text: "T = {value}: " + why, Value: report.Rounded(value, 4)}},
	}}, err
}

// Span is the range of a fitted temperature.
type Span struct{ Least, Most float64 }

// Usual is the span of logits of usual size.
func Usual() Span { return Span{MinT, MaxT} }

// SpanOf returns the span for logits of a spread,
//
//	[MinT min(1, spread), MaxT max(1, spread)].
//
// Temperature scaling has no scale of its own: s times the logits have s times the
// temperature. Fixed bounds would leave very large scores, such as those of
// a support vector machine on unscaled features, and very small ones as they are.
// The largest temperature grows with the spread and the least one falls with it, so the span
// is never narrower than the usual one.
func SpanOf(spread float64) Span {
	return Span{MinT * min(1, spread), MaxT * max(1, spread)}
}

// inside reports whether t is in the span, and not at its ends.
func (s Span) inside(t float64) bool { return t > s.Least && t < s.Most }

// extends reports whether t is a bound of the usual span that is none of s.
func (s Span) extends(t float64) bool { return t == MinT && s.Least < t || t == MaxT && s.Most > t }

// Spread returns the mean over the rows of the gap between the two largest logits: 1 if it is
// 0, or if there is one class. Masked classes are left out, and so are rows with one class
// that is not masked. It reads all rows, without the kernel, so fits ask for it only where a
// temperature is at a usual bound.
func (o *Objective) Spread(ctx context.Context) (float64, error) {
	k := o.Logits.Cols
	parts, without := make([]float64, o.numSlots()), make([]int, o.numSlots())
	err := o.eachRows(ctx, func(_ *workspace, slot, _ int, logits []float32, _ []int32) {
		for ; len(logits) > 0; logits = logits[k:] {
			gap, ok := topGap(logits[:k])
			if parts[slot] += gap; !ok {
				without[slot]++
			}
		}
	})
	sum, n := 0.0, o.Rows()
	for slot, v := range parts {
		sum, n = sum+v, n-without[slot]
	}
	if spread := sum / float64(max(1, n)); err == nil && spread > 0 {
		return spread, nil
	}
	return 1, err
}

// MiddleGap returns the mean of the middle half of the gaps between the two largest logits of the
// rows: of m gaps in their order, those without the first and the last m/4, rounded down. A row in four
// may have a gap of any size without changing it. It is the mean of all gaps where the middle half is 0,
// and 1 where that is 0 too, or there is one class. Masked classes are left out, as in Spread.
func (o *Objective) MiddleGap(ctx context.Context) (float64, error) {
	k := o.Logits.Cols
	gaps := make([]float64, o.Rows())
	err := o.eachRows(ctx, func(_ *workspace, _, lo int, logits []float32, _ []int32) {
		for i := lo; len(logits) > 0; i, logits = i+1, logits[k:] {
			gap, ok := topGap(logits[:k])
			if gaps[i] = gap; !ok {
				gaps[i] = noGap
			}
		}
	})
	if err != nil {
		return 1, err
	}
	slices.Sort(gaps)
	first, _ := slices.BinarySearch(gaps, 0)
	gaps = gaps[first:]
	cut := len(gaps) / 4
	for _, part := range [][]float64{gaps[cut : len(gaps)-cut], gaps} {
		sum := 0.0
		for _, gap := range part {
			sum += gap
		}
		if mean := sum / float64(len(part)); mean > 0 {
			return mean, nil
		}
	}
	return 1, nil
}

// noGap stands in the place of the gap of a row with fewer than two classes that are not masked.
const noGap = -1

// span returns the span of the logits of o.
func (o *Objective) span(ctx context.Context) (Span, error) {
	spread, err := o.Spread(ctx)
	return SpanOf(spread), err
}

// topGap returns the gap between the two largest logits of a row; ok is false, and the gap 0,
// if fewer than two are not masked.
func topGap(row []float32) (gap float64, ok bool) {
	first, second := math.Inf(-1), math.Inf(-1)
	for _, l := range row {
		switch v := float64(l); {
		case v > first:
			first, second = v, first
		case v > second:
			second = v
		}
	}
	if second == float64(data.Masked) || math.IsInf(second, -1) {
		return 0, false
	}
	return first - second, true
}

// unitOf returns the power of two by which a search for one temperature divides logits of a
// spread. It is 1 for logits of usual size, for which the tolerances of the search were chosen.
func unitOf(spread float64) float64 { return PowerOfTwo(spread, -10, 10) }

// PowerOfTwo returns the power of two whose exponent is nearest to the binary logarithm of a
// spread, or 1 if the exponent is between least and most.
func PowerOfTwo(spread float64, least, most int) float64 {
	e := int(math.Round(math.Log2(spread)))
	if e >= least && e <= most {
		return 1
	}
	return math.Ldexp(1, e)
}
