package fit

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
)

// Usable reports whether a model may hold the temperature t. The range is wider
// than any fit can reach, with logits of any size of a float32. It is narrow enough
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

// Packed is a long list of numbers that a model saves as one JSON string: their
// little-endian bytes in base64 (RFC 4648). It is exact and takes half the space of
// decimal digits. In Python:
//
//	numpy.frombuffer(base64.b64decode(text), "<f8")  # "<f4" for float32
type Packed[T float32 | float64] []T

// MarshalJSON returns the string, empty for an empty list.
func (p Packed[T]) MarshalJSON() ([]byte, error) {
	raw, err := binary.Append([]byte{}, binary.LittleEndian, []T(p)) // json writes nil as null
	if err != nil {
		return nil, err
	}
	return json.Marshal(raw)
}

// UnmarshalJSON reads the text of MarshalJSON. It accepts numbers that are not
// finite; Check of the map rejects them.
func (p *Packed[T]) UnmarshalJSON(text []byte) error {
	var list []T
	wrong := errors.New("want numbers in base64")
	if len(text) < 2 || text[0] != '"' {
		return wrong
	}
	raw, err := base64.StdEncoding.Strict().AppendDecode(nil, text[1:len(text)-1])
	size := binary.Size(T(0))
	if err != nil || len(raw)%size != 0 {
		return wrong
	}
	list = make([]T, len(raw)/size)
	if _, err := binary.Decode(raw, binary.LittleEndian, list); err != nil {
		return wrong
	}
	*p = list
	return nil
}
