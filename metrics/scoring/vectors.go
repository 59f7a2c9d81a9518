package scoring

import (
	"fmt"
	"math"
)

// VectorScores has what metrics of whole probability vectors read of n rows. The sample
// scores have no room for n x k probabilities, so these numbers are computed while the
// probabilities of all rows are in memory, and only if a metric needs them. Package
// metrics computes and explains them (metrics.CrossFit).
type VectorScores struct {
	NLL   []float64 // of the row recalibrated by the other folds, in nats
	Brier []float64 // of the same probabilities, in [0, 2]

	// Terms of the variational calibration errors, by the recalibration.
	Temperature, Isotonic VectorTerms
}

// VectorTerms are the terms of the variational calibration errors: the product of a
// subgradient of the p-norm, at the recalibrated minus the given probabilities, and
// label minus probabilities.
type VectorTerms struct{ L1, L2, LInf []float64 }

// NewVectorScores returns scores of n rows, to be filled.
func NewVectorScores(n int) *VectorScores {
	v := &VectorScores{}
	for _, m := range v.members() {
		*m.column = make([]float64, n)
	}
	return v
}

// VectorVersion is raised whenever VectorScores get other values. It belongs in the
// cache key of sample scores that have them.
const VectorVersion = 2

// VectorBytes returns the memory that VectorScores of n rows of k classes take while
// they are computed: the probabilities and the recalibrated ones.
func VectorBytes(n, k int) int64 { return 16*int64(n)*int64(k) + vectorRowBytes*int64(n) }

// vectorRowBytes is the memory of a row of VectorScores, of the order of the rows by the
// probability of a class, and of the sum of its probabilities but the largest.
const vectorRowBytes = 8*8 + 5*16 + 8

// members returns the columns with their names in an archive and their largest size.
func (v *VectorScores) members() []vectorMember {
	return []vectorMember{
		{"ts_nll", &v.NLL, 0, math.MaxFloat64},
		{"ts_brier", &v.Brier, 0, 2 + 1e-9},
		{"ts_l1", &v.Temperature.L1, -2 - 1e-9, 2 + 1e-9},
		{"ts_l2", &v.Temperature.L2, -2, 2},
		{"ts_linf", &v.Temperature.LInf, -1, 1},
		{"isotonic_l1", &v.Isotonic.L1, -2 - 1e-9, 2 + 1e-9},
		{"isotonic_l2", &v.Isotonic.L2, -2, 2},
		{"isotonic_linf", &v.Isotonic.LInf, -1, 1},
	}
}

type vectorMember struct {
	name   string
	column *[]float64
	lo, hi float64
}

// check rejects columns, read from a file, that no n rows could give.
func (v *VectorScores) check(n int) error {
	for _, m := range v.members() {
		if len(*m.column) != n {
			return fmt.Errorf("column %s has %d rows, but there are %d", m.name, len(*m.column), n)
		}
		for i, x := range *m.column {
			if !(x >= m.lo && x <= m.hi) {
				return fmt.Errorf("row %d: %s is %g: out of range", i, m.name, x)
			}
		}
	}
	return nil
}
