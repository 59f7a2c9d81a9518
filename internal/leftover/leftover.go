// Package leftover names temporary files and folders after the process that makes
// them, and tells those of a process that has ended from those in use.
//
// A name ends in HOST-PID-SALT. On the host itself the process is looked up, so a
// job that is suspended for a day keeps its files, and the files of a killed one can
// go at once. On another host, or where the name has no owner, only its age can
// tell.
package leftover

import (
	"crypto/rand"
	"encoding/hex"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Ages from which a file without a known living process is removed.
const (
	unknownAge = time.Hour      // of names without an owner
	foreignAge = 24 * time.Hour // of another host's
)

// host is the name of this machine, shortened to what a file name may hold.
var host = sync.OnceValue(func() string {
	name, _ := os.Hostname()
	name = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' {
			return r
		}
		return '_'
	}, name)
	return name[:min(len(name), 48)]
})

// Suffix returns the end of a new name: HOST-PID-SALT. No two are equal.
func Suffix() string {
	var salt [6]byte
	rand.Read(salt[:]) // documented never to fail
	return host() + "-" + strconv.Itoa(os.Getpid()) + "-" + hex.EncodeToString(salt[:])
}

// Owner returns the process in the end of a name; ok is false if there is none.
func Owner(suffix string) (hostname string, pid int, ok bool) {
	fields := strings.Split(suffix, "-")
	if len(fields) != 3 {
		return "", 0, false
	}
	pid, err := strconv.Atoi(fields[1])
	return fields[0], pid, err == nil && pid > 0
}

// Abandoned reports whether the process that made a file of that suffix and age
// has ended, or must have.
func Abandoned(suffix string, age time.Duration) bool {
	hostname, pid, ok := Owner(suffix)
	switch {
	case !ok:
		return age > unknownAge
	case hostname == host():
		if here, known := running(pid); known {
			return !here
		}
	}
	return age > foreignAge
}

// Sweep removes the abandoned files and folders in dir, not below it, whose names
// have a suffix; suffix returns "" for other names. Errors are ignored: what is
// left is in nobody's way.
func Sweep(dir string, suffix func(name string) string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		s := suffix(e.Name())
		if s == "" || e.Type()&^fs.ModeDir != 0 {
			continue
		}
		if info, err := e.Info(); err == nil && Abandoned(s, time.Since(info.ModTime())) {
			os.RemoveAll(filepath.Join(dir, e.Name()))
		}
	}
}
