package data

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/data/npy"
)

func TestReadSetNamesTheFault(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for name, err := range map[string]error{
		"logits":  npy.WriteFloat32(at("logits.npy"), []float32{1, 2, 3, 4, 5, 6}, 2, 3),
		"nan":     npy.WriteFloat32(at("nan.npy"), []float32{1, 2, 3, 4, float32(math.NaN()), 6}, 2, 3),
		"vector":  npy.WriteFloat32(at("vector.npy"), []float32{1, 2, 3}, 3),
		"labels":  npy.WriteInt32(at("labels.npy"), []int32{2, 0}, 2),
		"outside": npy.WriteInt32(at("outside.npy"), []int32{2, 3}, 2),
		"three":   npy.WriteInt32(at("three.npy"), []int32{2, 1, 0}, 3),
	} {
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	for _, c := range []struct{ logits, labels, want string }{
		{at("logits.npy"), at("labels.npy"), "<nil>"},
		{at("logits.npy"), "", "<nil>"},
		{"", at("labels.npy"), "the set has no logits"},
		{at("none.npy"), "", at("none.npy") + ": no such file or directory"},
		{at("vector.npy"), "", at("vector.npy") + ": shape (3,); want n x k; if they are binary scores, state kind: probs or kind: logits (as a flag --kind probs or --kind logits)"},
		{at("nan.npy"), "", at("nan.npy") + ": row 1, class 1: NaN"},
		{at("logits.npy"), at("outside.npy"), at("outside.npy") + ": row 1: label 3 is outside 0..2; labels start at 0, and the largest of this file is 3; if such rows have no class, state ignore: 3 in manifest.yaml or the spec, or --ignore 3; otherwise give the logits of all classes"},
		{at("logits.npy"), at("three.npy"), at("logits.npy") + ": shape (2, 3), and " + at("three.npy") + " has 3 rows: the logits are transposed; store logits.T, one row a sample"},
		{at("logits.npy"), at("logits.npy"), at("logits.npy") + ": shape (2, 3); want n; exactly one 1 in each row would be one label; several labels a row, or none, are not supported"},
	} {
		set, err := ReadSet(c.logits, c.labels)
		if fmt.Sprint(err) != c.want {
			t.Errorf("got  %v\nwant %s", err, c.want)
		}
		if err == nil && (set.Logits.Row(1)[2] != 6 || (c.labels == "") != (set.Labels == nil)) {
			t.Errorf("read %+v", set)
		}
	}
}

// Labels with exactly one 1 in each row are its columns; others with two axes are no labels.
func TestLabelsOfOneHotRows(t *testing.T) {
	dir := t.TempDir()
	logits, labels := filepath.Join(dir, "logits.npy"), filepath.Join(dir, "labels.npy")
	if err := os.WriteFile(logits, append(npy.HeaderBytes(npy.Float32, []int{3, 3}), npy.Little([]float32{3, 1, 0, 0, 3, 1, 0, 1, 3})...), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		rows []float64
		want []int32
	}{
		{[]float64{0, 0, 1, 1, 0, 0, 0, 1, 0}, []int32{2, 0, 1}},
		{[]float64{0, 1, 1, 1, 0, 0, 0, 1, 0}, nil},
		{[]float64{0, 0, 0, 1, 0, 0, 0, 1, 0}, nil},
		{[]float64{0, 0, 1, 1, 0, 0, .5, 1, 0}, nil},
	} {
		if err := os.WriteFile(labels, append(npy.HeaderBytes(npy.Float64, []int{3, 3}), npy.Little(c.rows)...), 0o666); err != nil {
			t.Fatal(err)
		}
		set, err := ReadSet(logits, labels)
		if c.want == nil {
			if err == nil || !strings.Contains(err.Error(), "several labels a row, or none, are not supported") {
				t.Errorf("%v: error %v", c.rows, err)
			}
			continue
		}
		if err != nil || !slices.Equal(set.Labels, c.want) {
			t.Errorf("%v: %v %v, want %v", c.rows, set, err, c.want)
		}
	}
}
