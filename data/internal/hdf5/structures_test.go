package hdf5

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/data"
)

// le is little-endian numbers of the given sizes in bytes: size, number, ...
func le(pairs ...uint64) []byte {
	var b []byte
	for i := 0; i < len(pairs); i += 2 {
		b = append(b, binary.LittleEndian.AppendUint64(nil, pairs[i+1])[:pairs[i]]...)
	}
	return b
}

// walkOf walks through a file of these bytes.
func walkOf(b []byte) *walk { return &walk{File: &File{r: bytes.NewReader(b), size: int64(len(b))}} }

// The messages of a small array: float32 or int16 of 2 x 3, in one piece, within the
// header, or in one chunk.
var (
	space      = le(1, 1, 1, 2, 6, 0, 8, 2, 8, 3)
	space2     = le(1, 2, 1, 2, 1, 0, 1, 1, 8, 2, 8, 3)
	float32s   = le(1, 0x11, 1, 0x20, 1, 31, 1, 0, 4, 4, 2, 0, 2, 32, 1, 23, 1, 8, 1, 0, 1, 23, 4, 127)
	int16s     = le(1, 0x10, 1, 8, 2, 0, 4, 2, 2, 0, 2, 16)
	contiguous = le(1, 3, 1, 1, 8, 0, 8, 12)
	compact    = append(le(1, 3, 1, 0, 2, 12), make([]byte, 12)...)
	chunks     = le(1, 3, 8, math.MaxUint64, 4, 2, 4, 3, 4, 2) // version and class are dropped
	gzip       = le(1, 2, 1, 1, 2, 1, 2, 1, 2, 1)
	gzip1      = le(1, 1, 1, 1, 6, 0, 2, 1)
)

// A message is read whole, and one that is cut anywhere is an error.
func TestCutMessagesAreErrors(t *testing.T) {
	two := func() *dataset { return &dataset{shape: []int{2, 3}, dtype: data.Int16, bytes: 12} }
	w := walkOf(make([]byte, 100))
	for name, c := range map[string]struct {
		whole []byte
		read  func(b []byte) error
	}{
		"space":      {space, func(b []byte) error { return new(dataset).dataspace(b) }},
		"space 2":    {space2, func(b []byte) error { return new(dataset).dataspace(b) }},
		"floats":     {float32s, func(b []byte) error { return new(dataset).datatype(b) }},
		"integers":   {int16s, func(b []byte) error { return new(dataset).datatype(b) }},
		"filters":    {gzip, func(b []byte) error { return new(dataset).filters(b) }},
		"filters 1":  {gzip1, func(b []byte) error { return new(dataset).filters(b) }},
		"contiguous": {contiguous, func(b []byte) error { _, err := w.layout(two(), b); return err }},
		"compact":    {compact, func(b []byte) error { _, err := w.layout(two(), b); return err }},
		"name":       {[]byte("name\x00"), func(b []byte) error { _, err := nameAt(b, 0); return err }},
	} {
		if err := c.read(c.whole); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for n := range c.whole {
			if c.read(c.whole[:n:n]) == nil {
				t.Errorf("%s: %d of %d bytes are read", name, n, len(c.whole))
			}
		}
	}
	if _, err := w.chunked(two(), chunks); err == nil || err.Error() != "an array that was never written" {
		t.Errorf("chunks: %v", err)
	}
	for n := range chunks {
		if _, err := w.chunked(two(), chunks[:n:n]); err == nil || err.Error() != "chunks with another number of axes than the array" {
			t.Errorf("chunks, %d of %d bytes: %v", n, len(chunks), err)
		}
	}
	if b, err := w.layout(&dataset{}, le(1, 3, 1, 0, 2, 0)); err != nil || len(b) != 0 {
		t.Errorf("an array without numbers: %v, %v", b, err)
	}
}

// A shape has at most eight axes of at most 2^31 - 1 elements.
func TestShapesHaveLimits(t *testing.T) {
	if scalar := new(dataset); scalar.dataspace(le(1, 2, 1, 0, 1, 0, 1, 0)) != nil || len(scalar.shape) != 0 {
		t.Errorf("a single number has the shape %v", scalar.shape)
	}
	for name, c := range map[string]struct {
		axes uint64
		axis uint64
		want string
	}{
		"one":        {1, 5, ""},
		"eight axes": {8, 1, ""}, "nine axes": {9, 1, "9 axes; want at most 8"},
		"longest": {1, math.MaxInt32, ""}, "too long": {1, math.MaxInt32 + 1, "an axis of 2147483648 elements"},
	} {
		for version, head := range map[uint64]int{1: 8, 2: 4} {
			b := append(le(1, version, 1, c.axes, 1, 0, 1, 1), make([]byte, head-4)...)
			for range c.axes {
				b = binary.LittleEndian.AppendUint64(b, c.axis)
			}
			var d dataset
			if err := d.dataspace(b); err == nil != (c.want == "") || err != nil && err.Error() != c.want {
				t.Errorf("%s, version %d: %v", name, version, err)
			} else if err == nil && (len(d.shape) != int(c.axes) || d.shape[0] != int(c.axis)) {
				t.Errorf("%s, version %d: shape %v", name, version, d.shape)
			}
		}
	}
}

