package compare

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/qats-bench/qats/internal/english"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/compare/significance"
)

// Estimate is a number with its interval at Level.
type Estimate struct{ Value, Lo, Hi float64 }

// Strength says how often a ranked method is better than the others.
type Strength struct {
	Method string

	// WinRate is the mean, over blocks and over the other ranked methods, of the share
	// of settings on which the method is better; equal values count half. It is in
	// [0, 1].
	WinRate Estimate

	// BradleyTerry is the strength in the model of [significance.BradleyTerry], the
	// logarithm of odds: a method with 1 more wins against another with odds of e to 1.
	// The mean over the methods is 0. A block is one comparison of each pair.
	BradleyTerry Estimate
}

// bootstraps is the number of times that blocks are drawn for the intervals of
// strengths, and fewBlocks the number of blocks below which these are called too short.
const (
	bootstraps = 1000
	fewBlocks  = 10
)

// ShortIntervals warns of a bootstrap of few blocks; it begins with a space.
func (k Ranking) ShortIntervals() string {
	if len(k.Blocks) >= fewBlocks {
		return ""
	}
	return " Of so few they are too short: read them as a description."
}

// Strengths returns the strengths of the ranked methods, in the order of their ranks,
// or nothing without a ranking. The intervals are percentiles of a bootstrap that draws
// whole blocks, with equal seeds for equal numbers of blocks. The first call draws it, and
// all calls return the same slice: do not change it.
func (k Ranking) Strengths() []Strength {
	if k.drawn == nil {
		return nil
	}
	return k.drawn()
}

// blockWins has, by block, the shares of settings that methods win against each other
// (winsOf). Strengths are computed from it alone.
type blockWins struct {
	methods []string
	blocks  [][][]float64
}

// strengths estimates the strengths and draws the bootstrap.
func (w blockWins) strengths() []Strength {
	n, m := len(w.blocks), len(w.methods)
	rates, theta := w.estimates(slices.Repeat([]float64{1}, n), nil)
	drawn := make([][2][]float64, m) // by method: win rates and strengths of the draws
	draws := rand.New(rand.NewPCG(uint64(n), 1))
	for range bootstraps {
		times := make([]float64, n)
		for range n {
			times[draws.IntN(n)]++
		}
		r, t := w.estimates(times, theta)
		for i := range m {
			drawn[i][0], drawn[i][1] = append(drawn[i][0], r[i]), append(drawn[i][1], t[i])
		}
	}
	list := make([]Strength, m)
	for i, method := range w.methods {
		list[i] = Strength{method, estimate(rates[i], drawn[i][0]), estimate(theta[i], drawn[i][1])}
	}
	return list
}

// estimate returns a value with the interval between the 2.5th and the 97.5th
// percentile of the draws, which it sorts.
func estimate(value float64, draws []float64) Estimate {
	slices.Sort(draws)
	out := int(float64(len(draws)) * (1 - Level) / 2)
	return Estimate{value, draws[out], draws[len(draws)-1-out]}
}

// estimates returns the win rates and the Bradley-Terry strengths where block b counts
// times[b] times.
func (w blockWins) estimates(times, start []float64) (rates, theta []float64) {
	m := len(w.methods)
	wins := make([][]float64, m)
	for i := range wins {
		wins[i] = make([]float64, m)
	}
	total := 0.0
	for b, count := range times {
		total += count
		for i, shares := range w.blocks[b] {
			floats.AddScaled(wins[i], count, shares)
		}
	}
	rates = make([]float64, m)
	for i, over := range wins { // none over itself
		for _, n := range over {
			rates[i] += n / total / float64(m-1)
		}
	}
	return rates, significance.BradleyTerry(wins, start)
}

// winsOf returns, for methods in order, the share of the settings of a block on which
// method i is better than method j, at [i][j].
func (c *Comparison) winsOf(v values, block results.Trial, methods []string) [][]float64 {
	wins := make([][]float64, len(methods))
	for i, a := range methods {
		wins[i] = make([]float64, len(methods))
		for j, b := range methods {
			if i == j {
				continue
			}
			x, y := v.numbersOf(a), v.numbersOf(b)
			wins[i][j] = block.Mean(func(s int) float64 {
				better := -results.Sign(c.cost() * (x[s].x - y[s].x))
				return float64(1+better) / 2
			})
		}
	}
	return wins
}

// strengthTitle is the heading of the table of strengths.
func (v View) strengthTitle() string {
	return fmt.Sprintf("Win rates and strengths by %s (%s)", v.MetricLabel, v.Source)
}

// StrengthLegend explains the table of strengths.
func (v View) StrengthLegend() string {
	text := fmt.Sprintf("These numbers describe and decide nothing: p and the interval of the shift decide. Win rate: per cent of settings on which the method is better than another ranked method, averaged over the others and over %s; equal values count half. "+
		"Bradley-Terry: strength as the logarithm of odds, mean 0; one tie is added to each pair, so that a method that always wins has a finite strength. "+
		"Intervals: percentiles of %d bootstraps of whole "+unitOf(v.Block)+"s.", english.Count(len(v.Ranking.Blocks), unitOf(v.Block)), bootstraps)
	return text + v.Ranking.ShortIntervals()
}
