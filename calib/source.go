package calib

import (
	"errors"
	"fmt"
	"math"

	"github.com/qats-bench/qats/data"
)

// Source says what classes the calibration rows of a model had, so that its probabilities can be
// moved to rows with other shares.
type Source struct {
	Shares []float64 `json:"shares"`        // of each class, k
	Off    []int     `json:"off,omitempty"` // classes whose mean probability under the fit is not their share, beyond chance
}

// check returns an error for shares that no rows of k classes have.
func (s *Source) check(k int) error {
	if k > 0 && len(s.Shares) != k {
		return fmt.Errorf("source has %d shares of %d classes", len(s.Shares), k)
	}
	if err := checkShares(s.Shares, 1e-9); err != nil {
		return fmt.Errorf("source: %w", err)
	}
	for _, j := range s.Off {
		if j < 0 || j >= len(s.Shares) {
			return fmt.Errorf("source: %d is no class", j)
		}
	}
	return nil
}

// checkShares returns an error for shares that are not in [0, 1], or do not sum to 1.
func checkShares(shares []float64, tolerance float64) error {
	sum := 0.0
	for j, x := range shares {
		if !(x >= 0 && x <= 1) {
			return fmt.Errorf("the share of class %d is %g, want 0 to 1", j, x)
		}
		sum += x
	}
	if !(math.Abs(sum-1) <= tolerance) {
		return fmt.Errorf("the shares sum to %g, want 1", sum)
	}
	return nil
}

// shareTolerance is how far the sum of given shares may be from 1: they are typed.
const shareTolerance = 1e-3

// Ratios returns the ratio of two shares for each class: its share of the target rows, to which the model is applied, over
// its share of the calibration rows. target has the shares of the target, k numbers that sum to 1. Then
//
//	P'(j) = P(j) ratio_j / sum over classes i of P(i) ratio_i
//
// are the probabilities of the target rows, if the rows of each class are like its calibration rows
// (Saerens, Latinne and Decaestecker 2002, equation 2.4).
//
// It is an error if the model does not know the shares of its calibration rows, if its mean
// probabilities are not these shares, because the formula then starts from the wrong ones, or if a
// class without a calibration row has a share in the target.
func (m *Model) Ratios(target []float64) ([]float64, error) {
	s := m.Source
	switch {
	case s == nil:
		return nil, errors.New("the model does not have the shares of its calibration rows: an earlier version fitted it, or the set was not in memory, or the method has no probability of each class; fit again")
	case len(target) != len(s.Shares):
		return nil, fmt.Errorf("%d shares, but the model is for %d classes", len(target), len(s.Shares))
	case len(s.Off) > 0:
		names := "class"
		for i, j := range s.Off {
			switch {
			case i == 5 && len(s.Off) > 6:
				names += fmt.Sprintf(" and %d more", len(s.Off)-i)
			case i < 5 || len(s.Off) == 6:
				names += fmt.Sprintf(" %d", j)
			}
		}
		return nil, fmt.Errorf("the mean probabilities of the fit are not the shares of its calibration rows (%s), so other shares cannot take their place; fit vs or platt-logits", names)
	}
	if err := checkShares(target, shareTolerance); err != nil {
		return nil, err
	}
	ratios := make([]float64, len(target))
	for j, x := range target {
		if s.Shares[j] == 0 && x > 0 {
			return nil, fmt.Errorf("class %d has no calibration row, so its share cannot become %g", j, x)
		}
		if x > 0 {
			ratios[j] = x / s.Shares[j]
		}
	}
	return ratios, nil
}

// Reweigh multiplies the probabilities of each row by the ratios of Model.Ratios, and divides the
// row by its sum. A row whose classes have no share in the target is an error.
func Reweigh(probs data.Probs, ratios []float64) error {
	for i := range probs.Rows {
		row, sum := probs.Row(i), 0.0
		for j := range row {
			row[j] = float64(row[j] * ratios[j])
			sum += row[j]
		}
		if !(sum > 0) {
			return fmt.Errorf("row %d has the probability 0 for every class with a share", i)
		}
		for j := range row {
			row[j] /= sum
		}
	}
	return nil
}
