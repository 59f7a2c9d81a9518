package npy

import (
	"bytes"
	"io/fs"
	"time"
)

// StreamName is the path of a stream where a file of arrays can be named: -#NAME is its
// array NAME.
const StreamName = "-"

// Held is a stream read into memory. It is also the fs.FileInfo of that stream.
type Held []byte

func (Held) Name() string       { return StreamName }
func (h Held) Size() int64      { return int64(len(h)) }
func (Held) Mode() fs.FileMode  { return 0o444 }
func (Held) ModTime() time.Time { return time.Time{} }
func (Held) IsDir() bool        { return false }
func (Held) Sys() any           { return nil }

// OpenHeld returns the bytes as an open file.
func OpenHeld(b Held) fs.File { return &heldFile{bytes.NewReader(b), b} }

// heldFile is an open stream.
type heldFile struct {
	*bytes.Reader
	info Held
}

// Stat describes the bytes.
func (f *heldFile) Stat() (fs.FileInfo, error) { return f.info, nil }
func (*heldFile) Close() error                 { return nil }
