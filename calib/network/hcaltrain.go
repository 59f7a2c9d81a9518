package network

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// hCalTraining says how an ensemble is trained.
type hCalTraining struct {
	Temperatures int  // m
	Epochs       int  // at most
	Patience     int  // epochs with an ECE above the least so far, after which training ends
	ByNLL        bool // the epoch with the least NLL is returned, not that with the least debiased ECE
}

// hCalEnd is how training ended.
type hCalEnd struct {
	Best     hCalEnsemble
	Gradient float64 // largest absolute element at the last step
	Epochs   int
	Stopped  bool // by Patience
}

const (
	hCalRate     = 0.005
	hCalWaitRate = 20   // the rate is halved after more epochs without a lower ECE
	hCalLower    = 1e-4 // the least relative fall that counts there
	hCalBins     = 15   // of both ECE
)

// Train trains an ensemble on a labelled set by Adam, all rows at a time. The rate of
// 0.005 is halved when the ECE has not fallen for more than 20 epochs. Parameters start
// uniformly in [-1/sqrt(m), 1/sqrt(m)].
func (o hCalTraining) Train(ctx context.Context, set *data.Set, rng *rand.Rand) (hCalEnd, error) {
	v := make([]float64, 2*o.Temperatures)
	for i := range v {
		v[i] = (2*rng.Float64() - 1) / math.Sqrt(float64(o.Temperatures))
	}
	return o.train(ctx, newHCalTrainer(set), v)
}

// train trains from the parameters v, which it overwrites.
func (o hCalTraining) train(ctx context.Context, t *hCalTrainer, v []float64) (hCalEnd, error) {
	gradient, solver, speed := make([]float64, len(v)), fit.NewAdam(len(v)), hCalRate
	stop, plateau := hCalWatch{least: math.Inf(1)}, hCalWatch{least: math.Inf(1)}
	end, least := hCalEnd{}, math.Inf(1)
	if err := t.forward(ctx, newHCalEnsemble(v)); err != nil {
		return hCalEnd{}, err
	}
	for end.Epochs < o.Epochs && !end.Stopped {
		if _, err := t.backward(ctx, v, gradient); err != nil {
			return hCalEnd{}, err
		}
		end.Epochs++
		end.Gradient = 0
		for _, g := range gradient {
			end.Gradient = max(end.Gradient, math.Abs(g))
		}
		solver.Step(v, gradient, speed)
		e := newHCalEnsemble(v)
		if err := t.forward(ctx, e); err != nil {
			return hCalEnd{}, err
		}
		score, ece := 0.0, t.ece()
		if o.ByNLL {
			score = t.nll()
		} else {
			score = t.debiased()
		}
		if score <= least {
			least, end.Best = score, e
		}
		if plateau.next(ece, hCalLower) > hCalWaitRate {
			speed /= 2
			plateau.waited = 0
		}
		end.Stopped = stop.next(ece, 0) >= o.Patience
	}
	return end, nil
}

// hCalWatch counts the steps since a quantity was least.
type hCalWatch struct {
	least  float64
	waited int
}

// next returns the number of steps since v, or an earlier number, was below the least
// before by more than the given share of it; with a share of 0 an equal one counts too.
func (w *hCalWatch) next(v, share float64) int {
	if v < w.least*(1-share) || share == 0 && v <= w.least {
		w.least, w.waited = v, 0
	} else {
		w.waited++
	}
	return w.waited
}

// ece returns the ECE of the top class in 15 bins of equal width, closed on the right.
func (t *hCalTrainer) ece() float64 {
	var gaps [hCalBins]float64
	for i, hit := range t.hit {
		conf := t.p[i*t.k]
		b := min(max(int(math.Ceil(conf*hCalBins))-1, 0), hCalBins-1)
		gaps[b] += conf
		if hit {
			gaps[b]--
		}
	}
	sum := 0.0
	for _, g := range gaps {
		sum += math.Abs(g)
	}
	return sum / float64(len(t.hit))
}

// debiased returns the ECE in 15 bins of equal numbers of rows, minus an estimate of
// its bias (Kumar, Liang and Ma 2019). The estimate is the mean over the bins of E|x|,
// minus the ECE, where x is normal. Its mean is the gap of the bin, and its variance is
// a (1 - a)/n_b, with the accuracy a of the bin. Sets below 30 rows have a bin for each
// two.
func (t *hCalTrainer) debiased() float64 {
	n := len(t.hit)
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(t.p[a*t.k], t.p[b*t.k]) })
	m := max(1, min(hCalBins, n/2))
	ece, mean := 0.0, 0.0
	for b := range m {
		lo, hi := hCalEdge(n, b, m), hCalEdge(n, b+1, m)
		conf, acc := 0.0, 0.0
		for _, i := range order[lo:hi] {
			conf += t.p[i*t.k] / float64(hi-lo)
			if t.hit[i] {
				acc += 1 / float64(hi-lo)
			}
		}
		gap := math.Abs(acc - conf)
		ece += gap * float64(hi-lo) / float64(n)
		mean += absNormal(gap, math.Sqrt(max(0, acc*(1-acc))/float64(hi-lo))) / float64(m)
	}
	return 2*ece - mean
}

// hCalEdge returns the first row of bin b of m bins: n b/m rounded to the nearest, to even
// halfway between.
func hCalEdge(n, b, m int) int { return int(math.RoundToEven(float64(n) / float64(m) * float64(b))) }

// absNormal returns E|x| of a normal x with mean g >= 0 and deviation s.
func absNormal(g, s float64) float64 {
	if s == 0 {
		return g
	}
	z := g / (s * math.Sqrt2)
	return float64(s*math.Sqrt(2/math.Pi)*softmax.Exp(-z*z)) + float64(g*math.Erf(z))
}

// nll returns the mean NLL, with the floor of the metric.
func (t *hCalTrainer) nll() float64 {
	sum := 0.0
	for i, at := range t.column {
		sum -= softmax.Log(max(t.p[i*t.k+int(at)], fit.LeastProb))
	}
	return sum / float64(len(t.column))
}
