package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// npy is a file with the given header dictionary and body.
func npyOf(dict string, body ...byte) []byte {
	for (10+len(dict)+1)%64 != 0 {
		dict += " "
	}
	dict += "\n"
	file := append([]byte("\x93NUMPY\x01\x00"), byte(len(dict)), byte(len(dict)>>8))
	return append(append(file, dict...), body...)
}

func dict(descr, shape string) string {
	return fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }", descr, shape)
}

// floats of 2 rows and 2 classes: little-endian float32.
var (
	one, two = []byte{0, 0, 0x80, 0x3f}, []byte{0, 0, 0, 0x40}
	oneHalf  = []byte{0, 0, 0, 0x3f}
	notANum  = []byte{0, 0, 0xc0, 0x7f}
	infinite = []byte{0, 0, 0x80, 0x7f}
	minusInf = []byte{0, 0, 0x80, 0xff}
)

func cat(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

// badInputs are the files of testdata/bad. "logits-..." is scored with good labels,
// "labels-..." with good logits, "spec-..." is run, "model-..." is applied.
// TestBadInputIsOneLine -update writes them, and their errors to
// testdata/bad.golden.
func badInputs() map[string][]byte {
	f4, i1 := dict("<f4", "(2, 2)"), dict("|i1", "(2,)")
	good := cat(one, two, two, one)
	return map[string][]byte{
		"logits-empty.npy":              {},
		"logits-text.npy":               []byte("0.1, 0.9\n"),
		"logits-nan.npy":                npyOf(f4, cat(one, two, notANum, one)...),
		"logits-infinite.npy":           npyOf(f4, cat(one, infinite, two, one)...),
		"logits-all-masked.npy":         npyOf(f4, cat(one, two, minusInf, minusInf)...),
		"logits-label-masked.npy":       npyOf(f4, cat(one, two, two, minusInf)...),
		"logits-truncated.npy":          npyOf(f4, good[:13]...),
		"logits-too-long.npy":           npyOf(f4, append(good, 0)...),
		"logits-shape-too-big.npy":      npyOf(dict("<f4", "(2000, 2)"), good...),
		"logits-shape-negative.npy":     npyOf(dict("<f4", "(-2, -2)"), good...),
		"logits-shape-overflow.npy":     npyOf(dict("<f4", "(4294967296, 4294967296)"), good...),
		"logits-shape-no-tuple.npy":     npyOf(dict("<f4", "(4)"), good...),
		"logits-vector.npy":             npyOf(dict("<f4", "(4,)"), good...),
		"logits-one-class.npy":          npyOf(dict("<f4", "(2, 1)"), cat(one, two)...),
		"logits-no-rows.npy":            npyOf(dict("<f4", "(0, 2)")),
		"logits-object.npy":             npyOf(dict("|O", "(2, 2)"), good...),
		"logits-header-cut.npy":         npyOf(f4, good...)[:40],
		"logits-header-keys.npy":        npyOf("{'shape': (2, 2), 'descr': '<f4', 'fortran_order': False, }", good...),
		"logits-three-rows.npy":         npyOf(dict("<f4", "(3, 2)"), cat(good, one, two)...),
		"logits-double-overflow.npy":    npyOf(dict("<f8", "(2, 2)"), cat(make([]byte, 24), []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xef, 0x7f})...),
		"labels-out-of-range.npy":       npyOf(i1, 0, 2),
		"labels-negative.npy":           npyOf(i1, 0, 0xff),
		"labels-all-ignored.npy":        npyOf(dict("|u1", "(2,)"), 0xff, 0xff),
		"labels-floats.npy":             npyOf(dict("<f4", "(2,)"), cat(one, oneHalf)...),
		"labels-too-many.npy":           npyOf(dict("|i1", "(3,)"), 0, 1, 1),
		"labels-matrix.npy":             npyOf(dict("|i1", "(2, 2)"), 1, 1, 1, 1),
		"spec-empty.yaml":               {},
		"spec-ignore.yaml":              []byte("name: a\nignore: void\nmethods: [ts]\nsettings: {dataset: d, backbone: b}\n"),
		"spec-two-documents.yaml":       []byte("name: a\nmethods: [ts]\nsettings: {dataset: d, backbone: b}\n---\nname: b\n"),
		"spec-unknown-key.yaml":         []byte("name: a\nmethodz: [ts]\nsettings: {dataset: d, backbone: b}\n"),
		"spec-unknown-method.yaml":      []byte("name: a\nmethods: [qat]\nsettings: {dataset: d, backbone: b}\n"),
		"spec-duplicate-cell.yaml":      []byte("name: a\nmethods: [ts]\nsettings:\n  - {dataset: d, backbone: b}\n  - {dataset: d, backbone: [a, b]}\n"),
		"spec-layout-climbs.yaml":       []byte("name: a\nlayout: \"{dataset}/../../{split}/{array}.npy\"\nmethods: [ts]\nsettings: {dataset: d, backbone: b}\n"),
		"spec-data-climbs.yaml":         []byte("name: a\ndata: [../elsewhere]\nmethods: [ts]\nsettings: {dataset: d, backbone: b}\n"),
		"spec-dataset-climbs.yaml":      []byte("name: a\nmethods: [ts]\nsettings: {dataset: .., backbone: b}\n"),
		"spec-binary.yaml":              {0, 1, 2, 0xff},
		"model-nan.json":                []byte(`{"qats": 1, "method": "ts", "version": 4, "options": {}, "classes": 2, "params": {"T": NaN}, "report": {"nll": 1, "gradient": 0, "iterations": 1, "passes": 1}}`),
		"model-negative.json":           []byte(`{"qats": 1, "method": "ts", "version": 4, "options": {}, "classes": 2, "params": {"T": -2}, "report": {"nll": 1, "gradient": 0, "iterations": 1, "passes": 1}}`),
		"model-of-another-version.json": []byte(`{"qats": 1, "method": "ts", "version": 99, "options": {}, "classes": 2, "params": {"T": 2}, "report": {"nll": 1, "gradient": 0, "iterations": 1, "passes": 1}}`),
	}
}

