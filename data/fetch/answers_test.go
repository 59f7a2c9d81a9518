package fetch

import (
	"context"
	"crypto/md5"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestContentRange: both forms of RFC 9110, and what is neither.
func TestContentRange(t *testing.T) {
	for s, want := range map[string]string{
		"bytes 5-9/10": "5 10", "bytes 0-9/10": "0 10", "bytes 10-9/10": "10 10", "bytes 5-9/*": "5 -1",
		"bytes */10": "0 10", "bytes */0": "0 0",
		"5-9/10": "", "bytes 5-9": "", "": "", "items 5-9/10": "",
		"bytes 0-9/x": "", "bytes 5-9/-3": "", "bytes */x": "",
		"bytes x-9/10": "", "bytes x-9/*": "", "bytes -5-9/10": "", "bytes 11-12/10": "", "bytes 5-9/0": "",
	} {
		from, total, ok := contentRange(s)
		got := fmt.Sprint(from, total)
		if !ok {
			got = ""
		}
		if got != want {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
	}
}

// TestVersionIsAStrongTagOrADate.
func TestVersionIsAStrongTagOrADate(t *testing.T) {
	for _, c := range []struct{ tag, date, want string }{
		{`"1"`, "now", `"1"`}, {`W/"1"`, "now", "now"}, {"", "now", "now"}, {`W/"1"`, "", ""}, {`"1"`, "", `"1"`},
	} {
		h := http.Header{}
		h.Set("ETag", c.tag)
		h.Set("Last-Modified", c.date)
		if got := version(&http.Response{Header: h}); got != c.want {
			t.Errorf("ETag %q, Last-Modified %q: %q, want %q", c.tag, c.date, got, c.want)
		}
	}
}

// TestDigestReplacesTheVersion: bytes of an unnamed version are continued only where a
// digest will tell whether the whole is right.
func TestDigestReplacesTheVersion(t *testing.T) {
	sum := md5.Sum(content)
	for name, c := range map[string]struct {
		f         File
		recorded  bool
		continued bool
	}{
		"sha256":   {File{SHA256: sha(content)}, false, true},
		"md5":      {File{MD5: hex.EncodeToString(sum[:])}, false, true},
		"recorded": {File{}, true, true},
		"nothing":  {File{}, false, false},
	} {
		s := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) { whole(w, r, content, "") })
		dir := t.TempDir()
		write(t, filepath.Join(dir, "a.part"), content[:1000])
		if c.recorded {
			write(t, filepath.Join(dir, RecordName), []byte(sha(content)+"\t300000\ta\tu\n"))
		}
		c.f.Name, c.f.URL = "a", s.URL
		if _, err := get(t, client(), c.f, dir); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got := s.ranges[0] == "bytes=1000-"; got != c.continued || len(s.ranges) != 1 {
			t.Errorf("%s: ranges %q; want to continue: %v", name, s.ranges, c.continued)
		}
	}
}

func write(t *testing.T, path string, b []byte) {
	t.Helper()
	if err := os.WriteFile(path, b, 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestRangeWithoutALengthEndsAtItsTotal: a chunked answer to a range that stops early
// is continued, not taken for the whole.
func TestRangeWithoutALengthEndsAtItsTotal(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request, n int) {
		if n > 1 {
			whole(w, r, content, `"1"`)
			return
		}
		w.Header().Set("Content-Range", fmt.Sprintf("bytes 1000-%d/%d", len(content)-1, len(content)))
		w.WriteHeader(http.StatusPartialContent)
		w.(http.Flusher).Flush()
		w.Write(content[1000:50_000])
	})
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a.part"), content[:1000])
	write(t, filepath.Join(dir, "a.part.version"), []byte(`"1"`))
	r, err := get(t, client(), File{Name: "a", URL: s.URL}, dir)
	if err != nil || r.SHA256 != sha(content) || len(s.ranges) != 2 || s.ranges[1] != "bytes=50000-" {
		t.Errorf("%d bytes, %v, ranges %q", r.Bytes, err, s.ranges)
	}
}

// TestPartThatIsComplete: the answer 416 with the length of the part ends a download,
// but never without a byte.
func TestPartThatIsComplete(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) { whole(w, r, content, `"1"`) })
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a.part"), content)
	write(t, filepath.Join(dir, "a.part.version"), []byte(`"1"`))
	if r, err := get(t, client(), File{Name: "a", URL: s.URL}, dir); err != nil || r.SHA256 != sha(content) || len(s.ranges) != 1 {
		t.Errorf("%+v, %v, ranges %q", r, err, s.ranges)
	}
	none := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) {
		w.Header().Set("Content-Range", "bytes */0")
		w.WriteHeader(http.StatusRequestedRangeNotSatisfiable)
	})
	c := client()
	c.Attempts = 1
	if _, err := get(t, c, File{Name: "a", URL: none.URL}, t.TempDir()); err == nil {
		t.Error("took an answer without a file for an empty file")
	}
}

