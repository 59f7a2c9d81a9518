package binning

import (
	"context"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/internal/method"
	"github.com/qats-bench/qats/calib/onevsrest"
)

// MassHistogram is histogram binning of each class against all others, with bins of
// equal numbers of rows: for each class j the n rows are sorted by p_j and cut into
// bins of n/Bins rows. The first bins have one more if n cannot be divided. A set of
// fewer rows than Bins has one row a bin. The prediction may change.
//
// An edge lies half-way between the last score of a bin and the first of the next, and
// belongs to the bin below. If the two are tied, as in isotonic.Regression, it lies at
// the end of the tie, so that rounding parts no rows.
//
//   - Formula: q_j = share of class j in the bin of p_j, bins of equal numbers of
//     calibration rows, divided by the sum over the classes
//   - Reference: Zadrozny and Elkan 2001
//   - Compared with: probmetrics 1.3.0,
//     BinaryHistogramBinningCalibrator(strategy="quantile")
//   - Agreement: equal on networks of others, without the mass, on rows that no edge
//     divides differently; if the number of calibration rows is no multiple of the bins,
//     edges divide many rows differently
//   - Departures: Shares of 0 or 1 have a mass (calib.Mass). A bin without rows, which
//     only ties can cause, returns its centre; in probmetrics it returns the share of the
//     class. A row of zeros becomes uniform, as in hb. The paper leaves both open.
//     CalArena's Hist-quantile (probmetrics) has the edges of numpy.quantile at i/bins.
//     They are elsewhere between the same two scores if n is divided by the number of
//     bins, and belong to the bin above.
type MassHistogram struct {
	Bins int // of equal numbers of rows, 1 to 1000; 0 means 10
}

// HBMassEntry is the entry of MassHistogram.
var HBMassEntry = calib.NewEntry[MassHistogram, hbMassMap](calib.Entry{
	Name:    "hb-mass",
	Label:   "HB-mass",
	Version: 4,
	Since:   3,
	Summary: "histogram binning with bins of equal numbers of rows, of each class against all others, rows normalised",
	Aliases: []string{"hist-quantile"},
	Cost:    30,
	Cost100: 90,
})

// String returns the name of the method.
func (MassHistogram) String() string { return HBMassEntry.Name }

// Options returns the option bins.
func (h *MassHistogram) Options() []calib.Option { return equalBinsOption(&h.Bins) }

// Contract needs logits and labels. The prediction may change.
func (MassHistogram) Contract() calib.Contract {
	return method.OfRanks(method.Sized(method.VectorContract()))
}

// Fit returns the edges and values of every class.
func (h MassHistogram) Fit(ctx context.Context, in calib.Input) (*calib.Fitted, error) {
	h, err := calib.WithDefaults(h)
	if err != nil {
		return nil, err
	}
	m := onevsrest.New[massHistogram](in.Cal.Logits.Cols)
	return onevsrest.Fit(ctx, in.Cal, m, func(class int, x []float64, positive []bool) calib.Minimum {
		m.Classes[class] = newMassHistogram(x, positive, h.Bins)
		return calib.Minimum{}
	})
}

// massHistogram is a value for each bin. Stretched probabilities up to Edges[0] are in bin
// 0, those above Edges[i] up to Edges[i+1] in bin i+1.
type massHistogram struct {
	Edges  []float64 `json:"edges"`  // increasing, one fewer than Values
	Values []float64 `json:"values"` // one for each bin
}

func (h massHistogram) Check() error { return checkBins(h.Edges, h.Values) }

// Certain reports whether a bin has the value 0 or 1; see calib.Certain.
func (h massHistogram) Certain() bool { return certain(h.Values) }

// newMassHistogram returns the share of hits in bins of equal numbers of stretched
// probabilities.
func newMassHistogram(scores []float64, hit []bool, bins int) massHistogram {
	edges, rows := equalEdges(scores, bins)
	h := massHistogram{Edges: edges, Values: make([]float64, len(rows))}
	for i, x := range scores {
		if hit[i] {
			h.Values[edgesBelow(edges, x)]++
		}
	}
	for b, n := range rows {
		if n > 0 {
			h.Values[b] /= float64(n)
		} else {
			h.Values[b] = centre(edges, b)
		}
	}
	return h
}

// ClassScore is the stretched probability.
func (massHistogram) ClassScore() string { return onevsrest.ScoreStretched }

// At returns the value of the bin of x.
func (h massHistogram) At(x float64) float64 { return h.Values[edgesBelow(h.Edges, x)] }

// hbMassMap holds a histogram for each of the k classes.
type hbMassMap = onevsrest.Functions[massHistogram]
