//go:build unix

package leftover

import (
	"errors"
	"syscall"
)

// running reports whether a process of this host is there; known is false where the
// system does not say.
func running(pid int) (here, known bool) {
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM), true
}
