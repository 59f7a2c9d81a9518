//go:build !unix

package main

import "time"

// processorSeconds falls back on the clock on the wall.
func processorSeconds() float64 { return time.Since(began).Seconds() }
