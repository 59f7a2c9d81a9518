package metrics

import (
	"github.com/qats-bench/qats/internal/exact"
	"github.com/qats-bench/qats/metrics/scoring"
)

// SquaredError returns the squared calibration error of the top label without its bias
// (Kumar, Liang and Ma 2019), of bins >= 1 bins of equal mass. With r = correct -
// confidence, n_b samples in bin b and n in all, it is
//
//	(1/n) sum over bins of ((sum of r)^2 - sum of r^2) / (n_b - 1)
//
// Each term is an unbiased estimate of n_b times the square of the bin's gap: the squares
// of single samples, which are noise, are left out. So it is below 0 about half of the
// time for a calibrated model, and on average it does not depend on n. A bin of one
// sample counts 0. No samples give 0.
//
// Where rows have groups, the squares are those of the sums of groups, and n_b - 1 is n_b - (sum of squared rows of the
// groups) / n_b.
//
// The boundaries are those of MassBins, except that one inside a block of tied confidences
// moves to the nearer end of the block. So a sample is in one bin.
//
// DebiasedECE is its root where it is above 0, with two differences: tied blocks are shared
// out, and the noise is estimated from the accuracy of the bin.
func SquaredError(s *Samples, bins int) float64 { return squaredMassTerms(s, bins).value }

// squaredMassTerms returns SquaredError. Influence is that of the plug-in estimate, 2 g r -
// g^2 with the gap g of the row's bin.
func squaredMassTerms(s *Samples, bins int) terms {
	n := s.Len()
	t := terms{influence: make([]float64, n)}
	for _, b := range massRuns(s.sorted, bins) {
		list := s.sorted[b.lo:b.hi]
		conf, hits := sums(list)
		residual := hits - conf
		gap := residual / float64(len(list))
		var squares exact.Sum
		for _, x := range list {
			r := x.hit() - x.conf
			squares.Add(float64(r * r))
			t.influence[x.row] = float64(2*gap*r) - float64(gap*gap)
		}
		if s.groups() != nil {
			own, rows := s.sumsOf(list, func(x sample) float64 { return x.hit() - x.conf })
			if all := float64(len(list)); all*all > rows {
				t.value += (float64(residual*residual) - own) / (all - rows/all)
			}
		} else if len(list) > 1 {
			t.value += (float64(residual*residual) - squares.Value()) / float64(len(list)-1)
		}
	}
	t.value /= float64(max(1, n))
	return t
}

// squaredBinsTerms returns the mean of the same quantity over the bins of the probabilities
// of one or more classes. Influence is by group of rows: the pseudo-values of the jackknife
// that leaves out a group. With G groups a pseudo-value is G times the value minus G-1
// times the value without the group. Many bins of few rows vary in ways that the influence
// of single rows does not show.
func squaredBinsTerms(b *scoring.Bins) terms {
	const groups = scoring.Groups
	sums, counts := make([]float64, groups+1), make([]float64, groups+1) // without each group, and at last of all
	add := func(i int, rows, residual, squares float64) {
		counts[i] += rows
		if rows > 1 {
			sums[i] += (float64(residual*residual) - squares) / (rows - 1)
		}
	}
	for bin := range b.Rows {
		at := bin * groups
		var rows, residual, squares float64
		for g := at; g < at+groups; g++ {
			rows += float64(b.GroupRows[g])
			residual += b.GroupResidual[g]
			squares += b.GroupSquare[g]
		}
		add(groups, rows, residual, squares)
		for g := range groups {
			add(g, rows-float64(b.GroupRows[at+g]), residual-b.GroupResidual[at+g], squares-b.GroupSquare[at+g])
		}
	}
	value := func(i int) float64 { return sums[i] / max(1, counts[i]) } // counts has a row once for each class
	t := terms{value: value(groups), influence: make([]float64, groups)}
	for g := range t.influence {
		t.influence[g] = float64(groups*t.value) - float64((groups-1)*value(g))
	}
	return t
}
