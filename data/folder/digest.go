package folder

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/qats-bench/qats/data/formats"
	"github.com/qats-bench/qats/data/problem"
	"github.com/qats-bench/qats/internal/atomicfile"
	"github.com/qats-bench/qats/internal/inputfile"
)

// Digests computes SHA-256 digests of array files and remembers them by
// absolute path, size, modification time, change time (ctime) and inode, so that a
// file is not hashed again at each run. A file changed less than two seconds ago is
// not remembered, since another change in the same tick of the clock would not be
// noticed. The zero Digests remembers for its own lifetime only. Digests is safe for
// concurrent use.
type Digests struct {
	path string           // of the file that keeps the digests; "" for none
	now  func() time.Time // the clock, for tests; nil is time.Now

	memory *Digests          // where digests are remembered; nil unless pinned (see Pinned)
	pins   map[string]record // the version that each file is held to; nil unless pinned
	anew   bool              // pinned, and every file is hashed again
	most   int64             // largest file that is hashed; 0 for any (see Looking)
	left   map[string]int64  // sizes of the files that were not hashed, by name

	flight singleflight.Group // of hashes, so that a file is hashed once

	mu    sync.Mutex
	known map[string]record // the keys are the absolute path and "#member"
	dirty bool              // whether known has digests that the file lacks
	older bool              // whether the file has lines of an earlier version
}

// record is a digest and the version of the file that it belongs to.
type record struct {
	stamp
	sum string
}

// minAge is the age from which the digest of a file is remembered.
const minAge = 2 * time.Second

// OpenDigests returns the digests kept in the text file at path, which need not
// exist. A line of another form, or with another checksum than its own, is ignored, so
// that its file is hashed again: the file is a cache. So are the lines of earlier versions,
// which have no checksum.
func OpenDigests(path string) (*Digests, error) {
	d := &Digests{path: path}
	var err error
	d.known, d.older, err = readDigests(path)
	return d, err
}

// Older reports whether the file was written by an earlier version, whose lines have no
// checksum, so that the files that it names are hashed again.
func (d *Digests) Older() bool { return d.older }

// Close writes new digests to the file, merged with those that another process has
// written since, and replaces it atomically; it makes its folder if needed. The
// Digests may be used and closed again.
func (d *Digests) Close() error {
	switch {
	case d.most > 0:
		return nil
	case d.memory != nil:
		return d.memory.Close()
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.path == "" || !d.dirty {
		return nil
	}
	all, _, err := readDigests(d.path)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(d.path), 0o777); err != nil {
		return err
	}
	maps.Copy(all, d.known)
	var b bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(all)) {
		b.WriteString(digestLine(name, all[name]))
	}
	if err := atomicfile.WriteBytes(d.path, b.Bytes()); err != nil {
		return err
	}
	d.dirty = false
	return nil
}

// digestLine returns the line of a file in the file of digests,
//
//	crc32c sum size mtime ctime inode "path"
//
// where the first is the CRC-32C of the rest of the line. A digest names the rows that
// stored numbers belong to, so a changed digit must be noticed, and so must a digest in
// the line of another file.
func digestLine(name string, r record) string {
	line := fmt.Sprintf("%s %d %d %d %d %s\n", r.sum, r.size, r.mtime, r.ctime, r.inode, strconv.Quote(name))
	return fmt.Sprintf("%08x %s", crc32.Checksum([]byte(line), crc32.MakeTable(crc32.Castagnoli)), line)
}

