// Package hdf5 reads arrays of numbers from HDF5 files as h5py writes them by
// default. It reads a small part of the format and rejects the rest by name:
//
//	read        superblock version 0, addresses of 8 bytes
//	            groups by symbol tables: B-trees of version 1 and local heaps
//	            object headers of version 1
//	            arrays of fixed size: integers and IEEE floats of either byte order,
//	            contiguous, compact, or in chunks that are plain or compressed by gzip
//	rejected    newer superblocks (libver="latest"), soft links, other filters,
//	            structured types, strings, references, arrays with chunks left out
//	skipped     attributes
//
// Reference: the HDF Group, HDF5 File Format Specification, version 3.0.
//
// Nothing in a file is trusted. An address is checked against the size of the file
// before it is read, the levels of a B-tree must fall by one from node to node, the
// number of nodes is bounded, a chunk must inflate to exactly its size, and each
// chunk must occur once. Memory is reserved for an array only where the file is
// long enough to hold it after compression by gzip.
package hdf5

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/qats-bench/qats/data"
)

// Limits. A file beyond one of them is rejected.
const (
	maxNodes   = 1 << 20 // nodes of B-trees, in one call
	maxMembers = 1 << 16 // of a group
	maxHeader  = 1 << 20 // bytes of the header of an object
	maxName    = 1 << 10 // bytes of a name
	maxRank    = 8       // axes
	maxChunk   = 1 << 28 // bytes of a chunk
	maxDeflate = 1032    // factor by which deflate expands at most
)

// undefined is the address of what does not exist.
const undefined = ^uint64(0)

// signature begins every HDF5 file.
const signature = "\x89HDF\r\n\x1a\n"

// File is an HDF5 file. It is safe for concurrent use if its io.ReaderAt is.
type File struct {
	r    io.ReaderAt
	size int64
	root uint64 // address of the object header of the root group
}

// Open reads the superblock of a file of so many bytes.
func Open(r io.ReaderAt, size int64) (*File, error) {
	f := &File{r: r, size: size}
	b, err := f.bytes(0, 9)
	if err != nil || string(b[:8]) != signature {
		return nil, errors.New("not an HDF5 file")
	}
	if b[8] != 0 {
		return nil, fmt.Errorf("superblock of version %d; only version 0 is read, which h5py writes unless libver is set", b[8])
	}
	if b, err = f.bytes(0, 96); err != nil {
		return nil, err
	}
	if b[13] != 8 || b[14] != 8 {
		return nil, fmt.Errorf("addresses of %d bytes and lengths of %d; want 8", b[13], b[14])
	}
	if base := u64(b[24:]); base != 0 {
		return nil, fmt.Errorf("a base address of %d; want 0", base)
	}
	if end := u64(b[40:]); end > uint64(size) {
		return nil, fmt.Errorf("the file has %d bytes, but should have %d: it is cut short", size, end)
	}
	f.root = u64(b[64:])
	return f, nil
}

// Members returns the names in the group at a path such as "c10/resnet110", in
// order. The root group has the path "".
func (f *File) Members(path string) ([]string, error) {
	w := &walk{File: f}
	at, err := w.find(path)
	if err != nil {
		return nil, err
	}
	members, err := w.members(at)
	if err != nil {
		return nil, fmt.Errorf("/%s: %w", path, err)
	}
	return slices.Sorted(maps.Keys(members)), nil
}

// Read returns the array at a path.
func (f *File) Read(path string) (*data.Array, error) {
	w := &walk{File: f}
	at, err := w.find(path)
	if err != nil {
		return nil, err
	}
	messages, err := w.header(at)
	if err != nil {
		return nil, fmt.Errorf("/%s: %w", path, err)
	}
	a, err := w.array(messages)
	if err != nil {
		return nil, fmt.Errorf("/%s: %w", path, err)
	}
	return a, nil
}

// walk is one call on a file. It counts the nodes that it reads.
type walk struct {
	*File
	nodes int
}

// find returns the address of the object at a path.
func (w *walk) find(path string) (uint64, error) {
	at := w.root
	if path == "" {
		return at, nil
	}
	seen := ""
	for name := range strings.SplitSeq(path, "/") {
		members, err := w.members(at)
		if err != nil {
			return 0, fmt.Errorf("/%s: %w", seen, err)
		}
		next, ok := members[name]
		if !ok {
			return 0, fmt.Errorf("/%s has no member %q", seen, name)
		}
		at, seen = next, strings.TrimPrefix(seen+"/"+name, "/")
	}
	return at, nil
}

// errBeyond says that an address leads out of the file.
var errBeyond = errors.New("the file is damaged or cut short: an address leads beyond its end")

// bytes reads n bytes at an address.
func (f *File) bytes(at, n uint64) ([]byte, error) {
	if at > uint64(f.size) || n > uint64(f.size)-at {
		return nil, errBeyond
	}
	b := make([]byte, n)
	if k, err := f.r.ReadAt(b, int64(at)); k < len(b) {
		return nil, err
	}
	return b, nil
}

func u16(b []byte) int    { return int(binary.LittleEndian.Uint16(b)) }
func u32(b []byte) uint32 { return binary.LittleEndian.Uint32(b) }
func u64(b []byte) uint64 { return binary.LittleEndian.Uint64(b) }
