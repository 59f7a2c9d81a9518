//go:build !linux

package cputime

import "time"

// thread returns the processor time of the calling thread, which this system does not
// tell.
func thread() (time.Duration, bool) { return 0, false }
