package significance

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distuv"
)

// Equivalence returns the P of the hypothesis that differences are symmetric about a shift that
// is margin or farther from zero, on either side. A small P shows that the shift is nearer to zero
// than margin. It is the larger P of two one-sided signed-rank tests, of differences + margin
// above zero and of differences - margin below zero (Schuirmann 1987; with ranks Wellek 2010,
// section 5.4). Each is at the level of P, so no correction for the two is needed. At .05 they
// reject together where the 90 % interval of [HodgesLehmann] lies within -margin and margin, but
// for ties and bounds that are equal to the margin.
//
// margin is above zero. Differences are finite; without differences P is 1.
func Equivalence(differences []float64, margin float64) float64 {
	negative := floats.ScaleTo(make([]float64, len(differences)), -1, differences)
	return max(above(differences, margin), above(negative, margin))
}

// above returns the one-sided P of the hypothesis that differences are symmetric about -margin or
// less: that their rank sum below -margin is as small as it is.
func above(differences []float64, margin float64) float64 {
	shifted := slices.Clone(differences)
	floats.AddConst(margin, shifted)
	ranks, _, minus := signedRanks(shifted)
	if len(ranks) == 0 {
		return 1
	}
	return min(1, below(ranks, minus, len(differences) <= exactUpTo))
}

// Detectable returns the shift that a two-sided test at 1-level over as many further differences
// of this kind would show with such a power: (1 + z(power)/z((1+level)/2)) times half the width of
// the interval at the same level, with the quantiles z of the normal distribution. It is NaN
// without an interval. It is rough: simulated, that shift is shown with a power from .65 to .9, by the
// distribution of the differences (studies/equivalence).
func (s Shift) Detectable(level, power float64) float64 {
	if !s.Bounded {
		return math.NaN()
	}
	z := distuv.UnitNormal.Quantile
	return (1 + z(power)/z((1+level)/2)) * (s.Hi - s.Lo) / 2
}
