//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package data

import (
	"errors"
	"io/fs"
)

func mapPages(fs.File, int64, int) ([]byte, int, error) { return nil, 0, errors.ErrUnsupported }
func unmapPages([]byte) error                           { return errors.ErrUnsupported }
