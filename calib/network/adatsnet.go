package network

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"

	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

const (
	adatsLatent = 16   // dimensions of the code w
	adatsHead   = 128  // width of the temperature head
	adatsFloor  = 1e-3 // the least temperature and the least standard deviation
)

// adatsShape is the size of the network of adats: d features, layers of hidden
// and hidden/2 units, k classes.
type adatsShape struct{ Features, Hidden, Classes int }

// adatsNet is the network of adats, or a set of numbers, one for each of its parameters,
// as views into one vector. The parts that give a temperature come first in the
// vector, the parts for training alone after them.
type adatsNet struct {
	adatsShape
	encoder adatsStack // d -> hidden -> hidden/2 -> hidden/2
	mean    adatsDense // hidden/2 -> 16, of the code
	Std     adatsDense // hidden/2 -> 16, its softplus is the standard deviation of the code
	head    adatsStack // k -> 128 -> 128 -> 1
	prior   struct {
		mean, std []float32 // k x 16 each; softplus of std is the standard deviation
	}

	decoder adatsStack // 16 -> hidden -> hidden/2 -> hidden/2 -> d
}

// Net returns the views into flat, which holds the whole network, or only the parts
// that give a temperature.
func (s adatsShape) Net(flat []float32) *adatsNet {
	n := s.bare()
	take := func(size int) []float32 {
		part := flat[:size:size]
		flat = flat[size:]
		return part
	}
	n.each(func(l *adatsDense, in, out int) {
		*l = adatsDense{in, out, take(in * out), take(out)}
	}, func(table *[]float32) { *table = take(s.Classes * adatsLatent) }, len(flat) > s.Size(false))
	return n
}

// bare returns a network without its numbers.
func (s adatsShape) bare() *adatsNet {
	return &adatsNet{adatsShape: s, encoder: make(adatsStack, 3), head: make(adatsStack, 3), decoder: make(adatsStack, 4)}
}

// each calls layer and table for the parts in the order of the vector. It includes
// the parts for training alone if training is set.
func (n *adatsNet) each(layer func(l *adatsDense, in, out int), table func(*[]float32), training bool) {
	full, half := n.Hidden, n.Hidden/2
	layer(&n.encoder[0], n.Features, full)
	layer(&n.encoder[1], full, half)
	layer(&n.encoder[2], half, half)
	layer(&n.mean, half, adatsLatent)
	layer(&n.Std, half, adatsLatent)
	layer(&n.head[0], n.Classes, adatsHead)
	layer(&n.head[1], adatsHead, adatsHead)
	layer(&n.head[2], adatsHead, 1)
	table(&n.prior.mean)
	table(&n.prior.std)
	if !training {
		return
	}
	layer(&n.decoder[0], adatsLatent, full)
	layer(&n.decoder[1], full, half)
	layer(&n.decoder[2], half, half)
	layer(&n.decoder[3], half, n.Features)
}

// Size returns the number of parameters, with or without the parts for training alone.
func (s adatsShape) Size(training bool) int {
	total := 0
	s.bare().each(
		func(_ *adatsDense, in, out int) { total += (in + 1) * out },
		func(*[]float32) { total += s.Classes * adatsLatent }, training)
	return total
}

// adatsDense is a layer y = x W + b.
type adatsDense struct {
	in, out int
	W       []float32 // in x out
	B       []float32 // out
}

// forward writes the n x out outputs to y. The bits of a row of y do not depend on
// the other rows: gonum's product of two matrices that are not transposed adds the
// terms of each element one by one, in the order of the inputs, for any split of the
// work.
func (l *adatsDense) forward(y, x []float32, n int) {
	for i := range n {
		copy(y[i*l.out:(i+1)*l.out], l.B)
	}
	blas32.Gemm(blas.NoTrans, blas.NoTrans, 1, adatsGeneral(n, l.in, x), adatsGeneral(l.in, l.out, l.W), 1, adatsGeneral(n, l.out, y))
}

// backward adds the gradient in the parameters to grad and, unless dx is nil,
// writes the gradient in the inputs to dx. The split of these products depends
// on their sizes alone.
func (l *adatsDense) backward(grad *adatsDense, dx, dy, x []float32, n int) {
	for i := range n {
		for j, v := range dy[i*l.out : (i+1)*l.out] {
			grad.B[j] += v
		}
	}
	blas32.Gemm(blas.Trans, blas.NoTrans, 1, adatsGeneral(n, l.in, x), adatsGeneral(n, l.out, dy), 1, adatsGeneral(l.in, l.out, grad.W))
	if dx != nil {
		blas32.Gemm(blas.NoTrans, blas.Trans, 1, adatsGeneral(n, l.out, dy), adatsGeneral(l.in, l.out, l.W), 0, adatsGeneral(n, l.in, dx))
	}
}

// adatsStack is layers with elu between them.
type adatsStack []adatsDense

// forward writes the outputs of the layers for n rows of inputs x.
func (s adatsStack) forward(outs [][]float32, x []float32, n int) {
	for l := range s {
		s[l].forward(outs[l], x, n)
		x = outs[l]
		if l < len(s)-1 {
			adatsELU(x[:n*s[l].out])
		}
	}
}

