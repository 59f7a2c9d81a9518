package public

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/results/paper"
)

// arena is the fixture of CalArena.
var arena = filepath.Join("..", "internal", "hdf5", "testdata", "calarena.h5")

// fixtures are the files of each format.
func fixtures(t *testing.T, format string) ([]string, Options) {
	t.Helper()
	pattern, o := map[string]string{"nncal": "probs_*.p", "medmnist": "*mnist*", "groupcal": "*.pkl", "csv": "table.csv"}[format], Options{}
	if format == "csv" {
		o = Options{Dataset: "mine", Backbone: "net",
			Columns: Columns{Classes: []string{"z_*"}, Label: "truth", Kind: data.KindLogits, Split: "split", Cal: "val", Test: "test"}}
	}
	if format == "calarena" {
		return []string{arena}, o
	}
	files, err := filepath.Glob(filepath.Join("testdata", pattern))
	if err != nil || len(files) == 0 {
		t.Fatal(err, files)
	}
	return files, o
}

func importAll(t *testing.T, format, dir string) *Summary {
	t.Helper()
	files, o := fixtures(t, format)
	o.Dir = dir
	sum, err := Import(context.Background(), format, files, o)
	if err != nil {
		t.Fatal(err)
	}
	return sum
}

// TestArraysAreThoseThatPythonComputes: path, type, shape and every bit of each
// array, and no other array.
func TestArraysAreThoseThatPythonComputes(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts Python")
	}
	list, err := os.ReadFile("testdata/want.tsv")
	if err != nil {
		t.Fatal(err)
	}
	dirs, count := map[string]string{}, map[string]int{}
	for _, line := range strings.Split(strings.TrimSpace(string(list)), "\n") {
		f := strings.Split(line, "\t")
		if dirs[f[0]] == "" {
			dirs[f[0]] = t.TempDir()
			importAll(t, f[0], dirs[f[0]])
		}
		count[f[0]]++
		b, err := os.ReadFile(filepath.Join(dirs[f[0]], f[1]))
		if err != nil {
			t.Error(err)
			continue
		}
		shape := "(" + strings.ReplaceAll(f[3], "x", ", ") + ")"
		if !strings.Contains(f[3], "x") {
			shape = "(" + f[3] + ",)"
		}
		head, body := b[:10+int(binary.LittleEndian.Uint16(b[8:]))], b[10+int(binary.LittleEndian.Uint16(b[8:])):]
		sum := sha256.Sum256(body)
		if !bytes.Contains(head, []byte("'"+f[2]+"'")) || !bytes.Contains(head, []byte(shape)) || hex.EncodeToString(sum[:]) != f[4] {
			t.Errorf("%s %s: %q, want %s %s; digest equal: %v", f[0], f[1], head, f[2], shape, hex.EncodeToString(sum[:]) == f[4])
		}
	}
	for format, dir := range dirs {
		m, err := data.ReadManifest(dir)
		if err != nil || len(m.Files) != count[format] {
			t.Errorf("%s: %d arrays in the manifest, want %d; %v", format, len(m.Files), count[format], err)
		}
	}
	if len(dirs) != len(Formats()) {
		t.Errorf("%d formats, want %d", len(dirs), len(Formats()))
	}
}

