package cputime

import (
	"syscall"
	"time"
	"unsafe"
)

// threadClock is CLOCK_THREAD_CPUTIME_ID.
const threadClock = 3

// thread returns the processor time of the calling thread. Getrusage has it too, but
// in steps of a scheduler's tick on some kernels: most fits take less.
func thread() (time.Duration, bool) {
	var t syscall.Timespec
	if _, _, failed := syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, threadClock, uintptr(unsafe.Pointer(&t)), 0); failed != 0 {
		return 0, false
	}
	return time.Duration(t.Nano()), true
}
