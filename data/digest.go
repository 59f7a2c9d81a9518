package data

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/qats-bench/qats/internal/atomicfile"
)

// Digests computes SHA-256 digests of array files and remembers them by
// absolute path, size and modification time, so that a file is hashed once and
// not at each run. A file changed less than two seconds ago is hashed but not
// remembered: another change in the same tick of the clock would go unseen.
// The zero Digests remembers for its own lifetime only. It is safe for
// concurrent use.
type Digests struct {
	path string // of the file that remembers; "" for none

	mu    sync.Mutex
	known map[string]stamped // by absolute path and "#member"
	busy  map[string]*hashing
	dirty bool
}

// stamped is the digest of a file as it was.
type stamped struct {
	size  int64
	mtime int64 // ns since 1970
	sum   string
}

// hashing is a digest on its way; others who want it wait.
type hashing struct {
	done chan struct{}
	sum  string
	err  error
}

// settled is how old a file must be to be remembered.
const settled = 2 * time.Second

// OpenDigests returns the digests remembered in the text file at path, which
// need not exist. Lines it cannot read are ignored: the file only saves work.
func OpenDigests(path string) (*Digests, error) {
	d := &Digests{path: path}
	known, err := readDigests(path)
	d.known = known
	return d, err
}

// Close writes what was learnt, together with what another process has written
// meanwhile, replacing the file atomically; its folder is made where needed.
// The Digests may be used, and closed, again.
func (d *Digests) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.path == "" || !d.dirty {
		return nil
	}
	all, err := readDigests(d.path)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(d.path), 0o777); err != nil {
		return err
	}
	maps.Copy(all, d.known)
	var b bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(all)) {
		s := all[name]
		fmt.Fprintf(&b, "%s %d %d %s\n", s.sum, s.size, s.mtime, strconv.Quote(name))
	}
	if err := atomicfile.WriteBytes(d.path, b.Bytes()); err != nil {
		return err
	}
	d.dirty = false
	return nil
}

// readDigests reads lines "sum size mtime "path"".
func readDigests(path string) (map[string]stamped, error) {
	known := map[string]stamped{}
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return known, nil
	}
	if err != nil {
		return known, location{name: path}.wrap(err)
	}
	for line := range strings.Lines(string(b)) {
		fields := strings.SplitN(strings.TrimSuffix(line, "\n"), " ", 4)
		if len(fields) != 4 || !strings.HasSuffix(line, "\n") || len(fields[0]) != 64 {
			continue
		}
		_, err0 := hex.DecodeString(fields[0])
		size, err1 := strconv.ParseInt(fields[1], 10, 64)
		mtime, err2 := strconv.ParseInt(fields[2], 10, 64)
		name, err3 := strconv.Unquote(fields[3])
		if errors.Join(err0, err1, err2, err3) == nil {
			known[name] = stamped{size, mtime, fields[0]}
		}
	}
	return known, nil
}

// File returns the SHA-256, in hex, of the file at path, of whatever kind, which
// errors call name.
func (d *Digests) File(path, name string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return d.sum(location{path: path, name: name}, abs)
}

// sum returns the digest, in hex, of the .npy bytes at l. It is remembered
// under id, the absolute path of the array; an empty id is not remembered.
func (d *Digests) sum(l location, id string) (string, error) {
	if id == "" {
		s, err := l.hash()
		return s.sum, err
	}
	info, err := l.stat()
	if err != nil {
		return "", err
	}
	d.mu.Lock()
	if s, ok := d.known[id]; ok && s.size == info.Size() && s.mtime == info.ModTime().UnixNano() {
		d.mu.Unlock()
		return s.sum, nil
	}
	if h := d.busy[id]; h != nil {
		d.mu.Unlock()
		<-h.done
		return h.sum, h.err
	}
	h := &hashing{done: make(chan struct{}), err: fmt.Errorf("%s: not hashed", l.name)}
	if d.busy == nil {
		d.busy = map[string]*hashing{}
	}
	d.busy[id] = h
	d.mu.Unlock()

	var s stamped
	defer func() {
		d.mu.Lock()
		delete(d.busy, id)
		if h.err == nil && time.Since(time.Unix(0, s.mtime)) >= settled {
			if d.known == nil {
				d.known = map[string]stamped{}
			}
			d.known[id], d.dirty = s, true
		}
		d.mu.Unlock()
		close(h.done)
	}()
	s, h.err = l.hash()
	h.sum = s.sum
	return h.sum, h.err
}

// stat returns what the file at l is.
func (l location) stat() (fs.FileInfo, error) {
	var info fs.FileInfo
	var err error
	if l.fsys == nil {
		info, err = os.Stat(l.path)
	} else {
		info, err = fs.Stat(l.fsys, l.path)
	}
	if err != nil {
		return nil, l.wrap(err)
	}
	return info, nil
}

// hash reads the .npy bytes at l, those of the unpacked member in an archive.
func (l location) hash() (stamped, error) {
	f, info, err := l.open()
	if err != nil {
		return stamped{}, err
	}
	defer f.Close()
	h := sha256.New()
	if isArchive(l.path) {
		var r io.ReaderAt
		var size int64
		var b []byte
		if r, size, err = readerAt(f, info); err == nil {
			if b, err = readMember(r, size, l.member); err == nil {
				h.Write(b)
			}
		}
	} else {
		_, err = io.Copy(h, f)
	}
	if err != nil {
		return stamped{}, l.wrap(err)
	}
	after, err := l.stat()
	if err != nil {
		return stamped{}, err
	}
	if after.Size() != info.Size() || !after.ModTime().Equal(info.ModTime()) {
		return stamped{}, fmt.Errorf("%s: changed while being read", l.name)
	}
	return stamped{info.Size(), info.ModTime().UnixNano(), hex.EncodeToString(h.Sum(nil))}, nil
}
