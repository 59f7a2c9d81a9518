package network

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// adatsBatch is a minibatch: n rows of standardised features, of logits and labels, with
// the classes as the network numbers them, and of two draws of standard normal noise.
type adatsBatch struct {
	N        int
	Features []float32    // n x d
	Logits   []float32    // n x k
	Labels   []int        // n
	Noise    [2][]float32 // n x 16 each
}

// adatsTrainer holds the parameters, their gradient, and the memory for a batch.
type adatsTrainer struct {
	net, grad *adatsNet
	Flat      []float32 // the parameters
	flatGrad  []float32
	pass      *adatsPass

	stdIn, std []float32    // rows x 16: input of the softplus, and the standard deviation
	code       [2][]float32 // rows x 16
	decoded    [][]float32  // rows x hidden, hidden/2, hidden/2, d
	moments    []softmax.Moments
	scale      []float64

	// gradients in the values of the same names
	dEncoded, dHead, dDecoded [][]float32
	dMean, dStd               []float32
	dDensity, dOut            []float32 // dOut is the last of dHead
	dCode                     [2][]float32

	moment1, moment2 []float32 // of Adam
	steps            int       // so far
}

// newAdatsTrainer returns a trainer for minibatches of up to rows rows, with randomly drawn
// parameters.
func newAdatsTrainer(shape adatsShape, rows int, rng *rand.Rand) *adatsTrainer {
	size := shape.Size(true)
	t := &adatsTrainer{
		Flat: make([]float32, size), flatGrad: make([]float32, size),
		moment1: make([]float32, size), moment2: make([]float32, size),
		moments: make([]softmax.Moments, rows), scale: make([]float64, rows),
	}
	t.net, t.grad = shape.Net(t.Flat), shape.Net(t.flatGrad)
	t.net.initialise(rng)
	t.pass = t.net.Pass(rows)
	full, half := shape.Hidden, shape.Hidden/2
	code := adatsRooms(rows, adatsLatent, adatsLatent, adatsLatent, adatsLatent, adatsLatent, adatsLatent, adatsLatent, adatsLatent)
	t.stdIn, t.std, t.dMean, t.dStd = code[0], code[1], code[2], code[3]
	t.code, t.dCode = [2][]float32(code[4:6]), [2][]float32(code[6:8])
	t.decoded, t.dDecoded = adatsRooms(rows, full, half, half, shape.Features), adatsRooms(rows, full, half, half, shape.Features)
	t.dEncoded, t.dHead = adatsRooms(rows, full, half, half), adatsRooms(rows, adatsHead, adatsHead, 1)
	t.dDensity, t.dOut = make([]float32, rows*shape.Classes), t.dHead[2]
	return t
}

// initialise draws every parameter uniformly from (-1, 1)/sqrt(inputs), as torch does
// for its layers. A table of the priors has k inputs.
func (n *adatsNet) initialise(rng *rand.Rand) {
	fill := func(x []float32, inputs int) {
		bound := 1 / math.Sqrt(float64(inputs))
		for i := range x {
			x[i] = float32(bound * (2*rng.Float64() - 1))
		}
	}
	n.each(func(l *adatsDense, in, _ int) {
		fill(l.W, in)
		fill(l.B, in)
	}, func(table *[]float32) { fill(*table, n.Classes) }, true)
}

// loss returns the mean loss of a batch and leaves its gradient in flatGrad:
//
//	-log p(h | w_1) + KL(q(w | h) || p(w | y)) + NLL of softmax(l / T(w_2)),
//
// where q is normal with the mean and the standard deviation of the encoder,
// w_1 and w_2 are drawn from it, p(w | y) is the normal prior of the class,
// and p(h | w) has independent Laplace factors of scale 1 around the output of
// the decoder.
func (t *adatsTrainer) loss(b *adatsBatch) float64 {
	clear(t.flatGrad)
	net, p, n := t.net, t.pass, b.N
	p.n = n
	net.priors(p)
	net.Encode(p, b.Features)
	net.Std.forward(t.stdIn, p.Trunk, n)
	for i := range n * adatsLatent {
		t.std[i] = float32(adatsFloored(t.stdIn[i]))
		for d := range t.code {
			t.code[d][i] = p.Mean[i] + float32(t.std[i]*b.Noise[d][i])
		}
	}
	total := t.reconstruct(b) + t.temperatures(b)
	for i := range n * adatsLatent {
		t.dMean[i] = t.dCode[0][i] + t.dCode[1][i]
		t.dStd[i] = float32(t.dCode[0][i]*b.Noise[0][i]) + float32(t.dCode[1][i]*b.Noise[1][i])
	}
	total += t.divergence(b)
	for i := range n * adatsLatent {
		t.dStd[i] *= adatsFlooredSlope(t.stdIn[i])
	}
	t.encoderBack(b)
	return total / float64(n)
}

// adatsFlooredSlope returns the derivative of floored.
func adatsFlooredSlope(x float32) float32 {
	if fit.Softplus(float64(x)) <= adatsFloor {
		return 0
	}
	return float32(fit.Sigmoid(float64(x)))
}

// reconstruct returns the sum of -log p(h | w_1) and computes the gradient in w_1 and
// the decoder.
func (t *adatsTrainer) reconstruct(b *adatsBatch) float64 {
	net, n := t.net, b.N
	net.decoder.forward(t.decoded, t.code[0], n)
	total := float64(n*net.Features) * math.Ln2
	dOut := t.dDecoded[3]
	for i, h := range b.Features[:n*net.Features] {
		e := t.decoded[3][i] - h
		total += math.Abs(float64(e))
		dOut[i] = 0
		if e != 0 {
			dOut[i] = float32(math.Copysign(1/float64(n), float64(e)))
		}
	}
	net.decoder.backward(t.grad.decoder, t.dCode[0], t.dDecoded, t.decoded, t.code[0], n)
	return total
}

