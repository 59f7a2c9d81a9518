package vae

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"

	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

const (
	Latent     = 16   // dimensions of the code w
	adatsHead  = 128  // width of the temperature head
	adatsFloor = 1e-3 // the least temperature and the least standard deviation
)

// Shape is the size of the network of adats: d features, layers of hidden
// and hidden/2 units, k classes.
type Shape struct{ Features, Hidden, Classes int }

// Net is the network of adats, or a set of numbers, one for each of its parameters,
// as views into one vector. The parts that give a temperature come first in the
// vector, the parts for training alone after them.
type Net struct {
	Shape
	encoder stack // d -> hidden -> hidden/2 -> hidden/2
	mean    dense // hidden/2 -> 16, of the code
	Std     dense // hidden/2 -> 16, its softplus is the standard deviation of the code
	head    stack // k -> 128 -> 128 -> 1
	prior   struct {
		mean, std []float32 // k x 16 each; softplus of std is the standard deviation
	}

	decoder stack // 16 -> hidden -> hidden/2 -> hidden/2 -> d
}

// Net returns the views into flat, which holds the whole network, or only the parts
// that give a temperature.
func (s Shape) Net(flat []float32) *Net {
	n := s.bare()
	take := func(size int) []float32 {
		part := flat[:size:size]
		flat = flat[size:]
		return part
	}
	n.each(func(l *dense, in, out int) {
		*l = dense{in, out, take(in * out), take(out)}
	}, func(table *[]float32) { *table = take(s.Classes * Latent) }, len(flat) > s.Size(false))
	return n
}

// bare returns a network without its numbers.
func (s Shape) bare() *Net {
	return &Net{Shape: s, encoder: make(stack, 3), head: make(stack, 3), decoder: make(stack, 4)}
}

// each calls layer and table for the parts in the order of the vector. It includes
// the parts for training alone if training is set.
func (n *Net) each(layer func(l *dense, in, out int), table func(*[]float32), training bool) {
	full, half := n.Hidden, n.Hidden/2
	layer(&n.encoder[0], n.Features, full)
	layer(&n.encoder[1], full, half)
	layer(&n.encoder[2], half, half)
	layer(&n.mean, half, Latent)
	layer(&n.Std, half, Latent)
	layer(&n.head[0], n.Classes, adatsHead)
	layer(&n.head[1], adatsHead, adatsHead)
	layer(&n.head[2], adatsHead, 1)
	table(&n.prior.mean)
	table(&n.prior.std)
	if !training {
		return
	}
	layer(&n.decoder[0], Latent, full)
	layer(&n.decoder[1], full, half)
	layer(&n.decoder[2], half, half)
	layer(&n.decoder[3], half, n.Features)
}

// Size returns the number of parameters, with or without the parts for training alone.
func (s Shape) Size(training bool) int {
	total := 0
	s.bare().each(
		func(_ *dense, in, out int) { total += (in + 1) * out },
		func(*[]float32) { total += s.Classes * Latent }, training)
	return total
}

// dense is a layer y = x W + b.
type dense struct {
	in, out int
	W       []float32 // in x out
	B       []float32 // out
}

// forward writes the n x out outputs to y. The bits of a row of y do not depend on
// the other rows: gonum's product of two matrices that are not transposed adds the
// terms of each element one by one, in the order of the inputs, for any split of the
// work.
func (l *dense) forward(y, x []float32, n int) {
	for i := range n {
		copy(y[i*l.out:(i+1)*l.out], l.B)
	}
	blas32.Gemm(blas.NoTrans, blas.NoTrans, 1, general(n, l.in, x), general(l.in, l.out, l.W), 1, general(n, l.out, y))
}

// backward adds the gradient in the parameters to grad and, unless dx is nil,
// writes the gradient in the inputs to dx. The split of these products depends
// on their sizes alone.
func (l *dense) backward(grad *dense, dx, dy, x []float32, n int) {
	for i := range n {
		for j, v := range dy[i*l.out : (i+1)*l.out] {
			grad.B[j] += v
		}
	}
	blas32.Gemm(blas.Trans, blas.NoTrans, 1, general(n, l.in, x), general(n, l.out, dy), 1, general(l.in, l.out, grad.W))
	if dx != nil {
		blas32.Gemm(blas.NoTrans, blas.Trans, 1, general(n, l.out, dy), general(l.in, l.out, l.W), 0, general(n, l.in, dx))
	}
}

// stack is layers with elu between them.
type stack []dense

// forward writes the outputs of the layers for n rows of inputs x.
func (s stack) forward(outs [][]float32, x []float32, n int) {
	for l := range s {
		s[l].forward(outs[l], x, n)
		x = outs[l]
		if l < len(s)-1 {
			elu(x[:n*s[l].out])
		}
	}
}

