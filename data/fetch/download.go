package fetch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/qats-bench/qats/internal/inputfile"
)

// part is a file that is being downloaded: NAME.part, and NAME.part.version with the
// ETag or date of the version that the bytes are of.
type part struct {
	f        *os.File
	digest   *digester // of the bytes so far
	version  string
	progress func() // is called after each write
}

// Write appends bytes to the part.
func (p *part) Write(b []byte) (int, error) {
	n, err := p.f.Write(b)
	if err != nil {
		return n, permanent{inputfile.Cause(err)}
	}
	p.digest.Write(b)
	p.progress()
	return n, nil
}

// maxBytes is the length of the longest file that is downloaded.
const maxBytes = 1 << 40

// permanent is an error that another attempt would have too.
type permanent struct{ error }

func (e permanent) Unwrap() error { return e.error }

// download fetches a file to path.
func (c *Client) download(ctx context.Context, want expected, path string) (sums, error) {
	u, err := parse(want.URL)
	if err != nil {
		return sums{}, err
	}
	p, err := openPart(ctx, path)
	if err != nil {
		return sums{}, err
	}
	defer p.f.Close()
	if u.Scheme == "file" {
		err = c.copyFile(ctx, u, want, p)
	} else {
		err = c.attempts(ctx, want, p)
	}
	if err != nil {
		return sums{}, fmt.Errorf("%s: %w", want.URL, err)
	}
	got := p.digest.sums()
	if err := want.check(got); err != nil {
		p.remove(path)
		return sums{}, fmt.Errorf("%s: %w; nothing was kept", want.URL, err)
	}
	if err := p.finish(path); err != nil {
		return sums{}, err
	}
	return got, nil
}

// openPart opens the part of a file and reads the bytes that are there.
func openPart(ctx context.Context, path string) (*part, error) {
	info, err := os.Stat(path + ".part") // before opening: reading a pipe would wait for ever
	if err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s.part: not a regular file; remove it", path)
	}
	version, err := inputfile.Read(path + ".part.version")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s.part.version: %w", path, inputfile.Cause(err))
	}
	f, err := os.OpenFile(path+".part", os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, fmt.Errorf("%s.part: %w", path, inputfile.Cause(err))
	}
	if err := lock(f); err != nil {
		f.Close()
		return nil, fmt.Errorf("%s.part: another qats is fetching this file", path)
	}
	p := &part{f: f, digest: newDigester(), version: string(version)}
	if _, err := io.Copy(p.digest, contextReader{ctx, f}); err != nil {
		f.Close()
		return nil, fmt.Errorf("%s.part: %w", path, inputfile.Cause(err))
	}
	return p, nil
}

// begin empties the part, for bytes of a version.
func (p *part) begin(version string) error {
	if err := p.f.Truncate(0); err != nil {
		return permanent{err}
	}
	if _, err := p.f.Seek(0, io.SeekStart); err != nil {
		return permanent{err}
	}
	p.digest, p.version = newDigester(), version
	name := p.f.Name() + ".version"
	if version == "" {
		os.Remove(name)
		return nil
	}
	if err := os.WriteFile(name, []byte(version), 0o666); err != nil {
		return permanent{err}
	}
	return nil
}

func (p *part) remove(path string) {
	os.Remove(path + ".part")
	os.Remove(path + ".part.version")
}

// finish gives the file its name.
func (p *part) finish(path string) error {
	if err := p.f.Sync(); err != nil {
		return err
	}
	if err := os.Rename(path+".part", path); err != nil {
		return err
	}
	os.Remove(path + ".part.version")
	return nil
}

// copyFile copies a file of this machine.
func (c *Client) copyFile(ctx context.Context, u *url.URL, want expected, p *part) error {
	f, info, err := inputfile.Open(filepath.FromSlash(u.Path))
	if err != nil {
		return inputfile.Cause(err)
	}
	defer f.Close()
	if err := p.begin(""); err != nil {
		return err
	}
	return c.receive(contextReader{ctx, f}, want, info.Size(), p)
}

