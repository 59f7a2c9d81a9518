package fetch

import (
	"bytes"
	"context"
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// content is the file that the test servers have.
var content = func() []byte {
	b := make([]byte, 300_000)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}()

func sha(b []byte) string { s := sha256.Sum256(b); return hex.EncodeToString(s[:]) }

// server serves content under every path, by the handler, and remembers the header
// Range of each request.
type server struct {
	*httptest.Server
	mu     sync.Mutex
	ranges []string
}

func serve(t *testing.T, handler func(w http.ResponseWriter, r *http.Request, attempt int)) *server {
	s := &server{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		if r.Method == http.MethodGet {
			s.ranges = append(s.ranges, r.Header.Get("Range"))
		}
		n := len(s.ranges)
		s.mu.Unlock()
		handler(w, r, n)
	}))
	t.Cleanup(s.Close)
	return s
}

// whole serves b as net/http does: with Range and If-Range.
func whole(w http.ResponseWriter, r *http.Request, b []byte, tag string) {
	if tag != "" {
		w.Header().Set("ETag", tag)
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(b))
}

// cut serves at most n bytes of what whole would, and breaks the connection.
func cut(w http.ResponseWriter, r *http.Request, b []byte, tag string, n int) {
	whole(&cutter{ResponseWriter: w, left: n}, r, b, tag)
}

type cutter struct {
	http.ResponseWriter
	left int
}

func (c *cutter) Write(b []byte) (int, error) {
	if len(b) > c.left {
		c.ResponseWriter.Write(b[:c.left])
		c.ResponseWriter.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}
	c.left -= len(b)
	return c.ResponseWriter.Write(b)
}

func client() *Client { return &Client{Wait: time.Millisecond, Stall: 5 * time.Second} }

func get(t *testing.T, c *Client, f File, dir string) (Result, error) {
	t.Helper()
	list, err := c.Fetch(context.Background(), []File{f}, dir)
	if err != nil {
		if strings.Contains(err.Error(), "\n") {
			t.Errorf("error of two lines: %q", err)
		}
		return Result{}, err
	}
	b, err := os.ReadFile(list[0].Path)
	if err != nil || sha(b) != list[0].SHA256 || int64(len(b)) != list[0].Bytes {
		t.Errorf("the file is not what was reported: %v", err)
	}
	return list[0], nil
}

// left returns the names of the files in dir.
func left(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}

// TestFetchOnce: the file is there, its digest is recorded, and it is not fetched
// again.
func TestFetchOnce(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) { whole(w, r, content, `"1"`) })
	dir := filepath.Join(t.TempDir(), "new", "folder")
	f := File{Name: "a.bin", URL: s.URL + "/x/a.bin?download=1"}
	var last int64
	c := client()
	c.Progress = func(_ File, done, total int64) {
		if done <= last || total != int64(len(content)) {
			t.Errorf("progress %d of %d after %d", done, total, last)
		}
		last = done
	}
	r, err := get(t, c, f, dir)
	if err != nil || !r.Fetched || !r.First || r.SHA256 != sha(content) || last != int64(len(content)) {
		t.Fatalf("%+v, %v, progress %d", r, err, last)
	}
	if r, err = get(t, c, f, dir); err != nil || r.Fetched || r.First {
		t.Errorf("again: %+v, %v", r, err)
	}
	if len(s.ranges) != 1 || left(t, dir) != "a.bin fetched.tsv" {
		t.Errorf("%d requests; files %s", len(s.ranges), left(t, dir))
	}
	want := fmt.Sprintf("%s\t%d\ta.bin\t%s\n", sha(content), len(content), f.URL)
	if b, _ := os.ReadFile(filepath.Join(dir, RecordName)); string(b) != want {
		t.Errorf("record %q, want %q", b, want)
	}
}

// TestCutConnectionsAreContinued from the byte where they broke.
func TestCutConnectionsAreContinued(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) { cut(w, r, content, `"1"`, 40_000) })
	r, err := get(t, client(), File{Name: "a", URL: s.URL, Bytes: int64(len(content)), SHA256: sha(content)}, t.TempDir())
	if err != nil || r.First {
		t.Fatalf("%+v, %v", r, err)
	}
	if n := len(s.ranges); n < 8 || n > 12 {
		t.Errorf("%d requests: %v", n, s.ranges)
	}
	for i, header := range s.ranges[1:] {
		from, err := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(header, "bytes="), "-"))
		if err != nil || from <= 0 || from > 40_000*(i+1) {
			t.Errorf("request %d: Range %q", i+1, header)
		}
	}
}

