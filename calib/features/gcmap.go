package features

import (
	"context"
	"errors"
	"fmt"

	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/method"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/linear"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// gcPartition is one partition of the rows into groups.
type gcPartition struct {
	W [][]float64 // groups x d
	T []float64   // groups
}

// gcGroups finds the groups of rows in some partitions. It is safe for concurrent use.
type gcGroups struct {
	partitions []gcPartition
	weights    *linear.Packed // W of all of them
}

// newGCGroups returns the finder of the groups of partitions for d features.
func newGCGroups(partitions []gcPartition, d int) gcGroups {
	var w []float64
	for _, p := range partitions {
		for _, row := range p.W {
			w = append(w, row...)
		}
	}
	return gcGroups{partitions, linear.Pack(w, len(w)/d, d)}
}

// appendTo appends to dst, row after row, the group in each partition: argmax W h, the lowest index
// on ties.
func (g gcGroups) appendTo(dst []int, features data.Matrix) []int {
	x := make([]float64, len(features.Data))
	for i, v := range features.Data {
		x[i] = float64(v)
	}
	products := make([]float64, features.Rows*g.weights.Rows())
	g.weights.Times(products, x)
	for range features.Rows {
		for _, p := range g.partitions {
			own := products[:len(p.W)]
			products = products[len(p.W):]
			top := 0
			for c, a := range own {
				if a > own[top] {
					top = c
				}
			}
			dst = append(dst, top)
		}
	}
	return dst
}

// gcMap averages the temperatures of the groups that a row is in.
type gcMap struct {
	Width      int           `json:"features"` // d
	Partitions []gcPartition `json:"partitions"`
}

func (m gcMap) Check() error {
	if m.Width < 1 || len(m.Partitions) == 0 {
		return errors.New("no features or no partitions")
	}
	for u, p := range m.Partitions {
		if len(p.W) == 0 || len(p.W) != len(p.T) {
			return fmt.Errorf("partition %d: %d rows of W for %d temperatures", u, len(p.W), len(p.T))
		}
		for g, w := range p.W {
			if len(w) != m.Width {
				return fmt.Errorf("partition %d, group %d: %d weights for %d features", u, g, len(w), m.Width)
			}
			if err := fit.CheckTemperature("T", p.T[g]); err != nil {
				return fmt.Errorf("partition %d, group %d: %w", u, g, err)
			}
		}
	}
	return nil
}

func (m gcMap) CheckSet(set *data.Set) error { return method.CheckWidth(set, m.Width) }

// gcDeep is a difference of logits over T from which on softmax.Probs may leave a probability at
// 0. Rows without one need no look at each class and temperature.
const gcDeep = 600

// Apply writes the mean over the partitions of softmax(l/T). If all partitions have
// the same temperature, the probabilities have the bits of ts. Every term has the same top class,
// and so has the sum, since rounding is monotone. If rounding makes a smaller logit
// tie with the top one, its class gets the float64 just below, as in softmax.Probs.
func (m gcMap) Apply(dst data.Probs, set *data.Set) {
	p := make([]float64, set.Logits.Cols)
	finder, u := newGCGroups(m.Partitions, m.Width), len(m.Partitions)
	var temperatures []float64 // of one row, distinct
	var times []float64        // number of partitions with each
	var groups []int           // of a block of rows in each partition
	for i := range set.Logits.Rows {
		at := i % fit.BlockRows
		if at == 0 {
			groups = finder.appendTo(groups[:0], set.Features.Slice(i, min(i+fit.BlockRows, set.Logits.Rows)))
		}
		temperatures, times = m.temperatures(temperatures[:0], times[:0], groups[at*u:(at+1)*u])
		row, q := set.Logits.Row(i), dst.Row(i)
		if len(temperatures) == 1 {
			fit.Softmax(q, row, 1/temperatures[0])
			continue
		}
		clear(q)
		least := row[0] // slices.Min, which looks for NaN too, takes as long as two temperatures
		for _, l := range row {
			if l < least {
				least = l
			}
		}
		reach := float64(row[fit.TopClass(row)]) - float64(least)
		for c, t := range temperatures {
			softmax.Probs(p, row, 1/t)
			if reach/t > gcDeep {
				softmax.FillTiny(p, row, 1/t)
			}
			fit.AddTo(q, times[c], p)
		}
		fit.KeepTop(q, row, float64(u))
	}
}

// NLL returns the mean NLL of Apply on a labelled set, with the floor of the metric. of are its rows
// with tables, which give it within 1e-9; a table ends at the usual temperatures, and a map with
// others reads the logits.
func (m gcMap) NLL(ctx context.Context, set *data.Set, of []tabled) (float64, error) {
	for _, p := range m.Partitions {
		for _, t := range p.T {
			if !(t >= fit.MinT && t <= fit.MaxT) {
				sum, err := m.sumNLL(ctx, set)
				return sum / float64(len(set.Labels)), err
			}
		}
	}
	total := 0.0
	for _, rows := range of {
		sum, err := m.sumTabled(ctx, rows)
		if err != nil {
			return 0, err
		}
		total += sum
	}
	return total / float64(len(set.Labels)), nil
}

// sumTabled returns the sum of the NLL of rows with a table.
func (m gcMap) sumTabled(ctx context.Context, of tabled) (float64, error) {
	finder, u := newGCGroups(m.Partitions, m.Width), len(m.Partitions)
	columns := make([][]nllColumn, u)
	for i, p := range m.Partitions {
		for _, t := range p.T {
			c, err := of.table.at(ctx, -softmax.Log(t))
			if err != nil {
				return 0, err
			}
			columns[i] = append(columns[i], c)
		}
	}
	sum, err := fit.SumBlocks(ctx, of.table.Rows(), 1, func(sum []float64, lo, hi int) {
		groups := finder.appendTo(nil, of.features.Slice(lo, hi))
		p, likelihood, nll, slope := make([]float64, hi-lo), make([]float64, hi-lo), make([]float64, hi-lo), make([]float64, hi-lo)
		for i, column := range columns {
			for g := range column {
				column[g].rows(nll, slope, lo)
				for at, f := range nll {
					if groups[at*u+i] == g {
						likelihood[at] = -f
					}
				}
			}
			softmax.Exps(likelihood, likelihood)
			fit.AddTo(p, 1, likelihood)
		}
		for at := range p {
			p[at] = max(p[at]/float64(u), fit.LeastProb)
		}
		softmax.Logs(p, p)
		for _, l := range p {
			sum[0] -= l
		}
	})
	return sum[0], err
}

// sumNLL returns the sum of the NLL of the rows of a set. It needs
// one probability of each row, and sums of exponentials at all temperatures, which the kernel
// takes together.
func (m gcMap) sumNLL(ctx context.Context, set *data.Set) (float64, error) {
	finder, u, k := newGCGroups(m.Partitions, m.Width), len(m.Partitions), set.Logits.Cols
	sum, err := fit.SumBlocks(ctx, len(set.Labels), 1, func(sum []float64, lo, hi int) {
		groups := finder.appendTo(nil, set.Features.Slice(lo, hi))
		scales, scores, top := make([]float64, len(groups)), make([]softmax.Score, len(groups)), make([]int32, hi-lo)
		for i, g := range groups {
			scales[i] = 1 / m.Partitions[i%u].T[g]
		}
		softmax.Scores(scores, top, set.Logits.Data[lo*k:hi*k], k, scales)
		for i, y := range set.Labels[lo:hi] {
			row, p := set.Logits.Row(lo+i), 0.0
			gap := float64(row[y]) - float64(row[top[i]])
			for at := i * u; at < (i+1)*u; at++ {
				p += softmax.Exp(scales[at]*gap) / (1 + scores[at].Tail)
			}
			sum[0] -= softmax.Log(max(p/float64(u), fit.LeastProb))
		}
	})
	return sum[0], err
}

// temperatures appends the distinct temperatures of a row with the given groups, in the
// order of the partitions, and the number of partitions with each.
func (m gcMap) temperatures(t, times []float64, group []int) ([]float64, []float64) {
next:
	for u, g := range group {
		own := m.Partitions[u].T[g]
		for c := range t {
			if t[c] == own {
				times[c]++
				continue next
			}
		}
		t, times = append(t, own), append(times, 1)
	}
	return t, times
}
