package metrics

import (
	"math"

	"github.com/qats-bench/qats/internal/exact"
	"github.com/qats-bench/qats/internal/kernel/softmax"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distuv"
)

// The correction of an absolute gap for its noise: |x| is estimated by |x| - removed
// exp(-x^2/2) in units of the gap's standard deviation. For a normal x with mean t and
// variance 1 this estimate of |t| has a bias of at most worstBias for every t. The bias of
// |x| itself is up to .80. Among the corrections of this form and of other widths it gives
// the shortest intervals where all bins are calibrated.
const (
	removed   = .76
	worstBias = .263
)

// populationInterval returns the interval of the difference of two binned errors in the
// population: of the mean over rows of |accuracy - confidence| in the bins of each. It is
// bias-aware (Armstrong and Kolesar 2018). The absolute gaps of the bins are corrected for
// their noise. No estimate of an absolute value is unbiased near 0, so some bias is left.
// With B its bound in both methods, D the corrected difference and s its standard
// deviation, the interval is
//
//	D +- s q,  q the quantile of |N(B/s, 1)| at the level
//
// It is about twice as long as an interval of the metric at this n, and it need not contain
// the difference of the plug-in errors, whose bias is not corrected. If base is nil, it is
// the interval of the other's error, which is not below 0.
func populationInterval(base, other *Samples, bins func(*Samples) []run, level float64) Range {
	b := correctedGaps(other, bins(other))
	d, middle, bias, least := b.influence, b.value, b.bias, 0.0
	if base != nil {
		a := correctedGaps(base, bins(base))
		floats.Sub(d, a.influence)
		middle, bias, least = middle-a.value, bias+a.bias, math.Inf(-1)
	}
	d = clustered(d, other.groups())
	deviation, _ := moments(d)
	half := bias
	if s := deviation / math.Sqrt(float64(len(d))); s > 0 {
		half = s * foldedQuantile(bias/s, level)
	}
	return Range{max(least, middle-half), max(least, middle+half)}
}

// gaps are a corrected error with the bound of its bias.
type gaps struct {
	terms
	bias float64
}

// correctedGaps returns the mean over rows of the corrected absolute gaps of their bins. The
// variance of a bin's residuals is at least that which its confidences imply, because few
// rows may all be right.
func correctedGaps(s *Samples, bins []run) gaps {
	n := float64(max(1, s.Len()))
	g := gaps{terms: terms{influence: make([]float64, s.Len())}}
	for _, b := range bins {
		list := s.sorted[b.lo:b.hi]
		rows := float64(len(list))
		conf, hits := sums(list)
		gap := (hits - conf) / rows
		var squares, implied exact.Sum
		for _, x := range list {
			r := x.hit() - x.conf
			squares.Add(float64(r * r))
			implied.Add(float64(x.conf * (1 - x.conf)))
		}
		if s.groups() != nil {
			by, _ := s.sumsOf(list, func(x sample) float64 { return x.hit() - x.conf - gap })
			squares = exact.Sum{}
			squares.Add(by + float64(rows*gap*gap))
		}
		variance := max((squares.Value()-float64(rows*gap*gap))/max(1, rows-1), implied.Value()/rows)
		scale := math.Sqrt(variance / rows)
		value, slope := math.Abs(gap), math.Copysign(1, gap)
		if scale > 0 {
			x := gap / scale
			e := removed * softmax.Exp(-x*x/2)
			value -= float64(scale * e)
			slope += float64(x * e)
		}
		g.value += value * rows / n
		g.bias += worstBias * scale * rows / n
		for _, x := range list {
			g.influence[x.row] = value + float64(slope*(x.hit()-x.conf-gap))
		}
	}
	return g
}

// foldedQuantile returns the p-quantile of |N(mean, 1)| for mean >= 0, by bisection.
func foldedQuantile(mean, p float64) float64 {
	normal := distuv.UnitNormal
	lo, hi := 0.0, mean+10
	for range 60 {
		mid := (lo + hi) / 2
		if normal.CDF(mid-mean)-normal.CDF(-mid-mean) < p {
			lo = mid
		} else {
			hi = mid
		}
	}
	return (lo + hi) / 2
}