// backward adds the gradient in the parameters to grad. The last of slopes has the
// gradient in the last of outs, which forward wrote; the gradients in the others are
// written to slopes and, unless dx is nil, that in the inputs to dx.
func (s stack) backward(grad stack, dx []float32, slopes, outs [][]float32, x []float32, n int) {
	for l := len(s) - 1; l > 0; l-- {
		s[l].backward(&grad[l], slopes[l-1], slopes[l], outs[l-1], n)
		eluBack(slopes[l-1][:n*s[l].in], outs[l-1])
	}
	s[0].backward(&grad[0], dx, slopes[0], x, n)
}

// rooms returns memory for a number of rows of each of some widths.
func rooms(rows int, widths ...int) [][]float32 {
	all := make([][]float32, len(widths))
	for i, width := range widths {
		all[i] = make([]float32, rows*width)
	}
	return all
}

func general(rows, cols int, x []float32) blas32.General {
	return blas32.General{Rows: rows, Cols: cols, Stride: cols, Data: x[:rows*cols]}
}

// elu replaces every x < 0 by e^x - 1.
func elu(x []float32) {
	for i, v := range x {
		if v < 0 {
			x[i] = float32(softmax.Exp(float64(v)) - 1)
		}
	}
}

// eluBack multiplies dy by the derivative of elu, given its values y. y has at least
// the length of dy.
func eluBack(dy, y []float32) {
	for i, v := range y[:len(dy)] {
		if v < 0 {
			dy[i] *= v + 1
		}
	}
}

// Pass is the memory for computing the temperatures of n rows.
type Pass struct {
	n                int
	encoded          [][]float32 // n x hidden, n x hidden/2 and Trunk
	Trunk            []float32   // n x hidden/2
	Mean, std        []float32   // n x 16, of the code; std only after Spread
	Code             []float32   // n x 16, a draw
	density          []float32   // n x k, log densities of the code under the priors
	head             [][]float32 // n x 128 twice, and Out
	Out              []float32   // n
	inverse, logNorm []float32   // of the priors: 1/std^2, k x 16, and minus the log of the normaliser, k
}

// Pass returns the memory for the given number of rows, and computes the priors.
func (n *Net) Pass(rows int) *Pass {
	code := rooms(rows, Latent, Latent, Latent, n.Classes)
	p := &Pass{
		n: rows, encoded: rooms(rows, n.Hidden, n.Hidden/2, n.Hidden/2), head: rooms(rows, adatsHead, adatsHead, 1),
		Mean: code[0], std: code[1], Code: code[2], density: code[3],
		inverse: make([]float32, n.Classes*Latent), logNorm: make([]float32, n.Classes),
	}
	p.Trunk, p.Out = p.encoded[2], p.head[2]
	n.priors(p)
	return p
}

// Encode computes the trunk and the means of the codes from n rows of features.
func (n *Net) Encode(p *Pass, features []float32) {
	n.encoder.forward(p.encoded, features, p.n)
	for i, v := range p.Trunk[:p.n*n.Hidden/2] {
		p.Trunk[i] = float32(fit.Softplus(float64(v)))
	}
	n.mean.forward(p.Mean, p.Trunk, p.n)
}

// Spread computes the standard deviations of the n codes, after Encode.
func (n *Net) Spread(p *Pass) {
	n.Std.forward(p.std, p.Trunk, p.n)
	for i, v := range p.std[:p.n*Latent] {
		p.std[i] = float32(floored(v))
	}
}

// Draw computes the n codes from the given standard-normal vector, which is the same
// for every row.
func (p *Pass) Draw(noise []float32) {
	for i := range p.n * Latent {
		p.Code[i] = p.Mean[i] + float32(p.std[i]*noise[i%Latent])
	}
}

// priors computes inverse and logNorm.
func (n *Net) priors(p *Pass) {
	for c := range n.Classes {
		sum := 0.0
		for l := c * Latent; l < (c+1)*Latent; l++ {
			s := floored(n.prior.std[l])
			p.inverse[l] = float32(1 / float64(s*s))
			sum -= softmax.Log(s) + 0.5*math.Log(2*math.Pi)
		}
		p.logNorm[c] = float32(sum)
	}
}

// floored returns max(softplus(x), adatsFloor).
func floored(x float32) float64 { return max(fit.Softplus(float64(x)), adatsFloor) }

// Temper computes Out, the input of TemperatureOf, from n codes.
func (n *Net) Temper(p *Pass, code []float32) {
	for i := range p.n {
		w := code[i*Latent : (i+1)*Latent]
		for c := range n.Classes {
			sum := float32(0)
			mean := n.prior.mean[c*Latent : (c+1)*Latent]
			inverse := p.inverse[c*Latent : (c+1)*Latent]
			for l, v := range w {
				e := v - mean[l]
				sum += float32(e * e * inverse[l])
			}
			p.density[i*n.Classes+c] = p.logNorm[c] - sum/2
		}
	}
	n.head.forward(p.head, p.density, p.n)
}

// TemperatureOf returns max(softplus(out), 1e-3), at most fit.MaxT. If float32
// overflowed to NaN on the way, it returns fit.MaxT.
func TemperatureOf(out float32) float64 {
	t := floored(out)
	if !(t < fit.MaxT) {
		return fit.MaxT
	}
	return t
}