// TestNextCallContinues: what an interrupted call left is used by the next one.
func TestNextCallContinues(t *testing.T) {
	broken := true
	s := serve(t, func(w http.ResponseWriter, r *http.Request, n int) {
		if broken && n > 1 {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		if broken {
			cut(w, r, content, `"1"`, 100_000)
			return
		}
		whole(w, r, content, `"1"`)
	})
	dir := t.TempDir()
	f := File{Name: "a", URL: s.URL}
	if _, err := get(t, client(), f, dir); err == nil || !strings.Contains(err.Error(), "503") || !strings.Contains(err.Error(), "run the command again") {
		t.Fatalf("%v", err)
	}
	if left(t, dir) != "a.part a.part.version" {
		t.Errorf("files %s", left(t, dir))
	}
	info, err := os.Stat(filepath.Join(dir, "a.part"))
	if err != nil || info.Size() == 0 {
		t.Fatal(err)
	}
	broken = false
	if _, err := get(t, client(), f, dir); err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("bytes=%d-", info.Size()); s.ranges[len(s.ranges)-1] != want {
		t.Errorf("Range %q, want %q", s.ranges[len(s.ranges)-1], want)
	}
	if left(t, dir) != "a fetched.tsv" {
		t.Errorf("files %s", left(t, dir))
	}
}

// TestServersThatCannotContinue: without ranges, with another version, or with
// another range than was asked for, the file begins anew and is right.
func TestServersThatCannotContinue(t *testing.T) {
	other := bytes.Repeat([]byte("other"), 60_000)
	for name, handler := range map[string]func(w http.ResponseWriter, r *http.Request, attempt int){
		"no ranges": func(w http.ResponseWriter, r *http.Request, n int) {
			r.Header.Del("Range")
			if n < 3 {
				cut(w, r, content, "", 100_000*n)
				return
			}
			whole(w, r, content, "")
		},
		"no version": func(w http.ResponseWriter, r *http.Request, n int) {
			if n == 1 {
				cut(w, r, other, "", 100_000)
				return
			}
			whole(w, r, content, "")
		},
		"weak version": func(w http.ResponseWriter, r *http.Request, n int) {
			if n == 1 {
				cut(w, r, other, `W/"1"`, 100_000)
				return
			}
			whole(w, r, content, `W/"1"`)
		},
		"new version": func(w http.ResponseWriter, r *http.Request, n int) {
			if n == 1 {
				cut(w, r, other, `"1"`, 100_000)
				return
			}
			whole(w, r, content, `"2"`)
		},
		"another range": func(w http.ResponseWriter, r *http.Request, n int) {
			switch n {
			case 1:
				cut(w, r, content, `"1"`, 100_000)
			case 2:
				w.Header().Set("Content-Range", fmt.Sprintf("bytes 5-%d/%d", len(content)-1, len(content)))
				w.WriteHeader(http.StatusPartialContent)
				w.Write(content[5:])
			default:
				whole(w, r, content, `"1"`)
			}
		},
		"shorter file than the part": func(w http.ResponseWriter, r *http.Request, n int) {
			if n == 1 {
				cut(w, r, append(bytes.Clone(content), content...), `"1"`, len(content)+10)
				return
			}
			r.Header.Del("If-Range")
			whole(w, r, content, `"2"`)
		},
	} {
		s := serve(t, handler)
		if r, err := get(t, client(), File{Name: "a", URL: s.URL}, t.TempDir()); err != nil || r.SHA256 != sha(content) {
			t.Errorf("%s: %v, %v (%v)", name, r.SHA256 == sha(content), err, s.ranges)
		}
	}
}

// TestWrongFilesAreNotKept: digests and lengths that are not those of the source, or
// of the first download.
func TestWrongFilesAreNotKept(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) { whole(w, r, content, `"1"`) })
	wrong := sha([]byte("x"))
	sum := md5.Sum([]byte("x"))
	for _, c := range []struct {
		f    File
		want string
	}{
		{File{SHA256: wrong}, "wrong digest: sha256 " + sha(content) + "; the source says " + wrong},
		{File{MD5: hex.EncodeToString(sum[:])}, "wrong digest: md5"},
		{File{Bytes: 5}, "the server has 300000 bytes; the source says 5"},
		{File{Bytes: 400_000}, "the server has 300000 bytes; the source says 400000"},
	} {
		dir := t.TempDir()
		c.f.Name, c.f.URL = "a", s.URL
		if _, err := get(t, client(), c.f, dir); err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), s.URL) {
			t.Errorf("%+v: %v; want %q", c.f, err, c.want)
		}
		if strings.Contains(left(t, dir), "a ") || left(t, dir) == "a" {
			t.Errorf("%+v: kept %s", c.f, left(t, dir))
		}
	}
}

