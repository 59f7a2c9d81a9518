//go:build !linux

package cpu

// Model returns the model name of this processor, which is not known here.
func Model() string { return "" }
