// Package ndarray holds an array of numbers as a file of another program has it:
// shape, element type, byte order and bytes. The readers of pickles and of HDF5
// return it.
package ndarray

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/qats-bench/qats/internal/kernel/half"
)

// Array is an n-dimensional array. Its zero value has no axes and is not valid.
type Array struct {
	Shape     []int
	Kind      byte // 'f' float, 'i' signed, 'u' unsigned integer, 'b' boolean
	Size      int  // bytes of an element
	BigEndian bool
	Fortran   bool   // the first axis changes fastest, not the last
	Data      []byte // Size times the product of Shape
}

// New checks that the bytes are those of the shape. Sizes are 2, 4 or 8 for floats,
// 1, 2, 4 or 8 for integers and 1 for booleans. Axes may be 0.
func New(shape []int, kind byte, size int, bigEndian, fortran bool, data []byte) (*Array, error) {
	a := &Array{slices.Clone(shape), kind, size, bigEndian, fortran, data}
	if !Supported(kind, size) {
		return nil, fmt.Errorf("elements of type %s are not supported; want floats, integers or booleans", a.Type())
	}
	want, err := Bytes(shape, size)
	if err != nil {
		return nil, err
	}
	if want != len(data) {
		return nil, fmt.Errorf("%d bytes for an array of shape %v of %s, which has %d", len(data), shape, a.Type(), want)
	}
	return a, nil
}

// Supported reports whether elements of a kind and size are numbers that can be read.
func Supported(kind byte, size int) bool {
	switch kind {
	case 'f':
		return size == 2 || size == 4 || size == 8
	case 'i', 'u':
		return size == 1 || size == 2 || size == 4 || size == 8
	case 'b':
		return size == 1
	}
	return false
}

// Bytes returns the bytes of an array. A negative axis, and more bytes than a
// slice can have, are errors.
func Bytes(shape []int, size int) (int, error) {
	n := size
	for _, d := range shape {
		if d < 0 || d > 0 && n > math.MaxInt/2/d {
			return 0, fmt.Errorf("impossible shape %v", shape)
		}
		n *= d
	}
	return n, nil
}

// Type returns the element type as numpy writes it, such as f4.
func (a *Array) Type() string { return string(a.Kind) + strconv.Itoa(a.Size) }

// Len returns the number of elements.
func (a *Array) Len() int { return len(a.Data) / a.Size }

// Integer reports whether the elements are integers or booleans.
func (a *Array) Integer() bool { return a.Kind != 'f' }

func (a *Array) order() binary.ByteOrder {
	if a.BigEndian {
		return binary.BigEndian
	}
	return binary.LittleEndian
}

// Floats returns the elements in C order as float64, which holds every float and
// every integer up to 2^53 exactly; a larger one is an error.
func (a *Array) Floats() ([]float64, error) {
	out := make([]float64, a.Len())
	if !a.Integer() {
		order := a.order()
		for i := range out {
			b := a.Data[i*a.Size:]
			switch a.Size {
			case 2:
				out[i] = float64(half.ToFloat32(order.Uint16(b)))
			case 4:
				out[i] = float64(math.Float32frombits(order.Uint32(b)))
			default:
				out[i] = math.Float64frombits(order.Uint64(b))
			}
		}
		return inOrder(a, out), nil
	}
	ints, err := a.Ints()
	if err != nil {
		return nil, err
	}
	for i, v := range ints {
		if v > 1<<53 || v < -1<<53 {
			return nil, fmt.Errorf("element %d: the integer %d is beyond 2^53", i, v)
		}
		out[i] = float64(v)
	}
	return out, nil
}

// Ints returns the elements in C order as int64. Floats, and unsigned integers
// beyond int64, are errors.
func (a *Array) Ints() ([]int64, error) {
	if !a.Integer() {
		return nil, fmt.Errorf("elements of type %s; want integers", a.Type())
	}
	out, order := make([]int64, a.Len()), a.order()
	for i := range out {
		b := a.Data[i*a.Size:]
		var u uint64
		switch a.Size {
		case 1:
			u = uint64(b[0])
		case 2:
			u = uint64(order.Uint16(b))
		case 4:
			u = uint64(order.Uint32(b))
		default:
			u = order.Uint64(b)
		}
		if a.Kind == 'i' {
			shift := 64 - 8*a.Size
			out[i] = int64(u<<shift) >> shift
			continue
		}
		if u > math.MaxInt64 {
			return nil, fmt.Errorf("element %d: the integer %d is beyond int64", i, u)
		}
		out[i] = int64(u)
	}
	return inOrder(a, out), nil
}

// inOrder returns elements that are in the order of the file in C order.
func inOrder[T any](a *Array, v []T) []T {
	if !a.Fortran || len(a.Shape) < 2 || len(v) == 0 {
		return v
	}
	out := make([]T, len(v))
	at := make([]int, len(a.Shape)) // index of the element in C order
	for i := range out {
		from, step := 0, 1
		for axis, x := range at {
			from += x * step
			step *= a.Shape[axis]
		}
		out[i] = v[from]
		for axis := len(at) - 1; axis >= 0; axis-- {
			if at[axis]++; at[axis] < a.Shape[axis] {
				break
			}
			at[axis] = 0
		}
	}
	return out
}
