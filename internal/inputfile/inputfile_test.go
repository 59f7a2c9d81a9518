//go:build unix

package inputfile

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestOnlyRegularFilesAreOpened, and others are an error at once.
func TestOnlyRegularFilesAreOpened(t *testing.T) {
	dir := t.TempDir()
	file, pipe, link := filepath.Join(dir, "file"), filepath.Join(dir, "pipe"), filepath.Join(dir, "link")
	if err := errors.Join(
		os.WriteFile(file, []byte("text"), 0o666),
		syscall.Mkfifo(pipe, 0o666),
		os.Symlink("/dev/zero", link),
	); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]error{
		file: nil, pipe: ErrNotRegular, link: ErrNotRegular, dir: syscall.EISDIR, filepath.Join(dir, "none"): os.ErrNotExist,
	} {
		b, err := Read(path)
		if !errors.Is(err, want) || (string(b) == "text") != (want == nil) {
			t.Errorf("%s: %q, %v, want %v", filepath.Base(path), b, err, want)
		}
	}
}
