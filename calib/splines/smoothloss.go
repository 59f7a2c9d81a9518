package splines

import (
	"cmp"
	"math"
	"slices"

	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// smoothSample is a row: its log odds, its outcome, or the probability of a pseudo-row, and
// its weight.
type smoothSample struct{ x, target, weight float64 }

// smoothDesign is samples in the order of x, in the units of their pieces.
type smoothDesign struct {
	pieces               []smoothPiece
	ends                 []int // of the samples of each piece
	u, target, weight    []float64
	score, e, logOnePlus []float64 // memory for n numbers each
}

func newSmoothDesign(pieces []smoothPiece, knots []float64, samples []smoothSample) *smoothDesign {
	slices.SortFunc(samples, func(a, b smoothSample) int { // equal samples add up in one way
		return cmp.Or(cmp.Compare(a.x, b.x), cmp.Compare(a.target, b.target))
	})
	n := len(samples)
	d := &smoothDesign{pieces: pieces, ends: make([]int, len(pieces))}
	memory := make([]float64, 6*n)
	for i, v := range []*[]float64{&d.u, &d.target, &d.weight, &d.score, &d.e, &d.logOnePlus} {
		*v = memory[i*n : (i+1)*n : (i+1)*n]
	}
	s := 0
	for i, one := range samples {
		for s < len(knots) && one.x > knots[s] {
			d.ends[s] = i
			s++
		}
		d.u[i] = (one.x - pieces[s].origin) / pieces[s].width
		d.target[i], d.weight[i] = one.target, one.weight
	}
	for ; s < len(pieces); s++ {
		d.ends[s] = n
	}
	return d
}

// evaluate computes the scores, exp(-|score|) and its log1p.
func (d *smoothDesign) evaluate(coefficients []float64) {
	i := 0
	for s, end := range d.ends {
		if i == end {
			continue
		}
		c := d.pieces[s].cubic(coefficients)
		for ; i < end; i++ {
			v := horner(&c, d.u[i])
			d.score[i], d.e[i] = v, -math.Abs(v)
		}
	}
	softmax.Exps(d.e, d.e)
	softmax.Log1ps(d.logOnePlus, d.e)
}

// loss returns the sum over samples of weight (log(1 + e^s) - target s), and is limited
// to most for each sample. evaluate comes before.
func (d *smoothDesign) loss(most float64) float64 {
	sum := 0.0
	for i, s := range d.score {
		sum += float64(d.weight[i] * min(max(s, 0)+d.logOnePlus[i]-float64(d.target[i]*s), most))
	}
	return sum
}

// derivatives adds the gradient and the Hessian, of which the lower triangle is used, of
// the loss to g and h. evaluate comes before.
func (d *smoothDesign) derivatives(g, h []float64) {
	i := 0
	for s, end := range d.ends {
		if i == end {
			continue
		}
		var first [4]float64  // sums of the first derivative times u^m
		var second [7]float64 // of the second
		for ; i < end; i++ {
			u, e, w := d.u[i], d.e[i], d.weight[i]
			r := 1 / (1 + e)
			p := r // the sigmoid of the score
			if d.score[i] < 0 {
				p = float64(e * r)
			}
			a, b := float64(w*(p-d.target[i])), float64(w*e*r*r)
			u2 := u * u
			u3 := u2 * u
			first[0] += a
			first[1] += float64(a * u)
			first[2] += float64(a * u2)
			first[3] += float64(a * u3)
			second[0] += b
			second[1] += float64(b * u)
			second[2] += float64(b * u2)
			c := float64(b * u3)
			second[3] += c
			second[4] += float64(c * u)
			second[5] += float64(c * u2)
			second[6] += float64(c * u3)
		}
		d.pieces[s].spread(&first, &second, g, h)
	}
}

// spread adds moments in u to the gradient and to the lower triangle of the Hessian.
func (p *smoothPiece) spread(first *[4]float64, second *[7]float64, g, h []float64) {
	k := len(g)
	p0, p1, p2, p3 := p.power[0], p.power[1], p.power[2], p.power[3]
	for a := range p0 {
		g[a] += float64(p0[a]*first[0]) + float64(p1[a]*first[1]) + float64(p2[a]*first[2]) + float64(p3[a]*first[3])
		var v [4]float64
		for m := range v {
			v[m] = float64(p0[a]*second[m]) + float64(p1[a]*second[m+1]) + float64(p2[a]*second[m+2]) + float64(p3[a]*second[m+3])
		}
		row := h[a*k : a*k+a+1]
		for b := range row {
			row[b] += float64(p0[b]*v[0]) + float64(p1[b]*v[1]) + float64(p2[b]*v[2]) + float64(p3[b]*v[3])
		}
	}
}

// minimise moves the coefficients to the minimum of
//
//	loss/n + lambda/K sum of squared coefficients
//
// by Newton's method with steps halved until the value falls. It returns the number of
// steps and the last decrement, the square root of twice the fall of the value that a
// step promises. It ends after a step of a decrement below enough, which leaves one of
// about its square, or where rounding hides any further fall.
func (d *smoothDesign) minimise(coefficients []float64, lambda, enough float64) (steps int, decrement float64) {
	const (
		mostSteps  = 100
		leastShare = 1e-9
		rounding   = 1e-14
	)
	k, n := len(coefficients), float64(len(d.u))
	ridge := 2 * lambda / float64(k)
	value := func(c []float64) float64 {
		d.evaluate(c)
		return d.loss(math.Inf(1))/n + float64(ridge/2*fit.Dot(c, c))
	}
	g, h, step, next := make([]float64, k), make([]float64, k*k), make([]float64, k), make([]float64, k)
	now, hidden := value(coefficients), false // hidden: rounding hid the last fall
	for steps < mostSteps {
		clear(g)
		clear(h)
		d.derivatives(g, h)
		for j, c := range coefficients {
			g[j] = g[j]/n + float64(ridge*c)
			for i := range j + 1 {
				h[j*k+i] /= n
			}
			h[j*k+j] += ridge
		}
		smoothNewton(step, g, h)
		last := decrement
		decrement = math.Sqrt(max(fit.Dot(step, g), 0))
		if decrement == 0 || hidden && decrement > last/2 {
			break
		}
		steps++
		share, highest := 1.0, now+float64(rounding*max(1, now))
		for v := math.Inf(1); !(v <= highest); share /= 2 {
			if share < leastShare {
				return steps, decrement
			}
			for j, c := range coefficients {
				next[j] = c - float64(share*step[j])
			}
			v = value(next)
			hidden = v >= now
			now = min(now, v)
		}
		copy(coefficients, next)
		if decrement < enough {
			break
		}
	}
	return steps, decrement
}

// smoothNewton solves h step = g, of which h has the lower triangle. Columns are scaled to
// a diagonal of 1. If h is too close to singular, its diagonal grows until it is not.
func smoothNewton(step, g, h []float64) {
	k := len(g)
	scale, a := make([]float64, k), make([]float64, k*k)
	for j := range scale {
		scale[j] = 1 / math.Sqrt(h[j*k+j])
	}
	for more := 0.0; ; more = max(1e-12, 10*more) {
		for j := range k {
			for i := range j + 1 {
				a[j*k+i] = h[j*k+i] * scale[j] * scale[i]
			}
			a[j*k+j] += more
			step[j] = g[j] * scale[j]
		}
		if fit.Cholesky(a, step) {
			break
		}
	}
	for j := range step {
		step[j] *= scale[j]
	}
}
