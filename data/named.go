package data

import (
	"errors"
	"io/fs"
)

// Named is an array of a file with several.
type Named struct {
	Name  string
	DType DType // empty for an array of no numbers, such as texts
	Shape []int
}

// NamedArrays returns the arrays of an .npz or .safetensors file of fsys, or of a table or a stream
// of an Input.
func NamedArrays(fsys fs.FS, file string) ([]Named, error) {
	return location{fsys: fsys, path: file, name: file}.arrays()
}

// arrays returns the arrays of the file at l.
func (l location) arrays() ([]Named, error) {
	c, err := l.open()
	if err != nil {
		return nil, err
	}
	defer c.close()
	all, err := l.members(c)
	if err != nil {
		return nil, l.wrap(err)
	}
	var arrays []Named
	for _, m := range all {
		a := Named{Name: m.name()}
		if h, err := m.readHeader(); err == nil { // else reading it gives the error
			a.DType, a.Shape = h.dtype, h.shape
		}
		arrays = append(arrays, a)
	}
	return arrays, nil
}

// describe returns the type and shape of the array at l, and reads no more than its header.
func (l location) describe() (Named, error) {
	h, err := l.header()
	return Named{l.name, h.dtype, h.shape}, err
}

// lacksMember reports whether there is a file at l without the member.
func (l location) lacksMember() bool {
	c, err := l.open()
	if err != nil {
		return false
	}
	defer c.close()
	_, err = l.find(c)
	var none *missingMember
	return errors.As(err, &none)
}
