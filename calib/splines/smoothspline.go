package splines

import (
	"context"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/method"
	"github.com/qats-bench/qats/calib/onevsrest"
)

// Smoothing is the spline calibration of Lucena (2018), as the author's package
// splinecalib has it, of each class against all others. The knots of s_j are the log
// odds of 0.1, 0.2, ..., 0.9, and up to 30 more at quantiles of the scores z, both
// extremes included, K in all. The coefficients b of s_j in the basis of truncated
// powers (newSmoothBasis) minimise
//
//	1/(n+135) sum of w log(1 + exp(-+s_j(z))) + lambda/K sum of b^2
//
// over the n rows, of weight w = 1, and 135 pseudo-rows of total weight 20 on the line
// y = x, which draw the function to the identity. lambda is one of 10^(-4), 10^(-3.5),
// ..., 10^4: of the least mean loss, rounded to 4 decimals, on a fifth of the rows if
// the function is fitted to the others; of equal ones the least. That fifth is drawn at
// random with Input.Seed, separately among the rows of the class and the others. z is
// limited to log((1-eps)/eps), where eps depends on the least p: 19.4 to 36.8. The
// prediction may change. The Spline of CalArena is this method; Cumulative is the one
// it calls CDF-Spline.
//
//   - Formula: q_j = sigmoid(s_j(z_j)) / sum of the same, z_j = log(p_j/(1-p_j)), s_j a
//     natural cubic spline at the minimum of the logistic loss plus lambda/K sum of
//     b^2, lambda by the loss on a fifth of the rows
//   - Reference: Lucena 2018
//   - Compared with: numeristical/splinecalib 0.0.11, the author's, which CalArena runs
//   - Agreement: probabilities to 3e-10 on drawn rows with the minimum of its objective,
//     for equal knots and folds; its own solvers stop earlier, and the package as it is
//     has other knots and folds
//   - Departures: Knots among the scores are at equal distances in rank; the package draws
//     them at random. Its last fit leaves out the fifth for lambda; ours has all rows. Its
//     solvers stop at a gradient of 1e-4; ours finds the minimum. For two classes it fits
//     class 1 alone; ours fits both, which differ a little because the penalty is not
//     symmetric. It stops with an error if a class has fewer than three distinct scores;
//     ours needs no scores.
type Smoothing struct{}

// SmoothingSplineEntry is the entry of Smoothing.
var SmoothingSplineEntry = calib.NewEntry[Smoothing, smoothingSplineMap](calib.Entry{
	Name:    "smoothing-spline",
	Label:   "Smoothing spline",
	Version: 2,
	Summary: "penalised spline of the log odds of each class against all others, rows normalised",
	Cost:    1500,
	Cost100: 2900,
})

// String returns the name of the method.
func (Smoothing) String() string { return SmoothingSplineEntry.Name }

// Contract needs logits and labels. The prediction may change.
func (Smoothing) Contract() calib.Contract {
	return method.OfValues(method.Sized(method.VectorContract()))
}

// Fit returns the spline of every class.
func (Smoothing) Fit(ctx context.Context, in calib.Input) (*calib.Fitted, error) {
	set := in.Cal
	if err := fit.CheckLabelled(set); err != nil {
		return nil, err
	}
	n, k := set.Logits.Rows, set.Logits.Cols
	rank := fit.Folds(set, n, in.Seed)
	order := make([]int, n)
	for i, r := range rank {
		order[r] = i
	}
	m := onevsrest.New[smoothSpline](k)
	return onevsrest.Fit(ctx, set, m, func(class int, z []float64, positive []bool) calib.Minimum {
		s, end := fitSmooth(z, positive, fifth(order, positive))
		m.Classes[class] = s.Prepared()
		return end
	})
}

// fifth returns the rows on which lambda is chosen: the first fifth in the order, rounded,
// of the positive rows and of the others.
func fifth(order []int, positive []bool) []bool {
	chosen := make([]bool, len(order))
	hits := fit.Count(positive)
	for _, side := range []struct {
		positive bool
		left     int
	}{{true, (hits + 2) / 5}, {false, (len(order) - hits + 2) / 5}} {
		for _, i := range order {
			if side.left == 0 {
				break
			}
			if positive[i] == side.positive {
				chosen[i] = true
				side.left--
			}
		}
	}
	return chosen
}

// smoothingSplineMap holds the spline of each of the k classes.
type smoothingSplineMap = onevsrest.Functions[smoothSpline]
