package derive

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/folder"
	"github.com/qats-bench/qats/data/npy"
)

// writeHalves writes a skewed calibration set and a balanced test set whose
// rows each have a number of their own as their first logit.
func writeHalves(t *testing.T, root string) data.Ref {
	t.Helper()
	ref := data.Ref{Dataset: "toy", Backbone: "net", Loss: "ce", Split: data.Cal}
	next := float32(0)
	for split, labels := range map[data.Split][]int32{data.Cal: {0, 0, 0, 0, 0, 0, 1, 1, 2}, data.Test: {0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2}} {
		r := ref
		r.Split = split
		f, err := folder.Layout{}.Files(r)
		if err != nil {
			t.Fatal(err)
		}
		next = map[data.Split]float32{data.Cal: 0, data.Test: 9}[split]
		var logits, features []float32
		for range labels {
			logits = append(logits, next, 0, 1)
			features = append(features, next, -next)
			next++
		}
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, f.Logits)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(
			npy.WriteFloat32(filepath.Join(root, f.Logits), logits, len(labels), 3),
			npy.WriteFloat32(filepath.Join(root, f.Features), features, len(labels), 2),
			npy.WriteInt32(filepath.Join(root, f.Labels), labels, len(labels)),
		); err != nil {
			t.Fatal(err)
		}
	}
	return ref
}

// TestRedrawnSetsPartitionTheUnion: every row of the union is in one of the two
// sets, with its own label and features; class counts stay; draws differ and
// repeat.
func TestRedrawnSetsPartitionTheUnion(t *testing.T) {
	ctx := context.Background()
	root := t.TempDir()
	cal := writeHalves(t, root)
	test := cal
	test.Split = data.Test
	src, err := folder.Open(root, folder.Layout{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	labels := map[float32]int32{}
	for _, ref := range []data.Ref{cal, test} {
		set, err := data.Load(ctx, src, ref, data.Logits|data.Labels)
		if err != nil {
			t.Fatal(err)
		}
		for i, y := range set.Labels {
			labels[set.Logits.Row(i)[0]] = y
		}
	}
	draws, digests := map[string]bool{}, map[string]bool{}
	for draw := 1; draw <= 5; draw++ {
		drawn := Redrawn(src, draw)
		if got := drawn.Has(test); got != data.Logits|data.Labels|data.Features {
			t.Fatalf("has %s", got)
		}
		var members []float32
		for _, ref := range []data.Ref{cal, test} {
			set, err := data.Load(ctx, drawn, ref, data.Logits|data.Labels|data.Features)
			if err != nil {
				t.Fatal(err)
			}
			counts := make([]int, 3)
			for i, y := range set.Labels {
				id := set.Logits.Row(i)[0]
				members = append(members, id)
				counts[y]++
				if labels[id] != y || !slices.Equal(set.Features.Row(i), []float32{id, -id}) {
					t.Errorf("draw %d: row %g has label %d, features %v", draw, id, y, set.Features.Row(i))
				}
			}
			if want := map[data.Split][]int{data.Cal: {6, 2, 1}, data.Test: {4, 4, 4}}[ref.Split]; !slices.Equal(counts, want) {
				t.Errorf("draw %d: %s has %v of each class, want %v", draw, ref.Split, counts, want)
			}
			if again, err := data.Load(ctx, Redrawn(src, draw), ref, data.Logits); err != nil || !slices.Equal(again.Logits.Data, set.Logits.Data) || again.Labels != nil {
				t.Errorf("draw %d does not repeat (%v), or has labels that were not asked for", draw, err)
			}
			text, err := drawn.Digest(ctx, ref, data.Logits)
			if err != nil || digests[text] || strings.Count(text, "sha256:") != 4 {
				t.Errorf("digest %q, %v", text, err)
			}
			digests[text] = true
		}
		draws[fmt.Sprint(members)] = true
		slices.Sort(members)
		for i, id := range members {
			if id != float32(i) {
				t.Fatalf("draw %d: the rows are %v", draw, members)
			}
		}
	}
	if len(draws) != 5 {
		t.Errorf("five draws make %d different ones", len(draws))
	}
	r, err := Redrawn(src, 1).Open(ctx, test, data.Logits|data.Labels)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if r.Rows() != 12 || r.Classes() != 3 {
		t.Errorf("%d rows, %d classes", r.Rows(), r.Classes())
	}
	whole, err := data.Read(ctx, r, 0, 12)
	if err != nil {
		t.Fatal(err)
	}
	part, err := data.Read(ctx, r, 3, 7)
	if err != nil || !slices.Equal(part.Logits.Data, whole.Logits.Slice(3, 7).Data) || !slices.Equal(part.Labels, whole.Labels[3:7]) {
		t.Errorf("rows 3 to 7 are %+v, %v", part, err)
	}
	if note := Redrawn(src, 3).Describe(test).Note; note != "draw 3 of calibration and test rows from their union" {
		t.Errorf("note %q", note)
	}
	shifted := test
	shifted.Corruption, shifted.Severity = "fog", 1
	if Redrawn(src, 1).Has(shifted) != 0 {
		t.Error("corrupted rows are redrawn")
	}
	if _, err := Redrawn(src, 1).Open(ctx, shifted, data.Logits); err == nil {
		t.Error("corrupted rows are opened")
	}
}
