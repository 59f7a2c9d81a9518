package fit

import (
	"context"

	"github.com/qats-bench/qats/calib/report"
	"github.com/qats-bench/qats/data"
)

// Stage is called at the end of each stage of a fit, with its name and its passes over the
// calibration set. A nil Stage is not called.
type Stage func(name string, passes float64)

// End reports the end of a stage.
func (s Stage) End(name string, passes float64) {
	if s != nil {
		s(name, passes)
	}
}

// Cache keeps a result for other fits on the same rows; calib.Shared documents it. Load returns
// what Store was given last, nil at first. It is safe for concurrent use.
type Cache interface {
	Load() any
	Store(result any)
}

// ObjectiveOf returns the objective of a calibration set, or of a stream where there is no set,
// with the results of other fits on the same rows.
func ObjectiveOf(cal *data.Set, stream Stream, shared Cache) (*Objective, error) {
	var o *Objective
	var err error
	if cal == nil && stream != nil {
		o, err = NewStreamed(stream)
	} else {
		o, err = NewObjective(cal)
	}
	if err != nil {
		return nil, err
	}
	o.Shared = shared
	return o, nil
}

// Ranked returns the rank q of every row, and the distribution of the confidence, which a map
// holds. In memory these are 16 bytes a row beside the logits.
func (o *Objective) Ranked(ctx context.Context, stage Stage) (q []float64, ranks ECDF, err error) {
	if q, err = o.Tails(ctx); err != nil {
		return nil, nil, err
	}
	if ranks, err = RankRows(ctx, q); err != nil {
		return nil, nil, err
	}
	stage.End("rank", o.Passes)
	return q, ranks, nil
}

// RankedCurve fits a curve over the rank, and returns its parameters and the distribution of
// the confidence.
func RankedCurve(ctx context.Context, stage Stage, o *Objective, c Curve) ([]float64, ECDF, report.Report, error) {
	q, ranks, err := o.Ranked(ctx, stage)
	if err != nil {
		return nil, nil, report.Report{}, err
	}
	x, report, err := TemperatureCurve(ctx, stage, o, q, c)
	return x, ranks, report, err
}
