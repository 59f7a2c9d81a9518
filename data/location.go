package data

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/qats-bench/qats/internal/inputfile"
)

// location is the place of an array.
type location struct {
	fsys   fs.FS  // inputfile.System or an Input for paths of the operating system
	path   string // of the file in fsys
	member string // of an .npz or .safetensors, else empty
	name   string // as errors print it
	limit  int64  // of the bytes of a member; DefaultMemberLimit if 0
}

// locate parses a name: "dir/file.npz#member", "dir/file.safetensors#member", "-#member" or
// "dir/file.npy".
func locate(fsys fs.FS, name string) location {
	l := location{fsys: fsys, path: name, name: name}
	switch i := strings.LastIndexByte(name, '#'); {
	case i > 0 && isArchive(name[:i]):
		l.path, l.member = name[:i], strings.TrimSuffix(name[i+1:], ".npy")
	case i > 0 && (isTensors(name[:i]) || IsTable(name[:i])):
		l.path, l.member = name[:i], name[i+1:]
	}
	return l
}

// hasMembers reports whether a file holds several arrays, which are named
// FILE#MEMBER.
func hasMembers(path string) bool { return isArchive(path) || isTensors(path) }

func isArchive(path string) bool { return strings.EqualFold(filepath.Ext(path), ".npz") }

// open opens the file, which must be a regular one: a folder or a pipe is an error.
// A file that cannot be read at an offset is read into memory.
func (l location) open() (contents, error) {
	f, info, err := inputfile.OpenIn(l.fsys, l.path)
	if errors.Is(err, syscall.EISDIR) {
		err = errors.New("a folder, not an array file")
	}
	if err != nil {
		return contents{}, l.wrap(err)
	}
	if IsTorch(l.path) {
		f.Close()
		return contents{}, TorchProblem(l.name)
	}
	if h, ok := f.(*heldFile); ok {
		return contents{body: h, size: info.Size(), info: info}, nil
	}
	if IsTable(l.path) {
		f.Close()
		return contents{}, &Problem{Place: l.name, Cause: "a table of text, not an array", Fix: "qats try reads it; python3 -m qatsbench.datasets import csv makes arrays of it"}
	}
	if r, ok := f.(io.ReaderAt); ok {
		return contents{r, info.Size(), f, info}, nil
	}
	b, err := io.ReadAll(io.LimitReader(f, info.Size()+1))
	if err != nil {
		f.Close()
		return contents{}, l.wrap(err)
	}
	return contents{bytes.NewReader(b), int64(len(b)), f, info}, nil
}

// wrap places err in the name and removes it from an error of the operating system. A
// Problem, as of a whole stream, has its place.
func (l location) wrap(err error) error {
	var p *Problem
	if errors.As(err, &p) {
		return p
	}
	return placed(l.name, inputfile.Cause(err))
}

// openArray opens the array at l. A member of an archive is held in memory.
func (l location) openArray() (*Array, error) {
	c, err := l.open()
	if err != nil {
		return nil, err
	}
	var h header
	if isArchive(l.path) {
		if c, err = l.unpack(c); err != nil {
			return nil, err
		}
		h, err = readHeader(c.body, c.size)
	} else {
		h, err = l.headerOf(c)
	}
	if err != nil {
		c.close()
		return nil, l.wrap(err)
	}
	return &Array{header: h, name: l.name, column: "class", contents: c}, nil
}

// unread returns the array at l as its header describes it, without its numbers.
func (l location) unread() (*Array, error) {
	h, err := l.header()
	if err != nil {
		return nil, err
	}
	return &Array{header: h, name: l.name, column: "class"}, nil
}

// header reads the header of the array at l, and no more.
func (l location) header() (header, error) {
	c, err := l.open()
	if err != nil {
		return header{}, err
	}
	defer c.close()
	h, err := l.headerOf(c)
	if err != nil {
		return header{}, l.wrap(err)
	}
	return h, nil
}

// headerOf reads the header of the array at l in the file c.
func (l location) headerOf(c contents) (header, error) {
	if !hasMembers(l.path) && !IsTable(l.path) {
		return readHeader(c.body, c.size)
	}
	m, err := l.find(c)
	if err != nil {
		return header{}, err
	}
	return m.readHeader()
}

// contents are the bytes of a file or of an unpacked member: an open file, or memory.
type contents struct {
	body io.ReaderAt
	size int64
	file fs.File     // nil for what is in memory: an unpacked member, a stream
	info fs.FileInfo // of the file as it was opened
}

// unpack returns the bytes of the member of the .npz c, which it closes. A member of an
// .npz has no path of its own.
func (l location) unpack(c contents) (contents, error) {
	defer c.close()
	var b []byte
	m, err := l.find(c)
	if err == nil {
		b, err = readArray(m.(archived).File, cmp.Or(l.limit, DefaultMemberLimit))
	}
	if err != nil {
		return contents{}, l.wrap(err)
	}
	after, err := c.file.Stat()
	if err != nil {
		return contents{}, l.wrap(err)
	}
	if writtenTo(c.info, after) {
		return contents{}, changedFile(l.name)
	}
	return contents{body: bytes.NewReader(b), size: int64(len(b)), info: c.info}, nil
}

func (c contents) close() error {
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

// stat describes the file at l.
func (l location) stat() (fs.FileInfo, error) {
	info, err := fs.Stat(l.fsys, l.path)
	if err != nil {
		return nil, l.wrap(err)
	}
	return info, nil
}

// copyTo writes the bytes of the file c at l to w; of a member the .npy.
func (l location) copyTo(w io.Writer, c contents) error {
	if l.member == "" {
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
