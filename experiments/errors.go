package experiments

import (
	"errors"
	"slices"
	"syscall"
)

// fatalError is an error of the store or of the machine. It says nothing about a
// cell, so it ends the run, and no file is written: a results.csv with such rows
// would replace a good one.
type fatalError struct{ error }

func (e fatalError) Unwrap() error { return e.error }

// storeError marks an error of the store; nil stays nil.
func storeError(err error) error {
	if err == nil {
		return nil
	}
	return fatalError{err}
}

// exhausted are the errors of a machine that has no memory, no file descriptors, no
// processes or no disk left. They say nothing about the work that met them.
var exhausted = []error{syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM, syscall.EAGAIN, syscall.ENOSPC, syscall.EDQUOT}

// isFatal reports whether err ends the run.
func isFatal(err error) bool {
	var f fatalError
	return errors.As(err, &f) || slices.ContainsFunc(exhausted, func(e error) bool { return errors.Is(err, e) })
}
