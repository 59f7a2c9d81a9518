package calibtest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/data"
)

// confidenceTolerance is the largest difference of a new confidence that is computed from logits and from the
// confidence that is left of them: 1 - c has lost digits where c is near 1.
const confidenceTolerance = 1e-9

// confidenceAlone: a method that takes a confidence alone has the same map from it as from the logits. Other methods
// are given no such sets.
func confidenceAlone(s *subject) error {
	if !s.contract.Confidence || s.contract.Cal == 0 { // nothing is fitted of the uncalibrated network
		return nil
	}
	confidences := func(cal, test *data.Set) ([]float64, error) {
		f, err := calib.FitInput(context.Background(), s.method, calib.Input{Cal: cal.View(s.contract.Cal), Seed: 1})
		if err != nil {
			return nil, err
		}
		top, ok := f.Map.(calib.TopLabel)
		if !ok {
			return nil, errors.New("declares Confidence, and its map is no TopLabel")
		}
		_, conf, err := calib.TopLabels(top, test.View(s.contract.Test))
		return conf, err
	}
	want, err := confidences(s.cal, s.test)
	if err != nil {
		return err
	}
	got, err := confidences(reduced(s.cal), reduced(s.test))
	if err != nil {
		return fmt.Errorf("of a confidence alone: %w", err)
	}
	for i, c := range got {
		if !(math.Abs(c-want[i]) <= confidenceTolerance) {
			return fmt.Errorf("row %d: confidence %v of a confidence alone, %v of the logits", i, c, want[i])
		}
	}
	return nil
}

// reduced returns what is left of a set: confidence, correctness and the number of classes.
func reduced(set *data.Set) *data.Set {
	r := &data.Set{Confidence: slices.Clone(calib.NewUnscaled(set.Logits).Confidences()), Classes: set.Logits.Cols, Labels: make([]int32, len(set.Labels))}
	for i, y := range set.Labels {
		if int32(top(set.Logits.Row(i))) != y {
			r.Labels[i] = 1
		}
	}
	return r
}
