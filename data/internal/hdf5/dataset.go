package hdf5

import (
	"bytes"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/qats-bench/qats/data"
)

// dataset is what the header of an array says.
type dataset struct {
	shape     []int
	dtype     data.DType
	bigEndian bool
	bytes     int64 // of the whole array
	gzip      bool
}

// array reads the array that an object header describes.
func (w *walk) array(messages []message) (*data.Array, error) {
	var parts [4][]byte
	for i, kind := range []int{dataspaceMessage, datatypeMessage, layoutMessage, filterMessage} {
		var err error
		if parts[i], err = one(messages, kind); err != nil {
			return nil, err
		}
	}
	if parts[0] == nil || parts[1] == nil || parts[2] == nil {
		return nil, errors.New("not an array")
	}
	var d dataset
	if err := d.dataspace(parts[0]); err != nil {
		return nil, err
	}
	if err := d.datatype(parts[1]); err != nil {
		return nil, err
	}
	if err := d.filters(parts[3]); err != nil {
		return nil, err
	}
	var err error
	if d.bytes, err = d.dtype.Bytes(d.shape); err != nil {
		return nil, err
	}
	if uint64(d.bytes) > maxDeflate*uint64(w.size) {
		return nil, fmt.Errorf("an array of %d bytes in a file of %d", d.bytes, w.size)
	}
	b, err := w.layout(&d, parts[2])
	if err != nil {
		return nil, err
	}
	return data.NewArray(d.dtype, d.bigEndian, false, d.shape, b)
}

// dataspace reads the shape.
func (d *dataset) dataspace(b []byte) error {
	if len(b) < 4 {
		return errors.New("a damaged shape")
	}
	rank, start := int(b[1]), 0
	switch b[0] {
	case 1:
		start = 8
	case 2:
		start = 4
		if b[3] == 2 {
			return errors.New("an array without a value")
		}
	default:
		return fmt.Errorf("a shape of version %d", b[0])
	}
	if rank > maxRank {
		return fmt.Errorf("%d axes; want at most %d", rank, maxRank)
	}
	if len(b) < start+8*rank {
		return errors.New("a damaged shape")
	}
	d.shape = make([]int, rank)
	for i := range d.shape {
		n := u64(b[start+8*i:])
		if n > math.MaxInt32 {
			return fmt.Errorf("an axis of %d elements", n)
		}
		d.shape[i] = int(n)
	}
	return nil
}

// ieee are the fields of IEEE floats by their size: positions of sign, exponent and
// mantissa, sizes of exponent and mantissa, and the bias.
var ieee = map[int][6]uint32{
	2: {15, 10, 0, 5, 10, 15},
	4: {31, 23, 0, 8, 23, 127},
	8: {63, 52, 0, 11, 52, 1023},
}

// datatype reads the element type.
func (d *dataset) datatype(b []byte) error {
	if len(b) < 8 {
		return errors.New("a damaged type")
	}
	class, version := b[0]&15, b[0]>>4
	if version < 1 || version > 3 {
		return fmt.Errorf("a type of version %d", version)
	}
	size := int(min(u32(b[4:]), 9)) // no type has more than 8 bytes
	d.bigEndian = b[1]&1 != 0
	props, kind := b[8:], "f"
	switch class {
	case 0:
		kind = "u"
		if b[1]&8 != 0 {
			kind = "i"
		}
		if len(props) < 4 || u16(props) != 0 || u16(props[2:]) != 8*size {
			return errors.New("integers with unused bits")
		}
	case 1:
		want, ok := ieee[size]
		if len(props) < 12 || !ok || b[1]&0x40 != 0 || u16(props) != 0 || u16(props[2:]) != 8*size ||
			want != [6]uint32{uint32(b[2]), uint32(props[4]), uint32(props[6]), uint32(props[5]), uint32(props[7]), u32(props[8:])} {
			return errors.New("floats that are not IEEE floats of 16, 32 or 64 bits")
		}
	default:
		names := []string{2: "times", 3: "strings", 4: "bit fields", 5: "opaque bytes", 6: "structured elements", 7: "references",
			8: "enumerations or booleans", 9: "sequences", 10: "small arrays"}
		if int(class) < len(names) {
			return fmt.Errorf("elements are %s; want integers or floats", names[class])
		}
		return fmt.Errorf("elements of the unknown class %d", class)
	}
	var err error
	if d.dtype, _, err = data.ParseDType(kind + strconv.Itoa(size)); err != nil {
		return fmt.Errorf("elements of %d bytes", u32(b[4:]))
	}
	return nil
}

// filters reads which filters chunks went through.
func (d *dataset) filters(b []byte) error {
	if b == nil {
		return nil
	}
	if len(b) < 8 {
		return errors.New("a damaged list of filters")
	}
	n, at := int(b[1]), 8
	if b[0] == 2 {
		at = 2
	} else if b[0] != 1 {
		return fmt.Errorf("a list of filters of version %d", b[0])
	}
	if n == 0 {
		return nil
	}
	if len(b) < at+2 {
		return errors.New("a damaged list of filters")
	}
	names := map[int]string{2: "shuffle", 3: "fletcher32", 4: "szip", 5: "nbit", 6: "scaleoffset", 32000: "lzf"}
	switch id := u16(b[at:]); {
	case id == 1 && n == 1:
		d.gzip = true
		return nil
	case id == 1:
		return errors.New("several filters; only compression by gzip is read")
	case names[id] != "":
		return fmt.Errorf("the filter %s; only compression by gzip is read", names[id])
	default:
		return fmt.Errorf("the filter %d; only compression by gzip is read", id)
	}
}

