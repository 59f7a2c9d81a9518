//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package folder

import "io/fs"

// changeOf is not supported on this system.
func changeOf(fs.FileInfo) (ctime int64, inode uint64) { return 0, 0 }
