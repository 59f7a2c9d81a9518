package results

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/qats-bench/qats/internal/inputfile"
)

// workIn is an environment variable. A test binary that finds it set runs no tests
// but puts objects into the named folder until it is killed.
const workIn = "QATS_TEST_STORE"

func TestMain(m *testing.M) {
	if dir := os.Getenv(workIn); dir != "" {
		putForever(dir)
	}
	os.Exit(m.Run())
}

func putForever(dir string) {
	limitFileSize(os.Getenv(workIn + "_LIMIT"))
	s, err := Open(dir)
	if err != nil {
		fmt.Println(err)
		os.Exit(3)
	}
	for i := 0; ; i++ {
		text, body := object(i % 300)
		if err := s.Put(Fit, text, body); err != nil {
			fmt.Println(err)
			os.Exit(4)
		}
		if i == 12 {
			fmt.Println("ready")
		}
	}
}

// object returns a body of up to 200 kB that depends on i alone.
func object(i int) (text string, body []byte) {
	r := rand.New(rand.NewPCG(uint64(i), 1))
	body = make([]byte, 1000*(i%200))
	for j := range body {
		body[j] = byte(r.Uint32())
	}
	return fmt.Sprintf("object %d\nof the test\n", i), body
}

func open(t *testing.T, dir string) *Store {
	t.Helper()
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestStorePutsAndGets(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "store")
	s := open(t, dir)
	const text = "method ts\nversion 1\n"
	if Key("abc") != "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" { // FIPS 180-2, B.1
		t.Errorf("Key(abc) = %s", Key("abc"))
	}
	if _, err := s.Get(Fit, Key(text)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("empty store: %v", err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Error("Get created the folder")
	}
	for _, body := range []string{"", "first", "second\x00\nlonger"} {
		if err := s.Put(Fit, text, []byte(body)); err != nil {
			t.Fatal(err)
		}
		got, err := s.Get(Fit, Key(text))
		if err != nil || string(got) != body {
			t.Errorf("got %q, %v; want %q", got, err, body)
		}
		if !s.Has(Fit, Key(text)) || s.Has(SampleScores, Key(text)) || s.Has(Fit, Key("other")) {
			t.Error("Has is wrong")
		}
	}
	file, err := os.ReadFile(filepath.Join(dir, "fit", Key(text)))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(file, []byte("\n"+text+"\n")) {
		t.Errorf("the object does not contain its text: %q", file)
	}
	for _, bad := range []string{"", "../../etc/passwd", strings.Repeat("g", 64), strings.ToUpper(Key(text))} {
		if _, err := s.Get(Fit, bad); err == nil || s.Has(Fit, bad) {
			t.Errorf("key %q was accepted", bad)
		}
	}
	if _, err := Open(filepath.Join(dir, "fit", Key(text))); err == nil || !strings.Contains(err.Error(), "is not a folder") {
		t.Errorf("a file opened as a store: %v", err)
	}
}

// Every change of one byte and every truncation is noticed.
func TestDamagedObjectCountsAsAbsent(t *testing.T) {
	s := open(t, t.TempDir())
	text, body := "what it is", []byte("the content")
	if err := s.Put(Scores, text, body); err != nil {
		t.Fatal(err)
	}
	key := Key(text)
	path := s.path(Scores, key)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	absent := func(what string, file []byte) {
		t.Helper()
		if err := os.WriteFile(path, file, 0o666); err != nil {
			t.Fatal(err)
		}
		if got, err := s.Get(Scores, key); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "damaged") {
			t.Errorf("%s: got %q, %v", what, got, err)
		}
	}
	for i := range whole {
		changed := bytes.Clone(whole)
		changed[i] ^= 0x01
		absent(fmt.Sprint("byte ", i, " changed"), changed)
		absent(fmt.Sprint("cut to ", i), whole[:i])
		if s.Has(Scores, key) {
			t.Errorf("cut to %d: Has says yes", i)
		}
	}
	absent("longer", append(bytes.Clone(whole), 'x'))
	absent("length overflows", bytes.Replace(whole, []byte("body 11"), []byte("body 9223372036854775807"), 1))
	var other bytes.Buffer
	if err := encodeObject(&other, Scores, "something else", body); err != nil {
		t.Fatal(err)
	}
	absent("object of another key", other.Bytes())
	absent("object of the earlier format", []byte(strings.Replace(string(whole), "object 4", "object 3", 1)))

	if err := s.Put(Scores, text, body); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Get(Scores, key); err != nil || !bytes.Equal(got, body) {
		t.Errorf("not repaired: %q, %v", got, err)
	}
}

