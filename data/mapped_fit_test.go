package data_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/data"
)

// A calibration set is truncated between two stages of a fit that reads it on
// several goroutines. The fit ends with an error of one line.
func TestTruncatedFileEndsAFitWithAnError(t *testing.T) {
	const n, k = 5000, 1000 // large enough to be mapped
	dir := t.TempDir()
	path, labels := filepath.Join(dir, "logits.npy"), filepath.Join(dir, "labels.npy")
	logits, classes := make([]float32, n*k), make([]int32, n)
	for i := range logits {
		logits[i] = float32(i*i%101) / 20
	}
	for i := range classes {
		classes[i] = int32(i % k)
	}
	if err := data.WriteFloat32(path, logits, n, k); err != nil {
		t.Fatal(err)
	}
	if err := data.WriteInt32(labels, classes, n); err != nil {
		t.Fatal(err)
	}
	r, err := data.Files{Logits: path, Labels: labels}.Open()
	if err != nil {
		t.Fatal(err)
	}
	cal, err := data.Map(context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	defer cal.Close()
	stages := 0
	err = cal.Use(func(set *data.Set) error {
		_, err := calib.QaTS{}.Fit(context.Background(), calib.Input{Cal: set, Stage: func(string, float64) {
			stages++
			if err := os.Truncate(path, 1000); err != nil {
				t.Error(err)
			}
		}})
		return err
	})
	if fmt.Sprint(err) != path+": truncated while being read" && fmt.Sprint(err) != path+": changed while being read" {
		t.Errorf("after %d stages: %v", stages, err)
	}
	if stages == 0 {
		t.Error("no stage was met")
	}
}
