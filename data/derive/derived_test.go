package derive

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/folder"
)

const allParts = data.Logits | data.Labels | data.Features | data.Augmented | data.Head | data.OOD

// everyPart writes a small set of every part, and returns its folder and its ref.
func everyPart(t *testing.T) (data.Source, data.Ref) {
	t.Helper()
	dir := t.TempDir()
	table := func(n, k int) data.Matrix {
		m := data.NewMatrix(n, k)
		for i := range m.Data {
			m.Data[i] = float32(i) / 4
		}
		return m
	}
	ref := data.Ref{Dataset: "toy", Backbone: "net", Loss: "ce", Split: data.Test}
	set := &data.Set{Logits: table(5, 3), Labels: []int32{0, 1, 2, 1, 0}, Features: table(5, 2), Augmented: []data.Matrix{table(5, 3), table(5, 3)},
		Head: data.Linear{W: table(3, 2), B: make([]float32, 3)}, OOD: table(4, 3)}
	if err := folder.WriteSet(set, dir, folder.Layout{}, ref); err != nil {
		t.Fatal(err)
	}
	src, err := folder.Open(dir, folder.Layout{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return src, ref
}

// TestFirstHasTheFirstRowsAndItsOwnDigest, for blocks of any size.
func TestFirstHasTheFirstRowsAndItsOwnDigest(t *testing.T) {
	ctx := context.Background()
	src, ref := everyPart(t)
	whole, err := data.Load(ctx, src, ref, allParts)
	if err != nil {
		t.Fatal(err)
	}
	for n, rows := range map[int]int{3: 3, 9: 5} {
		cut := First(src, n)
		set, err := data.Load(ctx, cut, ref, allParts)
		if err != nil {
			t.Fatal(err)
		}
		if set.Logits.Rows != rows || len(set.Labels) != rows || set.OOD.Rows != whole.OOD.Rows {
			t.Errorf("first %d: %d logits, %d labels, %d ood", n, set.Logits.Rows, len(set.Labels), set.OOD.Rows)
		}
		if !slices.Equal(set.Logits.Data, whole.Logits.Slice(0, rows).Data) {
			t.Errorf("first %d: other rows", n)
		}
		text, err := cut.Digest(ctx, ref, data.Logits)
		if err != nil || !strings.Contains(text, "first ") || !strings.HasPrefix(text, "logits sha256:") {
			t.Errorf("digest %q, %v", text, err)
		}
		if got, want := cut.Describe(ref).Note, fmt.Sprintf("at most the first %d rows", n); got != want || cut.Describe(ref).Origin != data.Measured {
			t.Errorf("described as %+v, want %s", cut.Describe(ref), want)
		}
	}
}

// TestScaledMultipliesLogitsAndViews, each block once.
func TestScaledMultipliesLogitsAndViews(t *testing.T) {
	ctx := context.Background()
	src, ref := everyPart(t)
	half := Scaled(src, 0.5)
	if got, want := half.Has(ref), data.Logits|data.Labels|data.Augmented; got != want {
		t.Errorf("has %s, want %s", got, want)
	}
	r, err := half.Open(ctx, ref, data.Logits|data.Labels|data.Augmented)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for range 2 {
		set, err := data.Read(ctx, r, 1, 3)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := set.Logits.Data, []float32{3. / 8, 4. / 8, 5. / 8, 6. / 8, 7. / 8, 8. / 8}; !slices.Equal(got, want) {
			t.Errorf("logits %v, want %v", got, want)
		}
		if got, want := set.Augmented[0].Data[0], float32(3./8); got != want {
			t.Errorf("view %v, want %v", got, want)
		}
	}
	huge, err := Scaled(src, 1e38).Open(ctx, ref, data.Logits|data.Labels)
	if err != nil {
		t.Fatal(err)
	}
	defer huge.Close()
	if _, err := data.Read(ctx, huge, 2, 5); err == nil || !strings.HasSuffix(err.Error(), " times 1e+38 is too large for float32") || !strings.HasPrefix(err.Error(), "row 4, class 2: logit ") {
		t.Errorf("overflow: %v", err)
	}
	text, err := half.Digest(ctx, ref, data.Logits)
	if err != nil || !strings.HasSuffix(text, "logits times 0.5\n") {
		t.Errorf("digest %q, %v", text, err)
	}
}

func TestEndLineAddsAMissingNewline(t *testing.T) {
	for text, want := range map[string]string{"": "", "a": "a\n", "a\n": "a\n"} {
		if got := endLine(text); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}

func TestMaskedOfRowsThatWereMultiplied(t *testing.T) {
	from := data.Matrix{Rows: 1, Cols: 3, Data: []float32{1, data.Masked, 2}}
	var m data.Matrix
	if err := scale(&m, from, 4, func(i int) int { return i }); err != nil || m.Data[0] != 4 || m.Data[1] != data.Masked || m.Data[2] != 8 {
		t.Errorf("%v (%v)", m, err)
	}
}
