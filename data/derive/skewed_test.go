package derive

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/folder"
	"github.com/qats-bench/qats/data/npytest"
)

// The test set is thinned out to the class shares of the calibration set, as large as
// its rows allow, in their order.
func TestSkewedHasTheSharesOfTheCalibrationSet(t *testing.T) {
	if got := withShares([]int32{0, 0, 0, 0, 1, 1}, []int32{1, 0, 1, 2, 0, 1, 0, 0, 1}); !slices.Equal(got, []int{0, 1, 2, 4, 6, 7}) {
		t.Errorf("rows %v", got) // class 0 limits: 4 of 4, so 2 of class 1 and none of class 2
	}
	if got := withShares([]int32{0}, []int32{0, 0, 0}); !slices.Equal(got, []int{0, 1, 2}) {
		t.Errorf("rows %v of one class", got)
	}
	if got := withShares([]int32{0, 1}, []int32{0, 0}); len(got) != 0 {
		t.Errorf("rows %v of a test set without class 1", got)
	}
	table := func(shape string, body []byte) *fstest.MapFile {
		return &fstest.MapFile{Data: npytest.File(1, npytest.Header("<f4", false, shape), body)}
	}
	labels := func(y ...byte) *fstest.MapFile {
		return &fstest.MapFile{Data: npytest.File(1, npytest.Header("|u1", false, fmt.Sprintf("(%d,)", len(y))), y)}
	}
	network, err := folder.New(fstest.MapFS{
		"s/n/cal/logits.npy":  table("(3, 2)", npytest.F4(1, 2, 3, 4, 5, 6)),
		"s/n/cal/labels.npy":  labels(0, 0, 1),
		"s/n/test/logits.npy": table("(4, 2)", npytest.F4(1, 2, 3, 4, 5, 6, 7, 8)),
		"s/n/test/labels.npy": labels(1, 1, 0, 0),
	}, "d", folder.Layout{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, src := context.Background(), Skewed(network)
	ref := data.Ref{Dataset: "s", Backbone: "n", Split: data.Test}
	set, err := data.Load(ctx, src, ref, data.Logits|data.Labels)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(set.Logits.Data, []float32{1, 2, 5, 6, 7, 8}) || !slices.Equal(set.Labels, []int32{1, 0, 0}) {
		t.Errorf("logits %v, labels %v", set.Logits, set.Labels)
	}
	if n, k, err := src.Shape(ctx, ref); n != 3 || k != 2 || err != nil {
		t.Errorf("shape %d x %d, %v", n, k, err)
	}
	if _, err := folder.Headers(ctx, src, ref, data.Logits|data.Labels); err != nil {
		t.Error(err)
	}
	plain, _ := network.Digest(ctx, ref, data.Logits)
	if changed, err := src.Digest(ctx, ref, data.Logits); err != nil || changed == plain {
		t.Errorf("digest %q, %v", changed, err)
	}
	ref.Split = data.Cal
	if cal, err := data.Load(ctx, src, ref, data.Logits|data.Labels); err != nil || cal.Logits.Rows != 3 {
		t.Errorf("calibration set: %v, %v", cal, err)
	}
	ref.Split, ref.Corruption, ref.Severity = data.Test, "fog", 1
	if src.Has(ref) != 0 {
		t.Error("a corrupted set is thinned out")
	}
}
