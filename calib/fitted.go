package calib

import (
	"github.com/qats-bench/qats/calib/report"
	"github.com/qats-bench/qats/data"
)

// Fitted is a calibrator ready for use.
type Fitted struct {
	Map    Map
	Report Report
}

// Probabilities returns the n x k probabilities of the rows of set; see Apply, also for its
// errors.
func (f *Fitted) Probabilities(set *data.Set) (data.Probs, error) {
	if err := checkApplied(f.Map, set); err != nil {
		return data.Probs{}, err
	}
	if set.Confidence != nil {
		return data.Probs{}, ErrConfidence
	}
	dst := data.NewProbs(set.Logits.Rows, set.Logits.Cols)
	apply(f.Map, dst, set)
	return dst, nil
}

// Values with which a fit says how it ended. Their home is package report, since the solvers below this package write
// them; methods name them as here. Report has bounds and warnings. Parameter is a number that the fit found. Local is a
// function near one point, which a loss tells its solver, and Minimum is where the solver ended.
type (
	Report    = report.Report
	Bound     = report.Bound
	Warning   = report.Warning
	Parameter = report.Parameter
	Local     = report.Local
	Minimum   = report.Minimum
)
