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
// absolute path, size and modification time, so that a file is not hashed again
// at each run. A file changed less than two seconds ago is not remembered, since
// another change in the same tick of the clock would not be noticed. The zero
// Digests remembers for its own lifetime only. Digests is safe for concurrent use.
type Digests struct {
	path string // of the file that keeps the digests; "" for none

	mu    sync.Mutex
	known map[string]record // the keys are the absolute path and "#member"
	busy  map[string]*pending
	dirty bool // whether known has digests that the file lacks
}

// record is a digest and the file that it belongs to.
type record struct {
	size  int64
	mtime int64 // ns since 1970
	sum   string
}

// pending is a digest that one goroutine computes and others wait for.
type pending struct {
	done chan struct{}
	sum  string
	err  error
}

// minAge is the age from which the digest of a file is remembered.
const minAge = 2 * time.Second

// OpenDigests returns the digests kept in the text file at path, which need not
// exist. Lines of another form are ignored: the file is a cache.
func OpenDigests(path string) (*Digests, error) {
	d := &Digests{path: path}
	known, err := readDigests(path)
	d.known = known
	return d, err
}

// Close writes new digests to the file, merged with those that another process has
// written since, and replaces it atomically; it makes its folder if needed. The
// Digests may be used and closed again.
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
func readDigests(path string) (map[string]record, error) {
	known := map[string]record{}
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
			known[name] = record{size, mtime, fields[0]}
		}
	}
	return known, nil
}

// File returns the SHA-256, in hex, of any file at path. Errors call it name.
func (d *Digests) File(path, name string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return d.sum(location{path: path, name: name}, abs)
}

// sum returns the digest, in hex, of the .npy bytes at l. It is remembered under
// id, the absolute path of the array, unless that is empty.
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
	h := &pending{done: make(chan struct{}), err: fmt.Errorf("%s: not hashed", l.name)}
	if d.busy == nil {
		d.busy = map[string]*pending{}
	}
	d.busy[id] = h
	d.mu.Unlock()

	var s record
	defer func() {
		d.mu.Lock()
		delete(d.busy, id)
		if h.err == nil && time.Since(time.Unix(0, s.mtime)) >= minAge {
			if d.known == nil {
				d.known = map[string]record{}
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

// stat describes the file at l.
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

// hash computes the digest of the .npy bytes at l; for an archive, of the unpacked
// member.
func (l location) hash() (record, error) {
	f, info, err := l.open()
	if err != nil {
		return record{}, err
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
		return record{}, l.wrap(err)
	}
	after, err := l.stat()
	if err != nil {
		return record{}, err
	}
	if after.Size() != info.Size() || !after.ModTime().Equal(info.ModTime()) {
		return record{}, fmt.Errorf("%s: changed while being read", l.name)
	}
	return record{info.Size(), info.ModTime().UnixNano(), hex.EncodeToString(h.Sum(nil))}, nil
}
