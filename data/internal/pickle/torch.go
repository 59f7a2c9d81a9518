package pickle

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/qats-bench/qats/data"
)

// storage is the memory of tensors of torch.
type storage struct {
	dtype data.DType
	count uint64 // elements that the pickle declares
	bytes []byte
}

// storageTypes are the classes of storages, by the type of their elements.
var storageTypes = map[global]data.DType{
	{"torch", "HalfStorage"}:   data.Float16,
	{"torch", "FloatStorage"}:  data.Float32,
	{"torch", "DoubleStorage"}: data.Float64,
	{"torch", "CharStorage"}:   data.Int8,
	{"torch", "ByteStorage"}:   data.Uint8,
	{"torch", "ShortStorage"}:  data.Int16,
	{"torch", "IntStorage"}:    data.Int32,
	{"torch", "LongStorage"}:   data.Int64,
	{"torch", "BoolStorage"}:   data.Bool,
}

// legacyMagic is the number that torch.save wrote first before it wrote zip files.
// pickle.dumps of a tensor still writes its storage in that way.
const legacyMagic = bigInt("\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19")

// storageFromBytes is _load_from_bytes(bytes). The bytes are four pickles (magic
// number, version, a description of the machine, the storage as a persistent id),
// then one with the list of keys, and then the number of elements and the elements.
func storageFromBytes(args Tuple) (any, error) {
	if len(args) != 1 {
		return nil, errArgs
	}
	b, ok := args[0].([]byte)
	if !ok {
		return nil, errArgs
	}
	magic, b, err := load(b, nil)
	if err != nil {
		return nil, err
	}
	if magic != any(legacyMagic) {
		return nil, errors.New("not the format of torch.save before version 1.6")
	}
	if _, b, err = load(b, nil); err != nil { // version of the format
		return nil, err
	}
	machine, b, err := load(b, nil)
	if err != nil {
		return nil, err
	}
	if d, ok := machine.(*Dict); !ok {
		return nil, errors.New("no description of the machine")
	} else if little, _ := d.Get("little_endian"); little != true {
		return nil, errors.New("written by a big-endian machine")
	}
	v, b, err := load(b, storageOf)
	if err != nil {
		return nil, err
	}
	s, ok := v.(*storage)
	if !ok {
		return nil, errors.New("holds no storage")
	}
	keys, b, err := load(b, nil)
	if err != nil {
		return nil, err
	}
	if list, ok := keys.(*List); !ok || len(list.Items) != 1 {
		return nil, errors.New("want one storage")
	}
	if len(b) < 8 || binary.LittleEndian.Uint64(b) != s.count {
		return nil, fmt.Errorf("a storage of %d elements with another length", s.count)
	}
	b = b[8:]
	if size := uint64(s.dtype.Size()); uint64(len(b))%size != 0 || uint64(len(b))/size != s.count {
		return nil, fmt.Errorf("%d bytes for a storage of %d elements", len(b), s.count)
	}
	s.bytes = b
	return s, nil
}

// storageOf returns the storage, still without its elements, of a persistent id.
func storageOf(id any) (any, error) {
	t, ok := id.(Tuple)
	if !ok || len(t) < 5 || t[0] != any("storage") {
		return nil, errors.New("a persistent id that is no storage")
	}
	class, ok1 := t[1].(global)
	elements, ok2 := storageTypes[class]
	n, ok3 := t[4].(int64)
	if !ok1 || !ok2 || !ok3 || n < 0 || len(t) > 5 && t[5] != nil {
		return nil, errors.New("a storage that cannot be read")
	}
	return &storage{dtype: elements, count: uint64(n)}, nil
}

// rebuildTensor is _rebuild_tensor_v2(storage, offset, size, stride, requires_grad,
// hooks). Tensors whose elements are not next to each other are copied.
func rebuildTensor(args Tuple) (any, error) {
	if len(args) < 6 {
		return nil, errArgs
	}
	s, ok1 := args[0].(*storage)
	offset, ok2 := args[1].(int64)
	shape, ok3 := ints(args[2])
	stride, ok4 := ints(args[3])
	if !ok1 || !ok2 || !ok3 || !ok4 || offset < 0 || len(stride) != len(shape) {
		return nil, errArgs
	}
	want, err := s.dtype.Bytes(shape)
	if err != nil {
		return nil, err
	}
	if want > int64(len(s.bytes)) { // an expanded tensor would need more memory than the file
		return nil, fmt.Errorf("a tensor of shape %v needs more elements than its storage has", shape)
	}
	out := make([]byte, 0, want)
	size := int64(s.dtype.Size())
	last := int64(len(s.bytes))/size - 1
	at := make([]int, len(shape))
	for int64(len(out)) < want {
		from := offset
		for axis, x := range at {
			from += int64(x) * int64(stride[axis])
			// The sum for x - 1 was in range, so an overflow gives a negative number.
			if from < 0 || from > last {
				return nil, errors.New("a tensor reaches beyond its storage")
			}
		}
		if from > last {
			return nil, errors.New("a tensor reaches beyond its storage")
		}
		out = append(out, s.bytes[from*size:(from+1)*size]...)
		for axis := len(at) - 1; axis >= 0; axis-- {
			if at[axis]++; at[axis] < shape[axis] {
				break
			}
			at[axis] = 0
		}
	}
	return newArray(s.dtype, false, false, shape, out)
}
