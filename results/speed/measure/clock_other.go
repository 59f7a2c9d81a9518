//go:build !unix

package main

import "time"

// processorSeconds falls back on the wall clock.
func processorSeconds() float64 { return time.Since(began).Seconds() }
