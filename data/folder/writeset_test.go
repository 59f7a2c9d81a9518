package folder

import (
	"context"
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/qats-bench/qats/data"
)

// TestWrittenSetsCopyNoViews: augmented views are written without a copy of them all, view
// after view.
func TestWrittenSetsCopyNoViews(t *testing.T) {
	const views, n, k = 8, 1000, 100
	logits := func() data.Matrix { return data.Matrix{Rows: n, Cols: k, Data: make([]float32, n*k)} }
	set := &data.Set{Logits: logits()}
	for i := range views {
		view := logits()
		view.Data[n*k-1] = float32(i)
		set.Augmented = append(set.Augmented, view)
	}
	dir := t.TempDir()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if err := WriteSet(set, dir, Layout{}, data.Ref{Dataset: "a", Backbone: "b"}); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 4*views*n*k/2 {
		t.Errorf("%d bytes of memory to write %d", used, 4*views*n*k)
	}
	file, err := os.ReadFile(filepath.Join(dir, "a/b/logits_aug.npy"))
	if err != nil {
		t.Fatal(err)
	}
	header := len(file) - 4*views*n*k
	if header < 0 || !strings.Contains(string(file[:header]), "(8, 1000, 100)") {
		t.Fatalf("%d bytes, %.128q", len(file), file)
	}
	for i := range views {
		last := header + 4*((i+1)*n*k-1)
		if got := math.Float32frombits(binary.LittleEndian.Uint32(file[last:])); got != float32(i) {
			t.Errorf("view %d ends with %v", i, got)
		}
	}
}

func TestWrittenMasksAreReadAgain(t *testing.T) {
	set := &data.Set{Logits: data.NewMatrix(2, 3), Augmented: []data.Matrix{data.NewMatrix(2, 3)}, OOD: data.NewMatrix(1, 3)}
	set.Logits.Data[1], set.Augmented[0].Data[4], set.OOD.Data[2] = data.Masked, data.Masked, data.Masked
	if got := set.Masked(); got != 3 {
		t.Errorf("%d masked logits, want 3", got)
	}
	dir, ref := t.TempDir(), data.Ref{Dataset: "d", Backbone: "b", Split: data.Cal}
	if err := WriteSet(set, dir, Layout{}, ref); err != nil {
		t.Fatal(err)
	}
	f, err := Open(dir, Layout{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := data.Load(context.Background(), f, ref, data.Logits|data.Augmented|data.OOD)
	if err != nil {
		t.Fatal(err)
	}
	if got.Logits.Data[1] != data.Masked || got.Augmented[0].Data[4] != data.Masked || got.OOD.Data[2] != data.Masked || got.Masked() != 3 {
		t.Errorf("read %v", got)
	}
}
