package npy

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

// Arrays returns the arrays of an .npz or .safetensors file of fsys, or of a table or a stream
// of an Input.
func Arrays(fsys fs.FS, file string) ([]Named, error) {
	return Location{FS: fsys, Path: file, Name: file}.Arrays()
}

// Arrays returns the arrays of the file at l.
func (l Location) Arrays() ([]Named, error) {
	c, err := l.Open()
	if err != nil {
		return nil, err
	}
	defer c.Close()
	all, err := l.members(c)
	if err != nil {
		return nil, l.Wrap(err)
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

// Describe returns the type and shape of the array at l, and reads no more than its header.
func (l Location) Describe() (Named, error) {
	h, err := l.header()
	return Named{l.Name, h.dtype, h.shape}, err
}

// LacksMember reports whether there is a file at l without the member.
func (l Location) LacksMember() bool {
	c, err := l.Open()
	if err != nil {
		return false
	}
	defer c.Close()
	_, err = l.find(c)
	var none *missingMember
	return errors.As(err, &none)
}
