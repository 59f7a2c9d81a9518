package significance

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// BradleyTerry returns the strengths s of k methods in the model of Bradley and Terry
// (1952), in which method i beats method j with probability 1 / (1 + exp(s_j - s_i)).
// wins[i][j] is how often i beat j; a tie is half a win of both. The strengths are
// natural logarithms with mean 0, and maximise the likelihood.
//
// Every pair gets one more tie, since otherwise a method that always wins has no finite
// strength. The tie is an even prior that a few dozen comparisons outweigh. It is the only
// departure from maximum likelihood. start, if not nil, is where the solver starts.
//
// The solver is Newton's method. A step d is multiplied by log(1+b)/b, where b is the
// largest difference between two components of d: with it the method converges from
// every start (Sun and Tran-Dinh 2019). The steps of Hunter (2004) shrink long before
// the maximum where some pairs are nearly decided.
func BradleyTerry(wins [][]float64, start []float64) []float64 {
	const tie, enough, most = .5, 1e-10, 1000
	k := len(wins)
	s := make([]float64, k)
	copy(s, start)
	for range most {
		gradient, curvature := mat.NewVecDense(k, nil), mat.NewSymDense(k, nil)
		for i := range k {
			for j := range i + 1 {
				curvature.SetSym(i, j, 1) // s and s + c are equally likely; this fixes c
			}
		}
		for i := range k {
			for j := range i {
				n := wins[i][j] + wins[j][i] + 2*tie
				p, q := 1/(1+math.Exp(s[j]-s[i])), 1/(1+math.Exp(s[i]-s[j]))
				more, w := wins[i][j]+tie-n*p, n*p*q
				gradient.SetVec(i, gradient.AtVec(i)+more)
				gradient.SetVec(j, gradient.AtVec(j)-more)
				curvature.SetSym(i, i, curvature.At(i, i)+w)
				curvature.SetSym(j, j, curvature.At(j, j)+w)
				curvature.SetSym(i, j, curvature.At(i, j)-w)
			}
		}
		var factors mat.Cholesky
		var step mat.VecDense
		if !factors.Factorize(curvature) || factors.SolveVecTo(&step, gradient) != nil {
			break // only with strengths beyond all that the ties allow
		}
		d := step.RawVector().Data
		length := slices.Max(d) - slices.Min(d)
		if length == 0 {
			break
		}
		for i := range s {
			s[i] += d[i] * math.Log1p(length) / length
		}
		if length < enough {
			break
		}
	}
	floats.AddConst(-stat.Mean(s, nil), s)
	return s
}
