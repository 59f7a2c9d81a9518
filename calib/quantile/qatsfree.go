package quantile

import (
	"context"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/method"
)

// FreeQaTS is QaTS without a >= 0: the temperature may rise with confidence.
//
//   - Formula: qats with T >= 0.001 at both ends in place of a >= 0
//   - Reference: variant of QaTS, Eq. 6
//   - Compared with: none: a variant of ours
//   - Agreement: not compared with code; at most the NLL of a brute-force search on
//     networks of data/bundle
//   - Departures: a >= 0 of the paper is left out, to show what it costs.
type FreeQaTS struct{}

// QaTSFreeEntry is the entry of FreeQaTS.
var QaTSFreeEntry = calib.NewEntry[FreeQaTS, lineMap](calib.Entry{
	Name:    "qats-free",
	Label:   "QaTS free",
	Version: 5,
	Summary: "qats without a >= 0: the temperature may rise with confidence",
})

// String returns the name of the method.
func (FreeQaTS) String() string { return QaTSFreeEntry.Name }

// Minimises names the objective.
func (FreeQaTS) Minimises() calib.Objective { return calib.ByNLL }

// Contract needs logits and labels, and accepts a Stream.
func (FreeQaTS) Contract() calib.Contract { return method.StreamedContract() }

// Fit returns a, which may be below 0, b and the ranks.
func (FreeQaTS) Fit(ctx context.Context, in calib.Input) (*calib.Fitted, error) {
	knots, ranks, report, err := rankedCurve(ctx, in, fit.Curve{Segments: 1, Free: true})
	if err != nil {
		return nil, err
	}
	return &calib.Fitted{Map: lineMap{fit.Line{A: knots[0] - knots[1], B: knots[1], ECDF: ranks}}, Report: report}, nil
}
