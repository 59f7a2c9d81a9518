package fit

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"math"
)

// ecdfChunk is the number of float64 that Write encodes at a time. It is a
// multiple of 3, so that there is no padding between chunks.
const ecdfChunk = 3 << 10

// Write writes e as one JSON string: the little-endian bytes of its float64 in
// base64 (RFC 4648). An ECDF has a number for each calibration row. In this form
// it takes 10.7 bytes a row and is exact; decimal digits take twice the space and
// a hundred times the time. In Python:
//
//	tails = numpy.frombuffer(base64.b64decode(params["ecdf"]), "<f8")
//
// It returns the error of Check.
func (e ECDF) Write(w io.Writer) error {
	if err := e.Check(); err != nil {
		return err
	}
	raw := make([]byte, 0, 8*min(ecdfChunk, len(e)))
	text := append(make([]byte, 0, 2+base64.StdEncoding.EncodedLen(cap(raw))), '"')
	for lo := 0; lo < len(e); lo += ecdfChunk {
		raw = raw[:0]
		for _, tail := range e[lo:min(lo+ecdfChunk, len(e))] {
			raw = binary.LittleEndian.AppendUint64(raw, math.Float64bits(tail))
		}
		text = base64.StdEncoding.AppendEncode(text, raw)
		if lo+ecdfChunk >= len(e) {
			text = append(text, '"')
		}
		if _, err := w.Write(text); err != nil {
			return err
		}
		text = text[:0]
	}
	return nil
}

// MarshalJSON returns the text that Write writes, and null for a nil ECDF.
func (e ECDF) MarshalJSON() ([]byte, error) {
	if e == nil {
		return []byte("null"), nil
	}
	var b bytes.Buffer
	err := e.Write(&b)
	return b.Bytes(), err
}

// UnmarshalJSON reads the text of MarshalJSON. It also reads an array of numbers,
// the form of older models.
func (e *ECDF) UnmarshalJSON(text []byte) error {
	if text[0] != '"' {
		// A null among numbers would be read as 0.
		if bytes.Contains(text, []byte("null")) || json.Unmarshal(text, (*[]float64)(e)) != nil {
			return errNoECDF
		}
		return nil
	}
	var packed Packed[float64]
	if packed.UnmarshalJSON(text) != nil {
		return errNoECDF
	}
	*e = ECDF(packed)
	return nil
}

var errNoECDF = errors.New("ecdf: want float64 numbers in base64, or an array of numbers")
