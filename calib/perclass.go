package calib

import (
	"errors"
	"fmt"
	"math"
)

// MostParameter bounds the parameters of a saved linear map, so that no finite
// logits overflow. It is far beyond any fit.
const MostParameter = 1e15

// CheckParameters rejects parameters that are not k finite numbers in range.
func CheckParameters(name string, v []float64, k int) error {
	if len(v) != k {
		return fmt.Errorf("%s has %d numbers for %d classes", name, len(v), k)
	}
	for j, x := range v {
		if !(math.Abs(x) <= MostParameter) {
			return fmt.Errorf("%s[%d] = %v: want one in [-1e15, 1e15]", name, j, x)
		}
	}
	return nil
}

// PerClass is a map that has a function for each of the k classes.
type PerClass[F interface{ Check() error }] struct {
	Classes []F `json:"classes"` // k
}

// NumClasses returns k.
func (m PerClass[F]) NumClasses() int { return len(m.Classes) }

func (m PerClass[F]) Check() error {
	if len(m.Classes) == 0 {
		return errors.New("no classes")
	}
	for j, f := range m.Classes {
		if err := f.Check(); err != nil {
			return fmt.Errorf("class %d: %w", j, err)
		}
	}
	return nil
}

// CheckVectors rejects vectors of k parameters that no fit returns; k is the length of
// the first one.
func CheckVectors(names []string, vectors ...[]float64) error {
	k := len(vectors[0])
	if k == 0 {
		return errors.New("no classes")
	}
	for i, v := range vectors {
		if err := CheckParameters(names[i], v, k); err != nil {
			return err
		}
	}
	return nil
}
