package folder

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/npy"
)

// One probability a row beside predictions is, in folders as in tables, what the numbers say.
func TestOneProbabilityBesidePredictionsOfAFolder(t *testing.T) {
	for _, c := range []struct {
		name      string
		probs     []float64
		predicted []int32
		kind      data.Kind
		fails     string
	}{
		{"of the predicted class", []float64{.9, .6, .7, .8}, []int32{1, 0, 1, 0}, data.KindConfidence, ""},
		{"of class 1", []float64{.9, .4, .7, .2}, []int32{1, 0, 1, 0}, data.KindProbs, ""},
		{"of neither", []float64{.9, .4, .3, .8}, []int32{1, 0, 1, 0}, "", "prob is the probability of the predicted class or that of class 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := t.TempDir()
			write := func(name string, dtype npy.DType, b []byte) {
				t.Helper()
				path := filepath.Join(root, "d", "n", "test", name)
				if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, append(npy.HeaderBytes(dtype, []int{4}), b...), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			write("prob.npy", npy.Float64, npy.Little(c.probs))
			write("pred.npy", npy.Int32, npy.Little(c.predicted))
			write("label.npy", npy.Int32, npy.Little([]int32{1, 0, 0, 0}))
			f, err := Open(root, Layout{}, nil)
			if err != nil {
				t.Fatal(err)
			}
			ref := data.Ref{Dataset: "d", Backbone: "n", Split: data.Test}
			r, err := f.Open(t.Context(), ref, f.Has(ref)&(data.Logits|data.Labels))
			if c.fails != "" {
				if err == nil || !strings.Contains(err.Error(), c.fails) {
					t.Errorf("error %v, want %s", err, c.fails)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			r.Close()
			if kind := f.Describe(ref).Kind; kind != c.kind {
				t.Errorf("kind %q, want %q", kind, c.kind)
			}
		})
	}
}
