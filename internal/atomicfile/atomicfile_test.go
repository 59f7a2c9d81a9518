package atomicfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func say(s string, err error) func(io.Writer) error {
	return func(w io.Writer) error { io.WriteString(w, s); return err }
}

// only checks that a folder holds path with this content and nothing else.
func only(t *testing.T, path, content string) {
	t.Helper()
	got, _ := os.ReadFile(path)
	files, _ := os.ReadDir(filepath.Dir(path))
	if string(got) != content || len(files) != 1 {
		t.Errorf("%q, %v", got, files)
	}
}

func TestWriteReplacesAllOrNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	if err := Write(path, say("one", nil)); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	if err := Write(path, say("two", broken)); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	func() {
		defer func() { recover() }()
		Write(path, func(io.Writer) error { panic("three") })
	}()
	only(t, path, "one")
	if err := Write(path, say("four", nil)); err != nil {
		t.Fatal(err)
	}
	only(t, path, "four")
	if err := Write(filepath.Join(path, "no", "folder"), say("", nil)); err == nil {
		t.Error("wrote into a file as if it were a folder")
	}
	if err := Write(filepath.Dir(path), say("", nil)); err == nil {
		t.Error("replaced a folder by a file")
	}
	only(t, path, "four")
}

// An unfinished file is recognised by its name, and Abort removes it.
func TestUnfinishedFilesAreToldByName(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	f, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	files, _ := os.ReadDir(filepath.Dir(path))
	if len(files) != 1 || !Unfinished(files[0].Name()) || Unfinished("f") || Unfinished(".f") {
		t.Errorf("%v", files)
	}
	f.Abort()
	f.Abort()
	if files, _ := os.ReadDir(filepath.Dir(path)); len(files) != 0 {
		t.Errorf("%v", files)
	}
}

// A device that a user names stays a device, a link a link.
func TestDevicesPipesAndLinksStay(t *testing.T) {
	dir := t.TempDir()
	link := filepath.Join(dir, "null")
	if err := os.Symlink(os.DevNull, link); err != nil {
		t.Skip(err)
	}
	if err := WriteNamed(link, say("gone", nil)); err != nil {
		t.Fatal(err)
	}
	if err := Write(link, say("refused", nil)); !errors.Is(err, ErrNotRegular) {
		t.Errorf("a device in the place of a file: %v", err)
	}
	if info, err := os.Stat(link); err != nil || info.Mode()&fs.ModeDevice == 0 {
		t.Fatalf("%v, %v", info, err)
	}

	target := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(target, []byte("old"), 0o666); err != nil {
		t.Fatal(err)
	}
	link = filepath.Join(dir, "link")
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
	if err := Write(link, say("new", nil)); err != nil {
		t.Fatal(err)
	}
	if to, err := os.Readlink(link); err != nil || to != target {
		t.Errorf("%q, %v", to, err)
	}
	only(t, target, "new")
}

// A writer whose unfinished file is swept by another machine writes it again.
func TestVanishedFileIsWrittenAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	calls := 0
	err := Write(path, func(w io.Writer) error {
		if calls++; calls == 1 {
			files, _ := os.ReadDir(filepath.Dir(path))
			for _, f := range files {
				os.Remove(filepath.Join(filepath.Dir(path), f.Name()))
			}
		}
		_, err := io.WriteString(w, "whole")
		return err
	})
	if err != nil || calls != 2 {
		t.Errorf("%v after %d calls", err, calls)
	}
	only(t, path, "whole")
}

// Sweep removes the remains of killed writers, and no file of a living one.
func TestSweep(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	f, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Abort()
	remains := filepath.Join(filepath.Dir(path), ".digests.txt"+mark+"0123456789ab")
	then := time.Now().Add(-2 * time.Hour)
	if err := errors.Join(os.WriteFile(remains, nil, 0o666), os.Chtimes(remains, then, then)); err != nil {
		t.Fatal(err)
	}
	Sweep(filepath.Dir(path), filepath.Join(path, "none"))
	if files, _ := os.ReadDir(filepath.Dir(path)); len(files) != 1 {
		t.Errorf("left: %v", files)
	}
	if _, err := f.Write([]byte("x")); err != nil || f.Commit(true) != nil {
		t.Error(err)
	}
	only(t, path, "x")
}
