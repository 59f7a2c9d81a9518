package folder

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/qats-bench/qats/data/formats"
	"github.com/qats-bench/qats/internal/inputfile"
)

// TestFileChangedAMomentAgoSettles: the wait ends 20 ms after the later of the two
// times of the file; older files and times in the future need none.
func TestFileChangedAMomentAgoSettles(t *testing.T) {
	now := time.Unix(1000, 0)
	for _, c := range []struct{ mtime, ctime, want time.Duration }{
		{-time.Hour, -5 * time.Millisecond, 15 * time.Millisecond},
		{-5 * time.Millisecond, -time.Hour, 15 * time.Millisecond},
		{-time.Hour, 0, 20 * time.Millisecond},
		{-time.Hour, -20 * time.Millisecond, 0},
		{-time.Hour, -time.Minute, 0},
		{-time.Hour, time.Second, 0},
	} {
		s := stamp{mtime: now.Add(c.mtime).UnixNano(), ctime: now.Add(c.ctime).UnixNano()}
		if got := s.settling(now); got != c.want {
			t.Errorf("changed at %v and %v: wait %v, want %v", c.mtime, c.ctime, got, c.want)
		}
	}
}

// TestDigestsThatCannotBeWrittenAreAnError.
func TestDigestsThatCannotBeWrittenAreAnError(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "digests.txt")
	d := &Digests{path: path, dirty: true}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Remove(path), os.Mkdir(path, 0o777)); err != nil {
		t.Fatal(err)
	}
	d = &Digests{path: path, dirty: true}
	if err := d.Close(); err == nil || !strings.Contains(err.Error(), "digests.txt") {
		t.Errorf("a folder in the place of the file: %v", err)
	}
}

// TestDigestsWithoutRoomForATemporaryFileAreAnError: the name of the file is allowed,
// and a longer one beside it is not.
func TestDigestsWithoutRoomForATemporaryFileAreAnError(t *testing.T) {
	d := &Digests{path: filepath.Join(t.TempDir(), strings.Repeat("x", 255)), dirty: true}
	if err := d.Close(); err == nil || !d.dirty {
		t.Errorf("%v; to be written again: %t", err, d.dirty)
	}
}

// A memory without a file, or without news, writes nothing.
func TestDigestsWithoutNewsAreNotWritten(t *testing.T) {
	if err := (&Digests{dirty: true}).Close(); err != nil {
		t.Errorf("digests without a file: %v", err)
	}
	path := filepath.Join(t.TempDir(), "digests.txt")
	if err := (&Digests{path: path}).Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("digests without news are written")
	}
}

// Lines that are cut, changed or of another form are left out, and so are those of earlier
// versions, which had no checksum.
func TestChangedLinesOfDigestsAreIgnored(t *testing.T) {
	sum := strings.Repeat("0f", 32)
	path := filepath.Join(t.TempDir(), "digests.txt")
	read := func(text string) *Digests {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		d, err := OpenDigests(path)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	good := digestLine("/good", record{stamp{1, 2, 3, 4}, sum})
	d := read("8\n" + sum + "\n\n" + good + "0f 1 2 3 4 \"/short\"\n" + digestLine("/cut", record{stamp{}, sum})[:80])
	if len(d.known) != 1 || d.known["/good"] != (record{stamp{1, 2, 3, 4}, sum}) {
		t.Errorf("%v", d.known)
	}
	for i := range good {
		changed := []byte(good)
		changed[i] ^= 1
		if d := read(string(changed)); len(d.known) != 0 {
			t.Errorf("byte %d changed: %v", i, d.known)
		}
	}
	if d := read(good); d.Older() {
		t.Error("a file with checksums is older")
	}
	if d := read(sum + " 1 2 3 4 \"/old\"\n"); len(d.known) != 0 || !d.Older() {
		t.Errorf("without a checksum: %v, older: %t", d.known, d.Older())
	}
}

func TestFilesThatAreNotHashedAreNamedWithTheirSize(t *testing.T) {
	if got := (&NotHashed{"a.npy", 2_500_000_000}).Error(); got != "a.npy: not hashed yet (2.5 GB)" {
		t.Error(got)
	}
}

// A file of just the limit is hashed, and one above it is not.
func TestLargeFilesAreNotHashed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, make([]byte, 10), 0o666); err != nil {
		t.Fatal(err)
	}
	for most, ok := range map[int64]bool{0: true, 9: false, 10: true} {
		if _, err := new(Digests).sum(formats.Location{FS: inputfile.System{}, Path: path, Name: path}, path, false, most); (err == nil) != ok {
			t.Errorf("at most %d bytes: %v", most, err)
		}
	}
}
