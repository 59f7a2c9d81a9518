//go:build unix

package external

import (
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// InheritedPipe returns the pipe that the process which has started this one left open under a
// number. Programs that this process starts do not get it.
func InheritedPipe(fd int) (*os.File, error) {
	var stat unix.Stat_t
	if fd <= 2 || unix.Fstat(fd, &stat) != nil {
		return nil, fmt.Errorf("descriptor %d is not one that this process was given", fd)
	}
	unix.CloseOnExec(fd)
	f := os.NewFile(uintptr(fd), fmt.Sprintf("pipe %d", fd))
	if info, err := f.Stat(); err != nil || info.Mode().Type() != fs.ModeNamedPipe {
		return nil, fmt.Errorf("descriptor %d is no pipe", fd)
	}
	return f, nil
}