// readDigests reads the lines of digestLine, and says whether lines of an earlier version
// are among the others.
func readDigests(path string) (known map[string]record, older bool, err error) {
	known = map[string]record{}
	b, err := inputfile.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return known, false, nil
	}
	if err != nil {
		return known, false, problem.At(path, inputfile.Cause(err))
	}
	for line := range strings.Lines(string(b)) {
		check, rest, _ := strings.Cut(line, " ")
		if len(check) == hex.EncodedLen(sha256.Size) {
			older = true
			continue
		}
		var r record
		var name string
		_, err := fmt.Sscanf(rest, "%s %d %d %d %d %q\n", &r.sum, &r.size, &r.mtime, &r.ctime, &r.inode, &name)
		if err == nil && line == digestLine(name, r) {
			known[name] = r
		}
	}
	return known, older, nil
}

// File returns the SHA-256, in hex, of any file at path. Errors call it name.
func (d *Digests) File(path, name string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return d.hash(formats.Location{FS: inputfile.System{}, Path: path, Name: name}, abs)
}

// hash returns the digest, in hex, of the .npy bytes at l. It is remembered under
// id, the absolute path of the array, unless that is empty.
func (d *Digests) hash(l formats.Location, id string) (string, error) {
	var s record
	var err error
	switch {
	case id == "":
		s, err = hash(l)
	case d.memory != nil:
		s, err = d.pin(l, id)
	default:
		s, err = d.sum(l, id, false, 0)
	}
	return s.sum, err
}

// Looking returns digests for a look that writes nothing and is quick: what d
// remembers is used, a file of more than most bytes that it does not remember is the
// error *NotHashed, and Close does nothing.
func (d *Digests) Looking(most int64) *Digests {
	return &Digests{memory: d, most: max(most, 1), pins: map[string]record{}}
}

// Unhashed returns the sizes of the files that a look has not hashed, by name.
func (d *Digests) Unhashed() map[string]int64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return maps.Clone(d.left)
}

// NotHashed is the error of a file whose digest is not known and would take long.
type NotHashed struct {
	Name  string
	Bytes int64
}

func (e *NotHashed) Error() string {
	return fmt.Sprintf("%s: not hashed yet (%.1f GB)", e.Name, float64(e.Bytes)/1e9)
}

// sum returns the digest of the file at l, remembered or, with anew, computed. A file
// of more than most bytes is not hashed, unless most is 0.
func (d *Digests) sum(l formats.Location, id string, anew bool, most int64) (record, error) {
	now, err := stampAt(l)
	if err != nil {
		return record{}, err
	}
	d.mu.Lock()
	known, ok := d.known[id]
	d.mu.Unlock()
	switch {
	case ok && !anew && known.stamp == now:
		return known, nil
	case most > 0 && now.size > most:
		return record{}, &NotHashed{strings.TrimSuffix(l.Name, "#"+l.Member), now.size}
	}
	sum, err, _ := d.flight.Do(id, func() (any, error) {
		s, err := hash(l)
		if err == nil && d.clock().Sub(s.changed()) >= minAge {
			d.remember(id, s)
		}
		return s, err
	})
	return sum.(record), err
}

func (d *Digests) remember(id string, s record) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.known == nil {
		d.known = map[string]record{}
	}
	d.known[id], d.dirty = s, true
}

func (d *Digests) clock() time.Time {
	if d.now != nil {
		return d.now()
	}
	return time.Now()
}

// stampAt returns the version of the file at l.
func stampAt(l formats.Location) (stamp, error) {
	info, err := l.Stat()
	if err != nil {
		return stamp{}, err
	}
	return stampOf(info), nil
}

// hash computes the digest of the .npy bytes at l; for an archive, of the unpacked
// member.
func hash(l formats.Location) (record, error) {
	c, err := l.Open()
	if err != nil {
		return record{}, err
	}
	defer c.Close()
	time.Sleep(stampOf(c.Info).settling(time.Now()))
	h := sha256.New()
	if err := l.CopyTo(h, c); err != nil {
		return record{}, l.Wrap(err)
	}
	after, err := stampAt(l)
	if err != nil {
		return record{}, err
	}
	s := record{stampOf(c.Info), hex.EncodeToString(h.Sum(nil))}
	return s, s.same(after, l.Name)
}
