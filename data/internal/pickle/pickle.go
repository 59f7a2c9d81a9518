// Package pickle reads pickles of Python that hold arrays of numbers, without
// running anything.
//
// A pickle is a program for a small stack machine, which can import any function and call
// it. This machine cannot. It knows a short list of names, each a constructor written in
// Go:
//
//	numpy arrays, dtypes and scalars     numpy.core.multiarray._reconstruct, ...
//	tensors of torch                     torch._utils._rebuild_tensor_v2, ...
//	bytes of old protocols               _codecs.encode
//	collections.OrderedDict
//
// Any other name, and any instruction that makes objects of other classes, is an error.
// Protocols 0 to 5 are read. The number of instructions is bounded, and arrays take the
// memory of the file, so a short pickle cannot fill the memory.
//
// # Why no library
//
// github.com/nlpodyssey/gopickle reads more of pickle, but it does not pass the tests of
// this package. A length of 2^60 and a dict with a key that has no value end in a panic. A
// length of 1.8 GB in a pickle of six bytes takes so much memory before a byte is read. A
// value that was never stored is read as nil, a text need not be UTF-8, and escapes in
// texts of Python 2 stay as they are. It does not know arrays of numpy, so half of this
// package would stay.
//
// # Values
//
// The values are nil, bool, int64, float64, string, []byte (also the str of Python
// 2), *List, Tuple, *Dict and the arrays of Array.
package pickle

import (
	"fmt"

	"github.com/qats-bench/qats/data"
)

// List is a list of Python. It may contain itself.
type List struct{ Items []any }

// Tuple is a tuple of Python.
type Tuple []any

// Dict is a dict of Python, in the order of its keys in the file. A key that occurs
// twice is kept twice.
type Dict struct{ Keys, Values []any }

// Get returns the value of a text key; the last one counts.
func (d *Dict) Get(key string) (any, bool) {
	for i := len(d.Keys) - 1; i >= 0; i-- {
		if k, ok := text(d.Keys[i]); ok && k == key {
			return d.Values[i], true
		}
	}
	return nil, false
}

// Items returns the items of a list or a tuple.
func Items(v any) ([]any, bool) {
	switch v := v.(type) {
	case *List:
		return v.Items, true
	case Tuple:
		return v, true
	}
	return nil, false
}

// array is an array of numpy, a tensor of torch or, without axes, a scalar of numpy.
type array struct{ *data.Array } // nil until it has a state

// Array returns the array of a value.
func Array(v any) (*data.Array, bool) {
	a, ok := v.(*array)
	if !ok || a.Array == nil {
		return nil, false
	}
	return a.Array, true
}

// Read returns the object of a pickle, which must be all of b. Errors say at which
// byte the pickle is wrong.
func Read(b []byte) (any, error) {
	v, rest, err := load(b, nil)
	if err != nil {
		return nil, err
	}
	if len(rest) > 0 {
		return nil, fmt.Errorf("byte %d: %d bytes after the end of the pickle", len(b)-len(rest), len(rest))
	}
	switch v := v.(type) {
	case global, *storage, *dtype, bigInt:
		return nil, fmt.Errorf("holds %s, not data", Describe(v))
	}
	return v, nil
}

// text returns a string, or the bytes of a str of Python 2.
func text(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case []byte:
		return string(v), true
	}
	return "", false
}

// Describe names a value for errors by its type in Python, such as "a tuple of 2".
func Describe(v any) string {
	switch v := v.(type) {
	case nil:
		return "None"
	case bool:
		return "a bool"
	case int64, bigInt:
		return "an int"
	case float64:
		return "a float"
	case string:
		return "a str"
	case []byte:
		return "bytes"
	case *List:
		return fmt.Sprintf("a list of %d", len(v.Items))
	case Tuple:
		return fmt.Sprintf("a tuple of %d", len(v))
	case *Dict:
		return fmt.Sprintf("a dict of %d", len(v.Keys))
	case *array:
		if v.Array == nil {
			return "an array without a state"
		}
		return fmt.Sprintf("an array of shape %v", v.Shape())
	case *dtype:
		return "a dtype"
	case *storage:
		return "a storage of torch"
	case global:
		return "the name " + v.String()
	}
	return "an unfinished object"
}
