package data

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The three forms hold the same numbers, whether they come in one piece or in several.
func TestProbabilitiesInThreeForms(t *testing.T) {
	probs := Probs{Rows: 3, Cols: 2, Data: []float64{0.25, 0.75, 1. / 3, 2. / 3, 1e-300, 1}}
	write := func(form FileForm, pieces ...Probs) string {
		var b bytes.Buffer
		w, err := NewProbsWriter(&b, form, 3, 2)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range pieces {
			if err := w.Write(p); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	for _, form := range []FileForm{NPY, NPZ, CSV} {
		if write(form, probs) != write(form, probs.Slice(0, 1), probs.Slice(1, 3)) {
			t.Errorf("%s: the bytes depend on the pieces", form)
		}
	}
	if got, want := write(CSV, probs), "0,1\n0.25,0.75\n0.3333333333333333,0.6666666666666666\n1e-300,1\n"; got != want {
		t.Errorf("CSV %q, want %q", got, want)
	}
	array := filepath.Join(t.TempDir(), "p.npy")
	if err := WriteFloat64(array, probs.Data, 3, 2); err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(array)
	if err != nil {
		t.Fatal(err)
	}
	if write(NPY, probs) != string(want) || !strings.Contains(write(NPZ, probs), string(want)) {
		t.Error("an array differs from that of WriteFloat64")
	}
	w, err := NewProbsWriter(new(bytes.Buffer), NPY, 3, 2)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(probs.Slice(0, 2)); err != nil || w.Close() == nil {
		t.Errorf("a row is missing: %v, and no error at the end", err)
	}
}

func TestFormsOfOutputs(t *testing.T) {
	for path, want := range map[string]FileForm{"a.npy": NPY, "b.NPZ": NPZ, "c/d.csv": CSV, "-": NPY, os.DevNull: NPY, "a": "", "a.txt": "", ".npy.gz": ""} {
		if got, err := FormOf(path); got != want || (err == nil) != (want != "") {
			t.Errorf("%s: %q, %v; want %q", path, got, err, want)
		}
	}
}
