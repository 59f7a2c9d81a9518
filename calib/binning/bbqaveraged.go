package binning

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/qats-bench/qats/calib/onevsrest"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// averagedHistogram is a weighted mean of histograms of [0, 1], the largest weight first. The
// bins of a histogram have equal widths and are right-closed (softmax.Bin).
type averagedHistogram struct {
	Weights    []float64   `json:"weights"`    // they sum to 1
	Histograms [][]float64 `json:"histograms"` // the values of the bins, one histogram for each weight

	most  float64 // the largest number of bins
	first float64 // the value up to 1/most, where every histogram is in its first bin
}

// binCounts returns the least and the largest number of bins for n rows,
//
//	max(1, floor(n^(1/3)/10)) and min(ceil(n/5), ceil(10 n^(1/3))),
//
// computed with integers.
func binCounts(n int) (least, most int) {
	for least = 1; 1000*(least+1)*(least+1)*(least+1) <= n; least++ {
	}
	for most = 1; most*most*most < 1000*n; most++ {
	}
	return least, min((n+4)/5, most)
}

const (
	// averagedGap times the variance of the relative posteriors is the gap at which keptCandidates cuts.
	averagedGap = 0.001

	// averagedLeast is the smallest normal number. Weights, divided by their sum, of
	// smaller posteriors may be 0.
	averagedLeast = 0x1p-1022
)

// averagedCandidate is a histogram with its score S and exp((min S - S)/2), its posterior
// relative to the best one.
type averagedCandidate struct {
	histogram       []float64
	score, relative float64
}

// averageHistograms fits a histogram to n probabilities p and their outcomes for each number of
// bins m of binCounts. A bin has the share of positive rows, an empty bin its centre. The
// score is S_m = m c - 2 log L_m, where c is the cost of a bin and L_m the likelihood of
// the outcomes. Weights are proportional to exp(-S_m/2).
//
// Histograms of small weight are left out. v_m is exp((min S - S_m)/2). Histograms are
// sorted by v_m, the largest first, and of equal ones the fewer bins first. Equal ones
// at the beginning are kept. Those after the first gap of at most 0.001 var(v) are left
// out, where the variance is over all m. Those whose v_m underflows are left out too.
func averageHistograms(p []float64, positive []bool, cost float64) averagedHistogram {
	least, most := binCounts(len(p))
	var above []int // the rows that are not in the first bin of every histogram, which are few
	firstRows, firstHits := 0.0, 0.0
	for i, x := range p {
		if !inFirstBin(x, most) {
			above = append(above, i)
			continue
		}
		firstRows++
		if positive[i] {
			firstHits++
		}
	}
	all := make([]averagedCandidate, 0, most-least+1)
	for bins := least; bins <= most; bins++ {
		t := newBinTally(bins)
		t.rows[0], t.hits[0] = firstRows, firstHits
		for _, i := range above {
			t.add(p[i], positive[i])
		}
		all = append(all, averagedCandidate{score: float64(float64(bins)*cost) - 2*t.logLikelihood(), histogram: t.histogram()})
	}
	return weightedCandidates(keptCandidates(all))
}

// logLikelihood returns the log-likelihood of the outcomes if the probability of a row
// is the share of its bin.
func (t binTally) logLikelihood() float64 {
	sum := 0.0
	for b, n := range t.rows {
		if h := t.hits[b]; h > 0 && h < n {
			sum += float64(h*softmax.Log(h/n)) + float64((n-h)*softmax.Log((n-h)/n))
		}
	}
	return sum
}

// keptCandidates computes the relative posteriors and returns the candidates that are kept,
// the best first; see averageHistograms.
func keptCandidates(all []averagedCandidate) []averagedCandidate {
	best := slices.MinFunc(all, func(a, b averagedCandidate) int { return cmp.Compare(a.score, b.score) }).score
	mean, variance := 0.0, 0.0
	for i := range all {
		all[i].relative = softmax.Exp((best - all[i].score) / 2)
		mean += all[i].relative / float64(len(all))
	}
	for _, c := range all {
		variance += float64((c.relative-mean)*(c.relative-mean)) / float64(len(all))
	}
	slices.SortStableFunc(all, func(a, b averagedCandidate) int { return cmp.Compare(b.relative, a.relative) })
	last := 0
	for last+1 < len(all) && all[last].relative == all[last+1].relative {
		last++
	}
	for last+1 < len(all) && all[last].relative-all[last+1].relative > averagedGap*variance && all[last+1].relative >= averagedLeast {
		last++
	}
	return all[:last+1]
}

func weightedCandidates(candidates []averagedCandidate) averagedHistogram {
	var a averagedHistogram
	sum := 0.0
	for _, c := range candidates {
		sum += c.relative
	}
	for _, c := range candidates {
		a.Weights = append(a.Weights, c.relative/sum)
		a.Histograms = append(a.Histograms, c.histogram)
	}
	return a.Prepared()
}

// Prepared returns a, read from a file and checked, ready for At.
func (a averagedHistogram) Prepared() averagedHistogram {
	a.most = 1
	for _, h := range a.Histograms {
		a.most = max(a.most, float64(len(h)))
	}
	a.first = a.mean(0)
	return a
}

// ClassScore is the probability.
func (averagedHistogram) ClassScore() string { return onevsrest.ScoreProb }

// At returns the weighted mean of the values of the bins of x in [0, 1].
func (a averagedHistogram) At(x float64) float64 {
	if float64(x*a.most) <= 1 {
		return a.first
	}
	return a.mean(x)
}

func (a *averagedHistogram) mean(x float64) float64 {
	sum := 0.0
	for i, w := range a.Weights {
		h := a.Histograms[i]
		sum += float64(w * h[softmax.Bin(x, len(h))])
	}
	return min(sum, 1)
}

// Certain reports whether the mean is exactly 0 or 1 somewhere: where all histograms have that value. The mean is constant
// between two neighbours of all edges, and bins are right-closed, so it looks up to each edge.
func (a averagedHistogram) Certain() bool {
	for _, h := range a.Histograms {
		for b := range h {
			edge := float64(b+1) / float64(len(h))
			if a.agree(math.Nextafter(edge, 0)) || a.agree(edge) {
				return true
			}
		}
	}
	return false
}

// agree reports whether all histograms have the value 0, or all 1, in the bin of x.
func (a averagedHistogram) agree(x float64) bool {
	zeros, ones := 0, 0
	for _, h := range a.Histograms {
		switch h[softmax.Bin(x, len(h))] {
		case 0:
			zeros++
		case 1:
			ones++
		default:
			return false
		}
	}
	return max(zeros, ones) == len(a.Histograms)
}

// Check rejects weights and values that averageHistograms does not return.
func (a averagedHistogram) Check() error {
	if len(a.Weights) == 0 || len(a.Weights) != len(a.Histograms) {
		return fmt.Errorf("%d weights and %d histograms: want as many, at least one", len(a.Weights), len(a.Histograms))
	}
	sum := 0.0
	for i, w := range a.Weights {
		if !(w > 0 && w <= 1) {
			return fmt.Errorf("weights[%d] = %v is outside (0, 1]", i, w)
		}
		sum += w
		if len(a.Histograms[i]) == 0 {
			return fmt.Errorf("histograms[%d] has no bins", i)
		}
		for b, v := range a.Histograms[i] {
			if !(v >= 0 && v <= 1) {
				return fmt.Errorf("histograms[%d][%d] = %v is outside [0, 1]", i, b, v)
			}
		}
	}
	if !(math.Abs(sum-1) <= 1e-9) {
		return fmt.Errorf("weights sum to %v, want 1", sum)
	}
	return nil
}
