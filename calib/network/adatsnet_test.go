package network

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/calib/internal/testset"
)

// adatsOracle is the loss of adats by its definition, in float64, row by row, with
// math.Exp. theta holds the parameters in the order of Net.
func adatsOracle(s adatsShape, theta []float64, b *adatsBatch) float64 {
	at := 0
	take := func(n int) []float64 { at += n; return theta[at-n : at] }
	layer := func(in, out int) func([]float64) []float64 {
		w, bias := take(in*out), take(out)
		return func(x []float64) []float64 {
			y := slices.Clone(bias)
			for i, v := range x {
				for j := range y {
					y[j] += v * w[i*out+j]
				}
			}
			return y
		}
	}
	apply := func(f func(float64) float64, x []float64) []float64 {
		for i, v := range x {
			x[i] = f(v)
		}
		return x
	}
	elu := func(v float64) float64 {
		if v > 0 {
			return v
		}
		return math.Expm1(v)
	}
	floored := func(v float64) float64 { return max(testset.Softplus(v), 1e-3) }
	half := s.Hidden / 2
	e0, e1, e2 := layer(s.Features, s.Hidden), layer(s.Hidden, half), layer(half, half)
	toMean, toStd := layer(half, 16), layer(half, 16)
	h0, h1, h2 := layer(s.Classes, 128), layer(128, 128), layer(128, 1)
	priorMean, priorStd := take(s.Classes*16), apply(floored, slices.Clone(take(s.Classes*16)))
	d0, d1, d2, d3 := layer(16, s.Hidden), layer(s.Hidden, half), layer(half, half), layer(half, s.Features)

	total := 0.0
	for i := range b.N {
		h := make([]float64, s.Features)
		for j := range h {
			h[j] = float64(b.Features[i*s.Features+j])
		}
		trunk := apply(testset.Softplus, e2(apply(elu, e1(apply(elu, e0(h))))))
		mean, std := toMean(trunk), apply(floored, toStd(trunk))
		var code [2][]float64
		for c := range code {
			code[c] = make([]float64, 16)
			for l := range 16 {
				code[c][l] = mean[l] + std[l]*float64(b.Noise[c][i*16+l])
			}
		}
		// -log p(h | w_1), Laplace of scale 1
		for j, v := range d3(apply(elu, d2(apply(elu, d1(apply(elu, d0(code[0]))))))) {
			total += math.Abs(v-h[j]) + math.Log(2)
		}
		// KL of two normals
		y := b.Labels[i]
		for l := range 16 {
			m, sd := priorMean[y*16+l], priorStd[y*16+l]
			total += math.Log(sd/std[l]) + (std[l]*std[l]+(mean[l]-m)*(mean[l]-m))/(2*sd*sd) - 0.5
		}
		// NLL at T(w_2)
		density := make([]float64, s.Classes)
		for c := range density {
			for l := range 16 {
				z := (code[1][l] - priorMean[c*16+l]) / priorStd[c*16+l]
				density[c] -= z*z/2 + math.Log(priorStd[c*16+l]*math.Sqrt(2*math.Pi))
			}
		}
		t := floored(h2(apply(elu, h1(apply(elu, h0(density)))))[0])
		sum := 0.0
		row := b.Logits[i*s.Classes : (i+1)*s.Classes]
		for _, l := range row {
			sum += math.Exp(float64(l) / t)
		}
		total += math.Log(sum) - float64(row[y])/t
	}
	return total / float64(b.N)
}

