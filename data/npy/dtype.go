package npy

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unsafe"
)

// DType is the type of an array's elements, by the name numpy prints.
type DType string

// The element types that are read. Float16, Float32, Float64 and Int32 are
// also written.
const (
	Bool    DType = "bool"
	Int8    DType = "int8"
	Int16   DType = "int16"
	Int32   DType = "int32"
	Int64   DType = "int64"
	Uint8   DType = "uint8"
	Uint16  DType = "uint16"
	Uint32  DType = "uint32"
	Uint64  DType = "uint64"
	Float16 DType = "float16"
	// BFloat16 is the upper half of a float32. Only .safetensors files have it.
	BFloat16 DType = "bfloat16"
	Float32  DType = "float32"
	Float64  DType = "float64"
)

// Size returns the bytes of an element.
func (t DType) Size() int {
	switch t {
	case Bool, Int8, Uint8:
		return 1
	case Int16, Uint16, Float16, BFloat16:
		return 2
	case Int32, Uint32, Float32:
		return 4
	}
	return 8
}

// Bytes returns the bytes that an array of a shape needs. A negative axis is an error. So
// are axes, none of them 0, whose product is beyond an int, since it may be the number of
// rows.
func (t DType) Bytes(shape []int) (int64, error) {
	count, empty := int64(1), false
	limit := int64(math.MaxInt / t.Size())
	for _, d := range shape {
		switch {
		case d < 0:
			return 0, fmt.Errorf("shape %s has a negative entry", Tuple(shape))
		case d == 0:
			empty = true
		case int64(d) > limit/count:
			return 0, fmt.Errorf("shape %s of %s is more than 2^%d bytes", Tuple(shape), t, strconv.IntSize-1)
		default:
			count *= int64(d)
		}
	}
	if empty {
		return 0, nil
	}
	return count * int64(t.Size()), nil
}

// Integer reports whether elements are integers or booleans and so can be labels.
func (t DType) Integer() bool { return !strings.HasPrefix(string(t), "float") && t != BFloat16 }

// kinds are the types by the names of numpy without the byte order. It has none for
// BFloat16.
var kinds = map[string]DType{
	"b1": Bool, "i1": Int8, "i2": Int16, "i4": Int32, "i8": Int64, "u1": Uint8, "u2": Uint16, "u4": Uint32, "u8": Uint64,
	"f2": Float16, "f4": Float32, "f8": Float64,
}

// descr returns the numpy type string of t in little-endian byte order.
func (t DType) descr() string {
	for kind, u := range kinds {
		switch {
		case u == t && t.Size() == 1:
			return "|" + kind
		case u == t:
			return "<" + kind
		}
	}
	return string(t)
}

// nativeBig is true on a big-endian processor.
var nativeBig = binary.NativeEndian.Uint16([]byte{1, 0}) != 1

// ParseDType reads a numpy type string, such as "<f4". As in numpy, '|', '=' and no sign all
// mean the byte order of this machine.
func ParseDType(descr string) (t DType, bigEndian bool, err error) {
	kind := descr
	bigEndian = nativeBig
	if descr != "" && strings.Contains("<>|=", descr[:1]) {
		kind = descr[1:]
		switch descr[0] {
		case '<':
			bigEndian = false
		case '>':
			bigEndian = true
		}
	}
	if t, ok := kinds[kind]; ok {
		return t, bigEndian, nil
	}
	name := "dtype " + strconv.Quote(descr)
	if kind != "" {
		switch kind[0] {
		case 'O':
			name = "object dtype"
		case 'S', 'U', 'a':
			name = "string dtype " + strconv.Quote(descr)
		case 'V':
			name = "structured dtype " + strconv.Quote(descr)
		case 'c':
			name = "complex dtype " + strconv.Quote(descr)
		case 'M', 'm':
			name = "time dtype " + strconv.Quote(descr)
		}
	}
	fix := "store numbers, such as float32 or int32"
	if strings.HasPrefix(name, "string") {
		fix += "; np.unique(labels, return_inverse=True)[1] numbers labels that are names, in ascending order"
	}
	return "", false, fmt.Errorf("%s is not supported; %s", name, fix)
}

// bytesOf returns the memory of v.
func bytesOf[T float32 | float64 | int32 | int64 | bool](v []T) []byte {
	if len(v) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&v[0])), len(v)*int(unsafe.Sizeof(v[0])))
}
