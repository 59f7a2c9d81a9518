package linear

import (
	"context"
	"math"
	"slices"

	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/linear"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// matrixProblem is the fit of a linear map of the scores of a network: with x_i the k
// scores of row i, it minimises
//
//	mean over rows of -log softmax(x_i + D x_i + b)_{y_i} + sum of penalty theta^2
//
// over theta = (D, b). D is the diagonal of a matrix (k numbers), one number for all
// classes, or a full matrix (k x k, row-major). At theta = 0 the scores are unchanged.
// The first term is convex and every penalty is above 0, so there is one minimum.
//
// For a full matrix the scores are kept, twice n k float64. For a diagonal they are kept up
// to 32 MB, and otherwise computed from the logits in every pass, since k may be large.
type matrixProblem struct {
	scores  func(dst []float64, row []float32) // writes x of a row of logits
	kept    []float64                          // n x k, x of all rows; nil if they are computed in every pass
	columns []*linear.Packed                   // kept by block, transposed for products with residuals; nil for a diagonal
	Logits  data.Matrix                        // n x k
	labels  []int32
	shared  bool      // D is one number
	Penalty []float64 // of each parameter, above 0
	Passes  float64   // reads of the whole set so far
	Most    float64   // a descent ends early when Passes reaches this; it makes two evaluations in any case
	blocks  []problemBlock
}

// problemBlock is the memory for the rows of a block.
type problemBlock struct {
	value float64
	sums  []float64 // of the derivatives
	x, s  []float64 // BlockRows x k: the scores before and after the map
	turn  []float64 // s, or the derivatives of the scores, transposed
	moved []float64 // k: x + b of a row

	own, most, logs []float64 // BlockRows: the score of the label, the largest, and log sum exp(score - largest)
}

// wave is the number of blocks that are summed before they are added to the total. It
// limits the memory for their sums and changes no bit.
const wave = 64

// mostKept is the largest number of scores that are kept for a diagonal.
const mostKept = 1 << 22

// newProblem returns the problem on a labelled set. The caller fills Penalty.
func newProblem(set *data.Set, full bool, scores func(dst []float64, row []float32)) *matrixProblem {
	n, k := set.Logits.Rows, set.Logits.Cols
	f := &matrixProblem{
		scores: scores, Logits: set.Logits, labels: set.Labels, Most: math.Inf(1),
		blocks: make([]problemBlock, min(wave, fit.NumBlocks(n))),
	}
	if full || n*k <= mostKept {
		f.kept = make([]float64, n*k)
		for i := range n {
			scores(f.kept[i*k:(i+1)*k], set.Logits.Row(i))
		}
	}
	p := 2 * k
	if full {
		p = k*k + k
		turned := make([]float64, fit.BlockRows*k)
		for lo := 0; lo < n; lo += fit.BlockRows {
			hi := min(lo+fit.BlockRows, n)
			transpose(turned, f.kept[lo*k:hi*k], hi-lo, k)
			f.columns = append(f.columns, linear.Pack(turned[:k*(hi-lo)], k, hi-lo))
		}
	}
	f.Penalty = make([]float64, p)
	for b := range f.blocks {
		m := &f.blocks[b]
		m.x, m.s = make([]float64, fit.BlockRows*k), make([]float64, fit.BlockRows*k)
		m.own, m.most, m.logs = make([]float64, fit.BlockRows), make([]float64, fit.BlockRows), make([]float64, fit.BlockRows)
		m.moved = make([]float64, k)
		if full {
			m.turn = make([]float64, fit.BlockRows*k)
		}
	}
	return f
}

// newSharedProblem returns the problem with one D for all classes.
func newSharedProblem(set *data.Set, scores func(dst []float64, row []float32)) *matrixProblem {
	f := newProblem(set, false, scores)
	f.shared = true
	f.Penalty = f.Penalty[:1+set.Logits.Cols]
	return f
}

// Penalise sets the penalties of a full matrix and of the offsets.
func (f *matrixProblem) Penalise(diagonal, off, intercept float64) {
	k := f.Logits.Cols
	for c := range k {
		for j := range k {
			f.Penalty[c*k+j] = off
		}
		f.Penalty[c*k+c] = diagonal
		f.Penalty[k*k+c] = intercept
	}
}

// matrixOf returns I + D and b of the parameters of a full matrix.
func matrixOf(theta []float64, k int) (w [][]float64, b []float64) {
	w = make([][]float64, k)
	for c := range w {
		w[c] = append([]float64(nil), theta[c*k:(c+1)*k]...)
		w[c][c]++
	}
	return w, append([]float64(nil), theta[k*k:]...)
}

const (
	// problemNear is the gradient at which Minimise computes the curvature again.
	problemNear = 1e-4

	// maxSteps limits the steps of Minimise with one set of units. Networks needed
	// some hundred; one with logits of very different sizes needed 2,371 in all.
	// Beyond it a fit gets a warning.
	maxSteps = 2000

	// maxEvaluations limits the evaluations with one set of units. A step takes between
	// one and two of them.
	maxEvaluations = 2 * maxSteps

	// tolerance is the gradient at which Minimise ends, in units of parameters
	// whose curvature is about 1. Below it the value no longer changes in float64.
	tolerance = 1e-7
)

// Minimise starts at theta and overwrites it with the minimum.
func (f *matrixProblem) Minimise(ctx context.Context, theta []float64) (fit.Descent, error) {
	return f.MinimiseTo(ctx, theta, tolerance, nil)
}

// MinimiseTo is Minimise to another gradient. It measures each parameter in units of
// 1/sqrt of its curvature, because otherwise rare classes would need many more steps.
// The curvature is computed at the start and, for a tolerance below near, again at the
// gradient near, unless theta has not moved. If enough is not nil, it is called after
// each step, and the descent ends if it returns true.
func (f *matrixProblem) MinimiseTo(ctx context.Context, theta []float64, tolerance float64, enough func(theta []float64) bool) (fit.Descent, error) {
	var end fit.Descent
	unit, u := make([]float64, len(theta)), make([]float64, len(theta))
	at := make([]float64, len(theta))
	targets := []float64{problemNear, tolerance}
	if tolerance >= problemNear {
		targets = targets[1:]
	}
	// parameters writes theta of u to at.
	parameters := func(u []float64) []float64 {
		for j := range at {
			at[j] = float64(u[j] * unit[j])
		}
		return at
	}
	ended := false
	stop := func(u []float64) bool {
		ended = enough != nil && enough(parameters(u))
		return ended
	}
	for i, tolerance := range targets {
		if ended {
			break
		}
		if i == 0 || end.Steps > 0 {
			if _, err := f.Pass(ctx, theta, unit, true); err != nil {
				return fit.Descent{}, err
			}
			for j := range unit {
				unit[j] = 1 / math.Sqrt(unit[j]+2*f.Penalty[j])
				u[j] = theta[j] / unit[j]
			}
		}
		d, err := fit.LBFGS(ctx, func(u, gradient []float64) (float64, error) {
			value, err := f.penalised(ctx, parameters(u), gradient)
			for j := range gradient {
				gradient[j] *= unit[j]
			}
			return value, err
		}, u, fit.Stop{Steps: maxSteps, Evaluations: int(min(maxEvaluations, f.Most-f.Passes)), Gradient: tolerance, Enough: stop})
		if err != nil {
			return fit.Descent{}, err
		}
		copy(theta, parameters(u))
		end = fit.Descent{Value: d.Value, Gradient: d.Gradient, Steps: end.Steps + d.Steps}
	}
	return end, nil
}

// penalised returns the objective at theta and writes its gradient.
func (f *matrixProblem) penalised(ctx context.Context, theta, gradient []float64) (float64, error) {
	value, err := f.Pass(ctx, theta, gradient, false)
	for j, x := range theta {
		value += float64(float64(f.Penalty[j]*x) * x)
		gradient[j] += float64(2 * f.Penalty[j] * x)
	}
	return value, err
}

// Pass returns the mean NLL at theta. It writes to dst its gradient or, if curvature is
// set, the diagonal of its Hessian. If dst is nil, it computes the mean NLL alone.
func (f *matrixProblem) Pass(ctx context.Context, theta, dst []float64, curvature bool) (float64, error) {
	return f.pass(ctx, theta, dst, func(m *problemBlock, x, s []float64, lo, hi int) { f.derive(m, x, s, lo, hi, curvature) })
}

// pass returns the mean NLL at theta and, unless dst is nil, the means of the derivatives
// that derive adds to the sums of a block.
func (f *matrixProblem) pass(ctx context.Context, theta, dst []float64, derive derivatives) (float64, error) {
	f.Passes++
	n, k := f.Logits.Rows, f.Logits.Cols
	var matrix *linear.Packed
	if f.columns != nil {
		matrix = linear.Pack(theta[:k*k], k, k)
	}
	value := 0.0
	clear(dst)
	for start := 0; start < n; start += wave * fit.BlockRows {
		rows := min(wave*fit.BlockRows, n-start)
		err := fit.EachBlock(ctx, rows, func(block, lo, hi int) {
			m := &f.blocks[block]
			x := f.sum(m, theta, matrix, start+lo, start+hi)
			if m.sums = slices.Grow(m.sums[:0], len(dst))[:len(dst)]; dst != nil {
				clear(m.sums)
				derive(m, x, m.s[:len(x)], start+lo, start+hi)
			}
		})
		if err != nil {
			return 0, err
		}
		for b := range fit.NumBlocks(rows) {
			value += f.blocks[b].value
			for j, v := range f.blocks[b].sums {
				dst[j] += v
			}
		}
	}
	for j := range dst {
		dst[j] /= float64(n)
	}
	return value / float64(n), nil
}

// sum adds up the NLL of rows lo..hi-1. It returns their scores x, and leaves their
// probabilities in m.s.
func (f *matrixProblem) sum(m *problemBlock, theta []float64, matrix *linear.Packed, lo, hi int) []float64 {
	k, n := f.Logits.Cols, hi-lo
	s, x := m.s[:n*k], m.x[:n*k]
	if f.kept != nil {
		x = f.kept[lo*k : hi*k]
	} else {
		for i := range n {
			f.scores(x[i*k:(i+1)*k], f.Logits.Row(lo+i))
		}
	}
	if matrix != nil {
		matrix.Times(s, x)
	}
	b := theta[len(theta)-k:]
	own, most, logs := m.own[:n], m.most[:n], m.logs[:n]
	for i := range n {
		x, s := x[i*k:(i+1)*k], s[i*k:(i+1)*k]
		var top int
		if f.shared {
			top = linear.Line(s, b, x, 1+theta[0])
		} else {
			linear.Line(m.moved, x, b, 1)
			if matrix == nil {
				for c, v := range theta[:k] {
					s[c] = float64(v * x[c])
				}
			}
			top = linear.Line(s, s, m.moved, 1)
		}
		own[i], most[i] = s[f.labels[lo+i]], s[top]
	}
	fit.ShiftedSoftmaxes(s, k, most, logs)
	softmax.Logs(logs, logs)
	m.value = 0
	for i, log := range logs {
		m.value += most[i] + log - own[i]
	}
	return x
}

// derivatives adds derivatives of rows lo..hi-1 to m.sums. The rows have the scores x and
// the probabilities s, which it may overwrite.
type derivatives func(m *problemBlock, x, s []float64, lo, hi int)

// derive adds the gradient or the diagonal of the Hessian. The derivative of a row in a
// score s_c is r = p_c - 1[c = y], its curvature p_c (1 - p_c); D and b multiply x and 1.
// The curvature of a shared D leaves out the products of classes; it is only a unit.
func (f *matrixProblem) derive(m *problemBlock, x, s []float64, lo, hi int, curvature bool) {
	k, n := f.Logits.Cols, hi-lo
	if curvature {
		squares := m.x[:n*k]
		for j, p := range s {
			s[j] = float64(p * (1 - p))
			squares[j] = float64(x[j] * x[j])
		}
		x = squares
	} else {
		for i, y := range f.labels[lo:hi] {
			s[i*k+int(y)]--
		}
	}
	offsets := m.sums[len(m.sums)-k:]
	for i := range n {
		x, s := x[i*k:(i+1)*k], s[i*k:(i+1)*k]
		linear.Line(offsets, offsets, s, 1)
		switch {
		case f.columns != nil:
		case f.shared:
			m.sums[0] += linear.Inner(s, x)
		default:
			for c, v := range s {
				m.sums[c] += float64(v * x[c])
			}
		}
	}
	if f.columns != nil {
		transpose(m.turn, s, n, k)
		columns := f.columns[lo/fit.BlockRows]
		if curvature {
			squares := make([]float64, k*n)
			transpose(squares, x, n, k)
			columns = linear.Pack(squares, k, n)
		}
		columns.Times(m.sums[:k*k], m.turn[:k*n])
	}
}

// transpose writes the n x k matrix x as k x n.
func transpose(dst, x []float64, n, k int) {
	const tile = 8 // float64 in a cache line
	for i0 := 0; i0 < n; i0 += tile {
		i1 := min(i0+tile, n)
		for c := range k {
			for i := i0; i < i1; i++ {
				dst[c*n+i] = x[i*k+c]
			}
		}
	}
}
