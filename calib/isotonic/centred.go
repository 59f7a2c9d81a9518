package isotonic

import "github.com/qats-bench/qats/internal/stretch"

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
