//go:build darwin || freebsd || netbsd

package folder

import (
	"io/fs"
	"syscall"
)

// changeOf returns the time of the last change of content, name, times or rights,
// in ns since 1970, and the inode. Both are 0 for a file that is not of the
// operating system.
func changeOf(info fs.FileInfo) (ctime int64, inode uint64) {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return st.Ctimespec.Nano(), uint64(st.Ino)
	}
	return 0, 0
}
