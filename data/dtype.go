package data

import (
	"encoding/binary"
	"fmt"
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

// size returns the bytes of an element.
func (t DType) size() int {
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

// integer reports whether elements are integers or booleans and so can be labels.
func (t DType) integer() bool { return !strings.HasPrefix(string(t), "float") && t != BFloat16 }

// descr returns the numpy type string of t in little-endian byte order; numpy has
// none for BFloat16.
func (t DType) descr() string {
	order, kind := "<", "f"
	switch {
	case t == Bool:
		return "|b1"
	case t == BFloat16:
		return string(t)
	case t[0] == 'i':
		kind = "i"
	case t[0] == 'u':
		kind = "u"
	}
	if t.size() == 1 {
		order = "|"
	}
	return order + kind + strconv.Itoa(t.size())
}

// nativeBig is true on a big-endian processor.
var nativeBig = binary.NativeEndian.Uint16([]byte{1, 0}) != 1

// parseDescr reads a numpy type string. As in numpy, '|', '=' and no sign all
// mean the byte order of this machine.
func parseDescr(descr string) (t DType, bigEndian bool, err error) {
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
	switch kind {
	case "b1":
		return Bool, bigEndian, nil
	case "f2", "f4", "f8":
		return DType("float" + bits(kind)), bigEndian, nil
	case "i1", "i2", "i4", "i8":
		return DType("int" + bits(kind)), bigEndian, nil
	case "u1", "u2", "u4", "u8":
		return DType("uint" + bits(kind)), bigEndian, nil
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
	return "", false, fmt.Errorf("%s is not supported; store numbers, such as float32 or int32", name)
}

// bits returns the width in bits of a numpy kind, whose width is in bytes.
func bits(kind string) string { return strconv.Itoa(8 * int(kind[1]-'0')) }

// bytesOf returns the memory of v.
func bytesOf[T float32 | float64 | int32 | bool](v []T) []byte {
	if len(v) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&v[0])), len(v)*int(unsafe.Sizeof(v[0])))
}
