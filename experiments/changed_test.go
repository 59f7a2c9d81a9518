package experiments

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/npy"
	"github.com/qats-bench/qats/results"
)

const changedSpec = "name: t\nmethods: [uncal, ts, qats-transductive]\nmetrics: [accuracy]\nsettings: {dataset: d, backbone: [a, b]}\n"

// shifted returns the content of a file of labels in which each label is the next
// one: other numbers, and as valid.
func shifted(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := 128; i < len(b); i += 4 {
		b[i] = (b[i] + 1) % 5
	}
	return b
}

// TestDataThatChangeDuringARunAreNotScored: whatever happens to an array between its
// digest and its use, its cells fail and nothing is stored under its old digest.
// With the old array back, the numbers are the old ones.
func TestDataThatChangeDuringARunAreNotScored(t *testing.T) {
	if testing.Short() {
		t.Skip("data tests each kind of change")
	}
	undisturbed := newWorld(t)
	_, want := undisturbed.run(changedSpec, RunOptions{})
	change := map[string]func(t *testing.T, path string){
		"overwritten": func(t *testing.T, path string) {
			if err := os.WriteFile(path, shifted(t, path), 0o666); err != nil {
				t.Fatal(err)
			}
		},
		"overwritten, with its old time": func(t *testing.T, path string) {
			info, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, shifted(t, path), 0o666); err != nil {
				t.Fatal(err)
			}
			if err := os.Chtimes(path, info.ModTime(), info.ModTime()); err != nil {
				t.Fatal(err)
			}
		},
		"cut": func(t *testing.T, path string) {
			if err := os.Truncate(path, 400); err != nil {
				t.Fatal(err)
			}
		},
		"cut within its header": func(t *testing.T, path string) {
			if err := os.Truncate(path, 4); err != nil {
				t.Fatal(err)
			}
		},
		"replaced": func(t *testing.T, path string) {
			other := path + ".new"
			if err := os.WriteFile(other, shifted(t, path), 0o666); err != nil {
				t.Fatal(err)
			}
			if err := os.Rename(other, path); err != nil {
				t.Fatal(err)
			}
		},
	}
	for name, change := range change {
		for _, file := range []string{"d/b/test/labels.npy", "d/b/cal/labels.npy"} {
			t.Run(name+" "+filepath.Base(filepath.Dir(file)), func(t *testing.T) {
				w := newWorld(t)
				path := filepath.Join(w.data, file)
				before, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				done := false
				out, err := w.plan(changedSpec, false).Run(t.Context(), RunOptions{Progress: func(p Progress) {
					if !done && p.Done == 3 { // the first setting, of the other network
						done = true
						change(t, path)
					}
				}})
				if err != nil {
					t.Fatal(err)
				}
				got := statuses(out)
				if out.Failed == 0 || !strings.HasPrefix(strings.Join(got, "\n"), "uncal: ok\nts: ok\nqats-transductive: ok\n") {
					t.Errorf("%q", got)
				}
				for _, line := range got[3:] {
					if !strings.HasSuffix(line, ": ok") && !strings.HasSuffix(line, file+": changed while being read") && !strings.Contains(line, file+": truncated: ") {
						t.Errorf("%s", line)
					}
				}
				if err := os.WriteFile(path, before, 0o666); err != nil {
					t.Fatal(err)
				}
				if _, got := w.run(changedSpec, RunOptions{}); got != want {
					t.Errorf("the store holds other numbers:\n%s", got)
				}
			})
		}
	}
}

// uniform is a map that gives every class the same probability.
type uniform struct{}

func (uniform) Check() error { return nil }
func (uniform) Apply(dst data.Probs, _ *data.Set) {
	for i := range dst.Data {
		dst.Data[i] = 1 / float64(dst.Cols)
	}
}

// TestDataThatChangeDuringAFitAreNotScored: a fit of labels that changed meanwhile is
// not stored. A fit of the old labels is, but no row score of changed ones.
func TestDataThatChangeDuringAFitAreNotScored(t *testing.T) {
	for file, kept := range map[string]int{"d/a/cal/labels.npy": 0, "d/a/test/labels.npy": 1} {
		w := newWorld(t)
		path := filepath.Join(w.data, file)
		contract := calib.Contract{Cal: data.Logits | data.Labels, Test: data.Logits}
		w.known.Methods = append(w.known.Methods, calib.NewEntry[fake, uniform](calib.Entry{Name: "slow", Label: "slow", Version: 1,
			Method: fake{contract, func(calib.Input) (*calib.Fitted, error) {
				return &calib.Fitted{Map: uniform{}}, os.WriteFile(path, shifted(t, path), 0o666)
			}}}))
		out, _ := w.run("name: t\nmethods: [slow]\nmetrics: [accuracy]\nsettings: {dataset: d, backbone: a}\n", RunOptions{})
		if got := statuses(out); len(got) != 1 || !strings.HasPrefix(got[0], "slow: fail ") || !strings.HasSuffix(got[0], file+": changed while being read") {
			t.Errorf("%q", got)
		}
		fits, _ := os.ReadDir(filepath.Join(w.out, "store", string(results.Fit)))
		scores, _ := os.ReadDir(filepath.Join(w.out, "store", string(results.SampleScores)))
		if len(fits) != kept || len(scores) != 0 {
			t.Errorf("%s: %d fits and %d row scores are stored, want %d and 0", file, len(fits), len(scores), kept)
		}
	}
}

// TestPrecomputedFileThatChangesIsNotScored: the files of external methods are held to
// one version too.
func TestPrecomputedFileThatChangesIsNotScored(t *testing.T) {
	const spec = "name: t\nmethods: [uncal, {name: mine, method: precomputed, options: {path: \"mine-{backbone}.npy\"}}]\nmetrics: [accuracy]\nsettings: {dataset: d, backbone: [a, b]}\n"
	w := newWorld(t)
	write := func(backbone string, top int) {
		t.Helper()
		f, err := npy.CreateArray(filepath.Join(w.data, "mine-"+backbone+".npy"), npy.Float64, 300, 5)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Abort()
		rows := make([]float64, 300*5)
		for i := range 300 {
			for j := range 5 {
				rows[5*i+j] = 0.1
			}
			rows[5*i+top] = 0.6
		}
		if err := errors.Join(f.Float64(rows), f.Close()); err != nil {
			t.Fatal(err)
		}
	}
	write("a", 0)
	write("b", 0)
	done := false
	out, err := w.plan(spec, false).Run(t.Context(), RunOptions{Progress: func(p Progress) {
		if !done && p.Done == 2 {
			done = true
			write("b", 1)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	got := statuses(out)
	if len(got) != 4 || !strings.HasPrefix(got[1], "mine: ok") || got[3] != "mine: fail mine-b.npy: changed while being read" {
		t.Errorf("%q", got)
	}
}