// backward adds the gradient in the parameters to grad. The last of slopes has the
// gradient in the last of outs, which forward wrote; the gradients in the others are
// written to slopes and, unless dx is nil, that in the inputs to dx.
func (s adatsStack) backward(grad adatsStack, dx []float32, slopes, outs [][]float32, x []float32, n int) {
	for l := len(s) - 1; l > 0; l-- {
		s[l].backward(&grad[l], slopes[l-1], slopes[l], outs[l-1], n)
		adatsELUBack(slopes[l-1][:n*s[l].in], outs[l-1])
	}
	s[0].backward(&grad[0], dx, slopes[0], x, n)
}

// adatsRooms returns memory for a number of rows of each of some widths.
func adatsRooms(rows int, widths ...int) [][]float32 {
	all := make([][]float32, len(widths))
	for i, width := range widths {
		all[i] = make([]float32, rows*width)
	}
	return all
}

func adatsGeneral(rows, cols int, x []float32) blas32.General {
	return blas32.General{Rows: rows, Cols: cols, Stride: cols, Data: x[:rows*cols]}
}

// adatsELU replaces every x < 0 by e^x - 1.
func adatsELU(x []float32) {
	for i, v := range x {
		if v < 0 {
			x[i] = float32(softmax.Exp(float64(v)) - 1)
		}
	}
}

// adatsELUBack multiplies dy by the derivative of elu, given its values y. y has at least
// the length of dy.
func adatsELUBack(dy, y []float32) {
	for i, v := range y[:len(dy)] {
		if v < 0 {
			dy[i] *= v + 1
		}
	}
}

// adatsPass is the memory for computing the temperatures of n rows.
type adatsPass struct {
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
func (n *adatsNet) Pass(rows int) *adatsPass {
	code := adatsRooms(rows, adatsLatent, adatsLatent, adatsLatent, n.Classes)
	p := &adatsPass{
		n: rows, encoded: adatsRooms(rows, n.Hidden, n.Hidden/2, n.Hidden/2), head: adatsRooms(rows, adatsHead, adatsHead, 1),
		Mean: code[0], std: code[1], Code: code[2], density: code[3],
		inverse: make([]float32, n.Classes*adatsLatent), logNorm: make([]float32, n.Classes),
	}
	p.Trunk, p.Out = p.encoded[2], p.head[2]
	n.priors(p)
	return p
}

// Encode computes the trunk and the means of the codes from n rows of features.
func (n *adatsNet) Encode(p *adatsPass, features []float32) {
	n.encoder.forward(p.encoded, features, p.n)
	for i, v := range p.Trunk[:p.n*n.Hidden/2] {
		p.Trunk[i] = float32(fit.Softplus(float64(v)))
	}
	n.mean.forward(p.Mean, p.Trunk, p.n)
}

// Spread computes the standard deviations of the n codes, after Encode.
func (n *adatsNet) Spread(p *adatsPass) {
	n.Std.forward(p.std, p.Trunk, p.n)
	for i, v := range p.std[:p.n*adatsLatent] {
		p.std[i] = float32(adatsFloored(v))
	}
}

// Draw computes the n codes from the given standard-normal vector, which is the same
// for every row.
func (p *adatsPass) Draw(noise []float32) {
	for i := range p.n * adatsLatent {
		p.Code[i] = p.Mean[i] + float32(p.std[i]*noise[i%adatsLatent])
	}
}

// priors computes inverse and logNorm.
func (n *adatsNet) priors(p *adatsPass) {
	for c := range n.Classes {
		sum := 0.0
		for l := c * adatsLatent; l < (c+1)*adatsLatent; l++ {
			s := adatsFloored(n.prior.std[l])
			p.inverse[l] = float32(1 / float64(s*s))
			sum -= softmax.Log(s) + 0.5*math.Log(2*math.Pi)
		}
		p.logNorm[c] = float32(sum)
	}
}

// adatsFloored returns max(softplus(x), adatsFloor).
func adatsFloored(x float32) float64 { return max(fit.Softplus(float64(x)), adatsFloor) }

// Temper computes Out, the input of adatsTemperature, from n codes.
func (n *adatsNet) Temper(p *adatsPass, code []float32) {
	for i := range p.n {
		w := code[i*adatsLatent : (i+1)*adatsLatent]
		for c := range n.Classes {
			sum := float32(0)
			mean := n.prior.mean[c*adatsLatent : (c+1)*adatsLatent]
			inverse := p.inverse[c*adatsLatent : (c+1)*adatsLatent]
			for l, v := range w {
				e := v - mean[l]
				sum += float32(e * e * inverse[l])
			}
			p.density[i*n.Classes+c] = p.logNorm[c] - sum/2
		}
	}
	n.head.forward(p.head, p.density, p.n)
}

// adatsTemperature returns max(softplus(out), 1e-3), at most fit.MaxT. If float32
// overflowed to NaN on the way, it returns fit.MaxT.
func adatsTemperature(out float32) float64 {
	t := adatsFloored(out)
	if !(t < fit.MaxT) {
		return fit.MaxT
	}
	return t
}
