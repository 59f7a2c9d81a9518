package pickle

import (
	"errors"
	"fmt"
	"strings"

	"github.com/qats-bench/qats/data"
)

// constructor returns the function that a pickle may call under a name. Numpy 2
// renamed numpy.core to numpy._core.
func constructor(g global) (func(args Tuple) (any, error), bool) {
	switch g {
	case global{"numpy.core.multiarray", "_reconstruct"}, global{"numpy._core.multiarray", "_reconstruct"}:
		return reconstruct, true
	case global{"numpy.core.multiarray", "scalar"}, global{"numpy._core.multiarray", "scalar"}:
		return scalar, true
	case global{"numpy.core.numeric", "_frombuffer"}, global{"numpy._core.numeric", "_frombuffer"}:
		return fromBuffer, true
	case global{"numpy", "dtype"}:
		return newDtype, true
	case global{"_codecs", "encode"}:
		return encode, true
	case global{"__builtin__", "bytes"}, global{"builtins", "bytes"}:
		return noBytes, true
	case global{"collections", "OrderedDict"}:
		return orderedDict, true
	case global{"torch._utils", "_rebuild_tensor_v2"}:
		return rebuildTensor, true
	case global{"torch.storage", "_load_from_bytes"}:
		return storageFromBytes, true
	}
	return nil, false
}

// known returns g if a pickle may import it: a constructor, the class of arrays, or
// a class of storages. Anything else would run code in Python.
func known(g global) (any, error) {
	if _, ok := constructor(g); ok || g == ndarrayClass {
		return g, nil
	}
	if _, ok := storageTypes[g]; ok {
		return g, nil
	}
	return nil, fmt.Errorf("the pickle imports %.60q from %.60q; only arrays, lists, tuples, dicts and numbers are read, and nothing is run", g.name, g.module)
}

func call(g global, args Tuple) (any, error) {
	f, ok := constructor(g)
	if !ok {
		return nil, fmt.Errorf("a call of %s", g)
	}
	v, err := f(args)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", g, err)
	}
	return v, nil
}

var ndarrayClass = global{"numpy", "ndarray"}

var errArgs = errors.New("unexpected arguments")

// reconstruct is _reconstruct(ndarray, (0,), b'b'): an array whose state comes later.
func reconstruct(args Tuple) (any, error) {
	if len(args) != 3 || args[0] != any(ndarrayClass) {
		return nil, errArgs
	}
	return &array{}, nil
}

// build sets the state of an array: (1, shape, dtype, is_fortran, bytes).
func (a *array) build(state any) error {
	if a.Array != nil {
		return errors.New("an array with two states")
	}
	s, ok := state.(Tuple)
	if !ok || len(s) != 5 {
		return fmt.Errorf("an array with the state %s", Describe(state))
	}
	shape, ok1 := ints(s[1])
	d, ok2 := s[2].(*dtype)
	fortran, ok3 := s[3].(bool)
	if n, isInt := s[3].(int64); isInt { // of Python 2
		fortran, ok3 = n != 0, true
	}
	if !ok1 || !ok2 || !ok3 {
		return errors.New("an array without shape and type")
	}
	b, ok := s[4].([]byte)
	if !ok {
		return fmt.Errorf("the elements of an array are %s, not bytes", Describe(s[4]))
	}
	full, err := data.NewArray(d.DType, d.bigEndian, fortran, shape, b)
	a.Array = full
	return err
}

// fromBuffer is _frombuffer(bytes, dtype, shape, order) of protocol 5.
func fromBuffer(args Tuple) (any, error) {
	if len(args) != 4 {
		return nil, errArgs
	}
	b, ok1 := args[0].([]byte)
	d, ok2 := args[1].(*dtype)
	shape, ok3 := ints(args[2])
	order, ok4 := text(args[3])
	if !ok1 || !ok2 || !ok3 || !ok4 {
		return nil, errArgs
	}
	return newArray(d.DType, d.bigEndian, order == "F", shape, b)
}

// newArray is data.NewArray for a value of a pickle.
func newArray(t data.DType, bigEndian, fortran bool, shape []int, b []byte) (any, error) {
	a, err := data.NewArray(t, bigEndian, fortran, shape, b)
	return &array{a}, err
}

// scalar is scalar(dtype, bytes): an array without axes.
func scalar(args Tuple) (any, error) {
	if len(args) != 2 {
		return nil, errArgs
	}
	d, ok1 := args[0].(*dtype)
	b, ok2 := args[1].([]byte)
	if !ok1 || !ok2 {
		return nil, errArgs
	}
	return newArray(d.DType, d.bigEndian, false, nil, b)
}

// dtype is an element type of numpy.
type dtype struct {
	data.DType
	bigEndian bool
}

// newDtype is dtype('f4', False, True). The byte order comes later, with the state. Without
// a state the type is little-endian, and a name with a sign of byte order, which numpy does
// not write, is rejected.
func newDtype(args Tuple) (any, error) {
	if len(args) == 0 {
		return nil, errArgs
	}
	name, ok := text(args[0])
	if !ok || len(name) > 16 {
		return nil, errArgs
	}
	if strings.ContainsAny(name, "<>=|") {
		return nil, fmt.Errorf("the byte order in the name %q of a dtype", name)
	}
	t, _, err := data.ParseDType(name)
	return &dtype{DType: t}, err
}

// build sets the state of a dtype: (version, byte order, ...). The rest is about
// structured types.
func (d *dtype) build(state any) error {
	s, ok := state.(Tuple)
	if !ok || len(s) < 5 || s[2] != nil || s[3] != nil || s[4] != nil {
		return errors.New("a structured dtype")
	}
	order, _ := text(s[1])
	switch order {
	case "<", "|", "=": // all machines that write = are little-endian today
		d.bigEndian = false
	case ">":
		d.bigEndian = true
	default:
		return fmt.Errorf("byte order %.10q of a dtype", order)
	}
	return nil
}

// encode is _codecs.encode(text, 'latin1'), the form of bytes in protocols before 3.
func encode(args Tuple) (any, error) {
	if len(args) != 2 {
		return nil, errArgs
	}
	s, ok1 := args[0].(string)
	codec, ok2 := text(args[1])
	if !ok1 || !ok2 || codec != "latin1" {
		return nil, errArgs
	}
	out := make([]byte, 0, len(s))
	for _, r := range s {
		if r > 255 {
			return nil, fmt.Errorf("%q is not a character of latin1", r)
		}
		out = append(out, byte(r))
	}
	return out, nil
}

// noBytes is bytes(), the form of empty bytes in protocols before 3.
func noBytes(args Tuple) (any, error) {
	if len(args) != 0 {
		return nil, errArgs
	}
	return []byte{}, nil
}

// orderedDict is OrderedDict(), filled afterwards.
func orderedDict(args Tuple) (any, error) {
	if len(args) != 0 {
		return nil, errArgs
	}
	return &Dict{}, nil
}

// ints returns a tuple or list of non-negative integers. More than 8 numbers are rejected.
func ints(v any) ([]int, bool) {
	items, ok := Items(v)
	if !ok || len(items) > 8 {
		return nil, false
	}
	out := make([]int, len(items))
	for i, x := range items {
		n, ok := x.(int64)
		if !ok || n < 0 {
			return nil, false
		}
		out[i] = int(n)
	}
	return out, true
}
