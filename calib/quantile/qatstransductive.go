package quantile

import (
	"context"
	"errors"
	"fmt"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/method"
	"github.com/qats-bench/qats/data"
)

// TransductiveQaTS is QaTS whose ranks are those among the unlabelled target rows. A global
// rescaling of their logits leaves its temperatures as they are where it keeps the order of
// the confidences: always with two classes, not always with more. Its probabilities change,
// since the logits do. Among the calibration rows, as in QaTS, a rescaled row has another q.
//
//   - Formula: qats with q the rank of the confidence among unlabelled target rows
//   - Reference: variant of QaTS, Eq. 5
//   - Compared with: none: the authors published none
//   - Agreement: not compared with code; a and b equal those of qats
//   - Departures: Ranks are among the target rows, where the paper's formula has the
//     calibration rows.
type TransductiveQaTS struct{}

// QaTSTransductiveEntry is the entry of TransductiveQaTS.
var QaTSTransductiveEntry = calib.NewEntry[TransductiveQaTS, lineMap](calib.Entry{
	Name:    "qats-transductive",
	Label:   "QaTS (trans)",
	Version: 4,
	Summary: "a and b of qats, ranks among the unlabelled target rows",
})

// String returns the name of the method.
func (TransductiveQaTS) String() string { return QaTSTransductiveEntry.Name }

// Contract also needs the logits of the target.
func (TransductiveQaTS) Contract() calib.Contract {
	c := method.StreamedContract()
	c.Target = data.Logits
	return c
}

// Fit returns a and b of QaTS with the ranks of the target.
func (TransductiveQaTS) Fit(ctx context.Context, in calib.Input) (*calib.Fitted, error) {
	x, _, report, err := rankedCurve(ctx, in, fit.Curve{Segments: 1})
	if err != nil {
		return nil, err
	}
	ranks, err := targetECDF(ctx, in)
	if err != nil {
		return nil, err
	}
	return &calib.Fitted{Map: lineMap{fit.Line{A: x[0], B: x[1], ECDF: ranks}}, Report: report}, nil
}

// targetECDF returns the distribution of confidence on the target rows.
func targetECDF(ctx context.Context, in calib.Input) (fit.ECDF, error) {
	if in.Target == nil || in.Target.Logits.Rows == 0 {
		return nil, errors.New("no target rows to rank among")
	}
	if got, want := in.Target.Logits.Cols, in.Classes(); got != want {
		return nil, fmt.Errorf("target rows have %d classes, calibration rows %d", got, want)
	}
	t, err := fit.Tails(ctx, in.Target.Logits)
	return fit.NewECDF(t), err
}
