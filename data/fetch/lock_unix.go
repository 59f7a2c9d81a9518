//go:build unix

package fetch

import (
	"os"
	"syscall"
)

// lock keeps other processes from writing the part. It ends with the process.
func lock(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) }
