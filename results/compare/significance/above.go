package significance

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Above returns the p-value of the hypothesis that a quantity is not above 0, where its estimate is normal with a known variance:
// 1 - Phi(estimate/sqrt(variance)), and 1 for an estimate of at most 0. With the variance 0 an estimate above 0 has p = 0.
func Above(estimate, variance float64) float64 {
	switch {
	case estimate <= 0:
		return 1
	case variance <= 0:
		return 0
	}
	return distuv.UnitNormal.Survival(estimate / math.Sqrt(variance))
}

// AreaVariance is the variance of an area A under the ROC curve of m positive and n negative rows by Hanley and McNeil (1982):
//
//	(A (1 - A) + (m - 1) (A/(2 - A) - A^2) + (n - 1) (2 A^2/(1 + A) - A^2)) / (m n)
//
// It is 0 where m or n is below 1.
func AreaVariance(area, m, n float64) float64 {
	if m < 1 || n < 1 {
		return 0
	}
	q1, q2 := area/(2-area), float64(2*area*area)/(1+area)
	square := float64(area * area)
	return (float64(area*(1-area)) + float64((m-1)*(q1-square)) + float64((n-1)*(q2-square))) / (m * n)
}
