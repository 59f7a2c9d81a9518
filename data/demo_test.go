package data_test

import (
	"bytes"
	"flag"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/bundletest"
)

var update = flag.Bool("update", false, "copy the networks of data/demo from data/bundle")

// demoNetworks are the networks that every copy of the program carries (experiments/trial).
var demoNetworks = []string{"20newsgroups-body/mlp-tfidf-h128", "20newsgroups-body/transformer-d64-l2"}

// TestDemoIsAPartOfTheBundle: data/demo has the arrays of two networks of data/bundle, byte for byte, the lines of its
// manifest that are about them, and no other file.
func TestDemoIsAPartOfTheBundle(t *testing.T) {
	from := bundletest.Folder(t)
	want := map[string][]byte{}
	for _, network := range demoNetworks {
		err := fs.WalkDir(os.DirFS(from), network, func(file string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				want[file], err = os.ReadFile(filepath.Join(from, filepath.FromSlash(file)))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	manifest, err := os.ReadFile(filepath.Join(from, data.ManifestName))
	if err != nil {
		t.Fatal(err)
	}
	want[data.ManifestName] = demoManifest(string(manifest))
	if *update {
		for file, text := range want {
			if err := os.WriteFile(filepath.Join("demo", filepath.FromSlash(file)), text, 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	err = fs.WalkDir(os.DirFS("demo"), ".", func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(filepath.Join("demo", filepath.FromSlash(file)))
		if !bytes.Equal(text, want[file]) {
			t.Errorf("data/demo/%s is not that of data/bundle; run this test with -update", file)
		}
		delete(want, file)
		return err
	})
	if err != nil || len(want) > 0 {
		t.Errorf("data/demo lacks %d files, %v", len(want), err)
	}
}

// demoManifest returns the lines of a manifest that are about the networks of data/demo. Each entry has a line.
func demoManifest(manifest string) []byte {
	var b bytes.Buffer
	section := ""
	for line := range strings.Lines(manifest) {
		name, _, _ := strings.Cut(strings.TrimSpace(strings.TrimPrefix(strings.TrimPrefix(line, "- "), "{set: ")), ":")
		keep := false
		switch {
		case !strings.HasPrefix(line, " ") && !strings.HasPrefix(line, "-"):
			section = name
			keep = section != "sources"
		case section == "labels":
			keep = slices.ContainsFunc(demoNetworks, func(n string) bool { return name == path.Dir(n) || name == path.Base(n) })
		case section == "sets":
			pattern, _, _ := strings.Cut(name, ",")
			keep = slices.ContainsFunc(demoNetworks, func(n string) bool {
				ok, err := path.Match(strings.Trim(pattern, "'"), n)
				return ok && err == nil
			})
		case section == "files":
			keep = slices.ContainsFunc(demoNetworks, func(n string) bool { return strings.HasPrefix(name, n+"/") })
		}
		if keep {
			b.WriteString(line)
		}
	}
	return b.Bytes()
}
