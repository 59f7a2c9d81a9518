package results

import (
	"bufio"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
)

// tempMark is part of the name of every file being written. A file that bears
// it is unfinished: the work of a running writer, or the remains of a killed
// one.
const tempMark = ".tmp-"

// WriteFile replaces the file at path by what write produces, or leaves it
// untouched and returns an error. The bytes go to a temporary file in the same
// folder, which exists and is on the same file system, and are synced before
// the rename, so that a crash cannot leave a complete name with half a content.
// The folder itself is not synced: after a power cut the old file may be back,
// but never a broken one.
//
// What is there and no file, a device such as /dev/null or a pipe, is written to
// as it is: a rename would put a file in its place.
func WriteFile(path string, write func(io.Writer) error) error {
	buffered := func(w io.Writer) error {
		buf := bufio.NewWriterSize(w, 1<<16)
		if err := write(buf); err != nil {
			return err
		}
		return buf.Flush()
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().IsRegular() || info.IsDir() {
		return replace(path, true, buffered)
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(buffered(f), f.Close())
}

// replace is WriteFile without its buffer; who can tell a broken content does
// not need to sync.
func replace(path string, sync bool, write func(io.Writer) error) error {
	var salt [6]byte
	rand.Read(salt[:]) // documented never to fail
	temp := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+tempMark+hex.EncodeToString(salt[:]))
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	renamed := false
	defer func() { // after a panic of write, too
		if !renamed {
			f.Close() // a second close is harmless
			os.Remove(temp)
		}
	}()
	if err := write(f); err != nil {
		return err
	}
	if sync {
		if err := f.Sync(); err != nil {
			return err
		}
	}
	if err := f.Close(); err != nil {
		return err
	}
	err = os.Rename(temp, path)
	renamed = err == nil
	return err
}
