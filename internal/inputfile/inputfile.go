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

// Open opens the regular file at path. The error is an *fs.PathError.
func Open(path string) (*os.File, fs.FileInfo, error) {
	return open(path, func() (fs.FileInfo, error) { return os.Stat(path) }, func() (*os.File, error) { return os.Open(path) })
}

// OpenIn is Open in a file system.
func OpenIn(fsys fs.FS, name string) (fs.File, fs.FileInfo, error) {
	return open(name, func() (fs.FileInfo, error) { return fs.Stat(fsys, name) }, func() (fs.File, error) { return fsys.Open(name) })
}

func open[F fs.File](path string, stat func() (fs.FileInfo, error), open func() (F, error)) (f F, info fs.FileInfo, err error) {
	var none F
	if info, err = stat(); err == nil { // before opening, which may wait
		err = check(path, info)
	}
	if pe := (*fs.PathError)(nil); errors.As(err, &pe) {
		return none, nil, &fs.PathError{Op: "open", Path: pe.Path, Err: pe.Err}
	}
	if err != nil {
		return none, nil, err
	}
	if f, err = open(); err != nil {
		return none, nil, err
	}
	if info, err = f.Stat(); err == nil { // it may be another file by now
		err = check(path, info)
	}
	if err != nil {
		f.Close()
		return none, nil, err
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
func Read(path string) ([]byte, error) {
	f, info, err := Open(path)
	if err != nil {
		return nil, err
	}
	return read(f, info)
}

// ReadIn is Read in a file system.
func ReadIn(fsys fs.FS, name string) ([]byte, error) {
	f, info, err := OpenIn(fsys, name)
	if err != nil {
		return nil, err
	}
	return read(f, info)
}

func read(f fs.File, info fs.FileInfo) ([]byte, error) {
	defer f.Close()
	var b bytes.Buffer
	b.Grow(int(min(info.Size(), 1<<30)) + bytes.MinRead) // the end is read too, without growing
	_, err := b.ReadFrom(f)
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
