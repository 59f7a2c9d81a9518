package folder

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/qats-bench/qats/data"
)

// The folder reads weights, groups and folds beside labels, and its digests name them where they are.
func TestFolderReadsWeights(t *testing.T) {
	root := t.TempDir()
	ref := data.Ref{Dataset: "a", Backbone: "b", Loss: "ce", Split: data.Cal}
	writeBeside(t, root, "a/b/cal/logits.npy", "<f4", "(3, 2)", 24)
	writeBeside(t, root, "a/b/cal/labels.npy", "|u1", "(3,)", 3)
	open := func() (*Folder, string) {
		f, err := Open(root, Layout{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		digest, err := f.Digest(context.Background(), ref, data.Logits|data.Labels)
		if err != nil {
			t.Fatal(err)
		}
		return f, digest
	}
	_, before := open()
	writeBeside(t, root, "a/b/cal/weights.npy", "|u1", "(3,)", 3, 2, 0, 5)
	writeBeside(t, root, "a/b/cal/groups.npy", "|u1", "(3,)", 3, 7, 7, 9)
	writeBeside(t, root, "a/b/cal/folds.npy", "|u1", "(3,)", 3, 0, 1, 1)
	f, after := open()
	for _, role := range []string{"weights", "groups", "folds"} {
		if !strings.Contains(after, role+" sha256:") || strings.Contains(before, role) {
			t.Errorf("digests of %s: %s, before %s", role, after, before)
		}
	}
	if !strings.HasPrefix(after, "logits sha256:") || strings.Contains(after, "left out") {
		t.Error(after)
	}
	rows, classes, err := f.Shape(t.Context(), ref)
	if err != nil || rows != 7 || classes != 2 {
		t.Errorf("%d x %d, %v", rows, classes, err)
	}
	r, err := f.Open(t.Context(), ref, data.Logits|data.Labels)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	set, err := data.Read(t.Context(), r, 0, r.Rows())
	if err != nil || set.Len() != 7 || set.GroupCount() != 2 || set.Folds[6] != 1 {
		t.Errorf("%+v, %v", set, err)
	}
}

// writeBeside writes bytes of an array that end with the given ones.
func writeBeside(t *testing.T, root, name, kind, shape string, bytes int, last ...byte) {
	t.Helper()
	head := "{'descr': '" + kind + "', 'fortran_order': False, 'shape': " + shape + ", }"
	head += strings.Repeat(" ", 128-10-1-len(head)) + "\n"
	body := append(make([]byte, bytes-len(last)), last...)
	path := filepath.Join(root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("\x93NUMPY\x01\x00\x76\x00"+head+string(body)), 0o666); err != nil {
		t.Fatal(err)
	}
}
