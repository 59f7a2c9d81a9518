package formats

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/qats-bench/qats/data/npy"
	"github.com/qats-bench/qats/data/problem"
	"github.com/qats-bench/qats/internal/called"
	"github.com/qats-bench/qats/internal/inputfile"
)

// Location is the place of an array, which List.Locate finds. Without a form, as of a literal, it is that of any file.
type Location struct {
	FS     fs.FS  // that has the file; inputfile.System for that of the operating system
	Path   string // of the file in FS
	Member string // of a file with several arrays, else empty
	Name   string // as errors print it
	Limit  int64  // of the bytes of a member that is unpacked; npy.DefaultMemberLimit if 0

	form Form
}

// Open opens the file, which must be a regular one: a folder or a pipe is an error.
// A file that cannot be read at an offset is read into memory.
func (l Location) Open() (npy.File, error) {
	f, info, err := inputfile.OpenIn(l.FS, l.Path)
	if errors.Is(err, syscall.EISDIR) {
		err = errors.New("a folder, not an array file")
	}
	if err != nil {
		return npy.File{}, l.Wrap(err)
	}
	if IsTorch(l.Path) {
		f.Close()
		return npy.File{}, TorchProblem(l.Name)
	}
	if h, ok := info.(npy.Held); ok {
		return npy.File{Body: bytes.NewReader(h), Size: h.Size(), Info: info}, nil
	}
	if l.named().Content() == Rows {
		f.Close()
		return npy.File{}, &problem.Problem{Place: l.Name, Cause: errTable.Error(), Fix: called.Command() + " try reads it; python3 -m qatsbench.datasets import csv makes arrays of it"}
	}
	if r, ok := f.(io.ReaderAt); ok {
		return npy.File{Body: r, Size: info.Size(), Handle: f, Info: info}, nil
	}
	b, err := io.ReadAll(io.LimitReader(f, info.Size()+1))
	if err != nil {
		f.Close()
		return npy.File{}, l.Wrap(err)
	}
	return npy.File{Body: bytes.NewReader(b), Size: int64(len(b)), Handle: f, Info: info}, nil
}

// Wrap places err in the name and removes it from an error of the operating system. A
// Problem, as of a whole stream, has its place.
func (l Location) Wrap(err error) error {
	var p *problem.Problem
	if errors.As(err, &p) {
		return p
	}
	return problem.At(l.Name, inputfile.Cause(err))
}

// in returns the form in which the bytes of the open file are. A stream and a table are held as a .safetensors.
func (l Location) in(c npy.File) Form {
	if _, ok := c.Info.(npy.Held); ok {
		return Safetensors{}
	}
	return l.named()
}

// named returns the form that the name says.
func (l Location) named() Form {
	if l.form == nil {
		return NPY{}
	}
	return l.form
}

// Array opens the array at l. A member of an .npz is held in memory.
func (l Location) Array() (*npy.Array, error) {
	c, err := l.Open()
	if err != nil {
		return nil, err
	}
	h, from, err := l.open(c)
	if err != nil || from.Body != c.Body { // else the array reads c
		c.Close()
	}
	if err != nil {
		return nil, l.Wrap(err)
	}
	return h.Array(l.Name, from), nil
}

// open returns the header of the array at l in the file c, and the bytes of its numbers.
func (l Location) open(c npy.File) (npy.Header, npy.File, error) {
	m, err := l.find(c)
	if err != nil {
		return npy.Header{}, npy.File{}, err
	}
	h, from, err := l.in(c).Open(c, m, cmp.Or(l.Limit, npy.DefaultMemberLimit))
	switch {
	case err != nil:
		return npy.Header{}, npy.File{}, l.explained(c, err)
	case from.Body != c.Body: // was unpacked
		from.Info, err = c.Info, c.Unchanged(l.Name)
	}
	return h, from, err
}