// TestImportedSetsAreReadAsTheyWereWritten: kinds, origin, stand-ins and digests
// pass the checks of a folder.
func TestImportedSetsAreReadAsTheyWereWritten(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, format := range []string{"nncal", "medmnist", "groupcal", "csv"} {
		importAll(t, format, dir)
	}
	folder, err := data.OpenFolder(dir, data.Layout{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]data.Provenance{
		"cifar10/resnet110": {Kind: data.KindLogits, From: "networks of NN_calibration", Note: "imported from probs_resnet110_c10_logits.p"},
		"dermamnist/resnet18": {Kind: data.KindLogProbs, From: "networks of MedMNIST v2 (28 pixels, run 1)",
			StandIn: "MedMNIST's own training, 28 pixels, run 1",
			Note: "imported from dermamnist.npz and dermamnist_test_[AUC]0.900_[ACC]0.700@resnet18_28_1.csv and " +
				"dermamnist_val_[AUC]0.900_[ACC]0.700@resnet18_28_1.csv, probabilities (6 below 2^-126 were set to it), the validation set calibrates"},
		"dermamnist/resnet18-224-run2": {Kind: data.KindLogProbs, From: "networks of MedMNIST v2 (224 pixels, run 2)",
			Note: "imported from dermamnist.npz and dermamnist_test_[AUC]0.900_[ACC]0.700@resnet18_224_2.csv and " +
				"dermamnist_val_[AUC]0.900_[ACC]0.700@resnet18_224_2.csv, probabilities (6 below 2^-126 were set to it), the validation set calibrates"},
		"breastmnist/resnet18": {Kind: data.KindLogProbs, From: "networks of MedMNIST v2 (28 pixels, run 1)",
			StandIn: "MedMNIST's own training, 28 pixels, run 1",
			Note: "imported from breastmnist.npz and breastmnist_test_[AUC]0.900_[ACC]0.700@resnet18_28_1.csv, probabilities (1 below 2^-126 were set to it), " +
				"no predictions for the validation set: rows of even index of the test set calibrate and rows of odd index test"},
		"mine/net": {Kind: data.KindLogits, Note: "imported from table.csv"},
	} {
		want.Origin = data.Measured
		dataset, backbone, _ := strings.Cut(name, "/")
		for _, split := range []data.Split{data.Cal, data.Test} {
			ref := data.Ref{Dataset: dataset, Backbone: backbone, Split: split}
			if got := folder.Describe(ref); got != want {
				t.Errorf("%s:\n got %+v\nwant %+v", ref, got, want)
			}
			set, err := data.Load(context.Background(), folder, ref, data.Logits|data.Labels)
			if err != nil {
				t.Errorf("%s: %v", ref, err)
			} else if isLog := data.LogProbs(set.Logits); isLog != (want.Kind == data.KindLogProbs) {
				t.Errorf("%s: log-probabilities %v", ref, isLog)
			}
		}
	}
	m, err := data.ReadManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	if s := m.Sources["probs_resnet110_c10_logits.p"]; s.Licence != "MIT" || len(s.SHA256) != 64 || s.Bytes == 0 {
		t.Errorf("source %+v", s)
	}
}

// TestLogProbsAreThoseOfKindProbs: importing probabilities gives the bits that
// reading them as kind probs gives.
func TestLogProbsAreThoseOfKindProbs(t *testing.T) {
	t.Parallel()
	p := table{n: 2, k: 3, data: []float64{0.5, 0.25, 0.251, 1, 0, 1e-45}}
	logs, clipped, err := p.logProbs()
	if err != nil || clipped != 2 {
		t.Fatalf("%d clipped, %v", clipped, err)
	}
	path := filepath.Join(t.TempDir(), "p.npy")
	if err := data.WriteFloat64(path, p.data, 2, 3); err != nil {
		t.Fatal(err)
	}
	r, err := data.Files{Logits: path, Kind: data.KindProbs}.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	set, err := r.Read(context.Background(), 0, 2)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range set.Logits.Data {
		if math.Float32bits(v) != math.Float32bits(float32(logs.data[i])) {
			t.Errorf("element %d: %g, want %g", i, logs.data[i], v)
		}
	}
}

// TestImportAgainChangesNothing, and arrays from elsewhere are never overwritten.
func TestImportAgainChangesNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	importAll(t, "nncal", dir)
	before, err := os.ReadFile(filepath.Join(dir, data.ManifestName))
	if err != nil {
		t.Fatal(err)
	}
	importAll(t, "nncal", dir)
	after, err := os.ReadFile(filepath.Join(dir, data.ManifestName))
	if err != nil || !bytes.Equal(before, after) {
		t.Errorf("the manifest changed: %v\n%s\n%s", err, before, after)
	}
	_, err = Import(context.Background(), "calarena", []string{arena}, Options{Dir: dir, Select: []string{"c10/resnet110"}})
	if err == nil || !strings.Contains(err.Error(), "other arrays already") {
		t.Errorf("overwrites the arrays of another source: %v", err)
	}
	mine := t.TempDir()
	if err := os.MkdirAll(filepath.Join(mine, "cifar10", "resnet110"), 0o777); err != nil {
		t.Fatal(err)
	}
	files, _ := fixtures(t, "nncal")
	if _, err := Import(context.Background(), "nncal", files, Options{Dir: mine}); err == nil {
		t.Error("overwrites arrays without a manifest")
	}
	if _, err := os.Stat(filepath.Join(mine, data.ManifestName)); err == nil {
		t.Error("wrote a manifest all the same")
	}
}

