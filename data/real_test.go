package data_test

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/folder"
	"github.com/qats-bench/qats/data/npy"
	"github.com/qats-bench/qats/internal/bundletest"
)

// bundledSets calls do for every set of the bundle.
func bundledSets(t *testing.T, do func(src *folder.Folder, ref data.Ref)) {
	t.Helper()
	src, err := folder.Open(bundletest.Folder(t), folder.Layout{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	m, err := folder.ReadManifest(bundle)
	if err != nil {
		t.Fatal(err)
	}
	sets := 0
	for _, s := range m.Sets {
		if strings.Contains(s.Set, "*") { // a pattern
			continue
		}
		names := strings.Split(s.Set, "/")
		ref := data.Ref{Dataset: names[0], Backbone: names[1]}
		splits := []data.Split{data.Cal, data.Test}
		switch len(names) {
		case 3:
			ref.Loss = names[2]
		case 4:
			ref.Corruption, ref.Severity = names[2], int(names[3][0]-'0')
			splits = []data.Split{data.Test}
		}
		for _, ref.Split = range splits {
			do(src, ref)
			sets++
		}
	}
	if sets < 100 {
		t.Errorf("%d sets; the bundle has more than 100", sets)
	}
}

// logSum returns the logarithm of the sum of exponentials.
func logSum(row []float32) float64 {
	sum, top := 0.0, float64(slices.Max(row))
	for _, v := range row {
		sum += math.Exp(float64(v) - top)
	}
	return top + math.Log(sum)
}

func TestLogitsOfTheBundleAreNoLogProbs(t *testing.T) {
	if testing.Short() {
		t.Skip("reads the whole bundle")
	}
	bundledSets(t, func(src *folder.Folder, ref data.Ref) {
		set, err := data.Load(context.Background(), src, ref, src.Has(ref)&^data.Features)
		if err != nil {
			t.Error(err)
			return
		}
		if data.LogProbs(set.Logits) {
			t.Errorf("%s: logits are taken for log-probabilities", ref)
		}
		for i := range set.Logits.Rows {
			row := set.Logits.Row(i)
			sum := logSum(row)
			for j, v := range row {
				row[j] = float32(float64(v) - sum)
			}
		}
		if !data.LogProbs(set.Logits) {
			t.Errorf("%s: log-probabilities are taken for logits", ref)
		}
	})
}

// Probabilities of the bundle's networks, in float64 or rounded to four decimals,
// are rejected unless they are stated.
func TestProbabilitiesOfTheBundleAreRejected(t *testing.T) {
	if testing.Short() {
		t.Skip("reads the whole bundle")
	}
	path := filepath.Join(t.TempDir(), "probs.npy")
	bundledSets(t, func(src *folder.Folder, ref data.Ref) {
		if ref.Corruption != "" {
			return
		}
		set, err := data.Load(context.Background(), src, ref, data.Logits)
		if err != nil {
			t.Fatal(err)
		}
		n, k := min(500, set.Logits.Rows), set.Logits.Cols
		for _, decimals := range []int{16, 4} {
			unit := math.Pow10(decimals)
			probs := make([]float64, 0, n*k)
			for i := range n {
				sum := logSum(set.Logits.Row(i))
				for _, v := range set.Logits.Row(i) {
					probs = append(probs, math.Round(math.Exp(float64(v)-sum)*unit)/unit)
				}
			}
			if err := npy.WriteFloat64(path, probs, n, k); err != nil {
				t.Fatal(err)
			}
			if _, err := data.ReadSet(path, ""); err == nil || !strings.HasPrefix(err.Error(), path+": these are probabilities, not logits") {
				t.Errorf("%s, %d decimals: %v", ref, decimals, err)
			}
			r, err := data.Files{Logits: path, Kind: data.KindProbs}.Open()
			if err != nil {
				t.Fatal(err)
			}
			if stated, err := data.Read(context.Background(), r, 0, n); err != nil || !data.LogProbs(stated.Logits) {
				t.Errorf("%s, %d decimals, stated: %v", ref, decimals, err)
			}
			r.Close()
		}
	})
}

// A corrupted set is two folders deeper and takes its head from the network.
func TestCorruptedSetsOfTheBundleHaveTheirNetworksHead(t *testing.T) {
	ctx := context.Background()
	bundledSets(t, func(src *folder.Folder, ref data.Ref) {
		if ref.Corruption == "" || ref.Backbone != "vit-p4-d96-l4" { // the network with features
			return
		}
		want := data.Logits | data.Labels | data.Head
		if ref.Severity%2 == 1 {
			want |= data.Features
		}
		if got := src.Has(ref); got != want {
			t.Fatalf("%s has %s, want %s", ref, got, want)
		}
		if ref.Severity != 3 {
			return
		}
		set, err := data.Load(ctx, src, ref, want)
		if err != nil {
			t.Fatal(err)
		}
		if set.Logits.Rows != 2000 || set.Logits.Cols != 10 || set.Head.W.Rows != 10 || len(set.Head.B) != 10 {
			t.Errorf("%s: logits %d x %d, head %d x %d", ref, set.Logits.Rows, set.Logits.Cols, set.Head.W.Rows, set.Head.W.Cols)
		}
	})
}

// realRoot returns the folder of predictions of networks trained by others, which
// is not part of the project, or skips.
func realRoot(t *testing.T) string {
	t.Helper()
	shared := os.Getenv("QATS_SHARED")
	if shared == "" {
		shared = filepath.Join("..", "..", "shared")
	}
	root := filepath.Join(shared, "real")
	if _, err := os.Stat(root); err != nil {
		t.Skip("no predictions of networks trained by others here")
	}
	return root
}

// LogProbs agrees with the table in the folder's README, which says of each
// network whether logits were published. The folder has both kinds; the bundle,
// above, has logits alone.
func TestLogProbsOfNetworksTrainedByOthers(t *testing.T) {
	root := realRoot(t)
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	src, err := folder.Open(root, folder.Layout{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	sets := 0
	for line := range strings.Lines(string(readme)) {
		cells := strings.Split(line, "|")
		if len(cells) < 5 {
			continue
		}
		kind := strings.TrimSpace(cells[3])
		if kind != "log-probs" && !strings.HasPrefix(kind, "logits") {
			continue
		}
		for _, split := range []data.Split{data.Cal, data.Test} {
			ref := data.Ref{Dataset: strings.TrimSpace(cells[1]), Backbone: strings.TrimSpace(cells[2]), Split: split}
			parts := src.Has(ref)
			if parts&data.Logits == 0 {
				continue // corrupted sets
			}
			s, err := data.Load(context.Background(), src, ref, parts)
			if err != nil {
				t.Error(err)
				continue
			}
			sets++
			if got, want := data.LogProbs(s.Logits), kind == "log-probs"; got != want {
				t.Errorf("%s: LogProbs = %v; the README says %s", ref, got, kind)
			}
		}
	}
	if sets < 80 {
		t.Errorf("read %d sets; the README lists about 90", sets)
	}
}