// Unread returns the array at l as its header describes it, without its numbers.
func (l Location) Unread() (*npy.Array, error) {
	h, err := l.header()
	if err != nil {
		return nil, err
	}
	return h.Array(l.Name, npy.File{}), nil
}

// header reads the header of the array at l, and no more.
func (l Location) header() (npy.Header, error) {
	c, err := l.Open()
	if err != nil {
		return npy.Header{}, err
	}
	defer c.Close()
	m, err := l.find(c)
	if err != nil {
		return npy.Header{}, l.Wrap(err)
	}
	h, err := m.Header()
	if err != nil {
		return h, l.Wrap(l.explained(c, err))
	}
	return h, nil
}

// explained returns the error of a file of one array, or what the first bytes say in its place: that it has another form
// than its name says.
func (l Location) explained(c npy.File, err error) error {
	if l.named().Content() == One {
		if p := Foreign(l.Path, startOf(c.Body), l.named()); p != nil {
			return p
		}
	}
	return err
}

// Stat describes the file at l.
func (l Location) Stat() (fs.FileInfo, error) {
	info, err := fs.Stat(l.FS, l.Path)
	if err != nil {
		return nil, l.Wrap(err)
	}
	return info, nil
}

// CopyTo writes the bytes of the file c at l to w; of a member the .npy.
func (l Location) CopyTo(w io.Writer, c npy.File) error {
	if l.Member == "" {
		return whole{c}.Write(w)
	}
	m, err := l.find(c)
	if err != nil {
		return err
	}
	return m.Write(w)
}

// Arrays returns the arrays of the file at l.
func (l Location) Arrays() ([]npy.Named, error) {
	c, err := l.Open()
	if err != nil {
		return nil, err
	}
	defer c.Close()
	all, err := l.members(c)
	if err != nil {
		return nil, l.Wrap(err)
	}
	var arrays []npy.Named
	for _, m := range all {
		a := npy.Named{Name: m.Name()}
		if h, err := m.Header(); err == nil { // else reading it gives the error
			a.DType, a.Shape = h.DType(), h.Shape()
		}
		arrays = append(arrays, a)
	}
	return arrays, nil
}

// Describe returns the type and shape of the array at l, and reads no more than its header.
func (l Location) Describe() (npy.Named, error) {
	h, err := l.header()
	return npy.Named{Name: l.Name, DType: h.DType(), Shape: h.Shape()}, err
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

// members returns the arrays in the file c at l.
func (l Location) members(c npy.File) ([]Member, error) {
	if l.named().Content() == Several { // a table has other bytes now
		if p := Foreign(l.Path, startOf(c.Body), l.named()); p != nil {
			return nil, p
		}
	}
	return l.in(c).Members(c)
}

// find returns the member at l of the file c.
func (l Location) find(c npy.File) (Member, error) {
	all, err := l.members(c)
	if err != nil {
		return nil, err
	}
	var found Member
	var names []string
	for _, m := range all {
		names = append(names, m.Name())
		if m.Name() != l.Member {
			continue
		}
		if found != nil {
			return nil, fmt.Errorf("two members are named %s", l.Member)
		}
		found = m
	}
	switch {
	case found != nil:
		return found, nil
	case l.Member == "" && l.Path == npy.StreamName:
		return nil, fmt.Errorf("name the array in it as %s#NAME (it has %s)", npy.StreamName, listed(names))
	case l.Member == "":
		file := "FILE" + filepath.Ext(l.Path)
		if l.named().Content() == Rows {
			file = filepath.Base(l.Path)
		}
		return nil, fmt.Errorf("name the array in it as %s#NAME (it has %s)", file, listed(names))
	}
	return nil, &missingMember{names}
}

// missingMember is the error of a file without the member asked for.
type missingMember struct{ names []string }

func (e *missingMember) Error() string {
	return fmt.Sprintf("no such member (it has %s)", listed(e.names))
}

func listed(names []string) string { return cmp.Or(strings.Join(names, ", "), "none") }
