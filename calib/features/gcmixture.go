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
	table    *nllTable
	features linear.Table // n x d
	width    int          // d
	groups   int
	decay    float64
	rooms    sync.Pool // of *gcRoom
}

// newGCMixture returns the problem for the rows of o with their features.
func newGCMixture(o *fit.Objective, features data.Matrix, groups int, decay float64) *gcMixture {
	m := &gcMixture{table: newNLLTable(o), features: linear.NewTable(features.Data, features.Cols), width: features.Cols, groups: groups, decay: decay}
	m.rooms.New = func() any {
		return &gcRoom{a: newGCByGroup(groups), posterior: newGCByGroup(groups), slope: newGCByGroup(groups)}
	}
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

// descend minimises from all starts at the same time. It evaluates when each descent that
// has not ended waits for a point.
func (m *gcMixture) descend(ctx context.Context, ends []fit.Descent, starts [][]float64, stop fit.Stop) error {
	asked := make(chan *gcPoint, 2*len(starts)) // a descent waits for one point, and sends nil when it ends
	errs := make([]error, len(starts))
	whole := context.WithoutCancel(ctx) // At has the error of ctx, once for all
	for u, x := range starts {
		go func() {
			defer func() { asked <- nil }()
			ends[u], errs[u] = fit.LBFGS(whole, func(x, gradient []float64) (float64, error) {
				p := &gcPoint{x: x, gradient: gradient, err: errGCStopped, done: make(chan struct{})}
				asked <- p
				<-p.done
				return p.value, p.err
			}, x, stop)
		}()
	}
	var points []*gcPoint
	for running := len(starts); running > 0; {
		if p := <-asked; p != nil {
			points = append(points, p)
		} else {
			running--
		}
		if running > 0 && len(points) == running {
			m.answer(ctx, points)
			points = points[:0]
		}
	}
	return cmp.Or(errs...)
}

// errGCStopped ends the descents of points whose evaluation has panicked.
var errGCStopped = errors.New("the evaluation panicked")

// answer evaluates points that descents wait for.
func (m *gcMixture) answer(ctx context.Context, points []*gcPoint) {
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
	weights := linear.Pack(w, len(points)*last, d)
	total, err := fit.SumBlocks(ctx, m.table.Rows(), len(points)*(1+m.groups+last*d), func(sum []float64, lo, hi int) {
		room := m.rooms.Get().(*gcRoom)
		m.block(sum, points, weights, lo, hi, room)
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
// the rows of W, without the last ones. Each step is done for all rows before the next step.
// The exponentials and logarithms of one row depend on each other; those of different
// rows overlap.
func (m *gcMixture) block(sum []float64, points []*gcPoint, weights *linear.Packed, lo, hi int, room *gcRoom) {
	last, n, x := m.groups-1, hi-lo, m.features.Slice(lo, hi)
	many := len(points) * last
	products, factors := sized(&room.products, n*many), sized(&room.factors, n*many)
	x.TimesRows(products, weights)
	a, posterior, slope := room.a.of(n), room.posterior.of(n), room.slope.of(n)
	whole, part := room.whole[:n], room.part[:n]
	for at, p := range points {
		clear(a[last])
		rest := a[last]
		for g := range last {
			a := a[g]
			for i := range a {
				a[i] = products[i*many+at*last+g]
				rest[i] -= a[i]
			}
		}
		for g := range p.columns {
			p.columns[g].rows(posterior[g], slope[g], lo) // posterior holds the NLL for now
			a, posterior := a[g], posterior[g]
			for i, f := range posterior {
				posterior[i] = a[i] - f
			}
		}
		gcSoftmaxes(whole, a, room.most[:n])
		gcSoftmaxes(part, posterior, room.most[:n])
		sums := sum[at*(1+m.groups):][:1+m.groups]
		value := 0.0 // in a register, as slopes below
		for i, v := range whole {
			value += v - part[i]
		}
		sums[0] = value
		for g := range p.columns {
			slopes, slope := 0.0, slope[g]
			for i, r := range posterior[g] {
				slopes += float64(r * slope[i])
			}
			sums[1+g] = slopes
		}
		for g := range last {
			factors := factors[(at*last+g)*n:][:n]
			for i, r := range posterior[g] {
				factors[i] = a[g][i] - r
			}
		}
	}
	x.TimesColumns(sum[len(points)*(1+m.groups):], factors)
}

// gcRoom is the memory of one worker.
type gcRoom struct {
	a, posterior, slope gcByGroup
	whole, part, most   [fit.BlockRows]float64

	products, factors []float64 // by row, point and group, and by point, group and row
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
