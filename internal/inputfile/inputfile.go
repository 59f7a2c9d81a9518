// Package inputfile opens the files that a user names for reading. Only regular
// files are opened, also behind symbolic links: opening a pipe waits for a writer,
// for ever if there is none, and a device such as /dev/zero has no end.
package inputfile

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// ErrNotRegular is the error of a pipe, a socket or a device.
var ErrNotRegular = errors.New("not a regular file; a pipe or a device cannot be read, copy it to a file first")

// System is the file system of the operating system, whose names are any paths.
type System struct{}

// Open is os.Open.
func (System) Open(path string) (fs.File, error) { return os.Open(path) }

// Stat is os.Stat.
func (System) Stat(path string) (fs.FileInfo, error) { return os.Stat(path) }

// Open opens the regular file at path. The error is an *fs.PathError.
func Open(path string) (*os.File, fs.FileInfo, error) {
	f, info, err := OpenIn(System{}, path)
	if err != nil {
		return nil, nil, err
	}
	return f.(*os.File), info, nil
}

// OpenIn is Open in a file system.
func OpenIn(fsys fs.FS, name string) (fs.File, fs.FileInfo, error) {
	info, err := fs.Stat(fsys, name) // before opening, which may wait
	if err == nil {
		err = check(name, info)
	}
	if pe := (*fs.PathError)(nil); errors.As(err, &pe) {
		err = &fs.PathError{Op: "open", Path: pe.Path, Err: pe.Err}
	}
	if err != nil {
		return nil, nil, err
	}
	f, err := fsys.Open(name)
	if err != nil {
		return nil, nil, err
	}
	if info, err = f.Stat(); err == nil { // it may be another file by now
		err = check(name, info)
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// check returns an error if the file that info describes is not a regular one.
func check(path string, info fs.FileInfo) error {
	switch {
	case info.Mode().IsRegular():
		return nil
	case info.IsDir():
		return &fs.PathError{Op: "open", Path: path, Err: syscall.EISDIR}
	}
	return &fs.PathError{Op: "open", Path: path, Err: ErrNotRegular}
}

// Read returns the content of the regular file at path.
func Read(path string) ([]byte, error) { return ReadIn(System{}, path) }

// ReadIn is Read in a file system.
func ReadIn(fsys fs.FS, name string) ([]byte, error) {
	f, info, err := OpenIn(fsys, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var b bytes.Buffer
	b.Grow(int(min(info.Size(), 1<<30)) + bytes.MinRead) // the end is read too, without growing
	_, err = b.ReadFrom(f)
	return b.Bytes(), err
}

// Cause returns the error of the operating system in err without the path, which its
// caller names: the Err of the first *fs.PathError in its chain, else err.
func Cause(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}
