package npy

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/qats-bench/qats/internal/kernel/finite"
	"github.com/qats-bench/qats/internal/kernel/half"
)

// Decoding works on little-endian bytes. Big-endian ones are swapped in the buffer
// first, so that each type has one loop.

// swapBytes reverses each element of size bytes.
func swapBytes(b []byte, size int) {
	for element := range slices.Chunk(b, size) {
		slices.Reverse(element)
	}
}

// decodeFloats fills dst from elements of type t and returns the index of the first one
// that dst cannot hold, or -1. It cannot hold NaN, infinities, a float64 beyond the largest
// float32, or an integer beyond 2^24 in float32 or 2^53 in float64, since not all of these
// are exact. Any other float64 is rounded to the nearest float32. dst may be the memory of
// src.
func decodeFloats[T float32 | float64](dst []T, src []byte, t DType) int {
	le := binary.LittleEndian
	limit := int64(1) << 24
	if _, wide := any(dst).([]float64); wide {
		limit = 1 << 53
	}
	switch t {
	case Float32:
		if same, ok := any(dst).([]float32); ok && !nativeBig {
			copy(bytesOf(same), src)
			return finite.First(same)
		}
		for i := range dst {
			dst[i] = T(math.Float32frombits(le.Uint32(src[4*i:])))
		}
		return finite.First(dst)
	case Float64:
		if same, ok := any(dst).([]float64); ok && !nativeBig {
			copy(bytesOf(same), src)
			return finite.First(same)
		}
		for i := range dst {
			dst[i] = T(math.Float64frombits(le.Uint64(src[8*i:])))
		}
		return finite.First(dst)
	case BFloat16:
		for i := range dst {
			dst[i] = T(bfloat(le.Uint16(src[2*i:])))
		}
		return finite.First(dst)
	case Float16:
		if narrow, ok := any(dst).([]float32); ok {
			half.Decode(narrow, src)
			return finite.First(narrow)
		}
		for i := range dst {
			dst[i] = T(half.ToFloat32(le.Uint16(src[2*i:])))
		}
		return finite.First(dst)
	case Int64, Int32, Uint32, Uint64:
		for i := range dst {
			v, ok := integerAt(src, i, t)
			if !ok || v > limit || v < -limit {
				return i
			}
			dst[i] = T(v)
		}
	default: // at most 16 bits: exact
		for i := range dst {
			v, _ := integerAt(src, i, t)
			dst[i] = T(v)
		}
	}
	return -1
}

// decodeMasked is decodeFloats for numbers of which some are -Inf or one of more: these become mask, and set
// found. Another finite number that float32 does not hold is none of them.
func decodeMasked[T float32 | float64](dst []T, src []byte, t DType, mask T, more []float64, found *bool) int {
	bad := decodeFloats(dst, src, t)
	for bad >= 0 && !t.Integer() {
		v := float64(dst[bad])
		if t == Float64 {
			v = math.Float64frombits(binary.LittleEndian.Uint64(src[8*bad:]))
		}
		if !math.IsInf(v, -1) && !slices.Contains(more, v) {
			return bad
		}
		dst[bad], *found = mask, true
		next := slices.IndexFunc(dst[bad+1:], func(v T) bool { return v-v != 0 })
		if next < 0 {
			break
		}
		bad += 1 + next
	}
	if bad >= 0 && t.Integer() {
		return bad
	}
	for _, fill := range more {
		narrow := T(fill)
		for i, v := range dst {
			if v == narrow {
				dst[i], *found = mask, true
			}
		}
	}
	return -1
}

// decodeInts fills dst from integers of type t and returns the index of the
// first one beyond int32, or -1. dst may be the memory of src.
func decodeInts(dst []int32, src []byte, t DType) int {
	if t == Int64 { // the labels of PyTorch
		for i := range dst {
			v := binary.LittleEndian.Uint64(src[8*i:])
			if int64(v) != int64(int32(v)) {
				return i
			}
			dst[i] = int32(v)
		}
		return -1
	}
	for i := range dst {
		v, ok := integerAt(src, i, t)
		if !ok || v != int64(int32(v)) {
			return i
		}
		dst[i] = int32(v)
	}
	return -1
}

// integerAt returns element i of little-endian integers of type t; ok is false
// for a uint64 beyond int64.
func integerAt(src []byte, i int, t DType) (v int64, ok bool) {
	le := binary.LittleEndian
	switch t {
	case Bool:
		if src[i] != 0 {
			return 1, true
		}
		return 0, true
	case Int8:
		return int64(int8(src[i])), true
	case Uint8:
		return int64(src[i]), true
	case Int16:
		return int64(int16(le.Uint16(src[2*i:]))), true
	case Uint16:
		return int64(le.Uint16(src[2*i:])), true
	case Int32:
		return int64(int32(le.Uint32(src[4*i:]))), true
	case Uint32:
		return int64(le.Uint32(src[4*i:])), true
	case Int64:
		return int64(le.Uint64(src[8*i:])), true
	}
	u := le.Uint64(src[8*i:])
	return int64(u), u <= math.MaxInt64
}

// bfloat returns the value of a bfloat16.
func bfloat(u uint16) float32 { return math.Float32frombits(uint32(u) << 16) }

// reason says why decodeFloats or decodeInts, into type target, rejected element
// i, of type t.
func reason(src []byte, i int, t, target DType) string {
	if t.Integer() {
		v, ok := integerAt(src, i, t)
		text := strconv.FormatInt(v, 10)
		if !ok {
			text = strconv.FormatUint(uint64(v), 10)
		}
		if target.Integer() {
			return text + " does not fit in " + string(target)
		}
		return fmt.Sprintf("%s is too large to be exact in %s", text, target)
	}
	var value [1]float64
	decodeFloats(value[:], src[i*t.Size():], t)
	x := value[0]
	switch {
	case math.IsNaN(x):
		return "NaN"
	case math.IsInf(x, 0):
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
	return fmt.Sprintf("%g overflows %s", x, target)
}
