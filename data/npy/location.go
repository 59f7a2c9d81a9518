package npy

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/qats-bench/qats/data/problem"
	"github.com/qats-bench/qats/internal/called"
	"github.com/qats-bench/qats/internal/inputfile"
)

// Location is the place of an array.
type Location struct {
	FS     fs.FS  // inputfile.System or an Input for paths of the operating system
	Path   string // of the file in fsys
	Member string // of an .npz or .safetensors, else empty
	Name   string // as errors print it
	Limit  int64  // of the bytes of a member; DefaultMemberLimit if 0
}

// Locate parses a name: "dir/file.npz#member", "dir/file.safetensors#member", "-#member" or
// "dir/file.npy".
func Locate(fsys fs.FS, name string) Location {
	l := Location{FS: fsys, Path: name, Name: name}
	switch i := strings.LastIndexByte(name, '#'); {
	case i > 0 && isArchive(name[:i]):
		l.Path, l.Member = name[:i], strings.TrimSuffix(name[i+1:], ".npy")
	case i > 0 && (IsTensors(name[:i]) || IsTable(name[:i])):
		l.Path, l.Member = name[:i], name[i+1:]
	}
	return l
}

// HasMembers reports whether a file holds several arrays, which are named
// FILE#MEMBER.
func HasMembers(path string) bool { return isArchive(path) || IsTensors(path) }

func isArchive(path string) bool { return strings.EqualFold(filepath.Ext(path), ".npz") }

// Open opens the file, which must be a regular one: a folder or a pipe is an error.
// A file that cannot be read at an offset is read into memory.
func (l Location) Open() (File, error) {
	f, info, err := inputfile.OpenIn(l.FS, l.Path)
	if errors.Is(err, syscall.EISDIR) {
		err = errors.New("a folder, not an array file")
	}
	if err != nil {
		return File{}, l.Wrap(err)
	}
	if IsTorch(l.Path) {
		f.Close()
		return File{}, TorchProblem(l.Name)
	}
	if h, ok := f.(*heldFile); ok {
		return File{body: h, size: info.Size(), Info: info}, nil
	}
	if IsTable(l.Path) {
		f.Close()
		return File{}, &problem.Problem{Place: l.Name, Cause: "a table of text, not an array", Fix: called.Command() + " try reads it; python3 -m qatsbench.datasets import csv makes arrays of it"}
	}
	if r, ok := f.(io.ReaderAt); ok {
		return File{r, info.Size(), f, info}, nil
	}
	b, err := io.ReadAll(io.LimitReader(f, info.Size()+1))
	if err != nil {
		f.Close()
		return File{}, l.Wrap(err)
	}
	return File{bytes.NewReader(b), int64(len(b)), f, info}, nil
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

// Array opens the array at l. A member of an archive is held in memory.
func (l Location) Array() (*Array, error) {
	c, err := l.Open()
	if err != nil {
		return nil, err
	}
	var h header
	if isArchive(l.Path) {
		if c, err = l.unpack(c); err != nil {
			return nil, err
		}
		h, err = readHeader(c.body, c.size)
	} else {
		h, err = l.headerOf(c)
	}
	if err != nil {
		c.Close()
		return nil, l.Wrap(err)
	}
	return &Array{header: h, name: l.Name, column: "class", from: c}, nil
}

// Unread returns the array at l as its header describes it, without its numbers.
func (l Location) Unread() (*Array, error) {
	h, err := l.header()
	if err != nil {
		return nil, err
	}
	return &Array{header: h, name: l.Name, column: "class"}, nil
}

// header reads the header of the array at l, and no more.
func (l Location) header() (header, error) {
	c, err := l.Open()
	if err != nil {
		return header{}, err
	}
	defer c.Close()
	h, err := l.headerOf(c)
	if err != nil {
		return header{}, l.Wrap(err)
	}
	return h, nil
}

// headerOf reads the header of the array at l in the file c.
func (l Location) headerOf(c File) (header, error) {
	if !HasMembers(l.Path) && !IsTable(l.Path) {
		h, err := readHeader(c.body, c.size)
		if err != nil {
			if p := Foreign(l.Path, startOf(c.body)); p != nil {
				err = p
			}
		}
		return h, err
	}
	m, err := l.find(c)
	if err != nil {
		return header{}, err
	}
	return m.readHeader()
}

// File is the bytes of a file or of an unpacked member: an open file, or memory.
type File struct {
	body io.ReaderAt
	size int64
	file fs.File     // nil for what is in memory: an unpacked member, a stream
	Info fs.FileInfo // of the file as it was opened
}

// unpack returns the bytes of the member of the .npz c, which it closes. A member of an
// .npz has no path of its own.
func (l Location) unpack(c File) (File, error) {
	defer c.Close()
	var b []byte
	m, err := l.find(c)
	if err == nil {
		b, err = readArray(m.(archived).File, cmp.Or(l.Limit, DefaultMemberLimit))
	}
	if err != nil {
		return File{}, l.Wrap(err)
	}
	after, err := c.file.Stat()
	if err != nil {
		return File{}, l.Wrap(err)
	}
	if writtenTo(c.Info, after) {
		return File{}, problem.Changed(l.Name)
	}
	return File{body: bytes.NewReader(b), size: int64(len(b)), Info: c.Info}, nil
}

func (c File) Close() error {
	if c.file == nil {
		return nil
	}
	return c.file.Close()
}

// writtenTo reports whether an open file has another size or modification time than
// before. Its ctime does not matter: it changes when another file takes the name of
// this one, whose content stays readable.
func writtenTo(before, now fs.FileInfo) bool {
	return now.Size() != before.Size() || !now.ModTime().Equal(before.ModTime())
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
func (l Location) CopyTo(w io.Writer, c File) error {
	if l.Member == "" {
		// A larger buffer than that of io.Copy needs fewer reads of many small arrays.
		_, err := io.CopyBuffer(w, io.NewSectionReader(c.body, 0, c.size), make([]byte, 128<<10))
		return err
	}
	m, err := l.find(c)
	if err != nil {
		return err
	}
	return m.writeTo(w)
}
