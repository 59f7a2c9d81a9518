package public

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/qats-bench/qats/data"
)

// copies writes copies of files of testdata below a new folder, under new names.
func copies(t *testing.T, pairs ...string) (files []string) {
	t.Helper()
	dir := t.TempDir()
	for i := 0; i < len(pairs); i += 2 {
		files = append(files, place(t, dir, pairs[i+1], read(t, filepath.Join("testdata", pairs[i]))))
	}
	return files
}

// place writes a file, and returns its path.
func place(t *testing.T, dir, name string, b []byte) string {
	t.Helper()
	file := filepath.Join(dir, name)
	if err := os.WriteFile(file, b, 0o666); err != nil {
		t.Fatal(err)
	}
	return file
}

// names returns the names of what was imported.
func names(sum *Summary) string {
	var list []string
	for _, n := range sum.Networks {
		list = append(list, n.Name)
	}
	return strings.Join(list, " ")
}

// try imports to a new folder.
func try(t *testing.T, format string, files []string, o Options) (*Summary, error) {
	t.Helper()
	o.Dir = t.TempDir()
	return Import(context.Background(), format, files, o)
}

// found returns the names of the networks that an import would write.
func found(format string, files []string, o Options) (string, error) {
	f, err := Lookup(format)
	if err != nil {
		return "", err
	}
	in := &input{Options: o, files: files}
	err = f.read(context.Background(), in)
	var list []string
	for _, n := range in.networks {
		list = append(list, n.name())
	}
	return strings.Join(list, " "), err
}

// says checks that an import fails with a part of an error.
func says(t *testing.T, format string, files []string, o Options, want string) {
	t.Helper()
	if sum, err := try(t, format, files, o); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%s: %+v, %v; want %q", format, sum, err, want)
	}
}

// TestSelectedNetworksMayLieAnywhere: those before them are left out.
func TestSelectedNetworksMayLieAnywhere(t *testing.T) {
	t.Parallel()
	good := read(t, arena)
	dir := t.TempDir()
	other := place(t, dir, "other.h5", swap(t, good, "c10\x00", "c11\x00", 0))
	empty := bytes.Clone(good)
	empty[bytes.Index(good, []byte("TREE"))+6] = 0 // members of the root group
	none := place(t, dir, "none.h5", empty)
	groups := copies(t, "cifar10_resnet152_0.9576_val.pkl", "cifar10_a_0.9_val.pkl", "cifar10_resnet152_0.9576_val.pkl", "cifar10_b_0.9_val.pkl",
		"cifar10_resnet152_0.9576_test.pkl", "cifar10_a_0.9_test.pkl", "cifar10_resnet152_0.9576_test.pkl", "cifar10_b_0.9_test.pkl")
	networks, _ := fixtures(t, "nncal")
	for _, c := range []struct {
		format   string
		files    []string
		selected []string
		want     string
	}{
		{"calarena", []string{arena, other}, []string{"c11/resnet110"}, "c11/resnet110"},
		{"calarena", []string{other, arena}, []string{"c11/resnet110"}, "c11/resnet110"},
		{"groupcal", groups, []string{"cifar10/b"}, "cifar10/b"},
		{"groupcal", groups, nil, "cifar10/a cifar10/b"},
		{"nncal", networks, []string{"c100/*"}, "cifar100/wrn-32"},
	} {
		if got, err := found(c.format, c.files, Options{Select: c.selected}); err != nil || got != c.want {
			t.Errorf("%s %v: %s, %v; want %s", c.format, c.selected, got, err, c.want)
		}
	}
	says(t, "groupcal", groups, Options{Select: []string{"x/*"}}, "nothing to import: no network was found")
	says(t, "calarena", []string{none}, Options{}, "nothing to import: no network was found")
	says(t, "calarena", []string{other, arena}, Options{Select: []string{"x/*"}}, "no group matches x/* (the data sets are c11, derma, c10, derma)")
}

// TestLabelsOfAGroupcalNetworkAreChecked.
func TestLabelsOfAGroupcalNetworkAreChecked(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	tensors := func(label string) []byte {
		return []byte("(dS'logits'\n" + pickled("I2\nI2\n", "f4", "<", one+one+one+one) + "sS'labels'\n" + pickled("I2\n", "i8", "<", "\x00"+long+label+long) + "s.")
	}
	files := []string{place(t, dir, "cifar10_net_val.pkl", tensors("\x01")), place(t, dir, "cifar10_net_test.pkl", tensors("\x02"))}
	says(t, "groupcal", files, Options{}, "row 1: label 2; there are 2 classes")
}

