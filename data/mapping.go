package data

import (
	"fmt"
	"os"
	"runtime/debug"
	"sync/atomic"
	"unsafe"
)

// mapping is a part of a file seen as memory: read-only, and shared with the
// file, so that its pages are those of the system's cache and cost no copy. It
// is unmapped when its last user has released it.
//
// The length was checked against the header, but a file may be cut while it is
// mapped; touching a page beyond its end is then a fault of the processor.
// guarded turns it into an error; without it the program would end. Writer
// replaces files by renaming, which leaves a mapping as it was.
type mapping struct {
	name  string // of the array, as errors print it
	pages []byte // whole pages
	part  []byte // the bytes asked for, within pages
	users atomic.Int32
}

// mapFile maps n > 0 bytes of f from offset at; its caller is the first user.
func mapFile(f *os.File, name string, at int64, n int) (*mapping, error) {
	within := int(at % int64(os.Getpagesize()))
	pages, err := mapPages(f, at-int64(within), n+within)
	if err != nil {
		return nil, fmt.Errorf("%s: cannot be mapped: %w", name, err)
	}
	m := &mapping{name: name, pages: pages, part: pages[within : within+n : within+n]}
	m.users.Store(1)
	return m, nil
}

// release ends one use.
func (m *mapping) release() error {
	if m.users.Add(-1) > 0 {
		return nil
	}
	pages := m.pages
	m.pages, m.part = nil, nil
	return unmapPages(pages)
}

// holds reports whether the address is one of the mapped pages.
func (m *mapping) holds(address uintptr) bool {
	return m != nil && len(m.pages) > 0 && address-uintptr(unsafe.Pointer(&m.pages[0])) < uintptr(len(m.pages))
}

// cut is the error of a file that has become shorter than it was.
func (m *mapping) cut() error { return fmt.Errorf("%s: was cut while being read", m.name) }

// guarded runs f, on this goroutine, and returns an error that names the file
// where f reads a page that a file among maps has lost. Other panics pass.
func guarded(maps func() []*mapping, f func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		p := recover()
		if p == nil {
			return
		}
		if fault, ok := p.(interface{ Addr() uintptr }); ok {
			for _, m := range maps() {
				if m.holds(fault.Addr()) {
					err = m.cut()
					return
				}
			}
		}
		panic(p)
	}()
	return f()
}

// float32sOf returns b, whose address is a multiple of 4, as native float32.
func float32sOf(b []byte) []float32 {
	if len(b) == 0 {
		return nil
	}
	return unsafe.Slice((*float32)(unsafe.Pointer(&b[0])), len(b)/4)
}
