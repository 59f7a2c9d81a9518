//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package data

import (
	"errors"
	"os"
)

// mappable is whether files can be mapped on this system: here they are read.
const mappable = false

func mapPages(*os.File, int64, int) ([]byte, error) { return nil, errors.ErrUnsupported }
func unmapPages([]byte) error                       { return errors.ErrUnsupported }