// TestNamesOfOtherFilesAreGiven.
func TestNamesOfOtherFilesAreGiven(t *testing.T) {
	t.Parallel()
	files := copies(t, "probs_resnet110_c10_logits.p", "logits.p")
	says(t, "nncal", files, Options{}, "give --dataset and --backbone")
	if sum, err := try(t, "nncal", files, Options{Dataset: "a", Backbone: "b"}); err != nil || names(sum) != "a/b" {
		t.Errorf("%+v, %v", sum, err)
	}
	for _, name := range []string{"", ".", "..", "a/b", `a\b`, "a*", "a\n"} {
		for _, n := range []*network{{dataset: name, backbone: "b"}, {dataset: "a", backbone: name}} {
			n.sources = []string{"f"}
			if err := n.check(); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("f: %q cannot name", name)) {
				t.Errorf("%q: %v", name, err)
			}
		}
	}
}

// TestFilesOfCSV: one with a column of the split, or two without.
func TestFilesOfCSV(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := place(t, dir, "a.csv", []byte("p0,p1,y\n0.25,0.75,1\n0.5,0.5,0\n"))
	o := Options{Dataset: "d", Backbone: "b", Columns: Columns{Classes: []string{"p*"}, Label: "y", Kind: data.KindProbs}}
	sum, err := try(t, "csv", []string{file, place(t, dir, "b.csv", []byte("p0,p1,y\n1,0,0\n"))}, o)
	if err != nil || sum.Networks[0].Cal != 2 || sum.Networks[0].Test != 1 {
		t.Errorf("%+v, %v", sum, err)
	}
	says(t, "csv", []string{file}, o, "1 files; give a calibration and a test file")
	split := o
	split.Columns.Split = "y"
	says(t, "csv", []string{file, file}, split, "2 files; with --split COLUMN give one")
	for _, c := range []Columns{{Label: "y"}, {Classes: []string{"p*"}}} {
		c.Kind = data.KindProbs
		o.Columns = c
		says(t, "csv", []string{file, file}, o, "format csv needs --classes and --label")
	}
}

// TestAColumnHasOneMeaning.
func TestAColumnHasOneMeaning(t *testing.T) {
	t.Parallel()
	header := []string{"a", "b", "y", "s"}
	for _, classes := range [][]string{{"a", "a"}, {"a", "*"}, {"a", "y"}, {"a", "s"}} {
		c := Columns{Classes: classes, Label: "y", Split: "s"}
		if list, err := c.classes(header); err == nil || !strings.Contains(err.Error(), "has two meanings") {
			t.Errorf("%v: %v, %v", classes, list, err)
		}
	}
	c := Columns{Classes: []string{"b", "a"}, Label: "y", Split: "s"}
	if list, err := c.classes(header); err != nil || !slices.Equal(list, []int{1, 0}) {
		t.Errorf("%v, %v", list, err)
	}
	twelve := strings.Split("abcdefghijkl", "")
	if got := short(twelve); got != "a, b, c, d, e, f, g, h, i, j, k, l" {
		t.Error(got)
	}
	if got := short(append(twelve, "m")); got != "a, b, c, d, e, f, g, h, i, j, k, l, ... (13 in all)" {
		t.Error(got)
	}
}

// TestFilesThatAreNotReadIntoMemory: folders, and files of 4 GiB.
func TestFilesThatAreNotReadIntoMemory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	says(t, "nncal", []string{dir}, Options{Dataset: "a", Backbone: "b"}, "is a directory")
	file := place(t, dir, "large", nil)
	if err := os.Truncate(file, maxFile); err != nil {
		t.Skip(err)
	}
	says(t, "nncal", []string{file}, Options{Dataset: "a", Backbone: "b"}, "not a file of less than 4 GiB")
}

// TestMembersHaveALimit.
func TestMembersHaveALimit(t *testing.T) {
	t.Parallel()
	for n := range 6 {
		b, err := readAtMost(strings.NewReader("abcdef"[:n]), 4)
		if n <= 4 && (err != nil || string(b) != "abcdef"[:n]) || n > 4 && (err == nil || err.Error() != "more than 4 bytes") {
			t.Errorf("%d bytes: %q, %v", n, b, err)
		}
	}
	damaged := errors.New("damaged")
	if _, err := readAtMost(iotest.ErrReader(damaged), 4); !errors.Is(err, damaged) {
		t.Error(err)
	}
}

