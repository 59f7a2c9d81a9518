package folder

import (
	"io/fs"
	"time"
)

// stamp identifies one version of a file. Two stamps of a path differ if the file was
// written to, truncated, replaced by another file, or given other times or rights in
// between. A program can set mtime but not ctime, so new content with the old size and
// mtime has another stamp. On systems without inode and ctime they are 0.
//
// Two changes are not noticed: a second one within one tick of the clock of the file system
// (see settling), and a write through a shared mapping before the system has set its time.
type stamp struct {
	size         int64
	mtime, ctime int64 // ns since 1970
	inode        uint64
}

// stampOf returns the stamp of a file.
func stampOf(info fs.FileInfo) stamp {
	s := stamp{size: info.Size(), mtime: info.ModTime().UnixNano()}
	s.ctime, s.inode = changeOf(info)
	return s
}

// changed returns the time of the last change that the stamp knows of.
func (s stamp) changed() time.Time { return time.Unix(0, max(s.mtime, s.ctime)) }

// settleTime is longer than a tick of the clock that dates files: 1 to 10 ms.
const settleTime = 20 * time.Millisecond

// settling returns the time from now until a later change of the file gets a later
// time. A file that was not changed a moment ago needs no wait. Times in the future,
// which another machine's clock may give, are left alone.
func (s stamp) settling(now time.Time) time.Duration {
	if age := now.Sub(s.changed()); age >= 0 && age < settleTime {
		return settleTime - age
	}
	return 0
}
