package fit

import (
	"context"
	"math"
	"slices"

	"github.com/qats-bench/qats/data"
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
// 0, or if there is one class. Masked classes are left out, and so are rows with one class
// that is not masked. It reads all rows, without the kernel, so fits ask for it only where a
// temperature is at a usual bound.
func (o *Objective) Spread(ctx context.Context) (float64, error) {
	k := o.Logits.Cols
	parts, alone := make([]float64, o.numSlots()), make([]int, o.numSlots())
	err := o.eachRows(ctx, func(_ *workspace, slot, _ int, logits []float32, _ []int32) {
		for ; len(logits) > 0; logits = logits[k:] {
			gap, ok := topGap(logits[:k])
			if parts[slot] += gap; !ok {
				alone[slot]++
			}
		}
	})
	sum, n := 0.0, o.Rows()
	for slot, v := range parts {
		sum, n = sum+v, n-alone[slot]
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
				gaps[i] = alone
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

// alone is in the place of the gap of a row with fewer than two classes that are not masked.
const alone = -1

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
