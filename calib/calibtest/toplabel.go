package calibtest

import (
	"errors"
	"fmt"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/data"
)

// topLabel: the confidences of a top-label map lie in [0, 1], do not depend on
// the rows beside them, and are what Apply gives to the predicted class, whose
// lowest index decides ties. Scoring reads them and never calls Apply.
func topLabel(s *subject) error {
	for n, on := range s.situations() {
		f, err := s.fit(on.cal, on.test)
		if err != nil {
			return fmt.Errorf("situation %d: %w", n, err)
		}
		m, ok := f.Map.(calib.TopLabel)
		if !ok {
			return nil
		}
		if !s.contract.KeepsTop1 {
			return errors.New("a top-label map keeps the predicted class: declare KeepsTop1")
		}
		vector := s.apply(f, on.test)
		for _, size := range []int{on.test.Logits.Rows, 7} {
			if err := s.topLabelBlocks(m, on.test, vector, size); err != nil {
				return fmt.Errorf("situation %d, blocks of %d rows: %w", n, size, err)
			}
		}
	}
	return nil
}

// topLabelBlocks checks the pairs of blocks of so many rows against the vectors.
func (s *subject) topLabelBlocks(m calib.TopLabel, set *data.Set, vector data.Probs, size int) error {
	for lo := 0; lo < set.Logits.Rows; lo += size {
		part := set.Rows(lo, min(lo+size, set.Logits.Rows)).View(s.contract.Test)
		class, conf := calib.TopLabels(m, part)
		for i, c := range conf {
			row := part.Logits.Row(i)
			switch {
			case !(c >= 0 && c <= 1):
				return fmt.Errorf("row %d: confidence %v", lo+i, c)
			case int(class[i]) != top(row):
				return fmt.Errorf("row %d: class %d of logits %v", lo+i, class[i], row)
			case vector.Row(lo + i)[class[i]] != c:
				return fmt.Errorf("row %d: confidence %v but the vector has %v", lo+i, c, vector.Row(lo + i)[class[i]])
			}
		}
	}
	return nil
}
