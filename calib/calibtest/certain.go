package calibtest

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/data"
)

// Certainty is what a method promises of probabilities of exactly 0 and 1.
type Certainty struct {
	Never bool   // no confidence and no class that is not masked has one, whatever the labels of a few calibration rows are
	Why   string // why underflow or rounding may give one all the same
}

// certain: the promise holds for fits on rows where the network is not certain. A fit with a reason may be certain, but not
// if labels are drawn by the probabilities of the network. A reason that no fit needs is an error.
func certain(s *subject) error {
	claim := s.claims.Certainty
	if claim == (Certainty{}) {
		return nil
	}
	var found error
	for _, labels := range decided() {
		for _, k := range []int{2, 4} {
			for _, n := range []int{8, 60} {
				cal := relabelled(between(n, k, 2, 41), labels.of)
				for _, gap := range []float64{2, 12} {
					err := s.certainOf(cal, between(100, k, gap, 42))
					if err != nil && found == nil {
						found = fmt.Errorf("%d rows of %d classes, %s: %w", n, k, labels.name, err)
					}
				}
			}
		}
	}
	switch {
	case claim.Never && found != nil:
		return found
	case !claim.Never && found == nil:
		return errors.New("claims that it may be certain, and is not")
	}
	for _, k := range []int{2, 4} {
		if err := s.certainOf(between(300, k, 2, 43), between(100, k, 2, 42)); err != nil {
			return fmt.Errorf("of labels drawn by the network: %w", err)
		}
	}
	return nil
}

// labelling gives the rows of a set labels that decide something.
type labelling struct {
	name string
	of   func(row []float32, old int32) int32
}

func decided() []labelling {
	return []labelling{
		{"all right", func(row []float32, _ int32) int32 { return int32(top(row)) }},
		{"all wrong", func(row []float32, _ int32) int32 { return int32(ranked(row, 1)) }},
		{"all of one class", func([]float32, int32) int32 { return 1 }},
		{"a class absent", func(_ []float32, y int32) int32 { return max(y, 1) }},
		{"right where it is sure", func(row []float32, _ int32) int32 {
			if row[top(row)]-row[ranked(row, 1)] > 1 {
				return int32(top(row))
			}
			return int32(ranked(row, 1))
		}},
	}
}

// certainOf returns the error of the first row of test, where the fit on cal is certain.
func (s *subject) certainOf(cal, test *data.Set) error {
	f, err := s.fitAnew(cal, test)
	if err != nil {
		return err
	}
	sets := []*data.Set{test}
	if s.contract.Masked {
		sets = append(sets, withMasks(test))
	}
	for _, set := range sets {
		if m, ok := f.Map.(calib.TopLabel); ok {
			_, conf, err := calib.TopLabels(m, set.View(s.contract.Test))
			if err != nil {
				return err
			}
			for i, c := range conf {
				if fit.Open(set.Logits.Row(i)) > 1 && (c == 0 || c == 1) {
					return fmt.Errorf("row %d: the confidence is exactly %v", i, c)
				}
			}
			continue
		}
		q := s.apply(f, set)
		for i := range q.Rows {
			row := set.Logits.Row(i)
			for j, p := range q.Row(i) {
				if row[j] != data.Masked && fit.Open(row) > 1 && (p == 0 || p == 1) {
					return fmt.Errorf("row %d, class %d: the probability is exactly %v", i, j, p)
				}
			}
		}
	}
	return nil
}

// between returns n rows of logits in [-most, most], with labels drawn by their softmax.
func between(n, k int, most float64, seed uint64) *data.Set {
	rng := rand.New(rand.NewPCG(seed, 3))
	logits, labels := data.NewMatrix(n, k), make([]int32, n)
	for i := range logits.Data {
		logits.Data[i] = float32(most * (2*rng.Float64() - 1))
	}
	p := uncalibrated(&data.Set{Logits: logits})
	for i := range labels {
		for u := rng.Float64() - p.Row(i)[0]; u >= 0 && int(labels[i]) < k-1; u -= p.Row(i)[labels[i]] {
			labels[i]++
		}
	}
	return complete(logits, labels, seed)
}
