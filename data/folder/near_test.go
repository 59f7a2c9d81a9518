package folder

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/data"
)

// Files that are named one by one have the kind and the ignored labels of the manifest of their folder, or of
// the nearest folder above, under the names that qats init and the folders give their sets. What the files
// state themselves stays.
func TestFilesTakeWhatAManifestAboveStates(t *testing.T) {
	for _, c := range []struct {
		name   string
		files  map[string]string
		logits string
		labels string
		stated data.Files
		kind   data.Kind
		ignore string
		from   []string // manifests that something is taken from
	}{
		{name: "above the folders of a set", files: map[string]string{"manifest.yaml": "sets: [{set: d/n, kind: probs, ignore: 7}]"},
			logits: "d/n/cal/logits.npy", labels: "d/n/cal/labels.npy", kind: data.KindProbs, ignore: "7", from: []string{"manifest.yaml"}},
		{name: "of another set", files: map[string]string{"manifest.yaml": "sets: [{set: d/other, kind: probs, ignore: 7}]"}, logits: "d/n/cal/logits.npy", labels: "d/n/cal/labels.npy"},
		{name: "of one split, under another name", files: map[string]string{"manifest.yaml": "sets: [{set: d/n/cal, kind: probs}, {set: d/n/test, kind: log-probs}]"},
			logits: "d/n/val/logits.npy", kind: data.KindProbs, from: []string{"manifest.yaml"}},
		{name: "by the data set that init gives", files: map[string]string{"top/manifest.yaml": "sets: [{set: top/n, kind: probs}]"}, logits: "top/n/test/logits.npy", kind: data.KindProbs, from: []string{"top/manifest.yaml"}},
		{name: "by the network that init gives", files: map[string]string{"top/manifest.yaml": "sets: [{set: top/network, kind: probs}]"}, logits: "top/scores.npy", kind: data.KindProbs, from: []string{"top/manifest.yaml"}},
		{name: "members of a file of a network", files: map[string]string{"manifest.yaml": "sets: [{set: d/n/cal, kind: probs}]"}, logits: "d/n.npz#val_logits", kind: data.KindProbs, from: []string{"manifest.yaml"}},
		{name: "a packed table", files: map[string]string{"manifest.yaml": "sets: [{set: rows, ignore: [8, 9]}]"}, logits: "rows.csv.gz#probs", labels: "rows.csv.gz#labels", ignore: "8,9", from: []string{"manifest.yaml"}},
		{name: "corrupted images", files: map[string]string{"manifest.yaml": "sets: [{set: d/n/fog/3, kind: log-probs}]"}, logits: "d/n/fog/3/logits.npy", kind: data.KindLogProbs, from: []string{"manifest.yaml"}},
		{name: "logits, as always", files: map[string]string{"manifest.yaml": "sets: [{set: d, kind: logits}]"}, logits: "d/n/cal/logits.npy", kind: data.KindLogits},
		{name: "the flag wins", files: map[string]string{"manifest.yaml": "sets: [{set: d, kind: probs, ignore: 7}]"}, logits: "d/n/cal/logits.npy", labels: "d/n/cal/labels.npy",
			stated: data.Files{Kind: data.KindLogProbs}, kind: data.KindLogProbs, ignore: "7", from: []string{"manifest.yaml"}},
		{name: "both flags win", files: map[string]string{"manifest.yaml": "sets: [{set: d, kind: probs, ignore: 7}]"}, logits: "d/n/cal/logits.npy", labels: "d/n/cal/labels.npy",
			stated: data.Files{Kind: data.KindLogProbs, Ignore: data.Ignore{3}}, kind: data.KindLogProbs, ignore: "3"},
		{name: "four levels up", files: map[string]string{"manifest.yaml": "sets: [{set: a, kind: probs}]"}, logits: "a/b/c/d/logits.npy", kind: data.KindProbs, from: []string{"manifest.yaml"}},
		{name: "five levels up", files: map[string]string{"manifest.yaml": "sets: [{set: a, kind: probs}]"}, logits: "a/b/c/d/e/logits.npy"},
		{name: "four above the folder of a split's folder", files: map[string]string{"manifest.yaml": "sets: [{set: a, kind: probs}]"}, logits: "a/b/c/d/cal/logits.npy", kind: data.KindProbs, from: []string{"manifest.yaml"}},
		{name: "below .git", files: map[string]string{"manifest.yaml": "sets: [{set: a, kind: probs}]", "a/.git": ""}, logits: "a/b/logits.npy"},
		{name: "of Kubernetes", files: map[string]string{"manifest.yaml": "sets: [{set: a, kind: probs}]", "a/manifest.yaml": "apiVersion: v1\nkind: Pod\n"}, logits: "a/b/logits.npy", kind: data.KindProbs, from: []string{"manifest.yaml"}},
		{name: "the nearest", files: map[string]string{"manifest.yaml": "sets: [{set: a, kind: probs}]", "a/manifest.yaml": "sets: [{set: b, ignore: 5}]"}, logits: "a/b/logits.npy", labels: "a/b/y.npy", ignore: "5", from: []string{"a/manifest.yaml"}},
		{name: "logits and labels of two folders", files: map[string]string{"p/manifest.yaml": "sets: [{set: \"*\", kind: probs}]", "y/manifest.yaml": "sets: [{set: \"*\", ignore: 5}]"},
			logits: "p/logits.npy", labels: "y/labels.npy", kind: data.KindProbs, ignore: "5", from: []string{"p/manifest.yaml", "y/manifest.yaml"}},
		{name: "a stream", files: map[string]string{"manifest.yaml": "sets: [{set: \"*\", kind: probs}]"}, logits: "-#logits"},
	} {
		top := t.TempDir()
		for name, text := range c.files {
			path := filepath.Join(top, filepath.FromSlash(name))
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(text), 0o666)); err != nil {
				t.Fatal(err)
			}
		}
		files := c.stated
		for _, x := range []struct {
			to   *string
			name string
		}{{&files.Logits, c.logits}, {&files.Labels, c.labels}} {
			if *x.to = x.name; x.name != "" && !strings.HasPrefix(x.name, "-#") {
				*x.to = filepath.Join(top, filepath.FromSlash(x.name))
			}
		}
		got, took, err := WithManifest(files)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		var from []string
		for _, f := range took {
			name, _ := filepath.Rel(top, f.File)
			from = append(from, filepath.ToSlash(name))
		}
		if got.Kind != c.kind || got.Ignore.String() != c.ignore || !slices.Equal(from, c.from) {
			t.Errorf("%s: kind %q, ignore %q, taken from %q; want %q, %q, %q", c.name, got.Kind, got.Ignore, from, c.kind, c.ignore, c.from)
		}
	}
}

// A manifest above that cannot be read is an error with its line, as it is for a folder.
func TestAManifestAboveWithAMistake(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, data.ManifestName), []byte("sets:\n  - {set: a, kind: percent}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	_, _, err := WithManifest(data.Files{Logits: filepath.Join(dir, "logits.npy")})
	if err == nil || !strings.Contains(err.Error(), data.ManifestName+":2:20: ") {
		t.Errorf("%v, want a line of %s", err, data.ManifestName)
	}
}
