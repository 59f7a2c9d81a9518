package data

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/qats-bench/qats/data/npytest"
	"github.com/qats-bench/qats/internal/kernel/half"
)

// maskedRows are logits with masked classes: in the first rows there is none, and one is far
// behind, where the form of a file was decided long before.
func maskedRows(n, k int) Matrix {
	m := NewMatrix(n, k)
	for i := range m.Data {
		if m.Data[i] = float32(i%7) / 4; i%k == 2 && i/k > 90 {
			m.Data[i] = float32(math.Inf(-1))
		}
	}
	return m
}

// fileOf returns logits as an .npy file of a type, in C or Fortran order.
func fileOf(m Matrix, descr string, fortran bool) []byte {
	var body []byte
	for at := range m.Data {
		if fortran {
			at = at%m.Rows*m.Cols + at/m.Rows
		}
		switch x := m.Data[at]; descr {
		case "<f2":
			h := half.FromFloat32(x)
			body = append(body, byte(h), byte(h>>8))
		case "<f4":
			body = append(body, npytest.F4(x)...)
		default:
			body = append(body, npytest.F8(float64(x))...)
		}
	}
	return npytest.File(1, npytest.Header(descr, fortran, fmt.Sprintf("(%d, %d)", m.Rows, m.Cols)), body)
}

// readMasked reads a calibration set of a folder.
func readMasked(t *testing.T, kind Kind, logits []byte, labels []int32) (*Set, error) {
	t.Helper()
	fsys := fstest.MapFS{"logits.npy": {Data: logits}}
	files := Files{Logits: "logits.npy", Kind: kind, FS: fsys}
	if labels != nil {
		files.Labels = "labels.npy"
		fsys["labels.npy"] = &fstest.MapFile{Data: npytest.File(1, npytest.Header("<i4", false, fmt.Sprintf("(%d,)", len(labels))), npytest.Bytes(labels))}
	}
	r, err := files.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	return Read(context.Background(), r, 0, r.Rows())
}

func TestMinusInfinityIsAMaskedClass(t *testing.T) {
	const n, k = 200, 4
	stored := maskedRows(n, k)
	for _, descr := range []string{"<f2", "<f4", "<f8"} {
		for _, fortran := range []bool{false, true} {
			set, err := readMasked(t, AnyKind, fileOf(stored, descr, fortran), nil)
			if err != nil {
				t.Fatal(err)
			}
			for i, x := range stored.Data {
				want := x
				if math.IsInf(float64(x), -1) {
					want = Masked
				}
				if got := set.Logits.Data[i]; got != want {
					t.Fatalf("%s, Fortran %v: row %d, class %d: %v, want %v", descr, fortran, i/k, i%k, got, want)
				}
			}
			if got, want := set.Logits.Masked(), n-91; got != want {
				t.Errorf("%s: %d masked logits, want %d", descr, got, want)
			}
			if err := set.Check(); err != nil {
				t.Error(err)
			}
		}
	}
}

// Logits so large that they are read relative to the largest of their row keep their masks.
func TestMaskedClassesOfLargeLogits(t *testing.T) {
	m := []float64{math.Inf(-1), 1e9 + .25, 1e9, 3, math.Inf(-1), 1e9}
	body := npytest.File(1, npytest.Header("<f8", false, "(2, 3)"), npytest.Bytes(m))
	set, err := readMasked(t, KindLogits, body, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []float32{Masked, 0, -.25, 3 - 1e9, Masked, 0}
	for i, x := range want {
		if set.Logits.Data[i] != x {
			t.Errorf("logit %d is %v, want %v", i, set.Logits.Data[i], x)
		}
	}
}

func TestRowsThatMasksSpoil(t *testing.T) {
	inf := math.Inf(1)
	rows := func(v ...float64) []byte {
		return npytest.File(1, npytest.Header("<f8", false, fmt.Sprintf("(%d, 3)", len(v)/3)), npytest.Bytes(v))
	}
	for _, c := range []struct {
		logits []byte
		kind   Kind
		labels []int32
		want   string
	}{
		{rows(1, 2, 3, -inf, -inf, -inf), KindLogits, nil, "logits.npy: row 1, class 0: all logits of the row are -Inf, so no class is left;"},
		{rows(1, 2, 3, 1, -inf, 2), KindLogits, []int32{0, 1}, "labels.npy: row 1: class 1 is the label of the row, and masked in logits.npy: its logit is -Inf, so its probability is 0;"},
		{rows(1, 2, 3, 255, 2, 3, 1, -inf, 2), KindLogits, []int32{0, 255, 1}, "labels.npy: row 2: class 1 is the label of the row"}, // row 1 is left out
		{rows(1, 2, 3, 1, inf, 2), KindLogits, nil, "logits.npy: row 1, class 1: +Inf"},
		{rows(1, -inf, 3, 1, math.NaN(), 2), KindLogits, nil, "logits.npy: row 1, class 1: NaN"},
		{rows(1, -inf, 3, 1, -1e300, 2), KindLogits, nil, "logits.npy: row 1, class 1: -1e+300 overflows float32"},
		{rows(.2, .3, .5, .2, -inf, .8), KindProbs, nil, "logits.npy: row 1, class 1: -Inf"},
		{rows(1, 2, 3, -inf, -2e30, -2e30), KindLogits, nil, "logits.npy: row 1, class 0: the row has a masked class, and no logit above"},
	} {
		if _, err := readMasked(t, c.kind, c.logits, c.labels); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%v\nwant %s", err, c.want)
		}
	}
}

func TestOneColumnHasNoMaskedClass(t *testing.T) {
	body := npytest.File(1, npytest.Header("<f8", false, "(3, 1)"), npytest.Bytes([]float64{1, math.Inf(-1), 2}))
	if _, err := readMasked(t, KindLogits, body, nil); err == nil || !strings.Contains(err.Error(), "row 1: -Inf") {
		t.Errorf("log odds of -Inf: %v", err)
	}
}