// TestFileThatChanges: the digest of the first download is asked of later ones, and
// of the file on disk.
func TestFileThatChanges(t *testing.T) {
	b := content
	s := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) { whole(w, r, b, "") })
	dir := t.TempDir()
	f := File{Name: "a", URL: s.URL}
	if _, err := get(t, client(), f, dir); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "a")
	if err := os.WriteFile(path, content[1:], 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := get(t, client(), f, dir); err == nil || !strings.Contains(err.Error(), "at the first download it was") || !strings.Contains(err.Error(), "remove the file") {
		t.Errorf("a changed file on disk: %v", err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	b = content[2:]
	if _, err := get(t, client(), f, dir); err == nil || !strings.Contains(err.Error(), "at the first download it was") {
		t.Errorf("a changed file on the server: %v", err)
	}
	b = content
	if r, err := get(t, client(), f, dir); err != nil || r.First {
		t.Errorf("the first file again: %+v, %v", r, err)
	}
}

// TestBodiesOfUnknownLength: a stream without a length is read to its end, but not
// beyond what the source says.
func TestBodiesOfUnknownLength(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) {
		for i := 0; i < len(content); i += 50_000 {
			w.Write(content[i : i+50_000])
			w.(http.Flusher).Flush()
		}
	})
	if _, err := get(t, client(), File{Name: "a", URL: s.URL}, t.TempDir()); err != nil {
		t.Error(err)
	}
	if _, err := get(t, client(), File{Name: "a", URL: s.URL, Bytes: 100}, t.TempDir()); err == nil || !strings.Contains(err.Error(), "more than the 100 bytes") {
		t.Errorf("too long: %v", err)
	}
	if _, err := get(t, client(), File{Name: "a", URL: s.URL, Bytes: 300_001}, t.TempDir()); err == nil || !strings.Contains(err.Error(), "ended after 300000 of 300001 bytes") {
		t.Errorf("too short: %v", err)
	}
}

// TestRedirectsAreFollowed, but not from https to http, and not for ever.
func TestRedirectsAreFollowed(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) {
		switch r.URL.Path {
		case "/a":
			http.Redirect(w, r, "/b", http.StatusFound)
		case "/b":
			http.Redirect(w, r, "/c?signed=1", http.StatusTemporaryRedirect)
		case "/loop":
			http.Redirect(w, r, "/loop", http.StatusFound)
		case "/file":
			http.Redirect(w, r, "file:///etc/passwd", http.StatusFound)
		default:
			whole(w, r, content, `"1"`)
		}
	})
	if r, err := get(t, client(), File{Name: "a", URL: s.URL + "/a"}, t.TempDir()); err != nil || r.URL != s.URL+"/a" {
		t.Errorf("%+v, %v", r, err)
	}
	if _, err := get(t, client(), File{Name: "a", URL: s.URL + "/loop"}, t.TempDir()); err == nil || !strings.Contains(err.Error(), "redirects") {
		t.Errorf("loop: %v", err)
	}
	c := client()
	c.Attempts = 1
	if _, err := get(t, c, File{Name: "a", URL: s.URL + "/file"}, t.TempDir()); err == nil {
		t.Error("followed a redirect to a file")
	}
	secure := httptest.NewTLSServer(http.RedirectHandler(s.URL+"/x", http.StatusFound))
	defer secure.Close()
	c.HTTP = secure.Client()
	if _, err := get(t, c, File{Name: "a", URL: secure.URL}, t.TempDir()); err == nil || !strings.Contains(err.Error(), "from https to http") {
		t.Errorf("downgrade: %v", err)
	}
}

