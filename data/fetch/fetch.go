package fetch

import (
	"context"
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/qats-bench/qats/internal/inputfile"
)

// Client downloads files. Its zero value is ready; it is used by one goroutine.
type Client struct {
	HTTP *http.Client // nil for one with the usual transport

	// Attempts is the number of attempts in a row that may bring no byte; 0 means 5. Wait
	// is the pause before the second attempt, which doubles each time; 0 means one second.
	Attempts int
	Wait     time.Duration

	// Stall is how long a server may send nothing; 0 means one minute.
	Stall time.Duration

	// Progress is called with the bytes that are there so far, and the length of the
	// file or 0. It may be nil.
	Progress func(f File, done, total int64)
}

// Result is one file that is there and right.
type Result struct {
	File
	Path    string
	SHA256  string // of its bytes
	Fetched bool   // it was downloaded now
	First   bool   // its digest was not known before, and is recorded now
}

// Fetch downloads the files to dir, one after the other, except those that are there
// with the right digest. It stops at the first that fails; the files before it stay.
func (c *Client) Fetch(ctx context.Context, files []File, dir string) ([]Result, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	known, err := readRecords(dir)
	if err != nil {
		return nil, err
	}
	var list []Result
	for _, f := range files {
		r, err := c.file(ctx, f, dir, known)
		if err != nil {
			return list, err
		}
		list = append(list, r)
		e := entry{r.SHA256, r.Bytes, f.URL}
		if have, ok := known[f.Name]; !ok || have.sha256 != e.sha256 {
			known[f.Name] = e
			if err := known.write(dir); err != nil {
				return list, err
			}
		}
	}
	return list, nil
}

// expected is what is known of a file before it is there.
type expected struct {
	File
	recorded string // SHA-256 of the first download; empty if the source publishes a digest
}

// file makes sure that one file is there.
func (c *Client) file(ctx context.Context, f File, dir string, known records) (Result, error) {
	if err := checkName(f.Name); err != nil {
		return Result{}, fmt.Errorf("%q: %w", f.Name, err)
	}
	want := expected{File: f}
	if f.SHA256 == "" {
		want.recorded = known[f.Name].sha256
	}
	r := Result{File: f, Path: filepath.Join(dir, f.Name)}
	sums, err := sumFile(ctx, r.Path)
	switch {
	case err == nil:
		if err := want.check(sums); err != nil {
			return Result{}, fmt.Errorf("%s: %w; remove the file to fetch it again", r.Path, err)
		}
	case !errors.Is(err, fs.ErrNotExist):
		return Result{}, fmt.Errorf("%s: %w", r.Path, inputfile.Cause(err))
	default:
		if sums, err = c.download(ctx, want, r.Path); err != nil {
			return Result{}, err
		}
		r.Fetched = true
	}
	r.SHA256, r.Bytes = sums.sha256, sums.bytes
	r.First = f.SHA256 == "" && want.recorded == ""
	return r, nil
}

// check compares digests and length with what is known.
func (e expected) check(s sums) error {
	switch {
	case e.Bytes > 0 && s.bytes != e.Bytes:
		return fmt.Errorf("%d bytes; the source says %d", s.bytes, e.Bytes)
	case e.SHA256 != "" && s.sha256 != e.SHA256:
		return fmt.Errorf("wrong digest: sha256 %s; the source says %s", s.sha256, e.SHA256)
	case e.MD5 != "" && s.md5 != e.MD5:
		return fmt.Errorf("wrong digest: md5 %s; the source says %s", s.md5, e.MD5)
	case e.recorded != "" && s.sha256 != e.recorded:
		return fmt.Errorf("wrong digest: sha256 %s; at the first download it was %s (%s)", s.sha256, e.recorded, RecordName)
	}
	return nil
}

// sums are the length and the digests of a file.
type sums struct {
	bytes       int64
	sha256, md5 string
}

// digester computes sums of the bytes written to it.
type digester struct {
	n   int64
	sha hash.Hash
	md5 hash.Hash
}

func newDigester() *digester { return &digester{sha: sha256.New(), md5: md5.New()} }

func (d *digester) Write(b []byte) (int, error) {
	d.n += int64(len(b))
	d.sha.Write(b) // documented never to fail
	d.md5.Write(b)
	return len(b), nil
}

func (d *digester) sums() sums {
	return sums{d.n, hex.EncodeToString(d.sha.Sum(nil)), hex.EncodeToString(d.md5.Sum(nil))}
}

// sumFile returns the sums of a file.
func sumFile(ctx context.Context, path string) (sums, error) {
	f, _, err := inputfile.Open(path)
	if err != nil {
		return sums{}, err
	}
	defer f.Close()
	d := newDigester()
	if _, err := io.Copy(d, contextReader{ctx, f}); err != nil {
		return sums{}, err
	}
	return d.sums(), nil
}

// contextReader stops when ctx is done.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (r contextReader) Read(b []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.r.Read(b)
}
