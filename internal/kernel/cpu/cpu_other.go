//go:build !amd64 || purego

package cpu

// Available returns the instructions of this processor, the fastest first.
func Available() []Instructions { return []Instructions{Portable} }
