package data

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/qats-bench/qats/data/npy"
)

// The three forms hold the same numbers, whether they come in one piece or in several.
func TestProbabilitiesInThreeForms(t *testing.T) {
	probs := Probs{Rows: 3, Cols: 2, Data: []float64{0.25, 0.75, 1. / 3, 2. / 3, 1e-300, 1}}
	writeAs := func(o Output, pieces ...Probs) string {
		var b bytes.Buffer
		w, err := NewProbsWriter(&b, o, 3, 2)
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
	write := func(form FileForm, pieces ...Probs) string {
		return writeAs(Output{Form: form, DType: npy.Float64}, pieces...)
	}
	for _, form := range []FileForm{NPY, NPZ, CSV} {
		if write(form, probs) != write(form, probs.Slice(0, 1), probs.Slice(1, 3)) {
			t.Errorf("%s: the bytes depend on the pieces", form)
		}
	}
	if got, want := write(CSV, probs), "0,1\n0.25,0.75\n0.3333333333333333,0.6666666666666666\n1e-300,1\n"; got != want {
		t.Errorf("CSV %q, want %q", got, want)
	}
	if got, want := writeAs(Output{Form: CSV, DType: npy.Float32}, probs), "0,1\n0.25,0.75\n0.33333334,0.6666667\n0,1\n"; got != want {
		t.Errorf("CSV %q, want %q", got, want)
	}
	if got, want := writeAs(Output{Form: CSV, DType: npy.Float64, Temperatures: true}, Probs{Rows: 3, Cols: 1, Data: []float64{1, 2.5, 3}}), "temperature\n1\n2.5\n3\n"; got != want {
		t.Errorf("CSV %q, want %q", got, want)
	}
	narrow := filepath.Join(t.TempDir(), "p.npy")
	if err := npy.WriteFloat32(narrow, []float32{0.25, 0.75, 1. / 3, 2. / 3, 0, 1}, 3, 2); err != nil {
		t.Fatal(err)
	}
	if want, err := os.ReadFile(narrow); err != nil || writeAs(Output{Form: NPY, DType: npy.Float32}, probs.Slice(0, 1), probs.Slice(1, 3)) != string(want) {
		t.Errorf("float32 differs from WriteFloat32 (%v)", err)
	}
	array := filepath.Join(t.TempDir(), "p.npy")
	if err := npy.WriteFloat64(array, probs.Data, 3, 2); err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(array)
	if err != nil {
		t.Fatal(err)
	}
	if write(NPY, probs) != string(want) || !strings.Contains(write(NPZ, probs), string(want)) {
		t.Error("an array differs from that of WriteFloat64")
	}
	w, err := NewProbsWriter(new(bytes.Buffer), Output{Form: NPY, DType: npy.Float64}, 3, 2)
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
