package isotonic

import (
	"context"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/method"
	"github.com/qats-bench/qats/internal/stretch"
)

// Centred is centred isotonic regression of each class against all others. Isotonic
// regression is flat within its blocks. Here each block has one knot, at the mean of
// its scores, and g is linear between knots, so it rises strictly. Blocks of value 0 or
// 1 stay flat, as in the authors' package cir and in cir_model. Below the least and
// above the largest score of the set, g has the values of the first and the last block.
// The prediction may change.
//
//   - Formula: q_j = (g_j(p_j) + 1e-9 p_j) / sum of the same, g_j linear through the
//     mean score and the value of each block of the isotonic regression of (p_ij, 1[y_i
//     = j]); flat at 0 and 1
//   - Reference: Oron and Flournoy 2017
//   - Compared with: assaforon/cir 2.5.1, the authors', in R; mathijs02/cir-model 0.2.0
//   - Agreement: with cir, probabilities to 3e-10 on drawn rows, the size of the second
//     term; with cir-model, networks of others: docs/evidence.md; both without the mass
//   - Departures: Ties are as in ir; in cir_model each of them is a score of its own. The
//     term 1e-9 p and the mass are as in irova. probmetrics, which applies cir_model to
//     each class, raises zeros to 1e-30 instead. The authors compare means after rounding
//     them to 8 decimals; ours are compared exactly.
type Centred struct{}

// CIREntry is the entry of Centred.
var CIREntry = calib.NewEntry[Centred, irOVAMap](calib.Entry{
	Name:    "cir",
	Label:   "CIR",
	Version: 4,
	Since:   3,
	Summary: "centred isotonic regression of each class against all others, rows normalised",
	Cost:    100,
})

// String returns the name of the method.
func (Centred) String() string { return CIREntry.Name }

// Contract needs logits and labels. The prediction may change.
func (Centred) Contract() calib.Contract {
	return method.OfRanks(method.Sized(method.VectorContract()))
}

// Fit returns the functions. The scores of a class below its least positive one are
// in the block of value 0, of which only the right end matters. So only the larger
// scores are sorted, a few per cent if there are many classes.
func (Centred) Fit(ctx context.Context, in calib.Input) (*calib.Fitted, error) {
	set := in.Cal
	rows, err := likelyRows(ctx, set)
	if err != nil {
		return nil, err
	}
	k := set.Logits.Cols
	ofClass := make([][]int, k)
	for i, y := range set.Labels {
		ofClass[y] = append(ofClass[y], i)
	}
	classes := make([]Function, k)
	err = fit.EachBlock(ctx, k*fit.BlockRows, func(class, _, _ int) { // one class a call
		var points []vennPoint
		least := stretch.Most
		for _, i := range ofClass[class] {
			x := rows[i].Stretched(set.Logits.Row(i)[class])
			points = append(points, vennPoint{X: x, Hit: true})
			least = min(least, x)
		}
		below := -1.0 // the largest score below least
		for i := range rows {
			if len(points) == 0 || int(set.Labels[i]) == class {
				continue
			}
			x := rows[i].Stretched(set.Logits.Row(i)[class])
			if x >= least/2 { // a tie may begin below least
				points = append(points, vennPoint{X: x})
			} else {
				below = max(below, x)
			}
		}
		if below >= 0 {
			points = append(points, vennPoint{X: below})
		}
		classes[class] = centredFunction(groupOutcomes(points, true))
	})
	if err != nil {
		return nil, err
	}
	return fittedClasses(ctx, set, rows, classes)
}

// centredFunction returns the centred isotonic regression of the rows (Oron and
// Flournoy 2017). Each block of isotonic regression has one knot, at the weighted mean
// of its scores, so that the function rises between blocks. Blocks of value 0 or 1, the
// limits of a probability, stay flat, with a knot at both ends. At its least and
// largest score the function has the values of the first and the last block. Without a
// hit it is the function 0, with no knots.
func centredFunction(o vennOutcomes) Function {
	type block struct {
		lo, hi     float64 // stretched
		rows, hits int
		p, rest    float64 // sums of the probabilities and of their complements
	}
	blocks := make([]block, 0, len(o.X))
	for i, x := range o.X {
		n := float64(o.Rows[i])
		b := block{x, x, o.Rows[i], o.Hits[i], float64(stretch.Prob(x) * n), float64(stretch.Rest(x) * n)}
		for last := len(blocks) - 1; last >= 0; last-- { // equal means are pooled, in whole numbers
			a := blocks[last]
			if int64(a.hits)*int64(b.rows) < int64(b.hits)*int64(a.rows) {
				break
			}
			b = block{a.lo, b.hi, a.rows + b.rows, a.hits + b.hits, a.p + b.p, a.rest + b.rest}
			blocks = blocks[:last]
		}
		blocks = append(blocks, b)
	}
	g := Function{X: []float64{}, Y: []float64{}} // "[]" in a model, not "null"
	add := func(x, y float64) {
		if n := len(g.X); n == 0 || x > g.X[n-1] {
			g.X, g.Y = append(g.X, x), append(g.Y, y)
		}
	}
	for i, b := range blocks {
		y := float64(b.hits) / float64(b.rows)
		flat := b.hits == 0 || b.hits == b.rows
		if flat || i == 0 {
			add(b.lo, y)
		}
		if !flat {
			n := float64(b.rows)
			add(min(max(stretch.Of(b.p/n, b.rest/n), b.lo), b.hi), y)
		}
		if flat || i == len(blocks)-1 {
			add(b.hi, y)
		}
	}
	if len(blocks) == 1 && blocks[0].hits == 0 {
		return Function{X: []float64{}, Y: []float64{}}
	}
	return g
}