// TestAnswersWithoutTheFile: what is final is not asked for again.
func TestAnswersWithoutTheFile(t *testing.T) {
	for status, tries := range map[int]int{404: 1, 403: 1, 410: 1, 204: 1, 429: 5, 500: 5, 503: 5} {
		s := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) {
			w.WriteHeader(status)
			if status != 204 {
				w.Write([]byte("<html>no</html>"))
			}
		})
		dir := t.TempDir()
		_, err := get(t, client(), File{Name: "a", URL: s.URL + "/a.npz"}, dir)
		if err == nil || !strings.Contains(err.Error(), strconv.Itoa(status)) || !strings.Contains(err.Error(), "/a.npz") {
			t.Errorf("%d: %v", status, err)
		}
		if status == 404 && !strings.Contains(err.Error(), "mirror") {
			t.Errorf("404: %v", err)
		}
		if len(s.ranges) != tries {
			t.Errorf("%d: %d requests, want %d", status, len(s.ranges), tries)
		}
		if strings.Contains(left(t, dir), "a ") {
			t.Errorf("%d: kept %s", status, left(t, dir))
		}
	}
}

// TestServerThatStalls counts as a broken connection.
func TestServerThatStalls(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request, n int) {
		if n == 1 {
			w.Header().Set("ETag", `"1"`)
			w.Header().Set("Content-Length", strconv.Itoa(len(content)))
			w.Write(content[:1000])
			w.(http.Flusher).Flush()
			<-r.Context().Done()
			return
		}
		whole(w, r, content, `"1"`)
	})
	c := client()
	c.Stall = 100 * time.Millisecond
	if _, err := get(t, c, File{Name: "a", URL: s.URL}, t.TempDir()); err != nil {
		t.Fatal(err)
	}
	if len(s.ranges) != 2 || s.ranges[1] != "bytes=1000-" {
		t.Errorf("ranges %q", s.ranges)
	}
}

// TestCancelledFetchKeepsItsPart.
func TestCancelledFetchKeepsItsPart(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	s := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) {
		w.Header().Set("ETag", `"1"`)
		w.Header().Set("Content-Length", strconv.Itoa(len(content)))
		w.Write(content[:1000])
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	c := client()
	c.Progress = func(File, int64, int64) { cancel() }
	dir := t.TempDir()
	_, err := c.Fetch(ctx, []File{{Name: "a", URL: s.URL}}, dir)
	if err == nil || !strings.Contains(err.Error(), "canceled") {
		t.Errorf("%v", err)
	}
	if b, _ := os.ReadFile(filepath.Join(dir, "a.part")); !bytes.Equal(b, content[:1000]) {
		t.Errorf("%d bytes are kept", len(b))
	}
}

// TestFilesOfThisMachine by file:// addresses.
func TestFilesOfThisMachine(t *testing.T) {
	from := t.TempDir()
	if err := os.WriteFile(filepath.Join(from, "a b.p"), content, 0o666); err != nil {
		t.Fatal(err)
	}
	src, err := Lookup("file://" + from + "/a%20b.p")
	if err != nil || src.Files[0].Name != "a b.p" {
		t.Fatalf("%+v, %v", src, err)
	}
	if n, err := client().Size(context.Background(), src.Files[0]); err != nil || n != int64(len(content)) {
		t.Errorf("size %d, %v", n, err)
	}
	dir := t.TempDir()
	if r, err := get(t, client(), src.Files[0], dir); err != nil || r.SHA256 != sha(content) {
		t.Errorf("%+v, %v", r, err)
	}
	if _, err := get(t, client(), File{Name: "b", URL: "file://" + from + "/b"}, dir); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("missing: %v", err)
	}
	if _, err := get(t, client(), File{Name: "c", URL: "file://" + from}, dir); err == nil || !strings.Contains(err.Error(), "is a directory") {
		t.Errorf("folder: %v", err)
	}
	mirror, err := Source{Name: "x", Files: []File{{Name: "a b.p", URL: "https://example.com/a", SHA256: sha(content)}}}.At("file://" + from + "/")
	if err != nil {
		t.Fatal(err)
	}
	if r, err := get(t, client(), mirror.Files[0], t.TempDir()); err != nil || r.First {
		t.Errorf("mirror: %+v, %v", r, err)
	}
}

