package linearmap

import (
	"context"
	"math"

	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// Problem is what the methods minimise that correct the scores of a network by
// a linear map: with x_i the k scores of row i,
//
//	mean over rows of -log softmax(x_i + D x_i + b)_{y_i} + sum of penalty theta^2
//
// over theta = (D, b). D is the diagonal of a matrix (k numbers) or a whole
// one (k x k, row-major). At theta = 0 the scores stay what they are. The
// first term is convex and every penalty is above 0, so there is one minimum.
//
// The scores are made anew from the logits in every pass: to keep them would
// cost twice the memory of the logits.
type Problem struct {
	scores  func(dst []float64, row []float32) // writes x of a row of logits
	Logits  data.Matrix                        // n x k
	labels  []int32
	full    bool      // D is a whole matrix
	Penalty []float64 // of each parameter, above 0
	Passes  float64   // reads of the whole set so far
	blocks  []linearBlock
}

// linearBlock is what a block of rows adds up to.
type linearBlock struct {
	value float64
	sums  []float64 // one for each parameter
	rows  linearRows
}

// linearRows are the rows of a block that are in work at a time: together they
// read the matrix once.
type linearRows struct {
	x, s [rowsAtOnce][]float64 // k scores each, as they were and corrected
}

const rowsAtOnce = 4

// linearWave is how many blocks are summed before they join the total: it
// bounds the memory for their sums and changes no bit.
const linearWave = 64

// New returns the problem on a labelled set. The caller fills penalty.
func New(set *data.Set, full bool, scores func(dst []float64, row []float32)) *Problem {
	k := set.Logits.Cols
	f := &Problem{
		scores: scores, Logits: set.Logits, labels: set.Labels, full: full,
		blocks: make([]linearBlock, min(linearWave, fit.NumBlocks(set.Logits.Rows))),
	}
	p := 2 * k
	if full {
		p = k*k + k
	}
	f.Penalty = make([]float64, p)
	for b := range f.blocks {
		f.blocks[b].sums = make([]float64, p)
		for r := range rowsAtOnce {
			f.blocks[b].rows.x[r], f.blocks[b].rows.s[r] = make([]float64, k), make([]float64, k)
		}
	}
	return f
}

// Penalise sets the penalties of a whole matrix and the offsets.
func (f *Problem) Penalise(diagonal, off, intercept float64) {
	k := f.Logits.Cols
	for c := range k {
		for j := range k {
			f.Penalty[c*k+j] = off
		}
		f.Penalty[c*k+c] = diagonal
		f.Penalty[k*k+c] = intercept
	}
}

// MatrixOf returns I + D and b of the parameters of a whole matrix.
func MatrixOf(theta []float64, k int) (w [][]float64, b []float64) {
	w = make([][]float64, k)
	for c := range w {
		w[c] = append([]float64(nil), theta[c*k:(c+1)*k]...)
		w[c][c]++
	}
	return w, append([]float64(nil), theta[k*k:]...)
}

// linearNear is the gradient at which minimise looks at the curvature again.
const linearNear = 1e-4

// linearSteps bounds the steps of minimise: networks needed some hundred, sets
// with logits of 10^4 can ask for more, and get a warning.
const linearSteps = 2000

// Tolerance is the gradient at which minimise ends, in units of parameters
// whose curvature is about 1.
const Tolerance = 1e-11

// Minimise moves theta, where it starts, to the minimum. It measures each
// parameter in units of 1/sqrt of its curvature, without which rare classes
// would need many more steps: first that at the start, then that near the end.
func (f *Problem) Minimise(ctx context.Context, theta []float64) (Descent, error) {
	return f.MinimiseTo(ctx, theta, Tolerance)
}

// MinimiseTo is minimise to another gradient.
func (f *Problem) MinimiseTo(ctx context.Context, theta []float64, tolerance float64) (Descent, error) {
	var end Descent
	unit, u := make([]float64, len(theta)), make([]float64, len(theta))
	at := make([]float64, len(theta))
	for _, tolerance := range []float64{linearNear, tolerance} {
		if _, err := f.Pass(ctx, theta, unit, true); err != nil {
			return Descent{}, err
		}
		for j := range unit {
			unit[j] = 1 / math.Sqrt(unit[j]+2*f.Penalty[j])
			u[j] = theta[j] / unit[j]
		}
		d, err := LBFGS(func(u, gradient []float64) (float64, error) {
			for j := range at {
				at[j] = float64(u[j] * unit[j])
			}
			value, err := f.Pass(ctx, at, gradient, false)
			for j, x := range at {
				value += float64(float64(f.Penalty[j]*x) * x)
				gradient[j] = float64((gradient[j] + float64(2*f.Penalty[j]*x)) * unit[j])
			}
			return value, err
		}, u, linearSteps-end.Steps, tolerance, 1e-14)
		if err != nil {
			return Descent{}, err
		}
		for j := range theta {
			theta[j] = float64(u[j] * unit[j])
		}
		end = Descent{d.value, d.Gradient, end.Steps + d.Steps}
	}
	return end, nil
}

// Pass returns the mean NLL at theta and writes its gradient or, with
// curvature, the diagonal of its Hessian.
func (f *Problem) Pass(ctx context.Context, theta, dst []float64, curvature bool) (float64, error) {
	f.Passes++
	n := f.Logits.Rows
	value := 0.0
	clear(dst)
	for start := 0; start < n; start += linearWave * fit.BlockRows {
		rows := min(linearWave*fit.BlockRows, n-start)
		err := fit.EachBlock(ctx, rows, func(block, lo, hi int) {
			f.block(&f.blocks[block], theta, start+lo, start+hi, curvature)
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

// block sums rows lo..hi-1. The derivative of a row in a score s_c is
// r = p_c - 1[c = y], its curvature p_c (1 - p_c); D and b multiply x and 1.
func (f *Problem) block(sum *linearBlock, theta []float64, lo, hi int, curvature bool) {
	sum.value = 0
	clear(sum.sums)
	k := f.Logits.Cols
	rows := &sum.rows
	for i := lo; i < hi; i += rowsAtOnce {
		m := min(rowsAtOnce, hi-i)
		for r := range m {
			f.scores(rows.x[r], f.Logits.Row(i+r))
		}
		for r := m; r < rowsAtOnce; r++ {
			clear(rows.x[r])
		}
		correct(rows, theta, f.full)
		for r := range rowsAtOnce {
			x, s := rows.x[r], rows.s[r]
			if r >= m {
				clear(s)
				continue
			}
			y := f.labels[i+r]
			own := s[y]
			sum.value += fit.ToSoftmax(s) - own
			if !curvature {
				s[y]--
				continue
			}
			for c, p := range s {
				s[c] = float64(p * (1 - p))
				x[c] = float64(x[c] * x[c])
			}
		}
		b := sum.sums[len(sum.sums)-k:]
		for r := range m {
			for c, v := range rows.s[r] {
				b[c] += v
				if !f.full {
					sum.sums[c] += float64(v * rows.x[r][c])
				}
			}
		}
		if f.full {
			addProducts(sum.sums[:k*k], &rows.s, &rows.x)
		}
	}
}

// correct writes s = x + D x + b for all rows at once.
func correct(rows *linearRows, theta []float64, full bool) {
	k := len(rows.x[0])
	b := theta[len(theta)-k:]
	if !full {
		for r, x := range rows.x {
			s := rows.s[r]
			for c, v := range x {
				s[c] = v + float64(theta[c]*v) + b[c]
			}
		}
		return
	}
	x0, x1, x2, x3 := rows.x[0], rows.x[1][:k], rows.x[2][:k], rows.x[3][:k]
	for c := range k {
		d := theta[c*k : (c+1)*k]
		var s0, s1, s2, s3 float64
		for j, v := range d {
			s0 += float64(v * x0[j])
			s1 += float64(v * x1[j])
			s2 += float64(v * x2[j])
			s3 += float64(v * x3[j])
		}
		rows.s[0][c] = x0[c] + s0 + b[c]
		rows.s[1][c] = x1[c] + s1 + b[c]
		rows.s[2][c] = x2[c] + s2 + b[c]
		rows.s[3][c] = x3[c] + s3 + b[c]
	}
}

// addProducts adds the products r x' of all rows to the k x k matrix dst.
func addProducts(dst []float64, r, x *[rowsAtOnce][]float64) {
	k := len(x[0])
	x0, x1, x2, x3 := x[0], x[1][:k], x[2][:k], x[3][:k]
	for c := range k {
		r0, r1, r2, r3 := r[0][c], r[1][c], r[2][c], r[3][c]
		d := dst[c*k : (c+1)*k]
		for j, v := range x0 {
			d[j] += (float64(r0*v) + float64(r1*x1[j])) + (float64(r2*x2[j]) + float64(r3*x3[j]))
		}
	}
}

// LogProbs writes log softmax(row).
func LogProbs(dst []float64, row []float32) {
	most := float64(row[fit.TopClass(row)])
	sum := 0.0
	for j, l := range row {
		dst[j] = float64(l) - most
		sum += softmax.Exp(dst[j])
	}
	log := softmax.Log(sum)
	for j := range dst {
		dst[j] -= log
	}
}
