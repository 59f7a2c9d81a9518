package network

import (
	"context"
	"math"
	"slices"

	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// hCalEnsemble is a mixture of m temperatures,
//
//	p = sum_m w_m softmax(b_m l),  b_m >= 0, w_m >= 0, sum of w_m 1.
//
// It keeps the order of the classes.
type hCalEnsemble struct {
	Inverse []float64 `json:"inverse"` // m, b = 1/T
	Weights []float64 `json:"weights"` // m
}

// newHCalEnsemble returns the mixture of the 2 m parameters v: b = |v_1..m|, and w
// proportional to |v_m+1..2m|. Without any weight they are equal.
func newHCalEnsemble(v []float64) hCalEnsemble {
	m := len(v) / 2
	e := hCalEnsemble{make([]float64, m), make([]float64, m)}
	for i := range m {
		e.Inverse[i], e.Weights[i] = math.Abs(v[i]), math.Abs(v[m+i])
	}
	softmax.Normalise(e.Weights)
	return e
}

// Row writes p of a row of gaps l - max l. shares has room for m k numbers; it gets the
// softmax of each temperature.
func (e *hCalEnsemble) Row(p, gaps, shares []float64) {
	k := len(gaps)
	shares = shares[:len(e.Inverse)*k]
	for m, b := range e.Inverse {
		for j, g := range gaps {
			shares[m*k+j] = max(float64(b*g), -700) // smaller ones are 0 in the sum
		}
	}
	softmax.Exps(shares, shares)
	clear(p)
	for m, w := range e.Weights {
		s, sum := shares[m*k:(m+1)*k], 0.0
		for _, v := range s {
			sum += v
		}
		for j := range s {
			s[j] /= sum
			p[j] += float64(w * s[j])
		}
	}
}

// hCalTrainer holds the calibration rows, their probabilities, and the state of the fit.
type hCalTrainer struct {
	k         int
	gaps      []float64 // n x k, by falling logit
	column    []int32   // n, place of the label
	hit       []bool    // n
	p, slopes []float64 // n x k
	objective *boundedObjective
}

func newHCalTrainer(set *data.Set) *hCalTrainer {
	n, k := set.Logits.Rows, set.Logits.Cols
	t := &hCalTrainer{
		k: k, gaps: make([]float64, n*k), column: make([]int32, n), hit: make([]bool, n),
		p: make([]float64, n*k), slopes: make([]float64, n*k),
	}
	row := make([]float32, k)
	for i, y := range set.Labels {
		copy(row, set.Logits.Row(i))
		t.hit[i] = fit.Hit(row, y)
		own := row[y]
		slices.Sort(row)
		slices.Reverse(row)
		t.column[i] = int32(slices.Index(row, own))
		for j, l := range row {
			t.gaps[i*k+j] = float64(l) - float64(row[0])
		}
	}
	t.objective = newBoundedObjective(k, set.Labels, t.column)
	return t
}

// forward computes the probabilities of all rows.
func (t *hCalTrainer) forward(ctx context.Context, e hCalEnsemble) error {
	return fit.EachBlock(ctx, len(t.hit), func(_, lo, hi int) {
		shares := make([]float64, len(e.Inverse)*t.k)
		for i := lo; i < hi; i++ {
			e.Row(t.p[i*t.k:(i+1)*t.k], t.gaps[i*t.k:(i+1)*t.k], shares)
		}
	})
}

// backward returns the loss at the probabilities and writes its gradient in the 2 m
// parameters v.
func (t *hCalTrainer) backward(ctx context.Context, v, gradient []float64) (float64, error) {
	loss, err := t.objective.At(ctx, t.p, t.slopes)
	if err != nil {
		return 0, err
	}
	e, k := newHCalEnsemble(v), t.k
	m := len(e.Inverse)
	sums, err := fit.SumBlocks(ctx, len(t.hit), 2*m, func(sum []float64, lo, hi int) {
		shares, p := make([]float64, m*k), make([]float64, k)
		for i := lo; i < hi; i++ {
			gaps, slopes := t.gaps[i*k:(i+1)*k], t.slopes[i*k:(i+1)*k]
			e.Row(p, gaps, shares)
			for c := range m {
				s := shares[c*k : (c+1)*k]
				mean, along, both := 0.0, 0.0, 0.0 // sums of s gap, s slope and s gap slope
				for j, g := range gaps {
					sg := float64(s[j] * g)
					mean += sg
					along += float64(s[j] * slopes[j])
					both += float64(sg * slopes[j])
				}
				sum[c] += both - float64(mean*along)
				sum[m+c] += along
			}
		}
	})
	if err != nil {
		return 0, err
	}
	copy(gradient, sums)
	total, mean := 0.0, 0.0
	for c, w := range e.Weights {
		total += math.Abs(v[m+c])
		mean += float64(w * gradient[m+c])
	}
	for c, w := range e.Weights {
		gradient[c] *= math.Copysign(w, v[c])
		if gradient[m+c] -= mean; total > 0 {
			gradient[m+c] *= math.Copysign(1/total, v[m+c])
		}
	}
	return loss, nil
}
