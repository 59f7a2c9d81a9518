package fit

import (
	"errors"
	"fmt"
	"math"
)

// Usable reports whether a model may hold the temperature t. The range is wider
// than that of any fit, whose logits may have any size of a float32. It is narrow enough
// that 1/T is finite and a temperature between two others stays positive in float64.
func Usable(t float64) bool { return t >= 1e-50 && t <= 1e50 }

// CheckTemperature rejects a temperature of a saved model that is not Usable.
func CheckTemperature(name string, t float64) error {
	if !Usable(t) {
		return fmt.Errorf("temperature %s = %v: want one in [1e-50, 1e50]", name, t)
	}
	return nil
}

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

// CheckWeights rejects weights of a mixture that are not in [0, 1] or do not sum to 1.
func CheckWeights(name string, weights []float64) error {
	sum := 0.0
	for i, w := range weights {
		if !(w >= 0 && w <= 1) {
			return fmt.Errorf("%s[%d] = %v is outside [0, 1]", name, i, w)
		}
		sum += w
	}
	if !(math.Abs(sum-1) <= 1e-9) {
		return fmt.Errorf("%s sums to %v, want 1", name, sum)
	}
	return nil
}
