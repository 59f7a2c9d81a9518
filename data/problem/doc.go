// Package problem has the error of an input, so that packages that read arrays, manifests and
// tables return one sort of error: where the fault is, its likely cause, and what to do. A
// caller finds it with errors.As, and may word the remedy anew for its own reader.
package problem