// attempts asks a server for the file until it is complete.
func (c *Client) attempts(ctx context.Context, want expected, p *part) error {
	most, wait := cmp.Or(c.Attempts, 5), cmp.Or(c.Wait, time.Second)
	left, pause, best := most, wait, p.digest.n
	for {
		err := c.request(ctx, want, p)
		if err == nil {
			return nil
		}
		var final permanent
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if errors.As(err, &final) {
			return unwrapURL(err)
		}
		if p.digest.n > best { // more than ever: it is worth going on
			left, pause, best = most, wait, p.digest.n
		}
		if left--; left <= 0 {
			return fmt.Errorf("%w (%d bytes are kept; run the command again to continue)", unwrapURL(err), p.digest.n)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
		pause = min(2*pause, time.Minute)
	}
}

// unwrapURL removes the address from an error of net/http, which would name it
// twice.
func unwrapURL(err error) error {
	var ue *url.Error
	if errors.As(err, &ue) {
		return ue.Err
	}
	return err
}

// request asks a server once for the bytes that are missing.
func (c *Client) request(ctx context.Context, want expected, p *part) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stall := cmp.Or(c.Stall, time.Minute)
	watch := time.AfterFunc(stall, func() { cancel(fmt.Errorf("the server sent nothing for %s", stall)) })
	defer watch.Stop()

	req, err := http.NewRequestWithContext(ctx, http.MethodGet, want.URL, nil)
	if err != nil {
		return permanent{err}
	}
	req.Header.Set("Accept-Encoding", "identity") // lengths and ranges are of the file itself
	have := p.digest.n
	known := want.SHA256 != "" || want.MD5 != "" || want.recorded != ""
	if have > 0 && (p.version != "" || known) {
		req.Header.Set("Range", fmt.Sprintf("bytes=%d-", have))
		if p.version != "" {
			req.Header.Set("If-Range", p.version)
		}
	}
	resp, err := c.client().Do(req)
	if err != nil {
		return because(ctx, err)
	}
	defer resp.Body.Close()
	rest := resp.ContentLength
	switch resp.StatusCode {
	case http.StatusOK:
		if err := p.begin(version(resp)); err != nil {
			return err
		}
		have = 0
	case http.StatusPartialContent:
		from, total, ok := contentRange(resp.Header.Get("Content-Range"))
		if !ok || from != have || have == 0 {
			return errors.Join(p.begin(""), errors.New("the server sent another range than it was asked for"))
		}
		if total >= 0 {
			rest = total - have
		}
	case http.StatusRequestedRangeNotSatisfiable:
		if _, total, ok := contentRange(resp.Header.Get("Content-Range")); ok && total == have && have > 0 {
			return nil // the part is complete; its digest decides
		}
		return errors.Join(p.begin(""), errors.New("the server has another file than before"))
	default:
		return noFile(resp)
	}
	total := int64(-1)
	if rest >= 0 {
		total = have + rest
	}
	return because(ctx, c.receive(watched{resp.Body, watch, stall}, want, total, p))
}

