package features

import (
	"context"
	"fmt"
	"math"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// hfeFit is a calibration set with its energies, and rows out of distribution
// with theirs: rows 0..n-1 are of the one, n..n+m-1 of the other.
type hfeFit struct {
	*fit.Objective
	labels         []int32     // n
	ood            data.Matrix // m x k
	correct, wrong []float64   // n + m, densities at the energies
}

// newHFEFit computes the energies, fits both normal distributions of m to them and
// keeps the values of their densities.
func newHFEFit(ctx context.Context, o *fit.Objective, labels []int32, ood data.Matrix, m *hfeMap) (*hfeFit, error) {
	total := o.Rows() + ood.Rows
	energies := make([]float64, total)
	hit := make([]bool, o.Rows())
	_, err := o.Sums(ctx, fit.Constant(1), 0, func(b *fit.RowBlock, _ []float64) {
		for i := range b.Moments {
			energies[b.First+i] = fit.Energy(&b.Moments[i])
			hit[b.First+i] = b.Moments[i].Top == b.Labels[i]
		}
	})
	if err != nil {
		return nil, err
	}
	var right, wrong []float64
	for i, e := range energies[:o.Rows()] {
		if hit[i] {
			right = append(right, e)
		} else {
			wrong = append(wrong, e)
		}
	}
	for i := range ood.Rows {
		var moments [1]softmax.Moments
		softmax.Rows(moments[:], ood.Row(i), ood.Cols, []float64{1})
		energies[o.Rows()+i] = fit.Energy(&moments[0])
	}
	m.Correct, m.Wrong = fitNormal(right), fitNormal(append(wrong, energies[o.Rows():]...))
	f := &hfeFit{
		Objective: o, labels: labels, ood: ood,
		correct: make([]float64, total), wrong: make([]float64, total),
	}
	for i, e := range energies {
		f.correct[i], f.wrong[i] = m.Correct.density(e), m.Wrong.density(e)
	}
	return f, nil
}

// row returns row i with its class, -1 where it has none.
func (f *hfeFit) row(i int) (logits []float32, class int) {
	if i < f.Rows() {
		return f.Logits.Row(i), int(f.labels[i])
	}
	return f.ood.Row(i - f.Rows()), -1
}

// squaredError returns the mean over all rows of sum_j (p_j - 1[y = j])^2 with its
// derivatives in the thetas. With s = 1/T, d_j = l_j - E_p[l] and V = Var_p[l]
// the derivatives of p_j in s are p_j d_j and p_j (d_j^2 - V).
func (f *hfeFit) squaredError(ctx context.Context, m hfeMap) (calib.Local, error) {
	f.Passes++
	const thetas = 2
	sum, err := fit.SumBlocks(ctx, len(f.correct), 1+thetas+thetas*thetas, func(sum []float64, lo, hi int) {
		p := make([]float64, f.Logits.Cols)
		for i := lo; i < hi; i++ {
			f.add(sum, m, i, p)
		}
	})
	if err != nil {
		return calib.Local{}, err
	}
	near := fit.MeanOf(sum, len(f.correct), thetas)
	near.Hessian[2] = near.Hessian[1] // addRow rounds the two in different orders
	return near, nil
}

// add adds row i to sum: its squared error, then its derivatives; see addRow. p is scratch.
func (f *hfeFit) add(sum []float64, m hfeMap, i int, p []float64) {
	t := m.temperature(f.correct[i], f.wrong[i])
	s := 1 / t
	value, first, second := f.rowError(i, s, p)
	sum[0] += value
	rate := 1.0
	if t <= hfeFloor {
		rate = 0 // T is constant in theta here
	}
	s2 := float64(s * s)
	dT := -float64(s2 * first)
	dTT := float64(float64(s2*s2)*second) + float64(float64(2*s2*s)*first)
	slope := [...]float64{-f.correct[i], f.wrong[i]}
	fit.AddRow(sum, slope[:], dT, dTT, rate, 0)
}

// rowError returns the squared error of row i at scale s and its first and
// second derivative in s. p is scratch.
func (f *hfeFit) rowError(i int, s float64, p []float64) (value, first, second float64) {
	row, class := f.row(i)
	softmax.Probs(p, row, s)
	top := float64(row[fit.TopClass(row)])
	mean, square := 0.0, 0.0 // of l - max
	for j, p := range p {
		d := float64(row[j]) - top
		mean += float64(p * d)
		square += float64(p * d * d)
	}
	variance := max(0, square-float64(mean*mean))
	for j, p := range p {
		miss := p
		if j == class {
			miss = p - 1
		}
		d := float64(row[j]) - top - mean
		dp := float64(p * d)
		value += float64(miss * miss)
		first += float64(2 * miss * dp)
		second += 2 * (float64(dp*dp) + float64(miss*p*(float64(d*d)-variance)))
	}
	return value, first, second
}

// nll returns the mean NLL of the calibration rows under m, and the number of rows
// whose T is at the floor.
func (f *hfeFit) nll(ctx context.Context, m hfeMap) (nll float64, floored int, err error) {
	for i := range f.Rows() {
		if m.temperature(f.correct[i], f.wrong[i]) <= hfeFloor {
			floored++
		}
	}
	nll, err = f.NLLAt(ctx, fit.ByRow(func(i int) float64 { return 1 / m.temperature(f.correct[i], f.wrong[i]) }))
	return nll, floored, err
}

// normal is a normal distribution. A Std of 0 means none, with a density of 0.
type normal struct {
	Mean float64 `json:"mean"`
	Std  float64 `json:"std"`
}

// narrow is the standard deviation, relative to max(1, |mean|), below which the
// energies of float32 logits differ by rounding alone.
const narrow = 1e-6

// fitNormal returns the maximum-likelihood normal distribution of the energies (Std
// divides by their number), or none if they do not differ.
func fitNormal(energies []float64) normal {
	mean, std := fit.MeanDeviation(energies)
	if std < narrow*max(1, math.Abs(mean)) {
		std = 0
	}
	return normal{mean, std}
}

func (g normal) density(e float64) float64 {
	if g.Std == 0 {
		return 0
	}
	z := (e - g.Mean) / g.Std
	return softmax.Exp(-float64(z*z)/2) / (g.Std * math.Sqrt(2*math.Pi))
}

// halving returns the theta at which the peak of the density is half of t, at
// most hfeMost.
func (g normal) halving(t float64) float64 {
	if g.Std == 0 {
		return 0
	}
	return min(t/(2*g.density(g.Mean)), hfeMost)
}

func (g normal) check() error {
	if math.IsInf(g.Mean, 0) || math.IsNaN(g.Mean) || math.IsInf(g.Std, 0) ||
		!(g.Std == 0 || g.Std >= narrow*max(1, math.Abs(g.Mean))) {
		return fmt.Errorf("mean %v, std %v: want finite numbers, std 0 or at least %g max(1, |mean|)", g.Mean, g.Std, narrow)
	}
	return nil
}
