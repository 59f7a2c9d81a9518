package quantile

import (
	"context"
	"fmt"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/method"
	"github.com/qats-bench/qats/data"
)

// PiecewiseQaTS is the paper's piecewise model (supplement, "Piecewise linear
// function"). The knots are uniform in q, because the paper counts S+1 learnable
// parameters. One segment is QaTS.
//
//   - Formula: p = softmax(l/T), T(q) piecewise linear and falling between S+1 uniform
//     knots, by mean NLL
//   - Reference: QaTS, supplement, piecewise linear function
//   - Compared with: none: the authors published none
//   - Agreement: not compared with code; at most the NLL of a brute-force search on
//     networks of data/bundle
//   - Departures: The index t_{i+1} - t_j in the paper's equation is read as t_{i+1} -
//     t_i. The curve falls, because the paper's text says "preserving monotonicity",
//     though its equation does not require it.
type PiecewiseQaTS struct {
	Segments int // S, 1 to 100; 0 means 4
}

// FreePiecewiseQaTS is PiecewiseQaTS whose temperature may rise too.
//
//   - Formula: qats-pw whose T may rise, each knot >= 0.001
//   - Reference: variant of QaTS, supplement, piecewise linear function
//   - Compared with: none: a variant of ours
//   - Agreement: not compared with code; at most the NLL of a brute-force search on
//     networks of data/bundle
//   - Departures: The curve may rise.
type FreePiecewiseQaTS PiecewiseQaTS

// QaTSPWEntry is the entry of PiecewiseQaTS.
var QaTSPWEntry = calib.NewEntry[PiecewiseQaTS, knotsMap](calib.Entry{
	Name:    "qats-pw",
	Label:   "QaTS-PW",
	Version: 4,
	Summary: "falling temperature, piecewise linear in the confidence rank",
})

// String returns the name of the method.
func (PiecewiseQaTS) String() string { return QaTSPWEntry.Name }

// QaTSPWFreeEntry is the entry of FreePiecewiseQaTS.
var QaTSPWFreeEntry = calib.NewEntry[FreePiecewiseQaTS, knotsMap](calib.Entry{
	Name:    "qats-pw-free",
	Label:   "QaTS-PW free",
	Version: 5,
	Summary: "rising or falling temperature, piecewise linear in the confidence rank",
})

// String returns the name of the method.
func (FreePiecewiseQaTS) String() string { return QaTSPWFreeEntry.Name }

// maxSegments is far above any use and bounds the work of the solver.
const maxSegments = 100

// Options returns the option segments.
func (m *PiecewiseQaTS) Options() []calib.Option {
	return []calib.Option{calib.IntOption("segments", &m.Segments, 4, 1, maxSegments, "number of segments of the curve")}
}

// Options returns the option segments.
func (m *FreePiecewiseQaTS) Options() []calib.Option { return (*PiecewiseQaTS)(m).Options() }

// Minimises names the objective.
func (PiecewiseQaTS) Minimises() calib.Objective { return calib.ByNLL }

// Contract needs logits and labels, and accepts a Stream.
func (PiecewiseQaTS) Contract() calib.Contract { return method.StreamedContract() }

// Minimises names the objective.
func (FreePiecewiseQaTS) Minimises() calib.Objective { return calib.ByNLL }

// Contract needs logits and labels, and accepts a Stream.
func (FreePiecewiseQaTS) Contract() calib.Contract { return method.StreamedContract() }

// Fit returns the knots and the ranks.
func (m PiecewiseQaTS) Fit(ctx context.Context, in calib.Input) (*calib.Fitted, error) {
	return m.fit(ctx, in, false)
}

// Fit returns the knots and the ranks.
func (m FreePiecewiseQaTS) Fit(ctx context.Context, in calib.Input) (*calib.Fitted, error) {
	return PiecewiseQaTS(m).fit(ctx, in, true)
}

func (m PiecewiseQaTS) fit(ctx context.Context, in calib.Input, free bool) (*calib.Fitted, error) {
	m, err := calib.WithDefaults(m)
	if err != nil {
		return nil, err
	}
	curve := fit.Curve{Segments: m.Segments, Free: free}
	x, ranks, report, err := rankedCurve(ctx, in, curve)
	if err != nil {
		return nil, err
	}
	return &calib.Fitted{Map: knotsMap{curve.Knots(x), ranks}, Report: report}, nil
}

// knotsMap is a piecewise linear temperature with the ranks that give q.
type knotsMap struct {
	Knots []float64 `json:"knots"` // t_1, ..., t_{S+1} at q = 0, 1/S, ..., 1; each > 0
	ECDF  fit.ECDF  `json:"ecdf"`
}

func (m knotsMap) Check() error {
	if len(m.Knots) < 2 {
		return fmt.Errorf("%d knots: want at least 2", len(m.Knots))
	}
	for i, t := range m.Knots {
		if !fit.Usable(t) {
			return fmt.Errorf("knots[%d] = %v: want a temperature in [1e-50, 1e50]", i, t)
		}
	}
	return m.ECDF.Check()
}

// Parameters returns the knots t_1, t_2, ...
func (m knotsMap) Parameters() []calib.Parameter {
	return method.Numbered("t_%d", "temperature at a knot of the confidence rank q, the first at q = 0, the last at q = 1", m.Knots)
}

// WithoutECDF returns the map without its ranks, and the ranks.
func (m knotsMap) WithoutECDF() (calib.Map, fit.ECDF) {
	e := m.ECDF
	m.ECDF = nil
	return m, e
}

// Scales writes 1/T(q), q the rank of the row.
func (m knotsMap) Scales(dst []float64, _ *data.Set, at *calib.Unscaled) {
	m.ECDF.Scales(dst, at.Tails(), func(q float64) float64 { return fit.TemperatureAt(m.Knots, q) })
}
