package results

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/qats-bench/qats/internal/atomicfile"
	"github.com/qats-bench/qats/internal/inputfile"
)

// Kind is a class of stored objects; each has a folder of its own.
type Kind string

// The kinds of objects. Their names are the names of the folders.
const (
	Fit          Kind = "fit"     // a fitted method
	SampleScores Kind = "samples" // confidence, prediction and losses of each test row under a fit
	Scores       Kind = "scores"  // the metrics and bins computed from sample scores
	Pairs        Kind = "pairs"   // the differences of two methods' metrics
	Times        Kind = "times"   // the processor time of a fit, under the key of the fit
	Inputs       Kind = "inputs"  // the problems that the checks of a setting's arrays found
)

// objectKinds are all of them.
var objectKinds = []Kind{Fit, SampleScores, Scores, Pairs, Times, Inputs}

// Store is a content-addressed cache in a folder. An object of a kind is the file
//
//	<dir>/<kind>/<key>
//
// where the key is the SHA-256 of a readable text that names everything the object depends
// on. The object contains that text before its body, so that `head` shows what went into a
// key, and there is no second file to lose:
//
//	qats object 4
//	crc32c <hex>            of all bytes after this line
//	<kind> text <bytes> body <bytes>
//	<text>
//	<body>
//
// A fit and its time have one key, so an object names its kind too: a file that is copied
// to another place counts as damaged, whichever place that is.
//
// An object is written to a temporary file, which is then renamed. A writer that
// is killed leaves no object, and of two writers of one key either may win.
//
// An object that is damaged on disk counts as absent, and the next run computes it again.
// So objects are not synced; a power failure costs at most their recomputation. CRC-32C
// detects accidental damage and is fast. An object of an earlier format counts as absent
// too. Each kind is one flat folder, since creating
// subfolders takes longer than writing the files.
//
// Open removes unfinished files whose writers have ended. Several goroutines and
// processes may use a Store at once.
type Store struct{ dir string }

// magic is the first line of an object. Its number is raised where the same text has come to describe other numbers, too, because
// arrays are read otherwise: keys, and so the column key of results.csv, stay, and stored numbers are computed again.
// 4: logits of an unusual size, finite fills of masked classes, and confidences of exactly 0 and 1.
const magic = "qats object 4\n"

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Key returns the key of the object that text describes: 64 hexadecimal digits.
func Key(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// Open returns the store in dir. The first Put creates the folder, so that
// looking into an absent store changes nothing.
func Open(dir string) (*Store, error) {
	s, err := OpenToRead(dir)
	if err == nil {
		s.sweep()
	}
	return s, err
}

// OpenToRead is Open for a reader: it removes no unfinished files, and so changes
// nothing.
func OpenToRead(dir string) (*Store, error) {
	s := &Store{dir: dir}
	info, err := os.Stat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("store: %s is not a folder", dir)
	}
	return s, nil
}

// Dir returns the folder of the store.
func (s *Store) Dir() string { return s.dir }

// sweep removes the unfinished files of killed writers.
func (s *Store) sweep() {
	atomicfile.Sweep(s.dir)
	kinds, _ := os.ReadDir(s.dir)
	for _, kind := range kinds {
		if kind.IsDir() {
			atomicfile.Sweep(filepath.Join(s.dir, kind.Name()))
		}
	}
}

// Put stores body under Key(text) and replaces any object there. On an error,
// such as a full disk, it leaves no file.
func (s *Store) Put(kind Kind, text string, body []byte) error {
	key := Key(text)
	path := s.path(kind, key)
	put := func() error {
		f, err := atomicfile.Create(path)
		if err != nil {
			return err
		}
		defer f.Abort()
		if err := encodeObject(f, kind, text, body); err != nil {
			return err
		}
		return f.Commit(false)
	}
	err := put()
	if errors.Is(err, fs.ErrNotExist) {
		if err = os.MkdirAll(filepath.Dir(path), 0o777); err == nil {
			err = put()
		}
	}
	if err != nil {
		return fmt.Errorf("store: %s object %.12s (%d bytes) not written: %w", kind, key, len(body), err)
	}
	return nil
}

