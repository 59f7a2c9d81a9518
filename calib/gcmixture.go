package calib

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/qats-bench/qats/calib/softmax"
	"github.com/qats-bench/qats/data"
)

// gcMixture is what group calibration minimises to learn a partition: over
// W (groups x d) and u = log(1/tau),
//
//	mean over rows of -log sum_g softmax(W h)_g exp(-f(u_g)) + decay mean(W^2),
//
// where f is the NLL of the row. With pi = softmax(W h) and the posterior
// r = softmax(W h - f), the derivative of a row in (W h)_g is pi_g - r_g and in
// u_g it is r_g f'(u_g).
//
// The sum of the rows of W changes no softmax and its minimum is 0, so W
// starts with a sum of 0, which every step keeps, and the products of the last
// group are those of the others, negated. f comes from an nllTable.
//
// Parameters are one vector: W row-major, then u.
type gcMixture struct {
	table    *nllTable
	features data.Matrix // n x d
	groups   int
	decay    float64
	columns  []column
	blocks   []gcBlock
}

// gcBlock is what a block of rows adds up to.
type gcBlock struct {
	value    float64
	gradient []float64
}

func newGCMixture(o *objective, features data.Matrix, groups int, decay float64) *gcMixture {
	m := &gcMixture{
		table: newNLLTable(o), features: features, groups: groups, decay: decay,
		columns: make([]column, groups),
		blocks:  make([]gcBlock, numBlocks(o.rows())),
	}
	for b := range m.blocks {
		m.blocks[b].gradient = make([]float64, groups*(features.Cols+1))
	}
	return m
}

// start returns tau = 1.5 and W uniform in (-1, 1)/sqrt(d), less its mean over
// the groups.
func (m *gcMixture) start(rng *rand.Rand) []float64 {
	d := m.features.Cols
	x := make([]float64, m.groups*(d+1))
	reach := 1 / math.Sqrt(float64(d))
	for j := range m.groups * d {
		x[j] = float64((2*rng.Float64() - 1) * reach)
	}
	for j := range d {
		mean := 0.0
		for g := range m.groups {
			mean += x[g*d+j] / float64(m.groups)
		}
		for g := range m.groups {
			x[g*d+j] -= mean
		}
	}
	for g := range m.groups {
		x[m.groups*d+g] = softmax.Log(1 / 1.5)
	}
	return x
}

// rows returns W of the parameters x, without copying.
func (m *gcMixture) rows(x []float64) [][]float64 {
	d := m.features.Cols
	w := make([][]float64, m.groups)
	for g := range w {
		w[g] = x[g*d : (g+1)*d : (g+1)*d]
	}
	return w
}

// at returns the value at x and writes the gradient.
func (m *gcMixture) at(ctx context.Context, x, gradient []float64) (float64, error) {
	d, n := m.features.Cols, float64(m.features.Rows)
	for g := range m.columns {
		var err error
		if m.columns[g], err = m.table.at(ctx, x[m.groups*d+g]); err != nil {
			return 0, err
		}
	}
	err := eachBlock(ctx, m.features.Rows, func(block, lo, hi int) {
		m.block(&m.blocks[block], x, lo, hi)
	})
	if err != nil {
		return 0, err
	}
	value := 0.0
	clear(gradient)
	for b := range m.blocks {
		value += m.blocks[b].value
		for j, v := range m.blocks[b].gradient {
			gradient[j] += v
		}
	}
	value /= n
	square := 0.0
	size := float64(m.groups * d)
	for j := range gradient {
		gradient[j] /= n
		if j < m.groups*d {
			square += float64(x[j] * x[j])
			gradient[j] += float64(2 * m.decay / size * x[j])
		}
	}
	return value + float64(m.decay*square)/size, nil
}

// block sums rows lo..hi-1.
func (m *gcMixture) block(sum *gcBlock, x []float64, lo, hi int) {
	d, last := m.features.Cols, m.groups-1
	sum.value = 0
	clear(sum.gradient)
	scratch := make([]float64, 4*m.groups)
	a, f := scratch[:m.groups], scratch[m.groups:2*m.groups]
	slope, posterior := scratch[2*m.groups:3*m.groups], scratch[3*m.groups:]
	for i := lo; i < hi; i++ {
		h := m.features.Row(i)
		a[last] = 0
		for g := range last {
			a[g] = dotFeatures(x[g*d:(g+1)*d], h)
			a[last] -= a[g]
		}
		for g := range m.columns {
			f[g], slope[g] = m.columns[g].row(i)
			posterior[g] = a[g] - f[g]
		}
		sum.value += toSoftmax(a) - toSoftmax(posterior)
		for g := range m.columns {
			if g < last {
				addFeatures(sum.gradient[g*d:(g+1)*d], a[g]-posterior[g], h)
			}
			sum.gradient[m.groups*d+g] += float64(posterior[g] * slope[g])
		}
	}
	for j := range d {
		for g := range last {
			sum.gradient[last*d+j] -= sum.gradient[g*d+j]
		}
	}
}

// toSoftmax replaces v by its softmax and returns the log of the sum of
// exponentials.
func toSoftmax(v []float64) float64 {
	most := v[0]
	for _, x := range v {
		most = max(most, x)
	}
	sum := 0.0
	for j, x := range v {
		v[j] = softmax.Exp(x - most)
		sum += v[j]
	}
	for j := range v {
		v[j] /= sum
	}
	return most + softmax.Log(sum)
}
