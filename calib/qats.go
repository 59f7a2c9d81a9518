package calib

import (
	"context"

	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/data"
)

// QaTS is quantile-adaptive temperature scaling, the paper's method. The temperature of
// a row depends on q in [0, 1], the rank of its confidence among the n calibration rows
// (Eq. 5),
//
//	q = #{j : conf_j <= conf} / n.
//
// Ties get the highest rank, as the definition says. If a = 0, the fit is
// TemperatureScaling to the last bit, and a warning says so.
//
//   - Formula: p = softmax(l/T), T = a (1-q) + b, a >= 0, b >= 0.001 min(1, spread), q the
//     rank of the confidence among the calibration rows, by mean NLL; spread as in ts
//   - Reference: QaTS, Eqs. 5, 6 and 10
//   - Compared with: scipy's L-BFGS-B; the authors published none
//   - Agreement: a and b to 1e-4 on a network of data/bundle, NLL to 1e-15 on drawn logits
//   - Departures: The paper asks for a, b > 0 and does not say how. Here the bounds are
//     closed, and reported when they are active; a and b are at most 1000 max(1, spread).
//     Confidences are compared without saturation, by the sum of exp(l_j - max l) over the
//     other classes: in float32 up to a quarter of the confidences of a network tie at
//     exactly 1.
type QaTS struct{}

// QaTSEntry is the entry of QaTS.
var QaTSEntry = NewEntry[QaTS, qatsMap](Entry{
	Name:    "qats",
	Label:   "QaTS",
	Version: 4,
	Summary: "temperature linear in the confidence rank, a (1-q) + b with a >= 0, b >= 0.001",
	Aliases: []string{"quantile-adaptive-temperature-scaling"},
})

// String returns the name of the method.
func (QaTS) String() string { return QaTSEntry.Name }

// Minimises names the objective.
func (QaTS) Minimises() Objective { return ByNLL }

// Contract needs logits and labels, and accepts a Stream.
func (QaTS) Contract() Contract { return streamedContract() }

// Fit returns a, b and the ranks.
func (QaTS) Fit(ctx context.Context, in Input) (*Fitted, error) {
	x, ranks, report, err := rankedCurve(ctx, in, fit.Curve{Segments: 1})
	if err != nil {
		return nil, err
	}
	return &Fitted{Map: qatsMap{fit.Line{A: x[0], B: x[1], ECDF: ranks}}, Report: report}, nil
}

// rankedCurve fits a curve over the rank, and returns its parameters and the ranks.
func rankedCurve(ctx context.Context, in Input, c fit.Curve) ([]float64, fit.ECDF, Report, error) {
	o, err := in.objective()
	if err != nil {
		return nil, nil, Report{}, err
	}
	return fit.RankedCurve(ctx, in.Stage, o, c)
}

// qatsMap is the temperature a (1-q) + b with the ranks that give q.
type qatsMap struct{ fit.Line }

// WithoutECDF returns the map without its ranks, and the ranks.
func (m qatsMap) WithoutECDF() (Map, fit.ECDF) {
	e := m.ECDF
	m.ECDF = nil
	return m, e
}

// Scales writes 1/T(q), q the rank of the row.
func (m qatsMap) Scales(dst []float64, _ *data.Set, at *Unscaled) { m.AtTails(dst, at.Tails()) }