// A fit and its time have one key: the file of one counts as absent in the place of the
// other, for every two kinds.
func TestObjectOfAnotherKindCountsAsAbsent(t *testing.T) {
	s := open(t, t.TempDir())
	kinds := []Kind{Fit, SampleScores, Scores, Pairs, Times, Inputs}
	for _, kind := range kinds {
		if err := s.Put(kind, "text", []byte("{}")); err != nil {
			t.Fatal(err)
		}
	}
	key := Key("text")
	for i, a := range kinds {
		for _, b := range kinds[i+1:] {
			exchange := func() {
				t.Helper()
				x := s.path(a, key) + ".x"
				if err := errors.Join(os.Rename(s.path(a, key), x), os.Rename(s.path(b, key), s.path(a, key)), os.Rename(x, s.path(b, key))); err != nil {
					t.Fatal(err)
				}
			}
			exchange()
			for _, kind := range []Kind{a, b} {
				if got, err := s.Get(kind, key); !errors.Is(err, fs.ErrNotExist) || s.Has(kind, key) {
					t.Errorf("%s and %s exchanged: %s is %q (%v)", a, b, kind, got, err)
				}
			}
			exchange()
			if _, err := s.Get(a, key); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestOpenRemovesOldUnfinishedFilesOnly(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	if err := s.Put(Fit, "kept", []byte("body")); err != nil {
		t.Fatal(err)
	}
	folder := filepath.Dir(s.path(Fit, Key("kept")))
	old, young := filepath.Join(folder, ".x.tmp-1"), filepath.Join(folder, ".x.tmp-2")
	for _, f := range []string{old, young} {
		if err := os.WriteFile(f, []byte("half"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	long := time.Now().Add(-2 * time.Hour)
	for _, f := range []string{old, s.path(Fit, Key("kept"))} {
		if err := os.Chtimes(f, long, long); err != nil {
			t.Fatal(err)
		}
	}
	s = open(t, dir)
	if _, err := os.Stat(old); !errors.Is(err, fs.ErrNotExist) {
		t.Error("the old unfinished file was not removed")
	}
	if _, err := os.Stat(young); err != nil {
		t.Error("the unfinished file of a running writer was removed")
	}
	if _, err := s.Get(Fit, Key("kept")); err != nil {
		t.Error(err)
	}
}

func TestStoreIsSafeForConcurrentUse(t *testing.T) {
	dir := t.TempDir()
	var wait sync.WaitGroup
	for range 4 {
		s := open(t, dir)
		wait.Go(func() {
			for i := range 5 {
				text, body := object(i)
				if err := s.Put(Fit, text, body); err != nil {
					t.Error(err)
				}
				if got, err := s.Get(Fit, Key(text)); err != nil || !bytes.Equal(got, body) {
					t.Errorf("object %d: %v", i, err)
				}
			}
		})
	}
	wait.Wait()
	if left := unfinished(t, dir); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func unfinished(t *testing.T, dir string) []string {
	t.Helper()
	left, err := filepath.Glob(filepath.Join(dir, "*", ".*"))
	if err != nil {
		t.Fatal(err)
	}
	return left
}

// A process that stores objects is killed several times, each time at some moment.
// Every object that can be read afterwards is complete.
func TestKilledWriterLeavesNoDamagedObject(t *testing.T) {
	dir := t.TempDir()
	readable := 0
	for range 4 {
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), workIn+"="+dir)
		out, err := child.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(out, make([]byte, len("ready\n"))); err != nil {
			t.Fatalf("the child wrote too little before it ended: %v", err)
		}
		if err := child.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		child.Wait()
		s := open(t, dir)
		for i := range 300 {
			text, want := object(i)
			got, err := s.Get(Fit, Key(text))
			switch {
			case err == nil && bytes.Equal(got, want):
				readable++
			case errors.Is(err, fs.ErrNotExist) && !strings.Contains(err.Error(), "damaged"):
			default:
				t.Errorf("object %d after the kill: %v", i, err)
			}
		}
	}
	if readable < 4*12 {
		t.Errorf("only %d objects could be read", readable)
	}
}

// If the disk is full in the middle of an object, Put returns an error and leaves
// neither an object nor a temporary file.
func TestFullDiskLeavesNoFile(t *testing.T) {
	dir := t.TempDir()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), workIn+"="+dir, workIn+"_LIMIT=15000")
	out, err := child.Output()
	if strings.Contains(string(out), "no limits here") {
		t.Skip("this system cannot limit the size of a file")
	}
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 4 {
		t.Fatalf("the child ended with %v: %s", err, out)
	}
	text, _ := object(15) // 15,000 bytes and a header
	message := string(out[bytes.LastIndex(out[:len(out)-1], []byte("\n"))+1:])
	if want := fmt.Sprintf("store: fit object %.12s (15000 bytes) not written: ", Key(text)); !strings.HasPrefix(message, want) || !strings.Contains(message, "file too large") {
		t.Errorf("got %q, want %q and the reason", message, want)
	}
	s := open(t, dir)
	for i := range 25 {
		text, want := object(i)
		got, err := s.Get(Fit, Key(text))
		if i < 15 && (err != nil || !bytes.Equal(got, want)) || i >= 15 && !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("object %d: %v", i, err)
		}
	}
	if left := unfinished(t, dir); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func BenchmarkStore(b *testing.B) {
	s, err := Open(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	body := make([]byte, 1<<20)
	if err := s.Put(SampleScores, "x", body); err != nil {
		b.Fatal(err)
	}
	b.Run("op=get/bytes=1048576", func(b *testing.B) {
		b.SetBytes(int64(len(body)))
		for b.Loop() {
			if _, err := s.Get(SampleScores, Key("x")); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("op=has/bytes=1048576", func(b *testing.B) {
		for b.Loop() {
			if !s.Has(SampleScores, Key("x")) {
				b.Fatal("absent")
			}
		}
	})
}

// TestObjectThatIsADeviceIsAnError, and is not read for ever.
func TestObjectThatIsADeviceIsAnError(t *testing.T) {
	s := open(t, t.TempDir())
	if err := s.Put(Fit, "text", []byte("body")); err != nil {
		t.Fatal(err)
	}
	path := s.path(Fit, Key("text"))
	if err := errors.Join(os.Remove(path), os.Symlink("/dev/zero", path)); err != nil {
		t.Skip(err)
	}
	if _, err := s.Get(Fit, Key("text")); !errors.Is(err, inputfile.ErrNotRegular) || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
	if s.Has(Fit, Key("text")) {
		t.Error("it counts as an object")
	}
}

// Keys are 64 hexadecimal digits, and a header has its checksum, its kind and its lengths.
func TestKeysAndHeadersOfObjects(t *testing.T) {
	for key, ok := range map[string]bool{
		strings.Repeat("0f", 32): true, strings.Repeat("0f", 31): false, strings.Repeat("0f", 33): false, strings.Repeat("0g", 32): false, strings.Repeat("0F", 32): false,
	} {
		if err := checkKey(key); (err == nil) != ok {
			t.Errorf("%s: %v", key, err)
		}
	}
	for lines, ok := range map[string]bool{
		"crc32c 00000000\nfit text 1 body 2\n": true, "crc32c x\nfit text 1 body 2\n": false, "crc32c 00000000\nfit text x body 2\n": false,
		"crc32c 00000000\nfit text 1 body x\n": false, "crc32c 00000000\ntext 1 body 2\n": false, "crc32c 00000000\nfit text -1 body 2\n": false,
		"crc32c 00000000\nfit text 1 body -2\n": false, "crc32c 00000000\nfit text 1 body 281474976710657\n": false,
	} {
		if h, err := decodeHeader([]byte(magic + lines + "\n")); (err == nil) != ok {
			t.Errorf("%q: %+v, %v", lines, h, err)
		}
	}
}