// TestWhatAnArchiveLeavesOut: each reason with its number of files; folders and the
// files of macOS count for nothing.
func TestWhatAnArchiveLeavesOut(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range []string{"p/", "p/readme.txt", "p/._dermamnist_test_x@resnet18_28_1.csv", "p/table.csv", "p/other.csv",
		"p/octmnist_test_x@resnet18_28_1.csv", "p/dermamnist_train_x@resnet18_28_1.csv", "p/dermamnist_test_x@resnet18_99999999999999999999_1.csv",
		"p/dermamnist_test_x@resnet18_28_99999999999999999999.csv", "p/dermamnist_val_x@resnet18_28_1.csv"} {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(name, "p/dermamnist_val") {
			w.Write(read(t, "testdata/dermamnist_val_[AUC]0.900_[ACC]0.700@resnet18_28_1.csv"))
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	file := place(t, t.TempDir(), "p.zip", b.Bytes())
	sum, err := try(t, "medmnist", append([]string{file, "testdata/dermamnist.npz"},
		copies(t, "dermamnist_test_[AUC]0.900_[ACC]0.700@resnet50_28_1.csv", "dermamnist_test@resnet50_28_1.csv")...), Options{})
	if err != nil || names(sum) != "dermamnist/resnet50" {
		t.Fatalf("%+v, %v", sum, err)
	}
	want := []string{
		"its resolution or run is no number (files of predictions: 2)",
		"not named <data set>_<split>_...@<network>_<pixels>_<run>.csv (files of predictions: 2)",
		"predictions for training images, which the network has seen (files of predictions: 1)",
		"the labels are missing: give octmnist.npz (files of predictions: 1)",
		"dermamnist, resnet18 at 28 pixels, run 1: no predictions for the test set",
	}
	if !slices.Equal(sum.Skipped, want) {
		t.Errorf("left out\n%s; want\n%s", strings.Join(sum.Skipped, "\n"), strings.Join(want, "\n"))
	}
	says(t, "medmnist", []string{file, "testdata/dermamnist.npz"}, Options{}, "p.zip: nothing to import: its resolution or run is no number (files of predictions: 2)")
}

// TestNamesOfTrainings: only the chosen run at the chosen resolution has the name of
// its backbone.
func TestNamesOfTrainings(t *testing.T) {
	t.Parallel()
	const from = "dermamnist_test_[AUC]0.900_[ACC]0.700@resnet18_28_1.csv"
	var pairs []string
	for _, training := range []string{"28_1", "28_2", "224_1", "224_2"} {
		pairs = append(pairs, from, "dermamnist_test_x@resnet18_"+training+".csv")
	}
	files := append(copies(t, pairs...), "testdata/dermamnist.npz")
	for _, c := range []struct {
		o    Options
		want string
	}{
		{Options{}, "resnet18 resnet18-28-run2 resnet18-224-run1 resnet18-224-run2"},
		{Options{Run: 2}, "resnet18-28-run1 resnet18 resnet18-224-run1 resnet18-224-run2"},
		{Options{Pixels: 224}, "resnet18-28-run1 resnet18-28-run2 resnet18 resnet18-224-run2"},
	} {
		got, err := found("medmnist", files, c.o)
		if got = strings.ReplaceAll(got, "dermamnist/", ""); err != nil || got != c.want {
			t.Errorf("run %d, pixels %d: %s, %v; want %s", c.o.Run, c.o.Pixels, got, err, c.want)
		}
	}
}

// TestErrorsOfPredictionsNameLineAndColumn.
func TestErrorsOfPredictionsNameLineAndColumn(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"0,1,0\n1,1\n":       "line 2: 2 fields; line 1 has 3",
		"0,1,0\n2,1,0\n":     `line 2: the index "2" is not one of 0 to 1`,
		"0,1,0\n1,1,0\n-1":   "line 3: 1 fields; line 1 has 3",
		"1,1,0\n1,1,0\n":     "line 2: the index 1 is that of line 1 too",
		"0,1,0\n1,0.5,x\n":   `line 2, column 2: "x" is not a finite number`,
		"0,1,0\n1,nan,0.5":   `line 2, column 1: "nan" is not a finite number`,
		"0,1,0\n-1,1,0\n\n":  `line 2: the index "-1" is not one of 0 to 2`,
		"0,1,0\n\n1,1,0\n":   "line 2: 1 fields; line 1 has 3",
		"0,1,0\n\"1\",1,0\n": `line 2: the index "\"1\"" is not one of 0 to 1`,
		"0,1,0\n1,\"1\",0\n": `line 2, column 1: "\"1\"" is not a finite number`,
	} {
		if _, err := indexedRows([]byte(text)); err == nil || err.Error() != want {
			t.Errorf("%q: %v; want %s", text, err, want)
		}
	}
}

// TestEveryBitIsKept: tables of float32 are written as such, tables of float64 too.
func TestEveryBitIsKept(t *testing.T) {
	t.Parallel()
	for dtype, single := range map[data.DType]bool{data.Float16: true, data.Float32: true, data.Float64: false} {
		a, err := data.NewArray(dtype, false, false, []int{2, 3}, make([]byte, 6*dtype.Size()))
		if err != nil {
			t.Fatal(err)
		}
		if table, err := tableOf(a); err != nil || table.single != single || table.n != 2 || table.k != 3 {
			t.Errorf("%s: %+v, %v", dtype, table, err)
		}
	}
}

// TestLargestLabel: labels are int32.
func TestLargestLabel(t *testing.T) {
	t.Parallel()
	for value, ok := range map[uint64]bool{0: true, math.MaxInt32: true, math.MaxInt32 + 1: false} {
		b := make([]byte, 8)
		for i := range b {
			b[i] = byte(value >> (8 * i))
		}
		a, err := data.NewArray(data.Int64, false, false, []int{1}, b)
		if err != nil {
			t.Fatal(err)
		}
		got, err := labelsOf(a)
		if (err == nil) != ok || ok && uint64(got[0]) != value {
			t.Errorf("%d: %v, %v", value, got, err)
		}
	}
}

// TestProbabilitiesAreToldFromLogits by at least 20 rows in [0, 1], ends included, that
// sum to 1 within 0.001.
func TestProbabilitiesAreToldFromLogits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		row  [2]float64
		n    int
		want bool
	}{
		{[2]float64{0, 1}, 20, true}, {[2]float64{0.25, 0.75}, 20, true}, {[2]float64{0.25, 0.7505}, 20, true}, {[2]float64{0.25, 0.7495}, 20, true},
		{[2]float64{0.25, 0.75}, 19, false}, {[2]float64{-0.5, 1.5}, 20, false}, {[2]float64{0.25, 0.752}, 20, false}, {[2]float64{0.25, 0.748}, 20, false},
	} {
		table := table{n: c.n, k: 2}
		for range c.n {
			table.data = append(table.data, c.row[:]...)
		}
		if got := table.looksLikeProbs(); got != c.want {
			t.Errorf("%d rows of %v: %v", c.n, c.row, got)
		}
	}
}

