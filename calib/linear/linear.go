package linear

import (
	"context"
	"errors"
	"fmt"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/method"
	"github.com/qats-bench/qats/calib/report"
	"github.com/qats-bench/qats/data"
)

// reportedDescent returns the map with the report of a descent from the fit of ts that start
// reports, after the given passes. The bounds and warnings of start hold for the map too.
func reportedDescent(ctx context.Context, m calib.Map, set *data.Set, end fit.Descent, start calib.Report, passes float64) (*calib.Fitted, error) {
	r := calib.Report{Gradient: end.Gradient, Iterations: start.Iterations + end.Steps, Passes: passes, AtBound: start.AtBound, Warnings: start.Warnings}
	if end.Gradient > linearDone {
		r.Warn(report.Unconverged(end.Gradient, end.Steps))
	}
	return method.Reported(ctx, m, set, r)
}

// allRight reports whether the label of every row has the one largest of the scores that write
// gives for its logits. Then the NLL falls without end as the scores grow.
func allRight(set *data.Set, write scores) bool {
	s := make([]float64, set.Logits.Cols)
	for i, y := range set.Labels {
		write(s, set.Logits.Row(i))
		for j, v := range s {
			if v >= s[y] && j != int(y) {
				return false
			}
		}
	}
	return true
}

// linearDone is the largest gradient that counts as converged. The descent may
// end above tolerance, if rounding hides any further descent. At a
// gradient of 1e-6 the error of the objective is 1e-12, and that of the
// probabilities 1e-6.
const linearDone = 1e-6

// checkMatrix rejects a matrix w and offsets b that no fit returns.
func checkMatrix(w [][]float64, b []float64) error {
	if len(w) == 0 {
		return errors.New("no classes")
	}
	for c, row := range w {
		if err := fit.CheckParameters(fmt.Sprintf("w[%d]", c), row, len(w)); err != nil {
			return err
		}
	}
	return fit.CheckParameters("b", b, len(w))
}

// mostMatrixClasses is the largest number of classes of a method with k^2
// parameters: with 100 classes a pass over 10,000 rows costs 2 10^8 products.
const mostMatrixClasses = 100

func checkMatrixClasses(name string, k int) error {
	if k > mostMatrixClasses {
		return fmt.Errorf("%s fits a matrix of %d x %d numbers: at most %d classes; svs and vs take more", name, k, k, mostMatrixClasses)
	}
	return nil
}

// The range of options that multiply squares of parameters. The least is above 0,
// because without a penalty some sets have no minimum.
const (
	leastPenalty = 1e-9
	mostPenalty  = 1e9
)
