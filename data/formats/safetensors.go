package formats

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/qats-bench/qats/data/npy"
)

// maxTensorHeader is the largest header of a .safetensors file that is read. A file
// of one set of logits needs about 300 bytes, a checkpoint of a large network less
// than a megabyte.
const maxTensorHeader = 8 << 20

// maxAxes bounds the axes of a tensor; numpy has the same bound.
const maxAxes = 32

// tensorTypes are the element types of .safetensors that are read.
var tensorTypes = map[string]npy.DType{
	"BOOL": npy.Bool, "U8": npy.Uint8, "I8": npy.Int8, "U16": npy.Uint16, "I16": npy.Int16, "U32": npy.Uint32, "I32": npy.Int32, "U64": npy.Uint64, "I64": npy.Int64,
	"F16": npy.Float16, "BF16": npy.BFloat16, "F32": npy.Float32, "F64": npy.Float64,
}

// Safetensors is the form of a .safetensors file: 8 bytes with the length of a JSON object, the object, and the numbers.
type Safetensors struct{}

func (Safetensors) Endings() []string        { return []string{".safetensors"} }
func (Safetensors) Content() Content         { return Several }
func (Safetensors) Begins(start []byte) bool { return len(start) > 8 && start[8] == '{' }

// Members returns the arrays of the file.
func (Safetensors) Members(f npy.File) ([]Member, error) {
	tensors, err := parseTensorFile(f)
	var all []Member
	for i := range tensors {
		all = append(all, &tensors[i])
	}
	return all, err
}

// Open opens a tensor in place.
func (Safetensors) Open(f npy.File, m Member, _ int64) (npy.Header, npy.File, error) {
	h, err := m.Header()
	return h, f, err
}

// tensor is one array of a .safetensors file. Its numbers are in C order and
// little-endian, and they are read in place: the file needs no memory.
type tensor struct {
	file   npy.File
	title  string
	kind   string    // the type as the file names it
	dtype  npy.DType // empty for one that is not read
	shape  []int
	begin  int64 // in the bytes after the header
	end    int64
	offset int64 // in the file
}

// parseTensorFile reads and checks the header of a .safetensors file of size bytes: 8 bytes
// with the length of a JSON object, the object, and the numbers. Each tensor must have
// exactly the bytes that its shape and type need, and the tensors must cover the rest of
// the file without gaps and overlaps, as the format demands. A tensor of another type is an
// error only when it is read.
func parseTensorFile(f npy.File) ([]tensor, error) {
	size := f.Size
	if size == 0 {
		return nil, errors.New("empty file")
	}
	var start [8]byte
	if size < 8 {
		return nil, fmt.Errorf("truncated: %d bytes, shorter than any .safetensors file", size)
	}
	if err := f.Fill(start[:], 0); err != nil {
		return nil, err
	}
	length, err := tensorHeaderLength(start)
	if err != nil {
		return nil, err
	}
	if length > size-8 {
		return nil, fmt.Errorf("truncated: the header needs %d bytes, there are %d", length, size-8)
	}
	text := make([]byte, length)
	if err := f.Fill(text, 8); err != nil {
		return nil, err
	}
	all, err := parseTensors(text)
	if err != nil {
		return nil, notTensors(err)
	}
	body := 8 + length
	for i := range all {
		all[i].file = f
		if err := all[i].place(body); err != nil {
			return nil, fmt.Errorf("tensor %q: %w", all[i].title, err)
		}
	}
	return all, covered(all, size-body)
}

// parseTensors reads the JSON object of a header. It reads token by token, because the
// decoder drops the first of two equal names silently.
func parseTensors(text []byte) ([]tensor, error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil, errors.New("the header is no JSON object")
	}
	var all []tensor
	seen := map[string]bool{}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, err
		}
		name, _ := key.(string) // a key is always a string
		if seen[name] {
			return nil, fmt.Errorf("two tensors are named %q", name)
		}
		seen[name] = true
		if name == "__metadata__" {
			var ignored map[string]string
			if err := dec.Decode(&ignored); err != nil {
				return nil, fmt.Errorf("__metadata__: %w", err)
			}
			continue
		}
		var t struct {
			DType   string  `json:"dtype"`
			Shape   []int   `json:"shape"`
			Offsets []int64 `json:"data_offsets"`
		}
		if err := dec.Decode(&t); err != nil {
			return nil, fmt.Errorf("tensor %q: %w", name, err)
		}
		if t.DType == "" || t.Shape == nil || len(t.Offsets) != 2 || len(t.Shape) > maxAxes {
			return nil, fmt.Errorf("tensor %q: want dtype, shape with at most %d axes, and data_offsets with begin and end", name, maxAxes)
		}
		all = append(all, tensor{title: name, kind: t.DType, dtype: tensorTypes[t.DType], shape: t.Shape, begin: t.Offsets[0], end: t.Offsets[1]})
	}
	if _, err := dec.Token(); err != nil {
		return nil, err
	}
	rest := text[dec.InputOffset():]
	if len(bytes.TrimLeft(rest, " ")) > 0 {
		return nil, errors.New("the header goes on after its JSON object")
	}
	return all, nil
}

// place checks the bytes of a tensor and sets its offset in the file, whose numbers
// begin at body.
func (t *tensor) place(body int64) error {
	if t.begin < 0 || t.end < t.begin {
		return fmt.Errorf("data_offsets %d to %d", t.begin, t.end)
	}
	t.offset = body + t.begin
	if t.dtype == "" {
		return nil // its size is unknown
	}
	want, err := t.dtype.Bytes(t.shape)
	if err != nil {
		return err
	}
	if t.end-t.begin != want {
		return fmt.Errorf("data_offsets give %d bytes, %s %s needs %d", t.end-t.begin, npy.Tuple(t.shape), t.dtype, want)
	}
	return nil
}

// covered returns an error unless the tensors cover size bytes, each byte once.
func covered(all []tensor, size int64) error {
	order := slices.Clone(all)
	slices.SortFunc(order, func(a, b tensor) int { return cmp.Or(cmp.Compare(a.begin, b.begin), cmp.Compare(a.end, b.end)) })
	at := int64(0)
	for _, t := range order {
		if t.begin != at {
			return fmt.Errorf("tensor %q begins at byte %d of the numbers; the one before it ends at %d", t.title, t.begin, at)
		}
		at = t.end
	}
	switch {
	case at > size:
		return fmt.Errorf("truncated: the tensors need %d bytes, there are %d", at, size)
	case at < size:
		return fmt.Errorf("too long: %d bytes after the last tensor", size-at)
	}
	return nil
}

// Name returns the name of the tensor.
func (t *tensor) Name() string { return t.title }

// Header returns where the numbers are in the file.
func (t *tensor) Header() (npy.Header, error) {
	if t.dtype == "" {
		return npy.Header{}, fmt.Errorf("dtype %s is not supported; store numbers, such as F32 or I64", t.kind)
	}
	return npy.NewHeader(t.dtype, t.shape, t.offset), nil
}

// Write writes the tensor as the .npy that numpy would write, from which its digest is
// computed. So the same array has the same digest in both formats.
func (t *tensor) Write(w io.Writer) error {
	if _, err := t.Header(); err != nil {
		return err
	}
	if _, err := w.Write(npy.HeaderBytes(t.dtype, t.shape)); err != nil {
		return err
	}
	_, err := io.Copy(w, io.NewSectionReader(t.file.Body, t.offset, t.end-t.begin))
	return err
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