// TestEmptyAnswerIsFinal where the source says a length.
func TestEmptyAnswerIsFinal(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) { w.Header().Set("Content-Length", "0") })
	_, err := get(t, client(), File{Name: "a", URL: s.URL, Bytes: 5}, t.TempDir())
	if err == nil || !strings.Contains(err.Error(), "the server has 0 bytes; the source says 5") || len(s.ranges) != 1 {
		t.Errorf("%v after %d requests", err, len(s.ranges))
	}
	if r, err := get(t, client(), File{Name: "a", URL: s.URL}, t.TempDir()); err != nil || r.Bytes != 0 {
		t.Errorf("an empty file: %+v, %v", r, err)
	}
}

// TestStallSaysWhyItStopped, before the answer and within it, with HTTP 1 and 2.
func TestStallSaysWhyItStopped(t *testing.T) {
	for name, c := range map[string]struct {
		first int
		http2 bool
	}{"no answer": {0, false}, "half": {1000, false}, "no answer, HTTP 2": {0, true}, "half, HTTP 2": {1000, true}} {
		s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if c.first > 0 {
				w.Header().Set("Content-Length", strconv.Itoa(len(content)))
				w.Write(content[:c.first])
				w.(http.Flusher).Flush()
			}
			<-r.Context().Done()
		}))
		if s.EnableHTTP2 = c.http2; c.http2 {
			s.StartTLS()
		} else {
			s.Start()
		}
		defer s.Close()
		c := &Client{Attempts: 1, Stall: 40 * time.Millisecond, HTTP: s.Client()}
		if _, err := get(t, c, File{Name: "a", URL: s.URL}, t.TempDir()); err == nil || !strings.Contains(err.Error(), "the server sent nothing for 40ms") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestOnlyAMissingFileAsksForAMirror.
func TestOnlyAMissingFileAsksForAMirror(t *testing.T) {
	for status, mirror := range map[int]bool{404: true, 410: true, 403: false, 500: false} {
		err := noFile(&http.Response{StatusCode: status, Status: strconv.Itoa(status)})
		if strings.Contains(err.Error(), "mirror") != mirror {
			t.Errorf("%d: %v", status, err)
		}
	}
}

// TestBytesBeyondTheLengthAreNotWritten.
func TestBytesBeyondTheLengthAreNotWritten(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) {
		w.Write(content[:200])
		w.(http.Flusher).Flush()
	})
	_, err := get(t, client(), File{Name: "a", URL: s.URL, Bytes: 199}, t.TempDir())
	if err == nil || !strings.Contains(err.Error(), "more than the 199 bytes") {
		t.Error(err)
	}
	if _, err := get(t, client(), File{Name: "a", URL: s.URL, Bytes: 200}, t.TempDir()); err != nil {
		t.Error(err)
	}
}

// TestTenRedirectsAreFollowed, and no eleventh.
func TestTenRedirectsAreFollowed(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) {
		if n, _ := strconv.Atoi(r.URL.Path[1:]); n > 0 {
			http.Redirect(w, r, fmt.Sprintf("/%d", n-1), http.StatusFound)
			return
		}
		whole(w, r, content, "")
	})
	if _, err := get(t, client(), File{Name: "a", URL: s.URL + "/10"}, t.TempDir()); err != nil {
		t.Error(err)
	}
	if _, err := get(t, client(), File{Name: "a", URL: s.URL + "/11"}, t.TempDir()); err == nil || !strings.Contains(err.Error(), "more than 10 redirects") {
		t.Error(err)
	}
}

// TestProgressOnlyMovesForward also at the end of a file.
func TestProgressOnlyMovesForward(t *testing.T) {
	from := filepath.Join(t.TempDir(), "a")
	write(t, from, content)
	c, last := client(), int64(0)
	c.Progress = func(_ File, done, total int64) {
		if done <= last || total != int64(len(content)) {
			t.Errorf("%d of %d after %d", done, total, last)
		}
		last = done
	}
	if _, err := get(t, c, File{Name: "a", URL: "file://" + filepath.ToSlash(from)}, t.TempDir()); err != nil || last != int64(len(content)) {
		t.Errorf("%d bytes, %v", last, err)
	}
}

// TestFolderInPlaceOfTheFile is named as one.
func TestFolderInPlaceOfTheFile(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "a"), 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := client().Fetch(context.Background(), []File{{Name: "a", URL: "file:///x"}}, dir); err == nil || !strings.Contains(err.Error(), "is a directory") {
		t.Error(err)
	}
}