// TestSize asks the server where the source does not say.
func TestSize(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) {
		if r.URL.Path == "/none" {
			w.WriteHeader(404)
			return
		}
		whole(w, r, content, "")
	})
	for _, c := range []struct {
		f    File
		n    int64
		fail bool
	}{{File{URL: s.URL}, 300_000, false}, {File{URL: s.URL + "/none", Bytes: 7}, 7, false}, {File{URL: s.URL + "/none"}, 0, true}} {
		if n, err := client().Size(context.Background(), c.f); n != c.n || (err != nil) != c.fail {
			t.Errorf("%s: %d, %v", c.f.URL, n, err)
		}
	}
}

// TestSources: addresses are well formed, digests are digests, names are plain.
func TestSources(t *testing.T) {
	for _, s := range Sources() {
		if s.Licence == "" || s.Page == "" || s.Format == "" || s.Into == "" {
			t.Errorf("%s: %+v", s.Name, s)
		}
		seen := map[string]bool{}
		for _, f := range s.Files {
			u, err := parse(f.URL)
			if err != nil || u.Scheme != "https" || checkName(f.Name) != nil || seen[f.Name] || !strings.Contains(u.Path, f.Name) {
				t.Errorf("%s: %+v: %v", s.Name, f, err)
			}
			if f.SHA256 != "" && !isDigest(f.SHA256, 64) || f.MD5 != "" && !isDigest(f.MD5, 32) {
				t.Errorf("%s: %s: digest", s.Name, f.Name)
			}
			seen[f.Name] = true
		}
	}
	s, _ := Lookup("nncal")
	total := int64(0)
	for _, f := range s.Files {
		total += f.Bytes
	}
	if len(s.Files) != 11 || total != 35_686_379 {
		t.Errorf("nncal: %d files, %d bytes", len(s.Files), total)
	}
}

func TestChoose(t *testing.T) {
	for _, c := range []struct{ source, patterns, want string }{
		{"nncal", "*_c10_*", "5"},
		{"nncal", "probs_lenet5_c10_logits.p", "1"},
		{"medmnist", "", "11"},
		{"medmnist", "organ*", "4"},
		{"calarena", "", "1"},
		{"calarena", "cv-multiclass imagenet*", "2"},
		{"calarena", "nothing", `no file of calarena matches "nothing"`},
		{"calarena", "[", "pattern"},
		{"medmnist", "predictions", "1"},
	} {
		s, err := Lookup(c.source)
		if err != nil {
			t.Fatal(err)
		}
		got, err := s.Choose(strings.Fields(c.patterns))
		text := strconv.Itoa(len(got.Files))
		if err != nil {
			text = err.Error()
		}
		if text != c.want && (err == nil || !strings.Contains(text, c.want)) {
			t.Errorf("%s %s: %s, want %s", c.source, c.patterns, text, c.want)
		}
	}
	for _, name := range []string{"nccal", "ftp://example.com/a", "https:///a", "https://example.com/", "https://u:p@example.com/a", "file://host/a", "https://example.com/..", "https://example.com/.a"} {
		if _, err := Lookup(name); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestDamagedRecordIsRejected with its line.
func TestDamagedRecordIsRejected(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, RecordName), []byte("abc\t1\ta\tu\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := client().Fetch(context.Background(), nil, dir); err == nil || !strings.Contains(err.Error(), RecordName+":1") {
		t.Errorf("%v", err)
	}
}

// TestTwoFetchesOfOneFile: the second one says so, and breaks nothing.
func TestTwoFetchesOfOneFile(t *testing.T) {
	dir := t.TempDir()
	p, err := openPart(context.Background(), filepath.Join(dir, "a"))
	if err != nil {
		t.Fatal(err)
	}
	defer p.f.Close()
	if _, err := openPart(context.Background(), filepath.Join(dir, "a")); err == nil || !strings.Contains(err.Error(), "another qats") {
		t.Skipf("no locks here: %v", err)
	}
}
