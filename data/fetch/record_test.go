package fetch

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAllFilesAreFetchedAndRecorded in one call, and a mirror does not change the
// record of a file that is the same.
func TestAllFilesAreFetchedAndRecorded(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) { whole(w, r, []byte(r.URL.Path[:2]), "") })
	dir := t.TempDir()
	files := []File{{Name: "b", URL: s.URL + "/b"}, {Name: "a", URL: s.URL + "/a"}}
	want := fmt.Sprintf("%s\t2\ta\t%s\n%s\t2\tb\t%s\n", sha([]byte("/a")), files[1].URL, sha([]byte("/b")), files[0].URL)
	for range 2 {
		list, err := client().Fetch(context.Background(), files, dir)
		if err != nil || len(list) != 2 || list[0].Name != "b" || list[1].Name != "a" {
			t.Fatalf("%+v, %v", list, err)
		}
		if b, _ := os.ReadFile(filepath.Join(dir, RecordName)); string(b) != want {
			t.Errorf("record\n%s, want\n%s", b, want)
		}
		files[0].URL, files[1].URL = files[0].URL+"mirror", files[1].URL+"mirror"
	}
}

// TestPublishedDigestCorrectsTheRecord.
func TestPublishedDigestCorrectsTheRecord(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) { whole(w, r, content, "") })
	dir := t.TempDir()
	write(t, filepath.Join(dir, RecordName), []byte(sha([]byte("x"))+"\t1\ta\tu\n"))
	if _, err := get(t, client(), File{Name: "a", URL: s.URL, SHA256: sha(content)}, dir); err != nil {
		t.Fatal(err)
	}
	r, err := readRecords(dir)
	if want := (entry{sha(content), int64(len(content)), s.URL}); err != nil || r["a"] != want {
		t.Errorf("%+v, %v; want %+v", r, err, want)
	}
}

// TestRecordNamesTheDamagedLine.
func TestRecordNamesTheDamagedLine(t *testing.T) {
	digest := sha(nil)
	for line, want := range map[string]string{
		digest + "\tx\ta\tu":  `:2: "x" is no number of bytes`,
		digest + "\t-1\ta\tu": `:2: "-1" is no number of bytes`,
		digest + "\t1\t\tu":   ":2: want SHA-256",
		digest + "\t1\ta":     ":2: want SHA-256",
		"x\t1\ta\tu":          ":2: want SHA-256",
	} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, RecordName), []byte(digest+"\t0\tempty\tu\n"+line+"\n"))
		if _, err := readRecords(dir); err == nil || !strings.Contains(err.Error(), RecordName+want) {
			t.Errorf("%q: %v; want %s", line, err, want)
		}
	}
}

// TestNamesOfFiles: only plain names are written.
func TestNamesOfFiles(t *testing.T) {
	for name, ok := range map[string]bool{"a": true, "a b.p": true, "": false, ".": false, "..": false, "/": false, ".a": false,
		"a/b": false, `a\b`: false, "a\x00": false, "a\n": false, "a\tb": false} {
		if err := checkName(name); (err == nil) != ok {
			t.Errorf("%q: %v", name, err)
		}
	}
}
