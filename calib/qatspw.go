package calib

import (
	"context"
	"fmt"

	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/data"
)

// qatsPWEntry is the paper's piecewise model (supplement, "Piecewise linear
// function"): T(q) linear between S+1 knots, uniform in q because the paper
// counts S+1 learnable parameters, and falling because its text, though not
// its equation, says "preserving monotonicity". One segment is qats. The
// equation's t_{i+1} - t_j is read as t_{i+1} - t_i.
func qatsPWEntry() Entry {
	return Entry{
		Name:      "qats-pw",
		Label:     "QaTS-PW",
		Version:   2,
		Summary:   "falling piecewise linear temperature in the confidence rank; option segments (4)",
		Reference: "QaTS, supplement, piecewise linear function",
		New:       newQaTSPW(false),
		Restore:   restore(restoreKnots),
	}
}

// qatsPWFreeEntry may rise too: each knot only has to be at least 1e-3.
func qatsPWFreeEntry() Entry {
	return Entry{
		Name:      "qats-pw-free",
		Label:     "QaTS-PW free",
		Version:   3,
		Summary:   "piecewise linear temperature in the confidence rank, rising or falling; option segments (4)",
		Reference: "variant of QaTS, supplement, piecewise linear function",
		New:       newQaTSPW(true),
		Restore:   restore(restoreKnots),
	}
}

type qatsPWOptions struct {
	Segments int `yaml:"segments"` // S, 1 to maxSegments
}

// maxSegments is far above any use and bounds the work of the solver.
const maxSegments = 100

func newQaTSPW(free bool) func(func(any) error) (Method, error) {
	return func(decode func(any) error) (Method, error) {
		o := qatsPWOptions{Segments: 4}
		if err := decode(&o); err != nil {
			return nil, err
		}
		if o.Segments < 1 || o.Segments > maxSegments {
			return nil, fmt.Errorf("segments: %d: want 1 to %d", o.Segments, maxSegments)
		}
		return qatsPW{fit.Curve{Segments: o.Segments, Free: free}}, nil
	}
}

type qatsPW struct{ shape fit.Curve }

func (qatsPW) Contract() Contract { return qats{}.Contract() }

func (m qatsPW) Fit(ctx context.Context, in Input) (*Fitted, error) {
	x, ranks, report, err := fitRanked(ctx, in, m.shape)
	if err != nil {
		return nil, err
	}
	return result(knotsMap{m.shape.Knots(x), ranks}, report), nil
}

// knotsMap is a piecewise linear temperature with the ranks that give q.
type knotsMap struct {
	Knots []float64 `json:"knots"` // t_1, ..., t_{S+1} at q = 0, 1/S, ..., 1; each > 0
	ECDF  fit.ECDF  `json:"ecdf"`
}

func restoreKnots(m knotsMap) (Map, error) {
	if len(m.Knots) < 2 {
		return nil, fmt.Errorf("%d knots: want at least 2", len(m.Knots))
	}
	for i, t := range m.Knots {
		if !usable(t) {
			return nil, fmt.Errorf("knots[%d] = %v: want a temperature in [1e-6, 1e8]", i, t)
		}
	}
	return m, m.ECDF.Check()
}

func (m knotsMap) withoutECDF() (Map, fit.ECDF) {
	e := m.ECDF
	m.ECDF = nil
	return m, e
}

// Apply writes softmax(l/T(q)).
func (m knotsMap) Apply(dst data.Probs, set *data.Set) { applyTempered(m, dst, set) }

// Scales writes 1/T(q), q the rank of the row.
func (m knotsMap) Scales(dst []float64, _ *data.Set, at *Unscaled) {
	m.ECDF.Scales(dst, at.Tails(), func(q float64) float64 { return fit.TemperatureAt(m.Knots, q) })
}
