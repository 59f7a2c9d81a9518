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

// An ecdf has a number for each calibration row, so it is saved as bytes: its
// float64, little-endian, in base64 (RFC 4648), as one JSON string. That is
// 10.7 bytes a row and exact; digits take twice as many and a hundred times as
// long. In Python:
//
//	tails = numpy.frombuffer(base64.b64decode(params["ecdf"]), "<f8")
//
// An array of numbers is read, too: models were once saved so.

// ecdfChunk is how many numbers are encoded at a time; a multiple of 3, so that
// no padding falls between chunks.
const ecdfChunk = 3 << 10

// Write writes e as JSON. It refuses what no fit saves.
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

// MarshalJSON returns what write writes; null where there is no ecdf.
func (e ECDF) MarshalJSON() ([]byte, error) {
	if e == nil {
		return []byte("null"), nil
	}
	var b bytes.Buffer
	err := e.Write(&b)
	return b.Bytes(), err
}

// UnmarshalJSON reads what MarshalJSON wrote, or an array of numbers.
func (e *ECDF) UnmarshalJSON(text []byte) error {
	if text[0] != '"' {
		// A null among numbers would be read as 0.
		if bytes.Contains(text, []byte("null")) || json.Unmarshal(text, (*[]float64)(e)) != nil {
			return errNoECDF
		}
		return nil
	}
	raw, err := base64.StdEncoding.Strict().AppendDecode(nil, text[1:len(text)-1])
	if err != nil || len(raw)%8 != 0 {
		return errNoECDF
	}
	*e = make(ECDF, len(raw)/8)
	for i := range *e {
		(*e)[i] = math.Float64frombits(binary.LittleEndian.Uint64(raw[8*i:]))
	}
	return nil
}

var errNoECDF = errors.New("ecdf: want float64 numbers in base64, or an array of numbers")
