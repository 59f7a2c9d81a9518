package linear

import (
	"context"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/internal/kernel/linear"
)

const (
	// mostWhitened is the largest number of parameters that MinimiseWhitened whitens. A
	// Hessian of 200 parameters takes the time of ten passes.
	mostWhitened = 256

	// whitenedSteps is the number of steps after which the Hessian is computed again. Most
	// networks need fewer than ten.
	whitenedSteps = 20
)

// MinimiseWhitened is Minimise, in fewer passes for one D or a diagonal whose penalty is
// small: it measures parameters in units in which the Hessian at the start is the identity.
// With the Hessian U'U, theta = theta_0 + U^-1 u. The gradient of the result is in u. With more
// than 256 parameters it calls Minimise, because the Hessian would take longer.
func (f *matrixProblem) MinimiseWhitened(ctx context.Context, theta []float64) (end fit.Descent, err error) {
	if len(theta) > mostWhitened {
		return f.Minimise(ctx, theta)
	}
	p := len(theta)
	hessian, at, u := make([]float64, p*p), make([]float64, p), make([]float64, p)
	for end.Steps < maxSteps {
		if _, err := f.pass(ctx, theta, hessian, f.addHessian); err != nil {
			return end, err
		}
		for j, penalty := range f.Penalty {
			hessian[j*p+j] += 2 * penalty
		}
		var factors mat.Cholesky
		if !factors.Factorize(mat.NewSymDense(p, hessian)) {
			d, err := f.Minimise(ctx, theta)
			d.Steps += end.Steps
			return d, err
		}
		upper := factors.RawU().(*mat.TriDense).RawTriangular()
		parameters := func(u []float64) []float64 {
			copy(at, u)
			blas64.Trsv(blas.NoTrans, upper, blas64.Vector{N: p, Data: at, Inc: 1})
			linear.Line(at, at, theta, 1)
			return at
		}
		clear(u)
		d, err := fit.LBFGS(ctx, func(u, gradient []float64) (float64, error) {
			value, err := f.penalised(ctx, parameters(u), gradient)
			blas64.Trsv(blas.Trans, upper, blas64.Vector{N: p, Data: gradient, Inc: 1})
			return value, err
		}, u, fit.Stop{Steps: whitenedSteps, Evaluations: 10 * whitenedSteps, Gradient: tolerance})
		if err != nil {
			return end, err
		}
		copy(theta, parameters(u))
		end = fit.Descent{Value: d.Value, Gradient: d.Gradient, Steps: end.Steps + d.Steps}
		if d.Gradient <= tolerance || d.Steps < whitenedSteps {
			break
		}
	}
	return end, nil
}

// addHessian adds the Hessian of the NLL, row-major. With J the derivatives of the scores
// of a row in the parameters, it is the sum over rows of J' (diag(p) - p p') J.
func (f *matrixProblem) addHessian(m *problemBlock, x, s []float64, lo, hi int) {
	k, n, p := f.Logits.Cols, hi-lo, len(f.Penalty)
	jp := make([]float64, p*n) // J'p of the rows, transposed
	for c := range k {
		slope, offset := c, p-k+c
		if f.shared {
			slope = 0
		}
		ofSlope, ofOffset := jp[slope*n:(slope+1)*n], jp[offset*n:(offset+1)*n]
		bb, db, dd := 0., 0., 0.
		for i := range n {
			q, x := s[i*k+c], x[i*k+c]
			qx := float64(q * x)
			ofSlope[i] += qx
			ofOffset[i] = q
			bb, db, dd = bb+q, db+qx, dd+float64(qx*x)
		}
		m.sums[slope*p+slope] += dd
		m.sums[slope*p+offset] += db
		m.sums[offset*p+offset] += bb
	}
	product := make([]float64, p*p)
	linear.Pack(jp, p, n).Times(product, jp)
	linear.Line(m.sums, m.sums, product, -1)
}
