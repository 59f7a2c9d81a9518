package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/data/npy"
)

// try and score take weights, groups and folds as files, say how many groups there are, and name the files in the command that
// saves the model.
func TestGroupsAndFoldsAreSaid(t *testing.T) {
	dir := t.TempDir()
	const n = 120
	logits, labels, groups, folds := make([]float32, 2*n), make([]int32, n), make([]int32, n), make([]int32, n)
	for i := range n {
		logits[2*i], labels[i], groups[i], folds[i] = float32(i*i%23-11)/4, 0, int32(i/3), int32(i%3)
		if (logits[2*i] < 0) != (i%5 == 0) {
			labels[i] = 1
		}
	}
	at := func(name string) string { return filepath.ToSlash(filepath.Join(dir, name)) }
	write := func(name string, kind npy.DType, shape []int, do func(*npy.Writer) error) {
		w, err := npy.CreateArray(at(name), kind, shape...)
		if err == nil {
			err = do(w)
		}
		if err == nil {
			err = w.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	write("z.npy", npy.Float32, []int{n, 2}, func(w *npy.Writer) error { return w.Float32(logits) })
	for name, v := range map[string][]int32{"y.npy": labels, "patients.npy": groups, "folds.npy": folds, "ones.npy": slices.Repeat([]int32{1}, n)} {
		write(name, npy.Int32, []int{n}, func(w *npy.Writer) error { return w.Int32(v) })
	}
	status, out, said := typedWords(t, "try", at("z.npy"), at("y.npy"), "--groups", at("patients.npy"), "--folds", at("folds.npy"), "--method", "ts")
	if status != 0 {
		t.Fatal(status, out, said)
	}
	for _, want := range []string{"120 rows of 40 groups (patients), 3 folds of yours", "3-fold cross-fitting"} {
		if !strings.Contains(strings.Join(strings.Fields(out), " "), want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	status, out, said = typedWords(t, "score", "--logits", at("z.npy"), "--labels", at("y.npy"), "--groups", at("patients.npy"), "--weights", at("folds.npy"), "--json")
	if status != 0 || !strings.Contains(out, `"n":120,"groups":40`) {
		t.Error(out, said)
	}
	if _, err := os.Stat(at("model.json")); err == nil {
		t.Error("a model was saved")
	}
	for want, words := range map[string][]string{
		"names 2 files":       {"try", at("z.npy"), at("y.npy"), "--groups", "a.npy,b.npy"},
		"archive has arrays":  {"try", dir, "--groups", at("patients.npy")},
		"name their file":     {"score", "--logits", at("z.npy"), "--labels", at("y.npy"), "--normalise-weights"},
		"read as they are":    {"try", dir, "--normalise-weights"},
		"all rows are of one": {"try", at("z.npy"), at("y.npy"), "--folds", at("ones.npy")},
	} {
		if status, _, said := typedWords(t, words...); status == 0 || !strings.Contains(said, want) {
			t.Errorf("%v: status %d, %s; want %q", words, status, said, want)
		}
	}
}
