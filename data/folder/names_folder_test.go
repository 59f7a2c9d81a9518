package folder

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/npy"
)

// A folder has sets whose arrays have other names than logits and labels, with the kind that the
// name of the scores states.
func TestSetsOfAFolderUnderOtherNames(t *testing.T) {
	root := t.TempDir()
	probs := data.NewProbs(4, 2)
	for i := range 4 {
		copy(probs.Row(i), []float64{.25, .75})
	}
	write := func(name string, write func(f *os.File) error) {
		t.Helper()
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		f, err := os.Create(path)
		if err == nil {
			err = write(f)
		}
		if err == nil {
			err = f.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	scores := func(f *os.File) error {
		w, err := data.NewProbsWriter(f, data.Output{Form: data.NPY}, 4, 2)
		if err == nil {
			err = w.Write(probs)
		}
		if err == nil {
			err = w.Close()
		}
		return err
	}
	labels := func(f *os.File) error {
		f.Write(npy.HeaderBytes(npy.Int32, []int{4}))
		_, err := f.Write(npy.Little([]int32{1, 0, 1, 1}))
		return err
	}
	write("d/a/val/probs.npy", scores)
	write("d/a/val/targets.npy", labels)
	write("d/a/test/probs.npy", scores)
	write("d/a/test/y_true.npy", labels)
	write("d/a/test/features.npy", scores)
	write("d/b/test/y_pred.npy", labels) // predicted classes are no scores
	write("d/b/test/y_true.npy", labels)
	f, err := Open(root, Layout{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, split := range []data.Split{data.Cal, data.Test} {
		ref := data.Ref{Dataset: "d", Backbone: "a", Split: split}
		if kind := f.Describe(ref).Kind; kind != data.KindProbs {
			t.Errorf("%s: kind %q", split, kind)
		}
		if has := f.Has(ref) & (data.Logits | data.Labels); has != data.Logits|data.Labels {
			t.Fatalf("%s: has %v", split, has)
		}
		set, err := data.Load(t.Context(), f, ref, data.Logits|data.Labels)
		if err != nil || set.Logits.Rows != 4 || set.Labels[1] != 0 || set.Logits.Row(0)[0] > -1.38 {
			t.Errorf("%s: %v, %v", split, set, err)
		}
	}
	if has := f.Has(data.Ref{Dataset: "d", Backbone: "b", Split: data.Test}) & data.Logits; has != 0 {
		t.Errorf("predicted classes were taken as scores")
	}
}