// Get returns the body stored under key. If there is no object, or a damaged one,
// the error wraps fs.ErrNotExist. The caller may change the body.
func (s *Store) Get(kind Kind, key string) ([]byte, error) {
	if err := checkKey(key); err != nil {
		return nil, err
	}
	file, err := inputfile.Read(s.path(kind, key))
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	of, text, body, err := decodeObject(file)
	if err == nil && (of != kind || Key(text) != key) {
		err = errors.New("it belongs to another key")
	}
	if err != nil {
		return nil, fmt.Errorf("store: %s object %.12s is damaged (%v): %w", kind, key, err, fs.ErrNotExist)
	}
	return body, nil
}

// Has reports whether the object exists and has the length that its header states. It does
// not read the body, so that planning is quick; only Get notices changed bytes.
func (s *Store) Has(kind Kind, key string) bool {
	has, _ := s.Lookup(kind, key)
	return has
}

// Lookup is Has, with the error where the store itself cannot be read: too many
// open files, no permission.
func (s *Store) Lookup(kind Kind, key string) (bool, error) {
	if err := checkKey(key); err != nil {
		return false, err
	}
	f, info, err := inputfile.Open(s.path(kind, key))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("store: %w", err)
	}
	defer f.Close()
	head := make([]byte, 256) // longer than any header
	n, _ := io.ReadFull(f, head)
	h, err := decodeHeader(head[:n])
	return err == nil && h.kind == kind && h.size() == info.Size(), nil
}

func (s *Store) path(kind Kind, key string) string {
	return filepath.Join(s.dir, string(kind), key)
}

func checkKey(key string) error {
	if len(key) != 2*sha256.Size || strings.Trim(key, "0123456789abcdef") != "" {
		return fmt.Errorf("store: %q is not a key", key)
	}
	return nil
}

// header is the part of an object before its text.
type header struct {
	length     int // of the header itself
	summed     int // offset of the first byte that the checksum covers
	sum        uint32
	kind       Kind
	text, body int64
}

func (h header) size() int64 { return int64(h.length) + h.text + 1 + h.body }

func encodeObject(w io.Writer, kind Kind, text string, body []byte) error {
	head := fmt.Appendf(nil, "%s text %d body %d\n%s\n", kind, len(text), len(body), text)
	sum := crc32.Update(crc32.Checksum(head, castagnoli), castagnoli, body)
	if _, err := w.Write(append(fmt.Appendf(nil, "%scrc32c %08x\n", magic, sum), head...)); err != nil {
		return err
	}
	_, err := w.Write(body)
	return err
}

func decodeHeader(b []byte) (header, error) {
	var h header
	lines := bytes.SplitAfterN(b, []byte("\n"), 4)
	if len(lines) < 4 {
		return h, errors.New("no header")
	}
	h.summed = len(lines[0]) + len(lines[1])
	h.length = h.summed + len(lines[2])
	if string(lines[0]) != magic {
		return h, errors.New("no header")
	}
	if _, err := fmt.Sscanf(string(lines[1]), "crc32c %8x\n", &h.sum); err != nil {
		return h, errors.New("no checksum")
	}
	if _, err := fmt.Sscanf(string(lines[2]), "%s text %d body %d\n", &h.kind, &h.text, &h.body); err != nil || min(h.text, h.body) < 0 || max(h.text, h.body) > 1<<48 {
		return h, errors.New("no lengths")
	}
	return h, nil
}

func decodeObject(b []byte) (kind Kind, text string, body []byte, err error) {
	h, err := decodeHeader(b)
	if err != nil {
		return "", "", nil, err
	}
	if int64(len(b)) != h.size() {
		return "", "", nil, fmt.Errorf("%d bytes, want %d", len(b), h.size())
	}
	if crc32.Checksum(b[h.summed:], castagnoli) != h.sum {
		return "", "", nil, errors.New("wrong checksum")
	}
	rest := b[h.length:]
	return h.kind, string(rest[:h.text]), rest[h.text+1:], nil
}
