//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package data

import (
	"os"
	"syscall"
)

// mappable is whether files can be mapped on this system.
const mappable = true

// mapPages maps n bytes of f from offset at, a multiple of the page size.
func mapPages(f *os.File, at int64, n int) ([]byte, error) {
	return syscall.Mmap(int(f.Fd()), at, n, syscall.PROT_READ, syscall.MAP_SHARED)
}

func unmapPages(pages []byte) error { return syscall.Munmap(pages) }