// The loss, and elements of its gradient in every layer, agree with the oracle and its
// differences. The error of sums of a few hundred terms in float32 is 1e-7.
func TestAdaTSGradientAgreesWithDifferences(t *testing.T) {
	shape := adatsShape{Features: 5, Hidden: 6, Classes: 3}
	rng := rand.New(rand.NewPCG(1, 1))
	tr := newAdatsTrainer(shape, 7, rng)
	for i := range tr.Flat {
		tr.Flat[i] *= 1.3 // away from the near-linear start
	}
	const n = 6 // fewer rows than the memory is for
	b := &adatsBatch{N: n, Features: make([]float32, 7*5), Logits: make([]float32, 7*3), Labels: make([]int, 7)}
	for _, x := range [][]float32{b.Features, b.Logits} {
		for i := range x {
			x[i] = float32(1.5 * rng.NormFloat64())
		}
	}
	for i := range b.Labels {
		b.Labels[i] = rng.IntN(3)
	}
	for c := range b.Noise {
		b.Noise[c] = make([]float32, 7*16)
		for i := range b.Noise[c] {
			b.Noise[c][i] = float32(rng.NormFloat64())
		}
	}
	got := tr.loss(b)
	theta := make([]float64, len(tr.Flat))
	for i, v := range tr.Flat {
		theta[i] = float64(v)
	}
	if want := adatsOracle(shape, theta, b); !(math.Abs(got-want) <= 1e-5*want) {
		t.Fatalf("loss %v, want %v", got, want)
	}
	most, checked, nonzero := 0.0, 0, 0
	for _, g := range tr.flatGrad {
		most = max(most, math.Abs(float64(g)))
	}
	check := func(i int) {
		const h = 1e-5
		old := theta[i]
		theta[i] = old + h
		up := adatsOracle(shape, theta, b)
		theta[i] = old - h
		down := adatsOracle(shape, theta, b)
		theta[i] = old
		want := (up - down) / (2 * h)
		if !(math.Abs(want-float64(tr.flatGrad[i])) <= 1e-4*math.Abs(want)+2e-6*most) {
			t.Fatalf("gradient[%d] = %v, differences give %v", i, tr.flatGrad[i], want)
		}
		checked++
		if math.Abs(want) > 1e-3*most {
			nonzero++
		}
	}
	at := 0
	some := func(size int) { // some elements of a part, and the last one
		for i := size - 1; i >= 0; i -= 1 + size/60 {
			check(at + i)
		}
		at += size
	}
	shape.bare().each(func(_ *adatsDense, in, out int) {
		some(in * out)
		some(out)
	}, func(*[]float32) { some(shape.Classes * adatsLatent) }, true)
	if at != len(theta) || nonzero < checked/2 {
		t.Errorf("%d of %d parameters, %d of %d checked matter: the case tests too little", at, len(theta), nonzero, checked)
	}
}

// Steps follow the recurrences of Adam, for a given gradient.
func TestUpdateFollowsAdam(t *testing.T) {
	tr := &adatsTrainer{Flat: []float32{1}, flatGrad: []float32{0}, moment1: []float32{0}, moment2: []float32{0}}
	x, m, v := 1.0, 0.0, 0.0
	for step, g := range []float64{0.5, -2, 0.25, 0, 1} {
		tr.flatGrad[0] = float32(g)
		tr.update(0.1)
		m, v = 0.9*m+0.1*g, 0.999*v+0.001*g*g
		bias1, bias2 := 1-math.Pow(0.9, float64(step+1)), 1-math.Pow(0.999, float64(step+1))
		x -= 0.1 * (m / bias1) / (math.Sqrt(v/bias2) + 1e-8)
		if !(math.Abs(float64(tr.Flat[0])-x) <= 1e-6) {
			t.Fatalf("step %d: %v, want %v", step+1, tr.Flat[0], x)
		}
	}
	for slope, want := range map[float32]float32{0: 1, 1e-8: .75, -1e-8: 1.25} { // 1e-8 is added to the root
		tr := &adatsTrainer{Flat: []float32{1}, flatGrad: []float32{slope}, moment1: []float32{0}, moment2: []float32{0}}
		if tr.update(.5); !(math.Abs(float64(tr.Flat[0]-want)) <= 1e-3) {
			t.Errorf("slope %v: first step to %v, want %v", slope, tr.Flat[0], want)
		}
	}
}

