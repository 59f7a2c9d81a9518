//go:build !amd64 || purego

package cpu

// Available returns what this processor can run.
func Available() []Instructions { return []Instructions{Portable} }
