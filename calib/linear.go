package calib

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/data"
)

// reportedDescent returns the map with the report of a descent, which followed
// the given steps and passes.
func reportedDescent(ctx context.Context, m Map, set *data.Set, end fit.Descent, steps int, passes float64) (*Fitted, error) {
	r := fit.Report{Gradient: end.Gradient, Iterations: steps + end.Steps, Passes: passes}
	if end.Gradient > linearDone {
		r.Warnings = []string{fmt.Sprintf("not converged: gradient %.1e after %d steps", end.Gradient, end.Steps)}
	}
	return reported(ctx, m, set, r)
}

// linearDone is the largest gradient that counts as converged. The descent may
// end above linearmap.Tolerance, if rounding hides any further descent. At a
// gradient of 1e-6 the error of the objective is 1e-12, and that of the
// probabilities 1e-6.
const linearDone = 1e-6

// mostParameter bounds the parameters of a saved linear map, so that no finite
// logits overflow. It is far beyond any fit.
const mostParameter = 1e15

// checkParameters rejects parameters that are not k finite numbers in range.
func checkParameters(name string, v []float64, k int) error {
	if len(v) != k {
		return fmt.Errorf("%s has %d numbers for %d classes", name, len(v), k)
	}
	for j, x := range v {
		if !(math.Abs(x) <= mostParameter) {
			return fmt.Errorf("%s[%d] = %v: want one in [-1e15, 1e15]", name, j, x)
		}
	}
	return nil
}

// perClass is a map that has a function for each of the k classes.
type perClass[F interface{ Check() error }] struct {
	Classes []F `json:"classes"` // k
}

// NumClasses returns k.
func (m perClass[F]) NumClasses() int { return len(m.Classes) }

func (m perClass[F]) Check() error { return checkClasses(m.Classes, F.Check) }

// checkClasses rejects a saved map without classes, or with a class that check rejects.
func checkClasses[T any](classes []T, check func(T) error) error {
	if len(classes) == 0 {
		return errors.New("no classes")
	}
	for j, c := range classes {
		if err := check(c); err != nil {
			return fmt.Errorf("class %d: %w", j, err)
		}
	}
	return nil
}

// checkVectors rejects vectors of k parameters that no fit returns; k is the length of
// the first one.
func checkVectors(names []string, vectors ...[]float64) error {
	k := len(vectors[0])
	if k == 0 {
		return errors.New("no classes")
	}
	for i, v := range vectors {
		if err := checkParameters(names[i], v, k); err != nil {
			return err
		}
	}
	return nil
}

// checkMatrix rejects a matrix w and offsets b that no fit returns.
func checkMatrix(w [][]float64, b []float64) error {
	if len(w) == 0 {
		return errors.New("no classes")
	}
	for c, row := range w {
		if err := checkParameters(fmt.Sprintf("w[%d]", c), row, len(w)); err != nil {
			return err
		}
	}
	return checkParameters("b", b, len(w))
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
