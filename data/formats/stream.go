package formats

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/qats-bench/qats/data/npy"
)

// ReadTensors reads a .safetensors of at most limit bytes to its end, and checks it as
// a file is checked. It takes memory for the size that the header declares, after that was found
// to be within the limit.
func ReadTensors(r io.Reader, limit int64) ([]byte, error) {
	var start [8]byte
	n, err := io.ReadFull(r, start[:])
	if err == nil {
		if bytes.HasPrefix(start[:], []byte(npy.Magic)) {
			return nil, errors.New("a .npy array; a .safetensors is read, in which arrays have names")
		}
		var length int64
		if length, err = tensorHeaderLength(start); err != nil {
			if isText(start[:]) {
				err = errors.New("a text; a .safetensors is read, or a table in a file with a name that ends with .csv")
			} else if p := Foreign("", start[:], NPY{}); p != nil {
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
		_, err = parseTensorFile(npy.File{Body: bytes.NewReader(start[:n]), Size: int64(n)})
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
	if _, err := parseTensorFile(npy.File{Body: bytes.NewReader(b), Size: int64(len(b))}); err != nil {
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
