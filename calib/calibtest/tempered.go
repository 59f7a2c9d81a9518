package calibtest

import (
	"fmt"
	"math"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// tempered: Scales of a map that has them says what Apply does, bit for bit,
// in blocks of any size. Scoring relies on it and never calls Apply.
func tempered(s *subject) error {
	for n, on := range s.situations() {
		f, err := s.fit(on.cal, on.test)
		if err != nil {
			return fmt.Errorf("situation %d: %w", n, err)
		}
		m, ok := f.Map.(calib.Tempered)
		if !ok {
			return nil
		}
		if !s.contract.KeepsTop1 {
			return fmt.Errorf("a map that divides rows by a temperature keeps the prediction: declare KeepsTop1")
		}
		rows, k := on.test.Logits.Rows, on.test.Logits.Cols
		scale, want := make([]float64, rows), data.NewProbs(rows, k)
		for _, size := range []int{rows, 7} {
			for lo := 0; lo < rows; lo += size {
				part := on.test.Rows(lo, min(lo+size, rows)).View(s.contract.Test)
				m.Scales(scale[lo:lo+part.Logits.Rows], part, calib.NewUnscaled(part.Logits))
			}
			for i, v := range scale {
				if !(v >= 0) || math.IsInf(v, 0) {
					return fmt.Errorf("situation %d, row %d: scale %v", n, i, v)
				}
				softmax.Probs(want.Row(i), on.test.Logits.Row(i), v)
				softmax.FillTiny(want.Row(i), on.test.Logits.Row(i), v)
			}
			if err := different(fmt.Sprintf("situation %d, scales of %d rows", n, size), s.apply(f, on.test), want, 0); err != nil {
				return err
			}
		}
	}
	return nil
}
