package results

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"slices"
	"strings"
)

// A pack is one file with objects of a store, so that what a task has stored is copied as one:
//
//	qats pack 1
//	<a line of its writer>
//	<objects, each as the file of it in a store>
//	end <objects> sha256 <hex>      of all bytes before this line
//
// No name of a file stands in it: the kind and the text of an object say where it belongs.
const packMagic = "qats pack 1\n"

// packLine is the most that a line of a pack may have, but for the objects.
const packLine = 4096

// PackWriter writes a pack. It is used by one goroutine.
type PackWriter struct {
	w       io.Writer
	sum     hash.Hash
	objects int
}

// NewPackWriter begins a pack with a line of its writer, which has no line break.
func NewPackWriter(w io.Writer, line string) (*PackWriter, error) {
	if strings.Contains(line, "\n") || len(line) >= packLine {
		return nil, fmt.Errorf("pack: %.40q is no line of up to %d bytes", line, packLine)
	}
	p := &PackWriter{sum: sha256.New()}
	p.w = io.MultiWriter(w, p.sum)
	_, err := io.WriteString(p.w, packMagic+line+"\n")
	return p, err
}

// Add writes an object.
func (p *PackWriter) Add(kind Kind, text string, body []byte) error {
	p.objects++
	return encodeObject(p.w, kind, text, body)
}

// Close writes the end, and leaves the writer below it open.
func (p *PackWriter) Close() error {
	_, err := io.WriteString(p.w, packEnd(p.objects, p.sum))
	return err
}

func packEnd(objects int, sum hash.Hash) string {
	return fmt.Sprintf("end %d sha256 %x\n", objects, sum.Sum(nil))
}

// ReadPack reads a pack, calls each with its objects in their order, and returns the line of its writer. Only when it
// has returned without an error are they known to be all objects, unaltered.
func ReadPack(r io.Reader, each func(kind Kind, text string, body []byte) error) (line string, err error) {
	sum := sha256.New()
	buf := bufio.NewReaderSize(r, packLine)
	next := func() (string, error) {
		b, err := buf.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			err = errors.New("damaged: a line is too long")
		} else if err == io.EOF {
			err = errors.New("cut off")
		}
		return string(b), err
	}
	magicLine, err := next()
	switch {
	case magicLine != packMagic && strings.HasPrefix(packMagic, magicLine):
		return "", err
	case magicLine != packMagic:
		return "", errors.New("no pack, or of another version of the program")
	}
	if line, err = next(); err != nil {
		return "", err
	}
	io.WriteString(sum, magicLine+line)
	line = strings.TrimSuffix(line, "\n")
	for objects := 0; ; objects++ {
		head, err := next()
		if err != nil {
			return "", err
		}
		if strings.HasPrefix(head, "end ") {
			if head != packEnd(objects, sum) {
				return "", errors.New("damaged: its checksum is wrong")
			}
			if _, err := buf.ReadByte(); err != io.EOF {
				return "", cmp.Or(err, errors.New("damaged: it goes on after its end"))
			}
			return line, nil
		}
		for range 2 { // more lines of the header
			more, err := next()
			if err != nil {
				return "", err
			}
			head += more
		}
		h, err := decodeHeader([]byte(head))
		if err != nil {
			return "", fmt.Errorf("damaged: object %d has %w", objects, err)
		}
		file := bytes.NewBufferString(head)
		if n, err := io.CopyN(file, buf, h.size()-int64(h.length)); err != nil { // grows with what is there, whatever the header says
			if err == io.EOF {
				err = fmt.Errorf("cut off: object %d has %d bytes of %d", objects, n, h.size()-int64(h.length))
			}
			return "", err
		}
		sum.Write(file.Bytes())
		kind, text, body, err := decodeObject(file.Bytes())
		if err == nil && !slices.Contains(objectKinds, kind) {
			err = fmt.Errorf("unknown kind %.40q", string(kind))
		}
		if err != nil {
			return "", fmt.Errorf("damaged: object %d: %w", objects, err)
		}
		if err := each(kind, text, body); err != nil {
			return "", err
		}
	}
}

// Merge returns what a store keeps of two objects of one key that were made apart. They must be equal, but for the
// times of a fit, which are measured: of these it keeps the shorter one, whichever was made first.
func Merge(kind Kind, text string, a, b []byte) ([]byte, error) {
	if bytes.Equal(a, b) {
		return a, nil
	}
	if kind == Times {
		var s, t Time
		if json.Unmarshal(a, &s) == nil && json.Unmarshal(b, &t) == nil {
			if cmp.Or(cmp.Compare(s.Seconds, t.Seconds), bytes.Compare(a, b)) < 0 {
				return a, nil
			}
			return b, nil
		}
	}
	return nil, Differs(kind, Key(text))
}

// Differs is the error of an object that was made twice with other bytes.
func Differs(kind Kind, key string) error {
	return fmt.Errorf("%s object %.12s was made twice, with other bytes: the result depends on more than its text names, as that of a program that draws at random", kind, key)
}