// The slope of the loss in the output of the head, near 0 as well as far from it.
func TestSlopeInTheOutputOfTheHead(t *testing.T) {
	shape := adatsShape{Features: 4, Hidden: 4, Classes: 3}
	rng := rand.New(rand.NewPCG(5, 1))
	tr := newAdatsTrainer(shape, 2, rng)
	b := &adatsBatch{N: 2, Features: make([]float32, 8), Logits: []float32{1, -2, 3, 0, 2, 1}, Labels: []int{0, 1}}
	for c := range b.Noise {
		b.Noise[c] = make([]float32, 2*adatsLatent)
	}
	last := tr.net.head[2]
	clear(last.W)
	for _, out := range []float64{-1, 0, .5, 3} {
		last.B[0] = float32(out)
		tr.loss(b)
		for i, y := range b.Labels {
			nll := func(out float64) float64 {
				temp, sum := adatsTemperature(float32(out)), 0.
				for _, l := range b.Logits[3*i : 3*i+3] {
					sum += math.Exp(float64(l-b.Logits[3*i+y]) / temp)
				}
				return math.Log(sum)
			}
			const h = 1. / 256
			if want := (nll(out+h) - nll(out-h)) / (2 * h) / 2; !(math.Abs(float64(tr.dOut[i])-want) <= 1e-4*math.Abs(want)+1e-5) {
				t.Errorf("output %g, row %d: slope %v, differences give %v", out, i, tr.dOut[i], want)
			}
		}
	}
}

// The deviations of codes are max(softplus, 1e-3), and a draw adds them times the same
// noise to the means of every row.
func TestDrawAddsTheSameNoiseToEveryMean(t *testing.T) {
	shape := adatsShape{Features: 3, Hidden: 4, Classes: 2}
	tr := newAdatsTrainer(shape, 2, rand.New(rand.NewPCG(3, 1)))
	p := tr.net.Pass(2)
	tr.net.Encode(p, []float32{1, 2, -3, -1, .5, 0})
	tr.net.Std.B[5] = -20 // at the least deviation
	tr.net.Spread(p)
	noise := make([]float32, adatsLatent)
	for l := range noise {
		noise[l] = float32(l) - 7
	}
	p.Draw(noise)
	for i := range 2 {
		for l := range adatsLatent {
			in := float64(tr.net.Std.B[l])
			for j, v := range p.Trunk[2*i : 2*i+2] {
				in += float64(v * tr.net.Std.W[j*adatsLatent+l])
			}
			at := i*adatsLatent + l
			want := float64(p.Mean[at]) + max(testset.Softplus(in), 1e-3)*float64(noise[l])
			if !(math.Abs(float64(p.Code[at])-want) <= 1e-5) {
				t.Errorf("row %d, dimension %d: %v, want %v", i, l, p.Code[at], want)
			}
		}
	}
}

// Training takes a step for each minibatch and returns the largest element of the last
// gradient. It ends at once if it is cancelled, or if the loss is not finite.
func TestTrainingEndsWhereItMust(t *testing.T) {
	shape := adatsShape{Features: 2, Hidden: 4, Classes: 2}
	start := func(feature float32) (*adatsTrainer, func() *adatsBatch) {
		b := &adatsBatch{N: 1, Features: []float32{feature, 1}, Logits: []float32{1, 2}, Labels: []int{0}}
		b.Noise = [2][]float32{make([]float32, adatsLatent), make([]float32, adatsLatent)}
		left := 3
		return newAdatsTrainer(shape, 1, rand.New(rand.NewPCG(2, 1))), func() *adatsBatch {
			if left--; left < 0 {
				return nil
			}
			return b
		}
	}
	tr, next := start(.5)
	gradient, err := tr.Train(context.Background(), 1e-3, next)
	most := 0.0
	for _, g := range tr.flatGrad {
		most = max(most, math.Abs(float64(g)))
	}
	if err != nil || tr.steps != 3 || gradient != most || !(most > 0) {
		t.Errorf("%d steps, gradient %v (%v), want 3 and %v", tr.steps, gradient, err, most)
	}
	for _, feature := range []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1))} {
		tr, next := start(feature)
		if _, err := tr.Train(context.Background(), 1e-3, next); err == nil || tr.steps != 0 || !strings.Contains(err.Error(), "minibatch 1 ") {
			t.Errorf("feature %v: %v after %d steps", feature, err, tr.steps)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	tr, next = start(.5)
	if _, err := tr.Train(ctx, 1e-3, next); err != context.Canceled || tr.steps != 0 {
		t.Errorf("cancelled: %v after %d steps", err, tr.steps)
	}
}
