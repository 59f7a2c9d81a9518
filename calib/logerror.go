package calib

import (
	"context"
	"maps"
	"math"
	"slices"

	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/data"
)

// LogError returns the standard error of ln T, where T is fitted on the n rows of cal, by the
// sandwich of Huber (1967): it holds also where softmax(l/T) is not the distribution of the labels.
// With beta = 1/T, g_i = E_p[l] - l_y and V_i = Var_p[l] of row i at p = softmax(beta l),
//
//	se(ln T) = sqrt(sum g_i^2) / (beta sum V_i),
//
// since the derivative of the NLL in ln T is -beta g_i, and its second derivative at the minimum is beta^2 sum V_i. If the
// rows have groups, g_i is the sum over a group. Masked classes do not count. The result is +Inf if every V_i is 0: then
// the rows say nothing of T. It has no meaning where T is at a bound. LogError returns an error for a label outside the
// classes and for an empty set, and the error of ctx.
func (m Temperature) LogError(ctx context.Context, cal *data.Set) (float64, error) {
	o, err := fit.NewObjective(cal)
	if err != nil {
		return 0, err
	}
	beta := 1 / m.T
	slopes := make([]float64, len(cal.Groups)) // of the rows, to be summed over groups
	total, err := o.Sums(ctx, fit.Constant(beta), 2, func(b *fit.RowBlock, sum []float64) {
		for i := range b.Moments {
			x := &b.Moments[i]
			g := x.Slope(b.LabelLogit[i])
			if cal.Groups != nil {
				slopes[b.First+i] = g
			}
			sum[0] += float64(g * g)
			sum[1] += max(0, x.Variance())
		}
	})
	if err != nil {
		return 0, err
	}
	if cal.Groups != nil {
		sums := map[int32]float64{}
		for i, g := range cal.Groups {
			sums[g] += slopes[i]
		}
		total[0] = 0
		for _, g := range slices.Sorted(maps.Keys(sums)) {
			total[0] += float64(sums[g] * sums[g])
		}
	}
	if total[1] == 0 {
		return math.Inf(1), nil
	}
	return math.Sqrt(total[0]) / float64(beta*total[1]), nil
}
