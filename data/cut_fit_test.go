package data_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/npy"
)

// A calibration set that is read as a stream, on several goroutines, is truncated between
// two stages of a fit. The fit ends with an error of one line. A fit on a set that is in
// memory does not notice.
func TestTruncatedFileEndsAFitThatStreams(t *testing.T) {
	const n, k = 5000, 100
	dir := t.TempDir()
	path, labels := filepath.Join(dir, "logits.npy"), filepath.Join(dir, "labels.npy")
	logits, classes := make([]float32, n*k), make([]int32, n)
	for i := range logits {
		logits[i] = float32(i*i%101) / 20
	}
	for i := range classes {
		classes[i] = int32(i % k)
	}
	for _, streams := range []bool{true, false} {
		if err := npy.WriteFloat32(path, logits, n, k); err != nil {
			t.Fatal(err)
		}
		if err := npy.WriteInt32(labels, classes, n); err != nil {
			t.Fatal(err)
		}
		r, err := data.Files{Logits: path, Labels: labels}.Open()
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		stages := 0
		in := calib.Input{Stage: func(string, float64) {
			stages++
			if err := os.Truncate(path, 1000); err != nil {
				t.Error(err)
			}
		}}
		want := regexp.QuoteMeta(path) + ": truncated to [0-9]+ bytes( or fewer)? while being read" // known by its size, or by a fault of a mapped page
		if streams {
			in.Stream = data.NewStream(r)
		} else {
			want = "<nil>"
			if in.Cal, err = data.Read(t.Context(), r, 0, n); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := (calib.QaTS{}).Fit(t.Context(), in); !regexp.MustCompile("^" + want + "$").MatchString(fmt.Sprint(err)) {
			t.Errorf("streams %t, after %d stages: %v", streams, stages, err)
		}
		if stages == 0 {
			t.Error("no stage was met")
		}
	}
}
