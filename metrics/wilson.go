package metrics

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Wilson returns the interval of Wilson (1927) for a share of n >= 1 rows, such as the
// accuracy of a bin: the shares p from which the share seen is at most z standard deviations
// sqrt(p (1-p)/n) away. With the normal quantile z of (1 + level)/2 its ends are
//
//	(share + z^2/2n -+ z sqrt(share (1-share)/n + z^2/4n^2)) / (1 + z^2/n)
//
// It is inside [0, 1], and begins at exactly 0 for the share 0 and ends at exactly 1 for the
// share 1. It has a length there too: no errors in 10 rows do not show that none are made.
//
// In a bin, the confidences of the rows differ, and so do the probabilities that they are
// correct. The variance of the accuracy is then a little smaller than the interval assumes,
// so it covers in at least the share of cases that its level promises, about.
func Wilson(share float64, n int, level float64) Range {
	z, rows := distuv.UnitNormal.Quantile((1+level)/2), float64(n)
	middle := (share + float64(z*z)/(2*rows)) / (1 + float64(z*z)/rows)
	half := float64(z / (1 + float64(z*z)/rows) * math.Sqrt(float64(share*(1-share))/rows+float64(z*z)/(4*rows*rows)))
	r := Range{max(0, middle-half), min(1, middle+half)}
	if share <= 0 {
		r.Lo = 0
	}
	if share >= 1 {
		r.Hi = 1
	}
	return r
}
