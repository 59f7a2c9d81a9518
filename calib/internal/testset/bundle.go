package testset

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/folder"
	"github.com/qats-bench/qats/internal/bundletest"
)

// Networks returns dataset/network of the sets to calibrate on, sorted: all of the
// bundle, or in short mode those of the small sets.
func Networks(t testing.TB) []string {
	t.Helper()
	folder := bundletest.Folder(t)
	paths, err := filepath.Glob(filepath.Join(folder, "*", "*", "cal", "logits.npy"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, p := range paths {
		name, _ := filepath.Rel(folder, filepath.Dir(filepath.Dir(p)))
		if name = filepath.ToSlash(name); !testing.Short() || strings.HasPrefix(name, "pneumoniamnist-28/") {
			names = append(names, name)
		}
	}
	if len(names) < 5 {
		t.Fatalf("%d networks in %s", len(names), folder)
	}
	return names
}

// Real reads the parts of one split of a network.
func Real(t testing.TB, name string, split data.Split, parts data.Parts) *data.Set {
	t.Helper()
	folder, err := folder.Open(bundletest.Folder(t), folder.Layout{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	dataset, backbone, _ := strings.Cut(name, "/")
	set, err := data.Load(context.Background(), folder, data.Ref{Dataset: dataset, Backbone: backbone, Split: split}, parts)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// Labelled are the parts that most methods need.
const Labelled = data.Logits | data.Labels
