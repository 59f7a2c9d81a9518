package npy

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"github.com/sbinet/npyio/npy"
)

// Header is the checked header of an array: its type, order and shape, and where its numbers begin in a file.
type Header struct {
	dtype     DType
	bigEndian bool
	fortran   bool
	shape     []int
	offset    int64 // where the body begins
}

// maxHeader is the largest length of a header's text. numpy itself rejects more
// than 10,000 characters; an ordinary array needs about 100.
const maxHeader = 64 << 10

// Magic begins a .npy file.
const Magic = "\x93NUMPY"

// headerForm is the text of a header as numpy.save and all other known writers
// write it. The npyio library reads no other form correctly: it finds the values by
// counting from the keys and to the first brace, so it panics on another order of keys or
// a brace in the type, and reads (1000) without its comma as 100.
var headerForm = regexp.MustCompile(`^\{'descr': '[^'{}]*', 'fortran_order': (True|False), 'shape': ` +
	`\((|-?[0-9]+,|-?[0-9]+(, ?-?[0-9]+)+,?)\), \} *\n$`)

// NewHeader returns the header of little-endian numbers in C order that begin at offset in a file.
func NewHeader(t DType, shape []int, offset int64) Header {
	return Header{dtype: t, shape: shape, offset: offset}
}

// DType returns the type of the elements.
func (h Header) DType() DType { return h.dtype }

// Shape returns the lengths of the axes. They belong to the header.
func (h Header) Shape() []int { return h.shape }

// Array returns the array of the header whose numbers are in f, which it closes. Of the zero File it has a type and a
// shape alone. Errors call it name.
func (h Header) Array(name string, f File) *Array {
	return &Array{head: h, name: name, column: "class", from: f}
}

// Header reads and checks the header of the .npy in f.
func (f File) Header() (Header, error) { return readHeader(f.Body, f.Size) }

// readHeader reads and checks the header of a file of size bytes: its form, its
// shape, and that the file has exactly the bytes that shape and type need.
func readHeader(r io.ReaderAt, size int64) (Header, error) {
	text, offset, err := headerText(r, size)
	if err != nil {
		return Header{}, err
	}
	if !headerForm.MatchString(text) {
		return Header{}, headerError(text)
	}
	parsed, err := parseHeader(text)
	if err != nil {
		return Header{}, err
	}
	h := Header{fortran: parsed.Descr.Fortran, shape: parsed.Descr.Shape, offset: offset}
	h.dtype, h.bigEndian, err = ParseDType(parsed.Descr.Type)
	if err != nil {
		return Header{}, err
	}
	body, err := h.dtype.Bytes(h.shape)
	if err != nil {
		return Header{}, err
	}
	switch have := size - offset; {
	case have < body:
		return Header{}, fmt.Errorf("truncated: %d of the %d bytes that %s %s needs", have, body, Tuple(h.shape), h.dtype)
	case have > body:
		return Header{}, fmt.Errorf("too long: %d bytes after the %d that %s %s needs", have-body, body, Tuple(h.shape), h.dtype)
	}
	h.fortran = h.fortran && h.axes() > 1
	return h, nil
}

// headerText returns the text of the header and the offset of the body.
func headerText(r io.ReaderAt, size int64) (text string, offset int64, err error) {
	if size == 0 {
		return "", 0, errors.New("empty file")
	}
	var start [12]byte
	if err := readFull(r, start[:min(12, size)], 0); err != nil {
		return "", 0, err
	}
	if string(start[:min(6, size)]) != Magic[:min(6, size)] {
		return "", 0, errors.New("not a .npy file: it does not begin with \\x93NUMPY")
	}
	if size < 10 {
		return "", 0, fmt.Errorf("truncated: %d bytes, shorter than any .npy file", size)
	}
	var length int64
	switch major, minor := start[6], start[7]; {
	case minor != 0 || major < 1 || major > 3:
		return "", 0, fmt.Errorf(".npy format %d.%d is unknown; want 1.0, 2.0 or 3.0", major, minor)
	case major == 1:
		length, offset = int64(binary.LittleEndian.Uint16(start[8:])), 10
	case size < 12:
		return "", 0, fmt.Errorf("truncated: %d bytes, shorter than any .npy file", size)
	default:
		length, offset = int64(binary.LittleEndian.Uint32(start[8:])), 12
	}
	if length > size-offset {
		return "", 0, fmt.Errorf("truncated: the header needs %d bytes, the file has %d", length, size-offset)
	}
	if length > maxHeader {
		return "", 0, fmt.Errorf("the header has %d bytes; at most %d are allowed", length, maxHeader)
	}
	buf := make([]byte, length)
	if err := readFull(r, buf, offset); err != nil {
		return "", 0, err
	}
	return string(buf), offset + length, nil
}

