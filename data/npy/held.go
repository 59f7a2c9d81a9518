package npy

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"
)

// StreamName is the path of a stream where a file of arrays can be named: -#NAME is its
// array NAME.
const StreamName = "-"

// Held are the bytes of a stream, and describe it as a file.
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

// ReadTensors reads a .safetensors of at most limit bytes to its end, and checks it as
// readTensors does. It takes memory for the size that the header declares, after that was found
// to be within the limit.
func ReadTensors(r io.Reader, limit int64) ([]byte, error) {
	var start [8]byte
	n, err := io.ReadFull(r, start[:])
	if err == nil {
		if bytes.HasPrefix(start[:], []byte(npyMagic)) {
			return nil, errors.New("a .npy array; a .safetensors is read, in which arrays have names")
		}
		var length int64
		if length, err = tensorHeaderLength(start); err != nil {
			if isText(start[:]) {
				err = errors.New("a text; a .safetensors is read, or a table in a file with a name that ends with .csv")
			} else if p := Foreign("", start[:]); p != nil {
				err = fmt.Errorf("%s; a .safetensors is read", p.Cause)
			}
			return nil, err
		}
		return readTensorBody(r, start, length, limit)
	}
	switch {
	case n == 0 && errors.Is(err, io.EOF):
		return nil, errors.New("empty: write the arrays to it as one .safetensors")
	case errors.Is(err, io.ErrUnexpectedEOF):
		_, err = parseTensorFile(bytes.NewReader(start[:n]), int64(n))
	}
	return nil, err
}

// readTensorBody reads the stream after its first 8 bytes, which give the length of the header.
func readTensorBody(r io.Reader, start [8]byte, length, limit int64) ([]byte, error) {
	tooLarge := func(size int64) error {
		return fmt.Errorf("declares %d bytes, more than the limit of %d: raise --max-memory, or write it to a file, which is read in blocks", size, limit)
	}
	if 8+length > limit {
		return nil, tooLarge(8 + length)
	}
	b := make([]byte, 8+length)
	copy(b, start[:])
	n, err := io.ReadFull(r, b[8:])
	if err == nil {
		var size int64
		if size, err = tensorsEnd(b[8:]); err != nil {
			return nil, err
		}
		if size > limit-8-length {
			return nil, tooLarge(size) // the sum may overflow
		}
		head := b
		b = make([]byte, int64(len(head))+size+1) // one more, to see that the stream ends there
		copy(b, head)
		n, err = io.ReadFull(r, b[len(head):])
		n += len(head) - 8
	}
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, err
	}
	b = b[:8+n]
	if _, err := parseTensorFile(bytes.NewReader(b), int64(len(b))); err != nil {
		return nil, err
	}
	return b, nil
}

// tensorsEnd returns the number of bytes after the header that its tensors declare.
func tensorsEnd(header []byte) (int64, error) {
	all, err := parseTensors(header)
	if err != nil {
		return 0, notTensors(err)
	}
	end := int64(0)
	for _, t := range all {
		end = max(end, t.end)
	}
	return end, nil
}

// tensorHeaderLength returns the length of the header from the bytes before it.
func tensorHeaderLength(start [8]byte) (int64, error) {
	length := binary.LittleEndian.Uint64(start[:])
	if length > maxTensorHeader {
		return 0, notTensors(fmt.Errorf("its header would have %d bytes; at most %d are read", length, maxTensorHeader))
	}
	return int64(length), nil
}

func notTensors(err error) error { return fmt.Errorf("not a .safetensors file: %w", err) }