// because returns why ctx was cancelled, in place of an error that only says that it
// was.
func because(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// noFile is the error of an answer without the file.
func noFile(resp *http.Response) error {
	err := fmt.Errorf("the server answers %s", resp.Status)
	switch s := resp.StatusCode; {
	case s == http.StatusRequestTimeout, s == http.StatusTooManyRequests, s >= 500:
		return err
	case s == http.StatusNotFound, s == http.StatusGone:
		err = fmt.Errorf("%w; give the address of a mirror by --url", err)
	}
	return permanent{err}
}

// receive appends the bytes of r to the part. Total is the length of the file, or
// negative if it is not known.
func (c *Client) receive(r io.Reader, want expected, total int64, p *part) error {
	limit := int64(maxBytes)
	if total >= 0 {
		limit = total
		if want.Bytes > 0 && total != want.Bytes {
			return permanent{fmt.Errorf("the server has %d bytes; the source says %d", total, want.Bytes)}
		}
	} else if want.Bytes > 0 {
		limit = want.Bytes
	}
	all := max(total, want.Bytes)
	p.progress = func() {
		if c.Progress != nil {
			c.Progress(want.File, p.digest.n, max(all, 0))
		}
	}
	_, err := io.Copy(p, io.LimitReader(r, limit-p.digest.n+1))
	switch {
	case p.digest.n > limit:
		return errors.Join(p.begin(""), permanent{fmt.Errorf("more than the %d bytes that it should have", limit)})
	case p.digest.n < all && (err == nil || errors.Is(err, io.ErrUnexpectedEOF)):
		return fmt.Errorf("the connection ended after %d of %d bytes", p.digest.n, all)
	}
	return err
}

// watched tells the watch that bytes have come.
type watched struct {
	io.Reader
	watch *time.Timer
	stall time.Duration
}

func (w watched) Read(b []byte) (int, error) {
	n, err := w.Reader.Read(b)
	w.watch.Reset(w.stall)
	return n, err
}

// version returns what names the version of a file that a server has: a strong
// ETag, or else the date of its last change.
func version(resp *http.Response) string {
	if tag := resp.Header.Get("ETag"); tag != "" && !strings.HasPrefix(tag, "W/") {
		return tag
	}
	return resp.Header.Get("Last-Modified")
}

var contentRangeForm = regexp.MustCompile(`^bytes (?:([0-9]+)-[0-9]+|\*)/([0-9]+|\*)$`)

// contentRange reads "bytes 10-99/100" or "bytes */100". Total is negative if the
// server does not know it.
func contentRange(s string) (from, total int64, ok bool) {
	m := contentRangeForm.FindStringSubmatch(s)
	if m == nil {
		return 0, 0, false
	}
	from, err1 := strconv.ParseInt(cmp.Or(m[1], "0"), 10, 64)
	total, err2 := strconv.ParseInt(strings.Replace(m[2], "*", "-1", 1), 10, 64)
	return from, total, err1 == nil && err2 == nil && (total < 0 || from <= total)
}

// client returns the client with the rule on redirects.
func (c *Client) client() *http.Client {
	h := http.Client{}
	if c.HTTP != nil {
		h = *c.HTTP
	}
	h.CheckRedirect = func(req *http.Request, via []*http.Request) error {
		if via[len(via)-1].URL.Scheme == "https" && req.URL.Scheme != "https" {
			return permanent{fmt.Errorf("a redirect from https to %s://%s", req.URL.Scheme, req.URL.Host)}
		}
		if len(via) > 10 {
			return permanent{errors.New("more than 10 redirects")}
		}
		return nil
	}
	return &h
}

// Size returns the length of a file: as the source publishes it, or as the server
// says; 0 if neither does.
func (c *Client) Size(ctx context.Context, f File) (int64, error) {
	if f.Bytes > 0 {
		return f.Bytes, nil
	}
	u, err := parse(f.URL)
	if err != nil {
		return 0, err
	}
	if u.Scheme == "file" {
		info, err := os.Stat(filepath.FromSlash(u.Path))
		if err != nil {
			return 0, fmt.Errorf("%s: %w", f.URL, inputfile.Cause(err))
		}
		return info.Size(), nil
	}
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(c.Stall, time.Minute))
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodHead, f.URL, nil)
	if err != nil {
		return 0, err
	}
	req.Header.Set("Accept-Encoding", "identity")
	resp, err := c.client().Do(req)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", f.URL, unwrapURL(err))
	}
	resp.Body.Close()
	switch resp.StatusCode {
	case http.StatusOK:
	case http.StatusNotFound, http.StatusGone:
		return 0, fmt.Errorf("%s: %w", f.URL, noFile(resp))
	default: // a server that does not answer HEAD may have the file all the same
		return 0, nil
	}
	return max(resp.ContentLength, 0), nil
}