// TestSummarySaysWhatWasWritten, and the manifest counts probabilities only where some
// were too small.
func TestSummarySaysWhatWasWritten(t *testing.T) {
	t.Parallel()
	for format, want := range map[string][2]bool{"groupcal": {false, true}, "medmnist": {true, false}} {
		files, o := fixtures(t, format)
		if format == "medmnist" {
			files = []string{"testdata/breastmnist.npz", "testdata/breastmnist_test_[AUC]0.900_[ACC]0.700@resnet18_28_1.csv"}
		}
		sum, err := try(t, format, files, o)
		if err != nil || len(sum.Networks) != 1 {
			t.Fatalf("%s: %+v, %v", format, sum, err)
		}
		if n := sum.Networks[0]; n.LogProbs != want[0] || n.Feature != want[1] {
			t.Errorf("%s: log-probabilities %v, features %v; want %v", format, n.LogProbs, n.Feature, want)
		}
	}
	for clipped, want := range []string{"imported from f, probabilities", "imported from f, probabilities (1 below 2^-126 were set to it)"} {
		n := &network{kind: data.KindLogProbs, clipped: clipped, sources: []string{"f"}}
		if got := new(input).entry(n).Note; got != want {
			t.Errorf("%d clipped: %q, want %q", clipped, got, want)
		}
	}
}

// The note of an imported set is one that a manifest takes, whatever the files are called.
func TestNotesFitIntoAManifest(t *testing.T) {
	var many []string
	for i := range 200 {
		many = append(many, fmt.Sprintf("file-%03d.csv", i))
	}
	for _, sources := range [][]string{{"a\x1b[2J\n.csv"}, many, {strings.Repeat("x", 250) + ".csv"}} {
		e := (&input{}).entry(&network{dataset: "d", backbone: "b", kind: data.KindLogits, sources: sources})
		if err := (data.Manifest{Sets: []data.ManifestSet{e}}).Write(t.TempDir()); err != nil {
			t.Errorf("%.60q: %v", e.Note, err)
		}
	}
}
