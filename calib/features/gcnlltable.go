package features

import (
	"context"
	"math"

	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// nllTable gives the NLL of every row of a calibration set at any temperature
// without reading the logits again. It is for methods that need it thousands of times:
// on 5,000 rows of 100 classes a fit of gc fills 67 nodes, one pass each, in place of
// 4,630 passes.
//
// In u = log(1/T) the NLL of a row is L(u) - exp(u) (l_y - max l), where
// L = log sum exp((l - max l)/T) is in [0, log k]. L is kept, with its first
// and second derivative, at nodes tableStep apart. Between two nodes it is the quintic
// that fits all six numbers (Hermite). This is twice continuously differentiable, with
// an error of at most tableStep^6/46080 = 2e-14 times the sixth derivative. That is
// 1e-9 for the worst rows of 1,000 classes, with 999 equal logits below the top one,
// and below 1e-11 for the average row. A node costs one pass of the row kernel and 24
// bytes a row. It is computed when it is first needed.
//
// An nllTable is used by one goroutine at a time.
type nllTable struct {
	*fit.Objective
	loss  []float64 // n, max l - l_y
	nodes [2*tableReach + 1]*nllNode
}

const (
	tableStep  = 1. / 32
	tableReach = 222 // nodes on either side of u = 0, which reach fit.MinT and fit.MaxT
)

// nllNode is L of each row and its derivatives in u, in units of tableStep.
type nllNode struct{ value, first, second []float64 }

func newNLLTable(o *fit.Objective) *nllTable {
	t := &nllTable{Objective: o, loss: make([]float64, o.Rows())}
	for i := range t.loss {
		row := o.Logits.Row(i)
		t.loss[i] = float64(row[fit.TopClass(row)]) - float64(o.LabelLogit[i])
	}
	return t
}

// nllColumn is the NLL of all rows at one u: row i has the value and the slope
//
//	sum over the six numbers c of its two nodes of Value_c c + beta loss_i
//
// and the same with the weights Slope_c for the derivative in u. The last of the seven weights is
// beta; that of the slope is 0 if u is beyond a bound.
type nllColumn struct {
	left, right *nllNode
	loss        []float64
	softmax.Quintic
}

// at returns the column of u. Beyond the bounds of the temperature it is the column
// of the bound, with slope 0.
func (t *nllTable) at(ctx context.Context, u float64) (nllColumn, error) {
	most := softmax.Log(fit.MaxT)
	beyond := !(math.Abs(u) < most)
	if beyond {
		u = math.Copysign(most, u)
	}
	at := u / tableStep
	node := math.Floor(at)
	j := int(node) + tableReach
	if err := t.fill(ctx, j); err != nil {
		return nllColumn{}, err
	}
	if err := t.fill(ctx, j+1); err != nil {
		return nllColumn{}, err
	}
	c := nllColumn{left: t.nodes[j], right: t.nodes[j+1], loss: t.loss}
	value, slope := nllQuintic(at - node)
	beta := softmax.Exp(u)
	copy(c.Value[:], append(value[:], beta))
	if !beyond {
		for i := range slope {
			c.Slope[i] = slope[i] / tableStep
		}
		c.Slope[len(slope)] = beta
	}
	return c, nil
}

// rows writes the NLL of rows lo, lo+1, ... and its derivative in u.
func (c *nllColumn) rows(nll, slope []float64, lo int) {
	hi, l, r := lo+len(nll), c.left, c.right
	c.Quintics(nll, slope, &[7][]float64{
		l.value[lo:hi], l.first[lo:hi], l.second[lo:hi], r.value[lo:hi], r.first[lo:hi], r.second[lo:hi], c.loss[lo:hi]})
}

// least returns the temperature with the least NLL of some rows, nearly, if it is near the one given: it serves
// as the start of a search, which then takes one pass or two. Otherwise it is the one given.
func (t *nllTable) least(ctx context.Context, near float64, has func(i int) bool) (float64, error) {
	nll, slope := make([]float64, t.Rows()), make([]float64, t.Rows())
	sum := func(u float64) (float64, error) {
		c, err := t.at(ctx, u)
		if err != nil {
			return 0, err
		}
		c.rows(nll, slope, 0)
		total := 0.0
		for i, s := range slope {
			if has(i) {
				total += s
			}
		}
		return total, nil
	}
	const reach, step, enough = 1, 0.01, 1e-9
	first := -softmax.Log(near)
	a, b := first, first+step
	fa, err := sum(a)
	for turns := 0; err == nil && turns < 12; turns++ { // of the secant method
		var fb float64
		if fb, err = sum(b); err != nil {
			break
		}
		next := b - float64(fb*(b-a))/(fb-fa)
		if !(math.Abs(next-first) < reach) {
			return near, nil
		}
		if math.Abs(next-b) < enough {
			return softmax.Exp(-next), nil
		}
		a, fa, b = b, fb, next
	}
	return near, err
}

// fill computes node j, with j = tableReach at u = 0.
func (t *nllTable) fill(ctx context.Context, j int) error {
	if t.nodes[j] != nil {
		return nil
	}
	beta := softmax.Exp(float64(j-tableReach) * tableStep)
	n := t.Rows()
	node := &nllNode{make([]float64, n), make([]float64, n), make([]float64, n)}
	_, err := t.Sums(ctx, fit.Constant(beta), 0, func(b *fit.RowBlock, _ []float64) {
		for i := range b.Moments {
			m := &b.Moments[i]
			mean := float64(beta * m.S1 / (1 + m.Tail)) // of (l - max l)/T
			node.value[b.First+i] = softmax.Log1p(m.Tail)
			node.first[b.First+i] = tableStep * mean
			node.second[b.First+i] = tableStep * tableStep * (mean + float64(beta*beta*m.Variance()))
		}
	})
	if err == nil {
		t.nodes[j] = node
	}
	return err
}

// nllQuintic returns the weights, at t in [0, 1], of the value and the first and second
// derivative at 0 and then at 1 in the quintic through them, and the weights in its
// derivative.
func nllQuintic(t float64) (value, slope [6]float64) {
	s := 1 - t
	// The weights of the right end mirror those of the left.
	half := func(t, s float64) (v, d [3]float64) {
		s2 := float64(s * s)
		s3 := float64(s2 * s)
		v[0] = float64(s3 * (1 + float64(t*(3+float64(6*t)))))
		v[1] = float64(s3 * float64(t*(1+float64(3*t))))
		v[2] = float64(s3 * float64(t*t) / 2)
		d[0] = -float64(30 * float64(s2*float64(t*t)))
		d[1] = float64(s2 * (1 + float64(t*(2-float64(15*t)))))
		d[2] = float64(s2 * float64(t*(1-float64(2.5*t))))
		return v, d
	}
	v0, d0 := half(t, s)
	v1, d1 := half(s, t)
	return [6]float64{v0[0], v0[1], v0[2], v1[0], -v1[1], v1[2]},
		[6]float64{d0[0], d0[1], d0[2], -d1[0], d1[1], -d1[2]}
}
