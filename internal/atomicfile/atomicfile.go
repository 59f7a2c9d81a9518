// Package atomicfile writes files that appear complete or not at all. The bytes go
// to a temporary file in the same folder, which exists and is on the same file
// system, and are synced before it is renamed, so that a crash cannot leave a
// complete name with half a content. The folder itself is not synced: after a
// power cut the old file may be back, but never a broken one.
//
// A name that stands for a device, a pipe or a socket is an error: a rename would put a
// file in its place, and a pipe that nobody reads is waited for without end. WriteNamed
// writes to one as it is, for files that a user names, such as /dev/stdout. A symbolic
// link stays, and the file that it leads to is replaced; one that leads nowhere is
// replaced itself.
package atomicfile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/qats-bench/qats/internal/leftover"
)

// mark is part of the name of every file being written.
const mark = ".tmp-"

// Unfinished reports whether a file of that name is being written, or is left over
// from a killed writer.
func Unfinished(name string) bool {
	return strings.HasPrefix(name, ".") && strings.Contains(name, mark)
}

// Sweep removes the unfinished files in the folders whose writers have ended (see
// package leftover). A writer of another machine that is swept all the same notices
// when it renames its file, and writes it again.
func Sweep(dirs ...string) {
	for _, dir := range dirs {
		leftover.Sweep(dir, func(name string) string {
			if !Unfinished(name) {
				return ""
			}
			return name[strings.LastIndex(name, mark)+len(mark):]
		})
	}
}

// ErrVanished is the error of a file that was removed before it was finished. It
// wraps fs.ErrNotExist.
var ErrVanished = errors.New("the unfinished file has vanished")

// ErrNotRegular is the error of a pipe, a socket or a device in the place of a file.
var ErrNotRegular = errors.New("not a regular file; remove it, or name another place")

// CheckRegular returns the error that Create would return at path for what is there: a
// folder, a pipe, a socket or a device. Writers of many files call it before their work.
func CheckRegular(path string) error {
	switch info, err := os.Stat(path); {
	case err != nil || info.Mode().IsRegular(): // a new file, or a file
		return nil
	case info.IsDir():
		return &fs.PathError{Op: "write", Path: path, Err: syscall.EISDIR}
	}
	return &fs.PathError{Op: "write", Path: path, Err: ErrNotRegular}
}

// File is a file that is being written. It is used by one goroutine.
type File struct {
	f    *os.File // nil when it is done
	path string   // its final name; empty if f has it already
}

// Create begins the file at path, with the mode of any new file. After it,
// defer Abort and end with Commit.
func Create(path string) (*File, error) {
	if err := CheckRegular(path); err != nil {
		return nil, err
	}
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	temp := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+mark+leftover.Suffix())
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		var pe *fs.PathError
		if errors.As(err, &pe) {
			pe.Path = path // the temporary name says nothing to the user
		}
		return nil, err
	}
	return &File{f: f, path: path}, nil
}

// Write appends b.
func (f *File) Write(b []byte) (int, error) { return f.f.Write(b) }

// Commit puts the file in its place; on an error the old one stays. Without sync, a
// crash may leave a damaged file under the name: for callers that detect damage.
func (f *File) Commit(sync bool) error {
	defer f.Abort()
	if sync && f.path != "" {
		if err := f.f.Sync(); err != nil {
			return err
		}
	}
	if err := f.f.Close(); err != nil {
		return err
	}
	if f.path != "" {
		switch err := os.Rename(f.f.Name(), f.path); {
		case errors.Is(err, fs.ErrNotExist):
			return fmt.Errorf("%w: %w", ErrVanished, err)
		case err != nil:
			return err
		}
	}
	f.f = nil
	return nil
}

// Abort removes the unfinished file; after Commit it does nothing.
func (f *File) Abort() {
	if f.f == nil {
		return
	}
	f.f.Close() // closing twice is harmless
	if f.path != "" {
		os.Remove(f.f.Name())
	}
	f.f = nil
}

// Write replaces the file at path by what write produces, or leaves it
// untouched and returns an error. Where the unfinished file has vanished, write is
// called once more.
func Write(path string, write func(io.Writer) error) error {
	err := writeOnce(path, write)
	if errors.Is(err, ErrVanished) {
		err = writeOnce(path, write)
	}
	return err
}

// WriteNamed is Write for a file that the user names. A device, a pipe or a socket is
// written to as it is.
func WriteNamed(path string, write func(io.Writer) error) error {
	if !errors.Is(CheckRegular(path), ErrNotRegular) {
		return Write(path, write)
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return finish(&File{f: f}, write)
}

func writeOnce(path string, write func(io.Writer) error) error {
	f, err := Create(path)
	if err != nil {
		return err
	}
	return finish(f, write)
}

// finish writes the file and puts it into place.
func finish(f *File, write func(io.Writer) error) error {
	defer f.Abort() // also after a panic of write
	buf := bufio.NewWriterSize(f, 1<<16)
	if err := write(buf); err != nil {
		return err
	}
	if err := buf.Flush(); err != nil {
		return err
	}
	return f.Commit(true)
}

// WriteBytes replaces the file at path by b, as Write does.
func WriteBytes(path string, b []byte) error {
	return Write(path, func(w io.Writer) error {
		_, err := w.Write(b)
		return err
	})
}
