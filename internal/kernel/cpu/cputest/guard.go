//go:build linux

// Package cputest helps to test vector code.
package cputest

import (
	"syscall"
	"testing"
	"unsafe"
)

// Guarded returns n elements that end at an inaccessible page: a read or write
// beyond them faults. It skips the test if the system has no such pages.
func Guarded[T any](t testing.TB, n int) []T {
	page := syscall.Getpagesize()
	size := n * int(unsafe.Sizeof(*new(T)))
	full := (size+page-1)/page*page + page
	b, err := syscall.Mmap(-1, 0, full, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() {
		if err := syscall.Munmap(b); err != nil {
			t.Error(err)
		}
	})
	if err := syscall.Mprotect(b[full-page:], syscall.PROT_NONE); err != nil {
		t.Fatal(err)
	}
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&b[full-page-size])), n)
}