// TestBadInputIsOneLine: each file of testdata/bad ends the command with status 2 and
// one line that names the file. Nothing panics and nothing is written.
func TestBadInputIsOneLine(t *testing.T) {
	dir := filepath.Join("testdata", "bad")
	if *update {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		for name, content := range badInputs() {
			if err := os.WriteFile(filepath.Join(dir, name), content, 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	tmp := t.TempDir()
	logits, labels := filepath.Join(tmp, "logits.npy"), filepath.Join(tmp, "labels.npy")
	if err := errors.Join(
		os.WriteFile(logits, npyOf(dict("<f4", "(2, 2)"), cat(one, two, two, one)...), 0o666),
		os.WriteFile(labels, npyOf(dict("|i1", "(2,)"), 0, 1), 0o666),
	); err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != len(badInputs()) {
		t.Fatalf("%d files, %v; want %d", len(files), err, len(badInputs()))
	}
	var got strings.Builder
	paths := []string{filepath.Join(tmp, "logits-directory.npy")} // git keeps no empty folder
	if err := os.Mkdir(paths[0], 0o777); err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		paths = append(paths, filepath.ToSlash(filepath.Join(dir, f.Name())))
	}
	for _, path := range paths {
		kind, _, _ := strings.Cut(filepath.Base(path), "-")
		args := map[string][]string{
			"logits": {"score", "--logits", path, "--labels", labels},
			"labels": {"score", "--logits", logits, "--labels", path},
			"spec":   {"run", path, "--out", filepath.Join(tmp, "out")},
			"model":  {"apply", path, "--logits", logits, "-o", filepath.Join(tmp, "out.npy")},
		}[kind]
		var stdout, stderr strings.Builder
		status := run(context.Background(), args, &stdout, &stderr)
		said := strings.ReplaceAll(stderr.String(), tmp+string(filepath.Separator), "")
		if status != exitUsage || stdout.Len() > 0 || strings.Count(said, "\n") != 1 || !strings.Contains(said, filepath.Base(path)) {
			t.Errorf("%s: status %d, output %q, errors %q", path, status, stdout.String(), said)
		}
		got.WriteString(said)
	}
	for _, name := range []string{"out", "out.npy"} {
		if _, err := os.Stat(filepath.Join(tmp, name)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s was written", name)
		}
	}
	golden := filepath.Join("testdata", "bad.golden")
	if *update {
		if err := os.WriteFile(golden, []byte(got.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got.String() != string(want) {
		t.Errorf("%s: other messages:\n%s", golden, got.String())
	}
}
