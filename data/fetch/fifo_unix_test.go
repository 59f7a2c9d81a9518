//go:build unix

package fetch

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestPipesAreRejected in place of a file, of what is there of it, of its source and of
// the records; opening one would wait for ever.
func TestPipesAreRejected(t *testing.T) {
	for _, name := range []string{"a", "a.part", "a.part.version", "from", RecordName} {
		dir := t.TempDir()
		pipe := filepath.Join(dir, name)
		if err := syscall.Mkfifo(pipe, 0o666); err != nil {
			t.Skip(err)
		}
		if _, err := get(t, client(), File{Name: "a", URL: "file://" + filepath.Join(dir, "from")}, dir); err == nil ||
			!strings.Contains(err.Error(), "not a regular file") || !strings.Contains(err.Error(), pipe) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
