package fit

import (
	"context"
	"math"
)

// Span is the range of a fitted temperature.
type Span struct{ Least, Most float64 }

// Usual is the span of logits of usual size.
func Usual() Span { return Span{MinT, MaxT} }

// SpanOf returns the span for logits of a spread,
//
//	[MinT min(1, spread), MaxT max(1, spread)].
//
// Temperature scaling has no scale of its own: of s times the logits the temperature is s
// times that of the logits. Fixed bounds would leave very large scores, such as those of
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
// 0, or if there is one class. It reads all rows, without the kernel, so fits ask for it only
// where a temperature is at a usual bound.
func (o *Objective) Spread(ctx context.Context) (float64, error) {
	k := o.Logits.Cols
	parts := make([]float64, o.numSlots())
	err := o.eachRows(ctx, func(_ *workspace, slot, _ int, logits []float32, _ []int32) {
		for ; len(logits) > 0; logits = logits[k:] {
			parts[slot] += topGap(logits[:k])
		}
	})
	sum := 0.0
	for _, v := range parts {
		sum += v
	}
	if spread := sum / float64(o.Rows()); err == nil && spread > 0 {
		return spread, nil
	}
	return 1, err
}

// span returns the span of the logits of o.
func (o *Objective) span(ctx context.Context) (Span, error) {
	spread, err := o.Spread(ctx)
	return SpanOf(spread), err
}

// topGap returns the gap between the two largest numbers of a row, 0 if there is one.
func topGap(row []float32) float64 {
	if len(row) < 2 {
		return 0
	}
	first, second := math.Inf(-1), math.Inf(-1)
	for _, l := range row {
		switch v := float64(l); {
		case v > first:
			first, second = v, first
		case v > second:
			second = v
		}
	}
	return first - second
}

// unitOf returns the power of two by which a search for one temperature divides logits of a
// spread. It is 1 for logits of usual size, for which the tolerances of the search were chosen.
func unitOf(spread float64) float64 {
	e := math.Round(math.Log2(spread))
	if math.Abs(e) <= 10 {
		return 1
	}
	return math.Ldexp(1, int(e))
}
