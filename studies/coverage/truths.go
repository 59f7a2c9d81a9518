package main

import (
	"math"
	"slices"
)

// bins is the number of bins of all errors here.
const bins = 15

// tie is the distance up to which confidences are tied, as in package metrics.
const tie = 1e-9

// truths are the values in the population, by the name of the quantity. A quantity that is
// not here is compared with its mean over the test sets.
var truths = map[string]func(p *population, c *calibrator) float64{
	"accuracy":      func(p *population, c *calibrator) float64 { return mean(c.right) },
	"ece":           func(p *population, c *calibrator) float64 { return p.gaps(c, p.widths(c), math.Abs) },
	"aece":          func(p *population, c *calibrator) float64 { return p.gaps(c, p.masses(c), math.Abs) },
	"sce_width15":   func(p *population, c *calibrator) float64 { return p.gaps(c, p.widths(c), square) },
	"sce_mass15":    func(p *population, c *calibrator) float64 { return p.gaps(c, p.masses(c), square) },
	"sce_classwise": (*population).classwise,
	"nll":           (*population).nll,
	"brier":         (*population).brier,
	"brier_top":     (*population).brierTop,
	"auroc":         (*population).auroc,
	"augrc":         (*population).augrc,
	"aurc":          (*population).aurc,
	"miou":          (*population).miou,

	"oe":        (*population).oe,
	"slope":     func(p *population, c *calibrator) float64 { _, b := p.logistic(c, false); return b },
	"intercept": func(p *population, c *calibrator) float64 { a, _ := p.logistic(c, true); return a },
	"sce_positive_mass15": func(p *population, c *calibrator) float64 {
		return p.gaps(p.positive(c), p.masses(p.positive(c)), square)
	},
}

func square(x float64) float64 { return x * x }

func mean(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	return sum / float64(len(v))
}

// gaps returns the mean over rows of f of the gap of their bin.
func (p *population) gaps(c *calibrator, groups [][]int, f func(float64) float64) float64 {
	sum := 0.0
	for _, rows := range groups {
		gap := 0.0
		for _, i := range rows {
			gap += (c.right[i] - c.conf[i]) / float64(len(rows))
		}
		sum += float64(len(rows)) * f(gap)
	}
	return sum / float64(p.rows)
}

// widthBin returns the bin of equal width of a probability: bin b has those above b/bins up to
// (b+1)/bins, and bin 0 has 0 too.
func widthBin(p float64) int { return min(max(int(math.Ceil(p*bins))-1, 0), bins-1) }

// widths returns the rows of the bins of equal width that have rows.
func (p *population) widths(c *calibrator) [][]int {
	groups := make([][]int, bins)
	for i, conf := range c.conf {
		b := widthBin(conf)
		groups[b] = append(groups[b], i)
	}
	return slices.DeleteFunc(groups, func(rows []int) bool { return len(rows) == 0 })
}

// masses returns the rows of the bins of equal mass. A block of ties is in one bin.
func (p *population) masses(c *calibrator) (groups [][]int) {
	order := p.byConfidence(c)
	tied := func(i int) bool { return i > 0 && i < p.rows && c.conf[order[i]]-c.conf[order[i-1]] <= tie }
	lo := 0
	for b := 1; b <= bins; b++ {
		at := (2*b*p.rows + bins) / (2 * bins)
		start, end := at, at
		for tied(start) {
			start--
		}
		for start < at && tied(end) {
			end++
		}
		if at-start <= end-at {
			at = start
		} else {
			at = end
		}
		if at > lo {
			groups = append(groups, order[lo:at])
			lo = at
		}
	}
	return groups
}

// byConfidence returns the rows by increasing confidence.
func (p *population) byConfidence(c *calibrator) []int {
	order := make([]int, p.rows)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, c.byConfidence)
	return order
}

// blocks calls do for each block of equal confidences, from the smallest on.
func (p *population) blocks(c *calibrator, do func(rows []int)) {
	order := p.byConfidence(c)
	for lo := 0; lo < p.rows; {
		hi := lo + 1
		for hi < p.rows && c.byConfidence(order[hi], order[lo]) == 0 {
			hi++
		}
		do(order[lo:hi])
		lo = hi
	}
}

func (p *population) classwise(c *calibrator) float64 {
	sum := 0.0
	for j := range p.classes {
		var gap, rows [bins]float64
		for i := range p.rows {
			at := i*p.classes + j
			b := widthBin(c.probs[at])
			gap[b] += p.truth[at] - c.probs[at]
			rows[b]++
		}
		for b, n := range rows {
			if n > 0 {
				sum += gap[b] * gap[b] / n
			}
		}
	}
	return sum / float64(p.rows*p.classes)
}