// TestPeersFiles reads the files that the sources' own code wrote.
func TestPeersFiles(t *testing.T) {
	t.Parallel()
	dir := filepath.Join("..", "..", "..", "shared", "peers", "formats")
	if _, err := os.Stat(dir); err != nil {
		t.Skip("needs ../shared")
	}
	for format, file := range map[string]string{"nncal": "probs_resnet110_c10_logits.p", "calarena": "cv-multiclass.h5"} {
		sum, err := Import(context.Background(), format, []string{filepath.Join(dir, file)}, Options{Dir: t.TempDir()})
		if err != nil || len(sum.Networks) != 1 || sum.Networks[0].Cal != 500 || sum.Networks[0].Test != 1000 || sum.Networks[0].Classes != 10 {
			t.Errorf("%s: %+v, %v", file, sum, err)
		}
	}
	csv := filepath.Join(dir, "dermamnist_test_[AUC]0.900_[ACC]0.700@resnet18_28_1.csv")
	b, err := os.ReadFile(csv)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := indexedRows(b)
	if err != nil || rows.n != 1000 || rows.k != 10 {
		t.Errorf("%s: %d x %d, %v", csv, rows.n, rows.k, err)
	}
}

func TestSelect(t *testing.T) {
	t.Parallel()
	sum, err := Import(context.Background(), "calarena", []string{arena}, Options{Dir: t.TempDir(), Select: []string{"c10/dense*"}})
	if err != nil || len(sum.Networks) != 1 || sum.Networks[0].Name != "cifar10/densenet40" {
		t.Errorf("%+v, %v", sum, err)
	}
	_, err = Import(context.Background(), "calarena", []string{arena}, Options{Dir: t.TempDir(), Select: []string{"c100/*"}})
	if err == nil || !strings.Contains(err.Error(), "no group matches c100/* (the data sets are c10, derma)") {
		t.Error(err)
	}
}

func ExampleImport() {
	dir, err := os.MkdirTemp("", "arrays")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	sum, err := Import(context.Background(), "nncal", []string{"testdata/probs_resnet110_c10_logits.p"}, Options{Dir: dir})
	if err != nil {
		panic(err)
	}
	for _, n := range sum.Networks {
		fmt.Printf("%s: %d rows to calibrate, %d to test, %d classes, %s\n", n.Name, n.Cal, n.Test, n.Classes, n.Licence)
	}
	// Output: cifar10/resnet110: 25 rows to calibrate, 30 to test, 4 classes, MIT
}

// TestNamesDecideStandIns: a network that is given the name of one of the paper's is a
// stand-in, and one that loses it is none.
func TestNamesDecideStandIns(t *testing.T) {
	t.Parallel()
	for name, standIn := range map[string]bool{"cifar10/resnet50": true, "imagenet/vit-b16": true, "cifar10/resnet110": false, "svhn/resnet50": false} {
		dataset, backbone, _ := strings.Cut(name, "/")
		sum, err := Import(context.Background(), "nncal", []string{"testdata/probs_resnet110_c10_logits.p"},
			Options{Dir: t.TempDir(), Dataset: dataset, Backbone: backbone})
		if err != nil || sum.Networks[0].Name != name || (sum.Networks[0].StandIn != "") != standIn {
			t.Errorf("%s: %+v, %v", name, sum, err)
		}
	}
	files, o := fixtures(t, "nncal")
	o.Dir, o.Dataset, o.Backbone = t.TempDir(), "cifar10", "mine"
	if _, err := Import(context.Background(), "nncal", files, o); err == nil || !strings.Contains(err.Error(), "name only one") {
		t.Errorf("one name for two networks: %v", err)
	}
}

// TestNamesOfThePaper: the lists are those of the published tables.
func TestNamesOfThePaper(t *testing.T) {
	t.Parallel()
	numbers, err := paper.Read()
	if err != nil {
		t.Fatal(err)
	}
	datasets, backbones := map[string]bool{}, map[string]bool{}
	for _, n := range numbers {
		if n.Dataset != paper.Average && n.Backbone != paper.Average {
			datasets[n.Dataset], backbones[n.Backbone] = true, true
		}
	}
	for _, list := range []struct {
		name string
		want map[string]bool
		have []string
	}{{"datasets", datasets, paperDatasets}, {"backbones", backbones, paperBackbones}} {
		want := slices.Sorted(maps.Keys(list.want))
		have := slices.Sorted(slices.Values(list.have))
		if !slices.Equal(want, have) {
			t.Errorf("%s: %v, want %v", list.name, have, want)
		}
	}
}
