package calib

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/linear"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// gcMixture is the problem that group calibration solves to learn a partition. It
// minimises, over W (groups x d) and u = log(1/tau),
//
//	mean over rows of -log sum_g softmax(W h)_g exp(-f(u_g)) + decay mean(W^2),
//
// where f is the NLL of the row. With pi = softmax(W h) and the posterior
// r = softmax(W h - f), the derivative of a row in (W h)_g is pi_g - r_g and in
// u_g it is r_g f'(u_g).
//
// Adding the same vector to all rows of W does not change the softmax, and it is 0 at the minimum. W starts
// with a sum of 0, and every step keeps it. So the products of the last group are the
// negated sum of the others. f comes from an nllTable.
//
// Parameters are one vector: W row-major, then u.
type gcMixture struct {
	table    *nllTable
	features data.Matrix // n x d
	groups   int
	decay    float64
	columns  []nllColumn
	sums     []float64 // of each block of rows: of the value, then of the gradient
	rooms    sync.Pool // of *gcRoom
}

// newGCMixture returns the problem for the rows of o with their features.
func newGCMixture(o *fit.Objective, features data.Matrix, groups int, decay float64) *gcMixture {
	m := &gcMixture{
		table: newNLLTable(o), features: features, groups: groups, decay: decay,
		columns: make([]nllColumn, groups),
		sums:    make([]float64, fit.NumBlocks(o.Rows())*(1+groups*(features.Cols+1))),
	}
	m.rooms.New = func() any {
		return &gcRoom{a: newGCByGroup(groups), posterior: newGCByGroup(groups), slope: newGCByGroup(groups)}
	}
	return m
}

// Start returns tau = 1.5 and W uniform in (-1, 1)/sqrt(d), minus its mean over the
// groups.
func (m *gcMixture) Start(rng *rand.Rand) []float64 {
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

// Rows returns W of the parameters x, without copying.
func (m *gcMixture) Rows(x []float64) [][]float64 {
	d := m.features.Cols
	w := make([][]float64, m.groups)
	for g := range w {
		w[g] = x[g*d : (g+1)*d : (g+1)*d]
	}
	return w
}

// At returns the value at x and writes the gradient.
func (m *gcMixture) At(ctx context.Context, x, gradient []float64) (float64, error) {
	d, n := m.features.Cols, float64(m.features.Rows)
	for g := range m.columns {
		var err error
		if m.columns[g], err = m.table.at(ctx, x[m.groups*d+g]); err != nil {
			return 0, err
		}
	}
	width := 1 + len(x)
	err := fit.EachBlock(ctx, m.features.Rows, func(block, lo, hi int) {
		room := m.rooms.Get().(*gcRoom)
		m.block(m.sums[block*width:(block+1)*width], x, lo, hi, room)
		m.rooms.Put(room)
	})
	if err != nil {
		return 0, err
	}
	value := 0.0
	clear(gradient)
	for sum := range slices.Chunk(m.sums, width) {
		value += sum[0]
		fit.AddTo(gradient, 1, sum[1:])
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

// block sums rows lo..hi-1. Each step is done for all rows before the next step. The
// exponentials and logarithms of one row depend on each other; those of different
// rows overlap.
func (m *gcMixture) block(sum, x []float64, lo, hi int, room *gcRoom) {
	d, last, n := m.features.Cols, m.groups-1, hi-lo
	rows := linear.Rows{Data: m.features.Data[lo*d : hi*d], Width: d}
	a, posterior, slope := room.a.of(n), room.posterior.of(n), room.slope.of(n)
	clear(a[last])
	for g := range last {
		linear.Dots(a[g], x[g*d:(g+1)*d], rows)
		rest := a[last]
		for i, v := range a[g] {
			rest[i] -= v
		}
	}
	for g := range m.columns {
		m.columns[g].rows(posterior[g], slope[g], lo) // posterior holds the NLL for now
		a, posterior := a[g], posterior[g]
		for i, f := range posterior {
			posterior[i] = a[i] - f
		}
	}
	whole, part := room.whole[:n], room.part[:n]
	gcSoftmaxes(whole, a, room.most[:n])
	gcSoftmaxes(part, posterior, room.most[:n])
	value := 0.0 // in a register, as slopes below
	for i, v := range whole {
		value += v - part[i]
	}
	gradient := sum[1:]
	sum[0] = value
	clear(gradient)
	for g := range m.columns {
		slopes, a, slope := 0.0, a[g], slope[g]
		for i, r := range posterior[g] {
			a[i] -= r
			slopes += float64(r * slope[i])
		}
		gradient[m.groups*d+g] = slopes
		if g < last {
			linear.Add(gradient[g*d:(g+1)*d], a, rows)
		}
	}
	for j := range d {
		for g := range last {
			gradient[last*d+j] -= gradient[g*d+j]
		}
	}
}

// gcRoom is the memory of one worker.
type gcRoom struct {
	a, posterior, slope gcByGroup
	whole, part, most   [fit.BlockRows]float64
}

// gcByGroup is a number for each group and row of a block.
type gcByGroup struct {
	data  []float64
	views [][]float64
}

func newGCByGroup(groups int) gcByGroup {
	return gcByGroup{make([]float64, groups*fit.BlockRows), make([][]float64, groups)}
}

// of returns the numbers of the first n rows, for each group.
func (b *gcByGroup) of(n int) [][]float64 {
	for g := range b.views {
		b.views[g] = b.data[g*fit.BlockRows : g*fit.BlockRows+n]
	}
	return b.views
}

// gcSoftmaxes replaces v, indexed by group and row, by the softmax of each row over
// its groups, and writes the logs of the sums of exponentials. most is scratch.
func gcSoftmaxes(logs []float64, v [][]float64, most []float64) {
	copy(most, v[0])
	for _, of := range v[1:] {
		for i, x := range of {
			most[i] = max(most[i], x)
		}
	}
	clear(logs)
	for _, of := range v {
		of = of[:len(most)]
		for i, m := range most {
			of[i] -= m
		}
		softmax.Exps(of, of)
		for i, e := range of {
			logs[i] += e
		}
	}
	for _, of := range v {
		of = of[:len(logs)]
		for i, s := range logs {
			of[i] /= s
		}
	}
	softmax.Logs(logs, logs)
	for i, m := range most {
		logs[i] += m
	}
}