// Types of other versions, with unused bits or with other fields than those of IEEE are
// named.
func TestTypesThatAreNotReadAreNamed(t *testing.T) {
	with := func(b []byte, at int, v byte) []byte {
		c := bytes.Clone(b)
		c[at] = v
		return c
	}
	const bits, ieee = "integers with unused bits", "floats that are not IEEE floats of 16, 32 or 64 bits"
	for _, c := range []struct {
		b    []byte
		want string
	}{
		{with(int16s, 0, 0x00), "a type of version 0"}, {with(int16s, 0, 0x20), ""}, {with(int16s, 0, 0x30), ""}, {with(int16s, 0, 0x40), "a type of version 4"},
		{with(int16s, 8, 1), bits}, {with(int16s, 10, 15), bits}, {with(int16s, 4, 4), bits},
		{with(float32s, 1, 0x60), ieee}, {with(float32s, 2, 30), ieee}, {with(float32s, 4, 5), ieee}, {with(float32s, 8, 1), ieee},
		{with(float32s, 10, 31), ieee}, {with(float32s, 12, 22), ieee}, {with(float32s, 13, 9), ieee}, {with(float32s, 14, 1), ieee},
		{with(float32s, 15, 24), ieee}, {with(float32s, 16, 126), ieee},
		{with(int16s, 0, 0x1a), "elements are small arrays; want integers or floats"}, {with(int16s, 0, 0x1b), "elements of the unknown class 11"},
		{le(1, 0x10, 1, 0, 2, 0, 4, 3, 2, 0, 2, 24), "elements of 3 bytes"},
	} {
		if err := new(dataset).datatype(c.b); err == nil != (c.want == "") || err != nil && err.Error() != c.want {
			t.Errorf("%x: %v, want %s", c.b, err, c.want)
		}
	}
}

// An array has a shape, a type and a layout, and no more bytes than its file can inflate
// to.
func TestAnArrayHasThreeMessages(t *testing.T) {
	all := []message{{kind: dataspaceMessage, data: space}, {kind: datatypeMessage, data: int16s}, {kind: layoutMessage, data: contiguous}}
	w := walkOf([]byte{1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0})
	a, err := w.array(all)
	if err != nil {
		t.Fatal(err)
	}
	v := make([]int32, 6)
	if err := a.ReadInt32(v, 0, 2); err != nil || !slices.Equal(v, []int32{1, 2, 3, 4, 5, 6}) || !slices.Equal(a.Shape(), []int{2, 3}) {
		t.Errorf("%v %v, %v", a.Shape(), v, err)
	}
	for i := range all {
		if _, err := w.array(slices.Delete(slices.Clone(all), i, i+1)); err == nil || err.Error() != "not an array" {
			t.Errorf("without message %d: %v", i, err)
		}
	}
	big := slices.Clone(all)
	big[0].data = le(1, 1, 1, 2, 6, 0, 8, 6*maxDeflate, 8, 1)
	if _, err := w.array(big); err == nil || err.Error() != "12 bytes for an array of 12384" {
		t.Errorf("as large as the file can inflate to: %v", err)
	}
	big[0].data = le(1, 1, 1, 2, 6, 0, 8, 6*maxDeflate+1, 8, 1)
	if _, err := w.array(big); err == nil || err.Error() != "an array of 12386 bytes in a file of 12" {
		t.Errorf("too large: %v", err)
	}
	for name, d := range map[string]*dataset{"fewer": {bytes: 10}, "more": {bytes: 14}} {
		if _, err := w.layout(d, compact); err == nil || err.Error() != "an array whose bytes are missing" {
			t.Errorf("%s bytes than those in the header: %v", name, err)
		}
	}
	if _, err := w.layout(&dataset{bytes: 12}, le(1, 3, 1, 5, 8, 0, 8, 12)); err == nil || err.Error() != "a damaged layout" {
		t.Errorf("another layout: %v", err)
	}
}