// temperatures returns the sum of the NLL at T(w_2) and computes the gradient in w_2,
// the temperature head and the priors.
func (t *adatsTrainer) temperatures(b *adatsBatch) float64 {
	net, p, n := t.net, t.pass, b.N
	net.Temper(p, t.code[1])
	for i := range n {
		t.scale[i] = 1 / adatsTemperature(p.Out[i])
	}
	softmax.Rows(t.moments[:n], b.Logits[:n*net.Classes], net.Classes, t.scale[:n])
	total := 0.0
	for i := range n {
		m, scale := &t.moments[i], t.scale[i]
		label := b.Logits[i*net.Classes+b.Labels[i]]
		total += m.NLL(scale, label)
		t.dOut[i] = float32(-scale*scale*m.Slope(label)/float64(n)) * adatsFlooredSlope(p.Out[i])
	}
	net.head.backward(t.grad.head, t.dDensity, t.dHead, p.head, p.density, n)
	t.densityBack(n)
	return total
}

// densityBack computes the gradient in w_2 and the priors from that in the log
// densities.
func (t *adatsTrainer) densityBack(n int) {
	net, p := t.net, t.pass
	clear(t.dCode[1])
	for c := range net.Classes {
		lo, hi := c*adatsLatent, (c+1)*adatsLatent
		mean, inverse := net.prior.mean[lo:hi], p.inverse[lo:hi]
		dMean := t.grad.prior.mean[lo:hi]
		var dStd [adatsLatent]float32 // times the standard deviation
		for i := range n {
			g := t.dDensity[i*net.Classes+c]
			w, dw := t.code[1][i*adatsLatent:], t.dCode[1][i*adatsLatent:]
			for l := range adatsLatent {
				e := w[l] - mean[l]
				v := float32(e * inverse[l])
				gv := float32(g * v)
				dw[l] -= gv
				dMean[l] += gv
				dStd[l] += float32(gv*e) - g
			}
		}
		for l, v := range dStd {
			x := net.prior.std[lo+l]
			t.grad.prior.std[lo+l] += v / float32(adatsFloored(x)) * adatsFlooredSlope(x)
		}
	}
}

// divergence returns the sum of KL(q || p(w | y)) and adds its gradient to
// dMean, dStd and the priors.
func (t *adatsTrainer) divergence(b *adatsBatch) float64 {
	net, p := t.net, t.pass
	total, n := 0.0, float64(b.N)
	for i := range b.N {
		for l := range adatsLatent {
			at, of := i*adatsLatent+l, b.Labels[i]*adatsLatent+l
			x := net.prior.std[of]
			s, q := adatsFloored(x), float64(t.std[at])
			e := float64(p.Mean[at]) - float64(net.prior.mean[of])
			square := (float64(q*q) + float64(e*e)) / (s * s)
			total += softmax.Log(s/q) + square/2 - 0.5
			toMean := float32(e / (s * s) / n)
			t.dMean[at] += toMean
			t.grad.prior.mean[of] -= toMean
			t.dStd[at] += float32((q/(s*s) - 1/q) / n)
			t.grad.prior.std[of] += float32((1-square)/s/n) * adatsFlooredSlope(x)
		}
	}
	return total
}

// encoderBack computes the gradient in the encoder from that in the mean and the
// standard deviation of the code.
func (t *adatsTrainer) encoderBack(b *adatsBatch) {
	net, p, n := t.net, t.pass, b.N
	also, dTrunk := t.dEncoded[1], t.dEncoded[2]
	net.mean.backward(&t.grad.mean, also, t.dMean, p.Trunk, n)
	net.Std.backward(&t.grad.Std, dTrunk, t.dStd, p.Trunk, n)
	for i := range n * net.Hidden / 2 {
		rate := 1 - softmax.Exp(-float64(p.Trunk[i])) // of the softplus that gave the trunk
		dTrunk[i] = (dTrunk[i] + also[i]) * float32(rate)
	}
	net.encoder.backward(t.grad.encoder, nil, t.dEncoded, p.encoded, b.Features, n)
}

// update takes one step of Adam (Kingma and Ba 2015) with its usual constants.
func (t *adatsTrainer) update(rate float64) {
	const decay1, decay2, tiny = 0.9, 0.999, 1e-8
	t.steps++
	step := float32(rate / (1 - math.Pow(decay1, float64(t.steps))))
	root := float32(1 / math.Sqrt(1-math.Pow(decay2, float64(t.steps))))
	for i, g := range t.flatGrad {
		m := float32(decay1*t.moment1[i]) + float32((1-decay1)*g)
		v := float32(decay2*t.moment2[i]) + float32((1-decay2)*g*g)
		t.moment1[i], t.moment2[i] = m, v
		t.Flat[i] -= float32(step * m / (float32(math.Sqrt(float64(v)))*root + tiny))
	}
}

// Train takes a step for every minibatch that next returns, until it returns nil. It
// returns the largest absolute element of the last gradient.
func (t *adatsTrainer) Train(ctx context.Context, rate float64, next func() *adatsBatch) (gradient float64, err error) {
	for b := next(); b != nil; b = next() {
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		if loss := t.loss(b); math.IsNaN(loss) || math.IsInf(loss, 0) {
			return 0, fmt.Errorf("training diverged: the loss of minibatch %d is %v", t.steps+1, loss)
		}
		t.update(rate)
	}
	for _, g := range t.flatGrad {
		gradient = max(gradient, math.Abs(float64(g)))
	}
	return gradient, ctx.Err()
}
