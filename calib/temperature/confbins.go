package temperature

import (
	"context"
	"errors"
	"fmt"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/method"
	"github.com/qats-bench/qats/calib/report"
	"github.com/qats-bench/qats/data"
)

// binnedMap is one temperature for each of m bins of the confidence at T = 1. As
// in qats, rows are compared by their tail sums, which do not saturate:
// conf = 1/(1+tail).
type binnedMap struct {
	// Edges are m-1 ascending tail sums: bin b holds the rows with
	// Edges[b-1] <= tail < Edges[b], so rows of equal confidence share a bin.
	Edges []float64 `json:"edges"`
	T     []float64 // m, the bin of the most confident rows first
}

func (m binnedMap) Check() error {
	if len(m.T) == 0 || len(m.Edges) != len(m.T)-1 {
		return fmt.Errorf("%d temperatures and %d edges: want one temperature more", len(m.T), len(m.Edges))
	}
	for b, t := range m.T {
		if err := fit.CheckTemperature(fmt.Sprintf("T[%d]", b), t); err != nil {
			return err
		}
	}
	if len(m.Edges) > 0 {
		if err := fit.ECDF(m.Edges).Check(); err != nil {
			return errors.New("edges: want ascending tail sums, each >= 0")
		}
	}
	return nil
}

// Parameters returns the temperatures of the bins, the most confident bin first.
func (m binnedMap) Parameters() []calib.Parameter {
	return method.Numbered("bin %d: T", "temperature of the rows of a bin of confidence, the most confident first", m.T)
}

// Scales writes 1/T of every row.
func (m binnedMap) Scales(dst []float64, _ *data.Set, at *calib.Unscaled) {
	for i, tail := range at.Tails() {
		dst[i] = 1 / m.T[m.bin(tail)]
	}
}

// bin returns the bin of a row with the given tail sum, 0 for the most confident.
func (m binnedMap) bin(tail float64) int { return fit.UpTo(m.Edges, tail) }

// massEdges returns the edges of bins of equal mass: bin b begins at the row
// of rank round(b n / bins) in the order of falling confidence. Tied rows are in
// the bin that begins with them. So bins may be empty, and some are if there are
// fewer rows than bins.
func massEdges(tails fit.ECDF, bins int) []float64 {
	n := len(tails)
	edges := make([]float64, bins-1)
	for b := range edges {
		rank := (2*(b+1)*n + bins) / (2 * bins)
		edges[b] = tails[min(rank, n-1)]
	}
	return edges
}

// fitBins fits a temperature in each of the given number of bins of equal mass. An
// empty bin has the temperature otherwise. A pass over a bin counts as its share of
// the rows.
func fitBins(ctx context.Context, set *data.Set, bins int, otherwise float64,
	fitBin func(ctx context.Context, bin *data.Set) (float64, calib.Report, error)) (binnedMap, calib.Report, error) {
	t, err := fit.Tails(ctx, set.Logits)
	if err != nil {
		return binnedMap{}, calib.Report{}, err
	}
	m := binnedMap{Edges: massEdges(fit.NewECDF(t), bins), T: make([]float64, bins)}
	members := make([][]int, bins)
	for i, tail := range t {
		b := m.bin(tail)
		members[b] = append(members[b], i)
	}
	var total calib.Report
	read := 0.0 // rows
	empty := 0
	for b, rows := range members {
		m.T[b] = otherwise
		if len(rows) == 0 {
			empty++
			continue
		}
		var r calib.Report
		if m.T[b], r, err = fitBin(ctx, fit.Pick(set, rows)); err != nil {
			return binnedMap{}, calib.Report{}, err
		}
		total.NLL += float64(r.NLL*float64(len(rows))) / float64(len(t))
		total.Gradient = max(total.Gradient, r.Gradient)
		total.Iterations += r.Iterations
		read += r.Passes * float64(len(rows))
		for _, bound := range r.AtBound {
			bound.Bin = b + 1
			total.AtBound = append(total.AtBound, bound)
		}
		for _, w := range r.Warnings {
			w.Bin = b + 1
			total.Warn(w)
		}
	}
	total.Passes = 1 + read/float64(len(t))
	if empty > 0 {
		total.Warn(calib.Warning{Text: "{count} of {of} bins are empty: T = {value} there", Count: empty, Of: bins, Value: report.Rounded(otherwise, 4)})
	}
	return m, total, nil
}
