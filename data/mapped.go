package data

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"unsafe"

	"github.com/qats-bench/qats/internal/kernel/finite"
)

// Mapped is a set for fits, whose large matrices are memory-mapped
// instead of copies. To copy 100 MB of logits takes longer than a pass over them
// (results/speed, P15). Nothing else in this package maps files.
//
// While a file is mapped, another program may write to it or truncate it. Pages
// beyond its new end no longer exist, and reading them would end the program.
// Therefore only Use gives access to the set. It turns both cases into errors that
// name the file.
type Mapped struct {
	r     Reader
	set   *Set
	block *block // its memory
	least int    // bytes of the smallest matrix that is mapped
	maps  []mapping
}

// mapAtLeast is the size in bytes of the smallest matrix that is mapped. A smaller
// one is read in less than 5 ms.
const mapAtLeast = 16 << 20

// Map returns all rows of r: C-order float32 matrices of this machine's byte
// order of 16 MiB and more are mapped where the system can, all others read.
// Values are checked as by Reader.Read. The Mapped takes over r and closes it.
func Map(ctx context.Context, r Reader) (*Mapped, error) { return mapSet(ctx, r, mapAtLeast) }

func mapSet(ctx context.Context, r Reader, least int) (*Mapped, error) {
	m := &Mapped{r: r, least: least, block: idle.Get().(*block)}
	m.block.mapped = m
	err := m.guard(func() (err error) {
		m.set, err = readInto(ctx, r, m.block, 0, r.Rows())
		return cmp.Or(err, unchanged(r))
	})
	if err != nil {
		m.Close()
		return nil, err
	}
	return m, nil
}

// Use calls f with the set, which f must not keep. It returns the error of f, or an
// error that names a file that was changed or truncated after it was opened. f may
// read the set on other goroutines if they call debug.SetPanicOnFault(true) and
// pass their panics on to the goroutine of f. For a nil Mapped, f is called with
// nil.
func (m *Mapped) Use(f func(*Set) error) error {
	if m == nil {
		return f(nil)
	}
	if err := m.guard(func() error { return f(m.set) }); err != nil {
		return err
	}
	return unchanged(m.r)
}

// mostReused is the size in bytes of the largest set whose memory other sets use again. The
// memory of a larger one would stay beside them, beyond the memory that a run may take.
const mostReused = 4 * mapAtLeast

func (m *Mapped) reusable() bool {
	return m.block != nil && len(m.maps) == 0 && m.r.Bytes() <= mostReused
}

// Close unmaps the files and closes the reader. Other sets use the memory of this one
// again, unless it is large or a part of it was mapped.
func (m *Mapped) Close() error {
	reusable := m.reusable()
	errs := []error{m.r.Close()}
	for _, x := range m.maps {
		errs = append(errs, unmapPages(x.pages))
	}
	if reusable {
		m.block.mapped = nil
		m.block.set.Head, m.block.set.OOD = Linear{}, Matrix{}
		idle.Put(m.block)
	}
	m.set, m.maps, m.block = nil, nil, nil
	return errors.Join(errs...)
}

// guard calls f. If f reads a page that no longer exists, it returns an error that
// names the file. Other panics pass through.
func (m *Mapped) guard(f func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		p := recover()
		if p == nil {
			return
		}
		if fault, ok := p.(interface{ Addr() uintptr }); ok {
			for _, x := range m.maps {
				if fault.Addr()-uintptr(unsafe.Pointer(&x.pages[0])) < uintptr(len(x.pages)) {
					err = fmt.Errorf("%s: truncated while being read", x.array.name)
					return
				}
			}
		}
		panic(p)
	}()
	return f()
}

// mapping is a matrix in the pages of a file.
type mapping struct {
	array *Array
	pages []byte // read-only
}

// matrix maps rows lo..hi-1 of a and checks their values. If ok is false, they must
// be read instead.
func (m *Mapped) matrix(a *Array, lo, hi int) (mat Matrix, ok bool, err error) {
	size := 4 * (hi - lo) * a.Cols()
	if a.conversion != asStored || a.fortran || a.dtype != Float32 || a.bigEndian || nativeBig || a.offset%4 != 0 || size < m.least {
		return Matrix{}, false, nil
	}
	at := a.offset + 4*int64(lo)*int64(a.Cols())
	pages, within, err := mapPages(a.file, at, size)
	if err != nil {
		return Matrix{}, false, nil
	}
	m.maps = append(m.maps, mapping{a, pages})
	values := unsafe.Slice((*float32)(unsafe.Pointer(&pages[within])), size/4)
	if bad := finite.First(values); bad >= 0 {
		return Matrix{}, true, a.reject(lo, bad, fmt.Sprint(values[bad]))
	}
	return Matrix{Rows: hi - lo, Cols: a.Cols(), Data: values}, true, nil
}
