package fit

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
)

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
