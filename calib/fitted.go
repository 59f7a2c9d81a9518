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

// Report says how a fit ended: by which bounds, and with which warnings. Parameter is a number
// that it found.
type (
	Report    = report.Report
	Bound     = report.Bound
	Warning   = report.Warning
	Parameter = report.Parameter
)