// chunkFile is a file with a B-tree of one chunk of 2 x 3 bytes at the given offset.
func chunkFile(row, column uint64) []byte {
	b := append([]byte("TREE"), le(1, 1, 1, 0, 2, 1, 8, math.MaxUint64, 8, math.MaxUint64)...)
	b = append(b, le(4, 6, 4, 0, 8, row, 8, column, 8, 0)...)         // the key
	b = append(b, le(8, 96, 4, 6, 4, 0, 8, 9, 8, 0, 8, 0)...)         // the address of the chunk, the key after it
	return append(append(b, make([]byte, 96-len(b))...), "abcdef"...) // the chunk
}

// Chunks lie in the array, at multiples of their size, and are all there.
func TestChunksLieInTheArray(t *testing.T) {
	small := func(rows, columns int) *dataset {
		return &dataset{shape: []int{rows, columns}, dtype: data.Uint8, bytes: int64(rows * columns)}
	}
	layout := func(rows, columns, size uint64) []byte { return le(1, 3, 8, 0, 4, rows, 4, columns, 4, size) }
	for name, c := range map[string]struct {
		d           *dataset
		b           []byte
		row, column uint64
		want        string // the bytes, or an error
	}{
		"whole":        {small(2, 3), layout(2, 3, 1), 0, 0, "abcdef"},
		"edge":         {small(1, 2), layout(2, 3, 1), 0, 0, "ab"},
		"one missing":  {small(4, 3), layout(2, 3, 1), 2, 0, "1 of 2 chunks are missing"},
		"three":        {small(4, 6), layout(2, 3, 1), 2, 3, "3 of 4 chunks are missing"},
		"below":        {small(2, 3), layout(2, 3, 1), 2, 0, "a chunk outside the array"},
		"beside":       {small(2, 3), layout(2, 3, 1), 0, 3, "a chunk outside the array"},
		"askew":        {small(4, 3), layout(2, 3, 1), 1, 0, "a chunk outside the array"},
		"other type":   {small(2, 3), layout(2, 3, 2), 0, 0, "chunks of another element type than the array"},
		"no rows":      {small(2, 3), layout(0, 3, 1), 0, 0, "chunks of an impossible size"},
		"largest":      {small(2, 3), layout(1<<14, 1<<14, 1), 0, 0, "a chunk of 6 bytes; want 268435456"},
		"too large":    {small(2, 3), layout(1<<14, 1<<14+1, 1), 0, 0, "chunks of an impossible size"},
		"many chunks":  {small(51, 2), layout(1, 1, 1), 0, 0, "a chunk of 6 bytes; want 1"},
		"too many":     {small(52, 2), layout(1, 1, 1), 0, 0, "more chunks than the file has bytes"},
		"no numbers":   {small(0, 3), layout(2, 3, 1), 0, 0, ""},
		"no axis":      {&dataset{dtype: data.Uint8}, le(1, 1, 8, 0, 4, 1), 0, 0, "chunks with another number of axes than the array"},
		"another axis": {small(2, 3), append(le(1, 4), layout(2, 3, 1)[1:]...), 0, 0, "chunks with another number of axes than the array"},
	} {
		file := chunkFile(c.row, c.column)
		got, err := walkOf(file).chunked(c.d, c.b)
		if err != nil {
			got = []byte(err.Error())
		}
		if string(got) != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	// A chunk of 6 stored bytes may inflate to 6 * 1032 + 64 bytes, and not to one more.
	key := le(4, 6, 4, 0)
	for size, want := range map[int]string{6*maxDeflate + 64: "a damaged chunk: zlib: invalid header", 6*maxDeflate + 65: "a chunk of 6 bytes cannot inflate to 6257"} {
		if _, err := walkOf([]byte("abcdef")).chunk(&dataset{gzip: true}, key, 0, size); err == nil || err.Error() != want {
			t.Errorf("%d bytes: %v, want %s", size, err, want)
		}
	}
}

// The messages of an object may go on in further blocks, with a megabyte in all.
func TestObjectHeadersHaveAllTheirMessages(t *testing.T) {
	message := func(kind, size uint64) []byte { return append(le(2, kind, 2, size, 4, 0), make([]byte, size)...) }
	head := func(count, size uint64, blocks ...[]byte) []byte {
		b := le(1, 1, 1, 0, 2, count, 4, 1, 4, size, 4, 0)
		for _, x := range blocks {
			b = append(b, x...)
		}
		return b
	}
	more := func(at, size uint64) []byte {
		return append(le(2, continuationMessage, 2, 16, 4, 0), le(8, at, 8, size)...)
	}
	pad := make([]byte, maxHeader)
	for name, c := range map[string]struct {
		file []byte
		want string // the number of messages, or an error
	}{
		"none":            {head(0, 0), "0"},
		"two":             {head(2, 18, message(1, 2), message(3, 0)), "2"},
		"one of two":      {head(1, 18, message(1, 2), message(3, 0)), "1"},
		"one missing":     {head(3, 18, message(1, 2), message(3, 0)), "an object header with messages missing"},
		"a long one":      {head(1, 10, message(1, 3)), "a message beyond the end of its object header"},
		"it fits":         {head(1, 11, message(1, 3)), "1"},
		"another block":   {head(3, 32, more(48, 18), message(7, 0), message(1, 2), message(3, 0)), "2"},
		"damaged":         {head(1, 20, le(2, continuationMessage, 2, 12, 4, 0), make([]byte, 12)), "an object header with messages missing"},
		"a megabyte":      {head(1, maxHeader, message(1, 2), pad), "1"},
		"more":            {head(1, maxHeader+1, message(1, 2), pad), "an object header of more than 1048576 bytes"},
		"more in blocks":  {head(3, 24, more(40, maxHeader), message(1, 2), pad), "an object header of more than 1048576 bytes"},
		"beyond the file": {head(1, 100, message(1, 2)), errBeyond.Error()},
	} {
		if name == "damaged" {
			c.want = "a damaged object header"
		}
		messages, err := walkOf(c.file).header(0)
		got := string(rune('0' + len(messages)))
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// Names of members end within their heap and are not paths.
func TestNamesOfMembers(t *testing.T) {
	long := strings.Repeat("x", maxName)
	for heap, ok := range map[string]bool{
		"a\x00": true, "...\x00": true, ".a\x00": true, long + "\x00": true, long + "x\x00": false,
		"": false, "\x00": false, "a": false, "a/b\x00": false, "a\nb\x00": false, ".\x00": false, "..\x00": false,
	} {
		name, err := nameAt([]byte(heap), 0)
		if (err == nil) != ok || ok && name+"\x00" != heap {
			t.Errorf("%.20q: %.20q, %v", heap, name, err)
		}
	}
	if _, err := nameAt([]byte("ab\x00"), 3); err == nil || !strings.Contains(err.Error(), "beyond its heap") {
		t.Errorf("a name behind the heap: %v", err)
	}
}

// A B-tree has at most 16 levels, each node the level that its parent gives, and a walk
// ends after so many nodes.
func TestTreesHaveLevels(t *testing.T) {
	node := func(level, child uint64) []byte {
		b := append([]byte("TREE"), le(1, 1, 1, level, 2, 1, 8, 0, 8, 0)...)
		return append(b, le(8, 0, 8, child, 8, 0)...) // a key, the child, a key
	}
	const size = 48
	tree := func(levels ...uint64) []byte {
		var b []byte
		for i, level := range levels {
			b = append(b, node(level, uint64(size*(i+1)))...)
		}
		return b
	}
	var deep []uint64
	for level := 17; level >= 0; level-- {
		deep = append(deep, uint64(level))
	}
	for name, c := range map[string]struct {
		file []byte
		ok   bool
	}{
		"a leaf": {tree(0), true}, "two levels": {tree(1, 0), true}, "a level left out": {tree(2, 0), false}, "a level twice": {tree(1, 1), false}, "and a leaf": {tree(1, 1, 0), false},
		"16 levels": {tree(deep[1:]...), true}, "17 levels": {tree(deep...), false}, "below a leaf": {tree(0, 0), true},
	} {
		leaves := 0
		w := walkOf(c.file)
		err := w.tree(0, 1, 8, func([]byte, uint64) error { leaves++; return nil })
		if (err == nil) != c.ok || c.ok && leaves != 1 {
			t.Errorf("%s: %d leaves, %v", name, leaves, err)
		}
	}
	for nodes, ok := range map[int]bool{maxNodes - 1: true, maxNodes: false} {
		w := walkOf(tree(0))
		w.nodes = nodes
		if err := w.tree(0, 1, 8, func([]byte, uint64) error { return nil }); (err == nil) != ok {
			t.Errorf("after %d nodes: %v", nodes, err)
		}
	}
}

// Bytes up to the end of the file can be read, and none beyond it.
func TestBytesEndWithTheFile(t *testing.T) {
	f := walkOf([]byte("abcdef")).File
	for _, c := range []struct {
		at, n uint64
		want  string
	}{{0, 6, "abcdef"}, {4, 2, "ef"}, {6, 0, ""}} {
		if b, err := f.bytes(c.at, c.n); err != nil || string(b) != c.want {
			t.Errorf("%d from %d: %q, %v", c.n, c.at, b, err)
		}
	}
	for _, c := range [][2]uint64{{0, 7}, {4, 3}, {7, 0}, {6, 1}, {math.MaxUint64, 1}, {2, math.MaxUint64}} {
		if b, err := f.bytes(c[0], c[1]); err != errBeyond {
			t.Errorf("%d from %d: %q, %v", c[1], c[0], b, err)
		}
	}
}
