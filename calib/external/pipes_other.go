//go:build !unix

package external

import (
	"errors"
	"os"
)

// InheritedPipe is an error: this system gives no numbers to the pipes of a new process.
func InheritedPipe(int) (*os.File, error) {
	return nil, errors.New("methods of another process are not supported on this system; make a program of them")
}
