//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package data

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// mapPages maps the pages with size > 0 bytes of f from offset at, which begin
// within bytes after the first of them.
func mapPages(f fs.File, at int64, size int) (pages []byte, within int, err error) {
	file, ok := f.(*os.File)
	if !ok {
		return nil, 0, errors.ErrUnsupported
	}
	within = int(at % int64(os.Getpagesize()))
	pages, err = syscall.Mmap(int(file.Fd()), at-int64(within), size+within, syscall.PROT_READ, syscall.MAP_SHARED)
	return pages, within, err
}

func unmapPages(pages []byte) error { return syscall.Munmap(pages) }