// layout reads the bytes of an array.
func (w *walk) layout(d *dataset, b []byte) ([]byte, error) {
	if len(b) < 4 || b[0] != 3 {
		return nil, errors.New("a layout of another version than 3; write the file without libver")
	}
	switch {
	case b[1] == 2:
		return w.chunked(d, b[2:])
	case d.gzip:
		return nil, errors.New("a filter without chunks")
	case b[1] == 0:
		n := u16(b[2:])
		if n > len(b)-4 || int64(n) != d.bytes {
			return nil, errors.New("an array whose bytes are missing")
		}
		return b[4 : 4+n], nil
	case b[1] == 1 && len(b) >= 18:
		at, n := u64(b[2:]), u64(b[10:])
		if d.bytes == 0 {
			return nil, nil
		}
		if at == undefined {
			return nil, errors.New("an array that was never written")
		}
		if n != uint64(d.bytes) {
			return nil, fmt.Errorf("%d bytes for an array of %d", n, d.bytes)
		}
		return w.bytes(at, n)
	}
	return nil, errors.New("a damaged layout")
}

// chunked reads an array in chunks.
func (w *walk) chunked(d *dataset, b []byte) ([]byte, error) {
	rank := len(d.shape)
	if rank == 0 || len(b) < 1+8+4*(rank+1) || int(b[0]) != rank+1 {
		return nil, errors.New("chunks with another number of axes than the array")
	}
	root := u64(b[1:])
	chunk, grid := make([]int, rank), make([]int, rank)
	chunkBytes, chunks := d.dtype.Size(), 1
	for i := range chunk {
		chunk[i] = int(u32(b[9+4*i:]))
		if chunk[i] == 0 || chunkBytes > maxChunk/chunk[i] {
			return nil, errors.New("chunks of an impossible size")
		}
		chunkBytes *= chunk[i]
		grid[i] = (d.shape[i] + chunk[i] - 1) / chunk[i]
		if grid[i] > 0 && chunks > int(w.size)/grid[i] {
			return nil, fmt.Errorf("more chunks than the file has bytes")
		}
		chunks *= grid[i]
	}
	if u32(b[9+4*rank:]) != uint32(d.dtype.Size()) {
		return nil, errors.New("chunks of another element type than the array")
	}
	if d.bytes == 0 {
		return nil, nil
	}
	if root == undefined {
		return nil, errors.New("an array that was never written")
	}
	out := make([]byte, d.bytes)
	seen, count := make([]bool, chunks), 0
	keySize := uint64(8 + 8*(rank+1))
	err := w.tree(root, 1, keySize, func(key []byte, child uint64) error {
		at, index := make([]int, rank), 0
		for i := range at {
			offset := u64(key[8+8*i:])
			if offset >= uint64(d.shape[i]) || offset%uint64(chunk[i]) != 0 {
				return errors.New("a chunk outside the array")
			}
			at[i] = int(offset)
			index = index*grid[i] + at[i]/chunk[i]
		}
		if seen[index] {
			return errors.New("a chunk that occurs twice")
		}
		seen[index] = true
		count++
		raw, err := w.chunk(d, key, child, chunkBytes)
		if err != nil {
			return err
		}
		d.place(out, raw, at, chunk)
		return nil
	})
	if err == nil && count < chunks {
		err = fmt.Errorf("%d of %d chunks are missing", chunks-count, chunks)
	}
	return out, err
}

// chunk reads and inflates one chunk.
func (w *walk) chunk(d *dataset, key []byte, at uint64, size int) ([]byte, error) {
	stored, mask := u32(key), u32(key[4:])
	if !d.gzip || mask&1 != 0 { // bit 0 says that the first filter was left out
		if int(stored) != size {
			return nil, fmt.Errorf("a chunk of %d bytes; want %d", stored, size)
		}
		return w.bytes(at, uint64(stored))
	}
	if uint64(size) > maxDeflate*uint64(stored)+64 {
		return nil, fmt.Errorf("a chunk of %d bytes cannot inflate to %d", stored, size)
	}
	packed, err := w.bytes(at, uint64(stored))
	if err != nil {
		return nil, err
	}
	z, err := zlib.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("a damaged chunk: %w", err)
	}
	raw := make([]byte, size+1)
	n, err := io.ReadFull(z, raw)
	if err == nil {
		return nil, fmt.Errorf("a chunk inflates to more than its %d bytes", size)
	}
	if _, err := z.Read(make([]byte, 1)); err != io.EOF { // the end that ReadFull saw was none, or the checksum is wrong
		return nil, fmt.Errorf("a damaged chunk: %w", err)
	}
	if n < size {
		return nil, fmt.Errorf("a chunk inflates to %d bytes, not to %d", n, size)
	}
	return raw[:size], nil
}

// place copies a chunk to its place in the array. Chunks at the edges reach beyond
// it.
func (d *dataset) place(out, raw []byte, at, chunk []int) {
	last := len(chunk) - 1
	size := d.dtype.Size()
	run := min(chunk[last], d.shape[last]-at[last]) * size
	row := make([]int, last) // index of a row within the chunk
	for {
		from, to := 0, 0
		for i, x := range row {
			from = (from + x) * chunk[i+1]
			to = (to + at[i] + x) * d.shape[i+1]
		}
		to = (to + at[last]) * size
		copy(out[to:to+run], raw[from*size:])
		i := last - 1
		for ; i >= 0; i-- {
			if row[i]++; row[i] < chunk[i] && at[i]+row[i] < d.shape[i] {
				break
			}
			row[i] = 0
		}
		if i < 0 {
			return
		}
	}
}
