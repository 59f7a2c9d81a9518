package calibtest

import (
	"fmt"
	"slices"

	"github.com/qats-bench/qats/data"
)

// masked: a masked class has probability 0, and one that is masked in every row is as good as
// absent.
func masked(s *subject) error {
	if !s.contract.Masked {
		return nil
	}
	want, err := s.fitApply(s.cal, s.test)
	if err != nil {
		return err
	}
	got, err := s.fitApply(withMaskedClass(s.cal), withMaskedClass(s.test))
	if err != nil {
		return err
	}
	k := want.Cols
	left := data.NewProbs(got.Rows, k)
	for i := range got.Rows {
		if copy(left.Row(i), got.Row(i)); got.Row(i)[k] != 0 {
			return fmt.Errorf("row %d: the class that is masked in every row has probability %g", i, got.Row(i)[k])
		}
	}
	if err := different("with a masked class more", left, want, s.claims.Tolerance); err != nil {
		return err
	}
	cal, test := withMasks(s.cal), withMasks(s.test)
	q, err := s.fitApply(cal, test)
	if err == nil {
		err = valid(q)
	}
	if err != nil {
		return err
	}
	for i, p := range q.Data {
		if p != 0 && test.Logits.Data[i] == data.Masked {
			return fmt.Errorf("row %d, class %d: a masked class has probability %g", i/k, i%k, p)
		}
	}
	return nil
}

// withMaskedClass returns set with one class more, which is masked in every row.
func withMaskedClass(set *data.Set) *data.Set {
	wider := func(m data.Matrix) data.Matrix {
		out := data.NewMatrix(m.Rows, m.Cols+1)
		for i := range m.Rows {
			copy(out.Row(i), m.Row(i))
			out.Row(i)[m.Cols] = data.Masked
		}
		return out
	}
	c := withLogits(set, wider)
	c.OOD = wider(set.OOD)
	c.Head.W = data.NewMatrix(set.Head.W.Rows+1, set.Head.W.Cols)
	copy(c.Head.W.Data, set.Head.W.Data)
	c.Head.B = append(slices.Clone(set.Head.B), 0)
	return c
}

// withMasks returns set with masked classes in every third row, and in every sixth all but
// the label. In the views they are masked too.
func withMasks(set *data.Set) *data.Set {
	k := set.Logits.Cols
	return withLogits(set, func(m data.Matrix) data.Matrix {
		out := data.NewMatrix(m.Rows, k)
		copy(out.Data, m.Data)
		for i := 0; i < m.Rows; i += 3 {
			for j := range k {
				if j != int(set.Labels[i]) && (i%6 == 0 || (i+j)%4 == 0) {
					out.Row(i)[j] = data.Masked
				}
			}
		}
		return out
	})
}
