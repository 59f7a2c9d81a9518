package features

import (
	"cmp"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/cputime"
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
// Parameters are one vector: W row-major, then u. The problem is evaluated at many points at a
// time. The products of a block of rows with the W of all points are one product of matrices,
// and so are the sums over the block that give the gradients in W.
type gcMixture struct {
	table  *nllTable
	blocks []gcBlock
	width  int // d
	groups int
	decay  float64
	rooms  sync.Pool // of *gcRoom
}

// gcBlock is the features of a block of rows, arranged for products with the weights of points and,
// transposed, with one factor a row.
type gcBlock struct{ rows, columns *linear.Packed }

// newGCMixture returns the problem for the rows of o with their features.
func newGCMixture(o *fit.Objective, features data.Matrix, groups int, decay float64) *gcMixture {
	d := features.Cols
	m := &gcMixture{table: newNLLTable(o), width: d, groups: groups, decay: decay}
	columns := make([]float32, fit.BlockRows*d)
	for rows := range slices.Chunk(features.Data, fit.BlockRows*d) {
		n := len(rows) / d
		for i, v := range rows {
			columns[i%d*n+i/d] = v
		}
		m.blocks = append(m.blocks, gcBlock{linear.Pack(rows, n, d), linear.Pack(columns[:n*d], d, n)})
	}
	m.rooms.New = func() any { return newGCRoom(groups) }
	return m
}

// Start returns tau = 1.5 and W uniform in (-1, 1)/sqrt(d), minus its mean over the
// groups.
func (m *gcMixture) Start(rng *rand.Rand) []float64 {
	d := m.width
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
	d := m.width
	w := make([][]float64, m.groups)
	for g := range w {
		w[g] = x[g*d : (g+1)*d : (g+1)*d]
	}
	return w
}

// gcPoint is a point at which the problem is evaluated.
type gcPoint struct {
	x, gradient []float64 // the parameters, and the gradient, which At writes
	value       float64
	columns     []nllColumn // of each group
	err         error
	done        chan struct{} // closed when value, gradient and err are known
}

// gcTogether is the number of products of a row that are computed together: the
// partitions share the rows, and their weights fit into the nearest caches.
const gcTogether = 24

// Descend minimises from each of the starts, which it overwrites with the minima. The
// descents do not depend on each other. Their points are evaluated together, because one
// product of a block of rows with many weights takes less time than many with few.
func (m *gcMixture) Descend(ctx context.Context, starts [][]float64, stop fit.Stop) ([]fit.Descent, error) {
	ends := make([]fit.Descent, len(starts))
	for lo, most := 0, max(1, gcTogether/max(1, m.groups-1)); lo < len(starts); lo += most {
		hi := min(lo+most, len(starts))
		if err := m.descend(ctx, ends[lo:hi], starts[lo:hi], stop); err != nil {
			return nil, err
		}
	}
	return ends, nil
}

// descend minimises from all starts at the same time. The points of all descents that have
// not ended are evaluated by the last that asks. The calling goroutine waits once: it is bound to
// its thread where time is measured, and would change threads at every point.
func (m *gcMixture) descend(ctx context.Context, ends []fit.Descent, starts [][]float64, stop fit.Stop) error {
	errs, panics := make([]error, len(starts)), make([]any, len(starts))
	var mu sync.Mutex
	var asked []*gcPoint
	running := len(starts)
	ask := func(p *gcPoint) { // nil at the end of a descent
		mu.Lock()
		defer mu.Unlock()
		if p != nil {
			asked = append(asked, p)
		} else {
			running--
		}
		if points := asked; running > 0 && len(points) == running {
			asked = nil
			m.answer(ctx, points)
		}
	}
	var wait sync.WaitGroup
	for u, x := range starts {
		wait.Go(func() {
			defer func() { panics[u] = recover() }()
			defer ask(nil)
			ends[u], errs[u] = fit.LBFGS(context.Background(), func(x, gradient []float64) (float64, error) {
				p := &gcPoint{x: x, gradient: gradient, err: errGCStopped, done: make(chan struct{})}
				ask(p)
				<-p.done
				return p.value, p.err
			}, x, stop)
		})
	}
	wait.Wait()
	if i := slices.IndexFunc(panics, func(p any) bool { return p != nil }); i >= 0 {
		panic(panics[i])
	}
	return cmp.Or(errs...)
}

// errGCStopped ends the descents of points whose evaluation has panicked.
var errGCStopped = errors.New("the evaluation panicked")

// answer evaluates points that descents wait for, with the error of ctx and for its meter.
func (m *gcMixture) answer(ctx context.Context, points []*gcPoint) {
	defer cputime.Join(ctx)()
	defer func() {
		for _, p := range points {
			close(p.done)
		}
	}()
	err := m.At(ctx, points)
	for _, p := range points {
		p.err = err
	}
}

// At writes the value and the gradient at each point. They do not depend on the other points.
func (m *gcMixture) At(ctx context.Context, points []*gcPoint) error {
	d, n := m.width, float64(m.table.Rows())
	last := m.groups - 1
	w := make([]float64, 0, len(points)*last*d)
	for _, p := range points {
		w = append(w, p.x[:last*d]...)
		p.columns = make([]nllColumn, m.groups)
		for g := range p.columns {
			var err error
			if p.columns[g], err = m.table.at(ctx, p.x[m.groups*d+g]); err != nil {
				return err
			}
		}
	}
	total, err := fit.SumBlocks(ctx, m.table.Rows(), len(points)*(1+m.groups+last*d), func(sum []float64, lo, hi int) {
		room := m.rooms.Get().(*gcRoom)
		m.block(sum, points, w, lo, hi, room)
		m.rooms.Put(room)
	})
	if err != nil {
		return err
	}
	for i, p := range points {
		sums, w := total[i*(1+m.groups):], total[len(points)*(1+m.groups)+i*last*d:]
		p.value = sums[0] / n
		clear(p.gradient)
		copy(p.gradient, w[:last*d])
		for g := range last {
			fit.AddTo(p.gradient[last*d:m.groups*d], -1, w[g*d:(g+1)*d])
		}
		copy(p.gradient[m.groups*d:], sums[1:1+m.groups])
		square := 0.0
		size := float64(m.groups * d)
		for j, x := range p.x {
			p.gradient[j] /= n
			if j < m.groups*d {
				square += float64(x * x)
				p.gradient[j] += float64(2 * m.decay / size * x)
			}
		}
		p.value += float64(m.decay*square) / size
	}
	return nil
}

// block adds rows lo..hi-1 to sum: value and slopes in u of each point, then the gradients in
// the rows of W, without the last ones, which w has. Each step is done for all rows before the
// next step. The exponentials and logarithms of one row depend on each other; those of
// different rows overlap.
func (m *gcMixture) block(sum []float64, points []*gcPoint, w []float64, lo, hi int, room *gcRoom) {
	last, n := m.groups-1, hi-lo
	products, factors := sized(&room.products, n*len(points)*last), sized(&room.factors, n*len(points)*last)
	features := m.blocks[lo/fit.BlockRows]
	features.rows.Times(products, w)
	for at, p := range points {
		of := func(all []float64) []float64 { return all[at*last*n : (at+1)*last*n] }
		nll, slope, share, loss := room.nll.first(n), room.slope.first(n), room.share.first(n), room.loss[:n]
		for g := range p.columns {
			p.columns[g].rows(nll[g], slope[g], lo)
		}
		if m.groups == 2 {
			softmax.Mixtures(&softmax.Mixture{Loss: loss, First: share[0], Second: share[1], Rate: of(factors)}, of(products), nll[0], nll[1])
		} else {
			room.mix(loss, share, of(factors), of(products), nll)
		}
		sums := sum[at*(1+m.groups):][:1+m.groups]
		value := 0.0 // in a register, as slopes below
		for _, v := range loss {
			value += v
		}
		sums[0] = value
		for g, slope := range slope {
			slopes, share := 0.0, share[g][:len(slope)]
			for i, s := range slope {
				slopes += float64(share[i] * s)
			}
			sums[1+g] = slopes
		}
	}
	features.columns.Times(sum[len(points)*(1+m.groups):], factors)
}

// gcRoom is the memory of one worker, for the rows of a block.
type gcRoom struct {
	nll, slope, share, weight gcByGroup
	loss, part, most          [fit.BlockRows]float64

	products, factors []float64 // by point, group and row
}

func newGCRoom(groups int) *gcRoom {
	return &gcRoom{nll: newGCByGroup(groups), slope: newGCByGroup(groups), share: newGCByGroup(groups), weight: newGCByGroup(groups)}
}

// mix does what softmax.Mixtures does, with the same bits, for any number of groups: from the
// products and the NLL of each group it writes the loss and the posterior share of each group, and,
// of all but the last, the weight of the group minus its share.
func (room *gcRoom) mix(loss []float64, share [][]float64, rates, products []float64, nll [][]float64) {
	n := len(loss)
	weight := room.weight.first(n)
	last := len(weight) - 1
	rest := weight[last]
	clear(rest)
	for g, weight := range weight[:last] {
		copy(weight, products[g*n:(g+1)*n])
		for i, a := range weight {
			rest[i] -= a
		}
	}
	for g, share := range share {
		for i, a := range weight[g] {
			share[i] = a - nll[g][i]
		}
	}
	part := room.part[:n]
	gcSoftmaxes(loss, weight, room.most[:n])
	gcSoftmaxes(part, share, room.most[:n])
	for i, p := range part {
		loss[i] -= p
	}
	for g, weight := range weight[:last] {
		for i, a := range weight {
			rates[g*n+i] = a - share[g][i]
		}
	}
}

// sized returns n elements of room, which grows if it has to.
func sized(room *[]float64, n int) []float64 {
	*room = slices.Grow((*room)[:0], n)
	return (*room)[:n]
}

// gcByGroup is a number for each group and row of a block.
type gcByGroup struct {
	data  []float64
	views [][]float64
}

func newGCByGroup(groups int) gcByGroup {
	return gcByGroup{make([]float64, groups*fit.BlockRows), make([][]float64, groups)}
}

// first returns the numbers of the first n rows, for each group.
func (b *gcByGroup) first(n int) [][]float64 {
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
