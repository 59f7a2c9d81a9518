package calibtest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/data"
)

// sumTolerance is the largest distance of the sum of a row from 1.
const sumTolerance = 1e-12

// valid returns an error if a row is not a distribution.
func valid(q data.Probs) error {
	for i := range q.Rows {
		sum := 0.0
		for j, p := range q.Row(i) {
			if !(p >= 0 && p <= 1) {
				return fmt.Errorf("row %d, class %d: probability %v", i, j, p)
			}
			sum += p
		}
		if !(sum >= 1-sumTolerance && sum <= 1+sumTolerance) {
			return fmt.Errorf("row %d sums to 1 %+.1e", i, sum-1)
		}
	}
	return nil
}

// newSituations returns easy, adversarial and mislabelled sets.
func (s *subject) newSituations() []situation {
	hard := adversarial(5)
	second := relabelled(s.cal, func(row []float32, _ int32) int32 { return int32(ranked(row, 1)) })
	last := relabelled(s.cal, func(row []float32, _ int32) int32 { return int32(ranked(row, len(row)-1)) })
	constant := relabelled(s.cal, func([]float32, int32) int32 { return 3 })
	return []situation{
		{s.cal, s.test}, {s.cal, hard}, {hard, s.test}, {hard, hard},
		{second, s.test}, {second, hard}, {last, hard}, {constant, hard},
	}
}

// everywhere calls do with the fit of each situation and its test set.
func (s *subject) everywhere(do func(f *calib.Fitted, test *data.Set) error) error {
	for i, on := range s.situations {
		f, err := s.fit(on.cal, on.test)
		if err == nil {
			err = do(f, on.test)
		}
		if err != nil {
			return fmt.Errorf("situation %d: %w", i, err)
		}
	}
	return nil
}

// probabilities: elements are in [0, 1] and rows sum to 1, for all logits.
func probabilities(s *subject) error {
	return s.everywhere(func(f *calib.Fitted, test *data.Set) error { return valid(s.apply(f, test)) })
}

// top1: the prediction, the lowest index on ties, is kept if and only if this is
// declared. The predictions of a top-label map are not in its vectors, so it passes;
// see calib.TopLabel.
func top1(s *subject) error {
	changed := 0
	for n, on := range s.situations {
		f, err := s.fit(on.cal, on.test)
		if err != nil {
			return fmt.Errorf("situation %d: %w", n, err)
		}
		if _, ok := f.Map.(calib.TopLabel); ok {
			return nil
		}
		q := s.apply(f, on.test)
		for i := range q.Rows {
			row := on.test.Logits.Row(i)
			if top(q.Row(i)) == top(row) {
				continue
			}
			changed++
			if s.contract.KeepsTop1 {
				return fmt.Errorf("situation %d, row %d: class %d of logits %v became class %d of %v",
					n, i, top(row), row, top(q.Row(i)), q.Row(i))
			}
		}
	}
	if changed == 0 && !s.contract.KeepsTop1 {
		return errors.New("contract: KeepsTop1 is false but no prediction changes: declare it, or find the rows that change")
	}
	return nil
}

// rowWise: blocks, another order of rows and concurrent use give the same bits.
func rowWise(s *subject, f *calib.Fitted) error {
	for _, set := range []*data.Set{s.test, adversarial(5)} {
		n, k := set.Logits.Rows, set.Logits.Cols
		whole := s.apply(f, set)
		for _, size := range []int{1, 7, 256} {
			parts := data.NewProbs(n, k)
			for lo := 0; lo < n; lo += size {
				hi := min(lo+size, n)
				copy(parts.Slice(lo, hi).Data, s.apply(f, set.Rows(lo, hi)).Data)
			}
			if err := different(fmt.Sprintf("blocks of %d rows", size), parts, whole, 0); err != nil {
				return err
			}
		}
		order := rand.New(rand.NewPCG(4, 4)).Perm(n)
		moved := s.apply(f, rowsOf(set, order))
		want := data.NewProbs(n, k)
		for i, from := range order {
			copy(want.Row(i), whole.Row(from))
		}
		if err := different("rows in another order", moved, want, 0); err != nil {
			return err
		}
		if err := concurrently(s, f, set, whole); err != nil {
			return err
		}
	}
	return nil
}

// concurrently applies one map on four goroutines. The race detector finds more.
func concurrently(s *subject, f *calib.Fitted, set *data.Set, want data.Probs) error {
	var wait sync.WaitGroup
	errs := make([]error, 4)
	for g := range errs {
		wait.Go(func() { errs[g] = different("concurrent use", s.apply(f, set), want, 0) })
	}
	wait.Wait()
	return errors.Join(errs...)
}

// offset: a constant added to every logit, exact in float32, changes no bit,
// unless the method declares that it reads the offset.
func offset(s *subject, f *calib.Fitted) error {
	const c = 16
	want := s.apply(f, s.test)
	if s.contract.TrueLogits {
		if different("", s.apply(f, shifted(s.test, c)), want, 1e-9) == nil {
			return errors.New("contract: TrueLogits is declared but an offset of the logits changes nothing")
		}
		return nil
	}
	tolerance := 0.0
	if s.contract.Cal&data.Head != 0 || s.contract.Test&data.Head != 0 {
		tolerance = s.claims.Tolerance // such methods compute the logits, with the offset in the bias
	}
	if err := different("offset at Apply", s.apply(f, shifted(s.test, c)), want, tolerance); err != nil {
		return err
	}
	got, err := s.fitApply(shifted(s.cal, c), shifted(s.test, c))
	if err != nil {
		return err
	}
	return different("offset at Fit", got, want, tolerance)
}

// classOrder: permuted classes give permuted probabilities.
func classOrder(s *subject, f *calib.Fitted) error {
	order := []int{3, 0, 4, 2, 1}
	got, err := s.fitApply(classesOf(s.cal, order), classesOf(s.test, order))
	if err != nil {
		return err
	}
	back := data.NewProbs(got.Rows, got.Cols)
	for i := range back.Rows {
		for j, from := range order {
			back.Row(i)[from] = got.Row(i)[j]
		}
	}
	return different("classes in another order", back, s.apply(f, s.test), s.claims.Tolerance)
}

// rowOrder: the order of the calibration rows does not matter.
func rowOrder(s *subject, f *calib.Fitted) error {
	order := rand.New(rand.NewPCG(5, 5)).Perm(s.cal.Logits.Rows)
	got, err := s.fitApply(rowsOf(s.cal, order), s.test)
	if err != nil {
		return err
	}
	return different("calibration rows in another order", got, s.apply(f, s.test), s.claims.Tolerance)
}

// absentClass: a class without calibration rows still has a probability.
func absentClass(s *subject) error {
	for absent := range int32(5) {
		cal := relabelled(s.cal, func(_ []float32, y int32) int32 {
			if y == absent {
				return (y + 1) % 5
			}
			return y
		})
		q, err := s.fitApply(cal, s.test)
		if err == nil {
			err = valid(q)
		}
		if err != nil {
			return fmt.Errorf("class %d absent: %w", absent, err)
		}
	}
	return nil
}
