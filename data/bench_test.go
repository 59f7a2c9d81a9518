package data

import (
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/qats-bench/qats/data/npy"
)

// BenchmarkRead reads 200 MB of float32, 50,000 x 1000, from the page cache into
// one buffer. kind=plain does not look at the bytes; kind=npy checks every value,
// as every read of an Array does; the other variants must be decoded.
func BenchmarkRead(b *testing.B) {
	const n, k = 50_000, 1000
	dir := b.TempDir()
	values := make([]float32, n*k)
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range values {
		values[i] = float32(rng.NormFloat64())
	}
	path := filepath.Join(dir, "f4.npy")
	half := filepath.Join(dir, "f2.npy")
	if err := npy.WriteFloat32(path, values, n, k); err != nil {
		b.Fatal(err)
	}
	if err := npy.WriteFloat16(half, values, n, k); err != nil {
		b.Fatal(err)
	}
	b.Run("kind=plain", func(b *testing.B) {
		b.SetBytes(4 * n * k)
		for b.Loop() {
			f, err := os.Open(path)
			if err != nil {
				b.Fatal(err)
			}
			if _, err := io.ReadFull(f, make([]byte, 4*n*k)); err != nil {
				b.Fatal(err)
			}
			f.Close()
		}
	})
	for _, kind := range []struct{ name, path string }{{"npy", path}, {"float16", half}} {
		b.Run("kind="+kind.name, func(b *testing.B) {
			b.SetBytes(4 * n * k)
			for b.Loop() {
				a, err := OpenArray(nil, kind.path)
				if err != nil {
					b.Fatal(err)
				}
				if err := a.ReadFloat32(make([]float32, n*k), 0, n); err != nil {
					b.Fatal(err)
				}
				a.Close()
			}
		})
	}
}
