package calib

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/qats-bench/qats/calib/softmax"
	"github.com/qats-bench/qats/data"
)

// BenchmarkFitFeatures fits the methods that read features, on sets of the
// size of CIFAR-100 and ImageNet.
func BenchmarkFitFeatures(b *testing.B) {
	for _, c := range []struct{ n, k, d int }{{5000, 100, 128}, {25000, 1000, 128}} {
		set := withHead(c.n, c.k, c.d, 1)
		for _, name := range []string{"gc"} {
			m := method(b, name)
			b.Run(fmt.Sprintf("method=%s/n=%d/k=%d/d=%d", name, c.n, c.k, c.d), func(b *testing.B) {
				for b.Loop() {
					f, err := m.Fit(context.Background(), Input{Cal: set, Seed: 1})
					if err != nil {
						b.Fatal(err)
					}
					b.Logf("%+v", f.Report)
				}
			})
		}
	}
}

// method returns a registered method with the defaults of its options.
func method(t testing.TB, name string) Method {
	t.Helper()
	e, ok := Lookup(name)
	if !ok {
		t.Fatalf("no method %s", name)
	}
	m, err := e.New(func(any) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// withHead returns a set whose logits are those of a random last layer on
// rectified features, and whose labels are drawn at temperature 2.
func withHead(n, k, d int, seed uint64) *data.Set {
	rng := rand.New(rand.NewPCG(seed, 3))
	set := &data.Set{
		Logits: data.NewMatrix(n, k), Features: data.NewMatrix(n, d), Labels: make([]int32, n),
		Head: data.Linear{W: data.NewMatrix(k, d), B: make([]float32, k)},
	}
	for i := range set.Head.W.Data {
		set.Head.W.Data[i] = float32(rng.NormFloat64() * 6 / math.Sqrt(float64(d)))
	}
	for j := range set.Head.B {
		set.Head.B[j] = float32(rng.NormFloat64() / 10)
	}
	p := make([]float64, k)
	for i := range n {
		h := set.Features.Row(i)
		for j := range h {
			h[j] = float32(max(0, rng.NormFloat64()))
		}
		row := set.Logits.Row(i)
		for j := range row {
			w, sum := set.Head.W.Row(j), 0.0
			for c, v := range h {
				sum += float64(v) * float64(w[c])
			}
			row[j] = float32(sum + float64(set.Head.B[j]))
		}
		softmax.Probs(p, row, 0.5)
		u := rng.Float64()
		for j := range p {
			if u -= p[j]; u < 0 || j == k-1 {
				set.Labels[i] = int32(j)
				break
			}
		}
	}
	return set
}

// realFull reads a split with features and last layer, and skips the test
// where the network has none.
func realFull(t testing.TB, name, split string) *data.Set {
	dir := filepath.Join(realRoot(t), filepath.FromSlash(name))
	files := data.Files{
		Logits:     filepath.Join(dir, split, "logits.npy"),
		Labels:     filepath.Join(dir, split, "labels.npy"),
		Features:   filepath.Join(dir, split, "features.npy"),
		HeadWeight: filepath.Join(dir, "head_weight.npy"),
		HeadBias:   filepath.Join(dir, "head_bias.npy"),
	}
	r, err := files.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	set, err := r.Read(context.Background(), 0, r.Rows())
	if err != nil {
		t.Fatal(err)
	}
	return set
}