func (p *population) nll(c *calibrator) float64 {
	sum := 0.0
	for i, q := range c.probs {
		sum -= p.truth[i] * math.Log(max(q, 1e-300))
	}
	return sum / float64(p.rows)
}

func (p *population) brier(c *calibrator) float64 {
	sum := 0.0
	for i, q := range c.probs {
		sum += q*q - 2*p.truth[i]*q
	}
	return 1 + sum/float64(p.rows)
}

func (p *population) brierTop(c *calibrator) float64 {
	sum := 0.0
	for i, conf := range c.conf {
		sum += c.right[i]*(1-conf)*(1-conf) + (1-c.right[i])*conf*conf
	}
	return sum / float64(p.rows)
}

func (p *population) auroc(c *calibrator) float64 {
	u, below, hits := 0.0, 0.0, 0.0
	p.blocks(c, func(rows []int) {
		h := 0.0
		for _, i := range rows {
			h += c.right[i]
		}
		misses := float64(len(rows)) - h
		u += h * (below + misses/2)
		below += misses
		hits += h
	})
	return u / hits / (float64(p.rows) - hits)
}

func (p *population) augrc(c *calibrator) float64 {
	area, above := 0.0, float64(p.rows)*(1-mean(c.right))
	p.blocks(c, func(rows []int) {
		wrong := 0.0
		for _, i := range rows {
			wrong += 1 - c.right[i]
		}
		above -= wrong
		area += float64(len(rows)) * (above + wrong/2)
	})
	return area / float64(p.rows) / float64(p.rows)
}

func (p *population) aurc(c *calibrator) float64 {
	var blocks [][]int
	p.blocks(c, func(rows []int) { blocks = append(blocks, rows) })
	sum, wrong, accepted := 0.0, 0.0, 0.0
	for _, rows := range slices.Backward(blocks) {
		w := 0.0
		for _, i := range rows {
			w += 1 - c.right[i]
		}
		for i := range rows {
			sum += (wrong + w*float64(i+1)/float64(len(rows))) / (accepted + float64(i+1))
		}
		wrong += w
		accepted += float64(len(rows))
	}
	return sum / float64(p.rows)
}

func (p *population) miou(c *calibrator) float64 {
	both, either := make([]float64, p.classes), make([]float64, p.classes)
	for i := range p.rows {
		for j := range p.classes {
			if t := p.truth[i*p.classes+j]; int(c.pred[i]) == j {
				both[j] += t
				either[j]++
			} else {
				either[j] += t
			}
		}
	}
	sum := 0.0
	for j := range both {
		sum += both[j] / either[j] / float64(p.classes)
	}
	return sum
}

// positive is the calibrator as one of class 1 alone: its confidence is the probability of the class.
func (p *population) positive(c *calibrator) *calibrator {
	of := &calibrator{conf: make([]float64, p.rows), rest: make([]float64, p.rows), pred: make([]int32, p.rows), right: make([]float64, p.rows)}
	for i := range p.rows {
		of.conf[i], of.rest[i], of.pred[i], of.right[i] = c.probs[2*i+1], c.probs[2*i], 1, p.truth[2*i+1]
	}
	return of
}

func (p *population) oe(c *calibrator) float64 {
	observed, expected := 0.0, 0.0
	for i := range p.rows {
		observed += p.truth[2*i+1]
		expected += c.probs[2*i+1]
	}
	return observed / expected
}

// logistic returns the intercept and the slope of the logistic recalibration of class 1 in the
// population, by Newton's method; large fixes the slope at 1.
func (p *population) logistic(c *calibrator, large bool) (a, b float64) {
	if large {
		b = 1
	}
	for range 100 {
		var g0, g1, h00, h01, h11 float64
		for i := range p.rows {
			z := math.Log(c.probs[2*i+1]) - math.Log(c.probs[2*i])
			q := 1 / (1 + math.Exp(-a-b*z))
			d, w := q-p.truth[2*i+1], q*(1-q)
			g0, g1, h00, h01, h11 = g0+d, g1+d*z, h00+w, h01+w*z, h11+w*z*z
		}
		if large {
			a -= g0 / h00
			continue
		}
		det := h00*h11 - h01*h01
		a, b = a-(h11*g0-h01*g1)/det, b-(h00*g1-h01*g0)/det
	}
	return a, b
}