// headerError explains why a header is not of headerForm.
func headerError(text string) error {
	const rewrite = "; write the file again with numpy.save"
	bracket := regexp.MustCompile(`'shape': \( *([0-9]+) *\)`).FindStringSubmatch(text)
	keys := make([]int, 0, 3)
	for _, key := range []string{"'descr': ", "'fortran_order': ", "'shape': "} {
		keys = append(keys, strings.Index(text, key))
	}
	switch {
	case !strings.HasSuffix(text, "\n"):
		return errors.New("the header does not end in a newline" + rewrite)
	case strings.Contains(text, "'descr': ["):
		return errors.New("structured dtype is not supported; store numbers, such as float32 or int32")
	case keys[0] < 0 || keys[1] < 0 || keys[2] < 0:
		return errors.New("the header lacks one of 'descr', 'fortran_order', 'shape'" + rewrite)
	case keys[0] > keys[1] || keys[1] > keys[2]:
		return errors.New("the header's keys are not in the order 'descr', 'fortran_order', 'shape'" + rewrite)
	case bracket != nil:
		return fmt.Errorf("shape (%s) is a number and not a tuple; want (%s,)", bracket[1], bracket[1])
	}
	return errors.New("the header is not {'descr': ..., 'fortran_order': ..., 'shape': (...), } as numpy.save writes it" + rewrite)
}

// parseHeader gives a text of headerForm to the npyio library, as format 2.0. The
// library does not know 3.0, which differs only in the encoding of field names.
func parseHeader(text string) (npy.Header, error) {
	var b bytes.Buffer
	b.WriteString(Magic + "\x02\x00")
	b.Write(binary.LittleEndian.AppendUint32(nil, uint32(len(text))))
	b.WriteString(text)
	r, err := npy.NewReader(&b)
	if errors.Is(err, strconv.ErrRange) {
		return npy.Header{}, fmt.Errorf("the shape has an entry beyond 2^%d-1", strconv.IntSize-1)
	}
	if err != nil {
		return npy.Header{}, err
	}
	return r.Header, nil
}

// axes returns the number of axes longer than one. With at most one, C and Fortran
// order are the same.
func (h Header) axes() int {
	n := 0
	for _, d := range h.shape {
		if d != 1 {
			n++
		}
	}
	return n
}

// HeaderBytes returns the header of a C-order array in format 1.0. As in numpy,
// padding makes the body begin at a multiple of 64. (The npyio library writes a
// header only together with a body, by reflection and one element at a time.)
func HeaderBytes(t DType, shape []int) []byte {
	text := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }", t.descr(), Tuple(shape))
	const fixed = len(Magic) + 4
	pad := 63 - (fixed+len(text))%64
	text += strings.Repeat(" ", pad) + "\n"
	b := []byte(Magic + "\x01\x00")
	b = binary.LittleEndian.AppendUint16(b, uint16(len(text)))
	return append(b, text...)
}

// Tuple formats a shape as Python does: (5000, 10), (5000,), ().
func Tuple(shape []int) string {
	s := make([]string, len(shape))
	for i, d := range shape {
		s[i] = strconv.Itoa(d)
	}
	if len(s) == 1 {
		return "(" + s[0] + ",)"
	}
	return "(" + strings.Join(s, ", ") + ")"
}
