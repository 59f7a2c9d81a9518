package experiments

import (
	"errors"
	"fmt"
	"math"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results"
)

// scores are the values of one cell as the store keeps them.
type scores struct {
	N         int                      `json:"n"`
	Values    map[string]float64       `json:"values"`
	Undefined map[string]results.Note  `json:"undefined,omitempty"` // metric id -> reason for having no value
	Bins      map[string][]metrics.Bin `json:"bins"`
	Report    calib.Report             `json:"report"` // of the fit, for the notes

	Parameters []calib.Parameter `json:"parameters,omitempty"` // of the fit, for fits.csv
}

// computeScores computes all metrics of a cell. A value that is not finite is an
// error; a metric without a value returns an error with the reason. before is called before
// each metric.
func computeScores(samples *metrics.Samples, entries []metrics.Entry, seed uint64, before func()) (scores, error) {
	s := scores{N: samples.Len(), Values: map[string]float64{}, Undefined: map[string]results.Note{}, Bins: map[string][]metrics.Bin{}}
	for _, binning := range metrics.Binnings() {
		s.Bins[binning.Name] = binning.Bins(samples)
	}
	for _, e := range entries {
		before()
		values, err := e.Compute(samples, seed)
		for i, id := range e.Names() {
			switch {
			case errors.Is(err, metrics.ErrNoVector):
				s.Undefined[id] = results.Note{{Kind: results.NoVector}}
			case err != nil:
				s.Undefined[id] = results.Because(err.Error())
			case math.IsNaN(values[i]) || math.IsInf(values[i], 0):
				return s, fmt.Errorf("metric %s comes out as %g", id, values[i])
			default:
				s.Values[id] = values[i]
			}
		}
	}
	return s, nil
}
