package data_test

import (
	"context"
	"fmt"
	"math"
	"testing"
	"testing/fstest"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/folder"
	"github.com/qats-bench/qats/data/npytest"
)

// Flags of right predictions in the place of labels are no classes of three.
func TestBooleansAreLabelsOfTwoClasses(t *testing.T) {
	array := func(descr, shape string, size int) *fstest.MapFile {
		return &fstest.MapFile{Data: npytest.File(1, npytest.Header(descr, false, shape), make([]byte, size))}
	}
	for shape, want := range map[string]string{"(3, 2)": "<nil>", "(3, 3)": "y.npy: booleans are labels of 2 classes, and there are 3; store the index of the class of each row; whether predictions are right goes with a confidence alone"} {
		fsys := fstest.MapFS{"z.npy": array("<f4", shape, 12*int(shape[4]-'0')), "y.npy": array("|b1", "(3,)", 3)}
		r, err := data.Files{Logits: "z.npy", Labels: "y.npy", FS: fsys}.Open()
		if fmt.Sprint(err) != want {
			t.Errorf("%s: %v, want %s", shape, err, want)
		}
		if err == nil {
			r.Close()
		}
	}
}

// TestRejectsSetsThatDoNotAgree: arrays that are sound alone but not together, and
// labels that are not classes.
func TestRejectsSetsThatDoNotAgree(t *testing.T) {
	array := func(descr, shape string, size int) []byte {
		return npytest.File(1, npytest.Header(descr, false, shape), make([]byte, size))
	}
	labels := func(v ...int32) []byte {
		return npytest.File(1, npytest.Header("<i4", false, fmt.Sprintf("(%d,)", len(v))), npytest.Bytes(v))
	}
	good := map[string][]byte{
		"test/logits.npy":     array("<f4", "(3, 2)", 24),
		"test/labels.npy":     labels(0, 1, 0),
		"test/features.npy":   array("<f4", "(3, 4)", 48),
		"test/logits_aug.npy": array("<f4", "(5, 3, 2)", 120),
		"head_weight.npy":     array("<f4", "(2, 4)", 32),
		"head_bias.npy":       array("<f4", "(2,)", 8),
		"ood/logits.npy":      array("<f4", "(7, 2)", 56),
	}
	for _, c := range []struct {
		name string
		file []byte
		want string
	}{
		{"test/logits.npy", good["test/logits.npy"], "<nil>"},
		{"test/labels.npy", array("<i8", "(3, 1)", 24), "<nil>"},
		{"test/labels.npy", array("|b1", "(3,)", 3), "<nil>"},
		{"test/labels.npy", labels(0, 1, 2), "d/s/n/test/labels.npy: row 2: label 2 is outside 0..1; labels start at 0, and the largest of this file is 2; if such rows have no class, state ignore: 2 in manifest.yaml or the spec, or --ignore 2; otherwise give the logits of all classes"},
		{"test/labels.npy", labels(1, 1, 2), "d/s/n/test/labels.npy: row 2: label 2 is outside 0..1; labels start at 0, and the largest of this file is 2; the smallest is 1, so they count from 1: store labels - 1"},
		{"test/labels.npy", labels(0, -1, 2), "d/s/n/test/labels.npy: row 1: label -1 is outside 0..1; labels start at 0; if such rows have no class, state ignore: -1 in manifest.yaml or the spec, or --ignore -1"},
		{"test/labels.npy", labels(1, -1, 1), "d/s/n/test/labels.npy: row 1: label -1 is outside 0..1; the labels are -1 and 1: store (labels + 1) // 2, which is 0 and 1"},
		{"test/labels.npy", labels(0, 1), "d/s/n/test/logits.npy has 3 rows but d/s/n/test/labels.npy has 2"},
		{"test/labels.npy", array("<f8", "(3,)", 24), "<nil>"},
		{"test/labels.npy", npytest.File(1, npytest.Header("<f4", false, "(3, 1)"), npytest.F4(0, 1, 1)), "<nil>"},
		{"test/labels.npy", npytest.File(1, npytest.Header("<f4", false, "(3,)"), npytest.F4(0, 0.5, 1)), "d/s/n/test/labels.npy: row 1: label 0.5 is no whole number; store the index of the class as int32 (are these scores or soft labels?)"},
		{"test/labels.npy", npytest.File(1, npytest.Header("<f4", false, "(3,)"), npytest.F4(1, 1, 2)), "d/s/n/test/labels.npy: row 2: label 2 is outside 0..1; labels start at 0, and the largest of this file is 2; the smallest is 1, so they count from 1: store labels - 1"},
		{"test/labels.npy", npytest.File(1, npytest.Header("<f4", false, "(3,)"), npytest.F4(0, float32(math.NaN()), 1)), "d/s/n/test/labels.npy: row 1: NaN"},
		{"test/labels.npy", npytest.File(1, npytest.Header("<f4", false, "(3,)"), npytest.F4(0, 1e30, 1)), "d/s/n/test/labels.npy: row 1: label 1.000000015e+30 is outside 0..1; labels start at 0, and the largest of this file is 1.000000015e+30; leave out rows without a class, also of the logits; otherwise give the logits of all classes"},
		{"test/logits.npy", array("<f4", "(2, 3)", 24), "d/s/n/test/logits.npy: shape (2, 3), and d/s/n/test/labels.npy has 3 rows: the logits are transposed; store logits.T, one row a sample"},
		{"test/labels.npy", array("<i4", "(3, 2)", 24), "d/s/n/test/labels.npy: shape (3, 2); want n; exactly one 1 in each row would be one label; several labels a row, or none, are not supported"},
		{"test/labels.npy", array("<i4", "(1, 3)", 12), "d/s/n/test/labels.npy: shape (1, 3); want n; store labels.reshape(-1)"},
		{"test/logits.npy", array("<f4", "(3, 2, 1)", 24), "d/s/n/test/logits.npy: shape (3, 2, 1); want n x k; store np.moveaxis(logits, 1, -1).reshape(-1, 2), and labels.reshape(-1)"},
		{"test/logits.npy", array("<f4", "(6,)", 24), "d/s/n/test/logits.npy: shape (6,); want n x k; if they are binary scores, state kind: probs or kind: logits (as a flag --kind probs or --kind logits)"},
		{"test/logits.npy", array("<f4", "(0, 2)", 0), "d/s/n/test/logits.npy: shape (0, 2): the array is empty"},
		{"test/logits.npy", array("<f4", "(3, 0)", 0), "d/s/n/test/logits.npy: shape (3, 0): the array is empty"},
		{"test/logits.npy", array("<f4", "(3, 3)", 36), "d/s/n/test/logits.npy has 3 classes but d/s/n/test/logits_aug.npy has 2"},
		{"test/features.npy", array("<f4", "(2, 4)", 32), "d/s/n/test/logits.npy has 3 rows but d/s/n/test/features.npy has 2"},
		{"test/features.npy", array("<f4", "(3, 5)", 60), "d/s/n/test/features.npy has 5 features but d/s/n/head_weight.npy has 4"},
		{"test/logits_aug.npy", array("<f4", "(3, 2)", 24), "d/s/n/test/logits_aug.npy: shape (3, 2); want views x n x k"},
		{"test/logits_aug.npy", array("<f4", "(5, 4, 2)", 160), "d/s/n/test/logits.npy has 3 rows but d/s/n/test/logits_aug.npy has 4"},
		{"head_weight.npy", array("<f4", "(4, 2)", 32), "d/s/n/test/logits.npy has 2 classes but d/s/n/head_weight.npy has 4"},
		{"head_bias.npy", array("<f4", "(3,)", 12), "d/s/n/test/logits.npy has 2 classes but d/s/n/head_bias.npy has 3"},
		{"ood/logits.npy", array("<f4", "(7, 3)", 84), "d/s/n/test/logits.npy has 2 classes but d/s/n/ood/logits.npy has 3"},
		{"test/features.npy", npytest.File(1, npytest.Header("<f4", false, "(3, 4)"), npytest.F4(0, 0, 0, 0, 0, 0, float32(math.NaN()), 0, 0, 0, 0, 0)), "d/s/n/test/features.npy: row 1, feature 2: NaN"},
	} {
		fsys := fstest.MapFS{}
		for name, b := range good {
			fsys["s/n/"+name] = &fstest.MapFile{Data: b}
		}
		fsys["s/n/"+c.name] = &fstest.MapFile{Data: c.file}
		folder, err := folder.New(fsys, "d", folder.Layout{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		_, err = data.Load(context.Background(), folder, data.Ref{Dataset: "s", Backbone: "n", Split: data.Test}, data.Logits|data.Labels|data.Features|data.Augmented|data.Head|data.OOD)
		if fmt.Sprint(err) != c.want {
			t.Errorf("%s\ngot  %v\nwant %s", c.name, err, c.want)
		}
	}
	one := fstest.MapFS{"s/n/test/logits.npy": {Data: array("<f4", "(3, 1)", 12)}}
	folder, _ := folder.New(one, "d", folder.Layout{}, nil)
	_, err := data.Load(context.Background(), folder, data.Ref{Dataset: "s", Backbone: "n", Split: data.Test}, data.Logits)
	if want := "d/s/n/test/logits.npy: one column; state kind: probs in manifest.yaml, or --kind probs, if it holds the probability of class 1, and kind: logits if it holds its log odds"; fmt.Sprint(err) != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}
