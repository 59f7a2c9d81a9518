package simulate

import (
	"context"
	"fmt"
	"testing"

	"github.com/qats-bench/qats/data"
)

// BenchmarkRead draws test sets of the paper's sizes.
func BenchmarkRead(b *testing.B) {
	for _, w := range []Network{
		{Name: "n", Classes: 10, Width: 64, TestRows: 10_000, Accuracy: 0.95, ECE: 0.018},
		{Name: "n", Classes: 100, Width: 64, TestRows: 10_000, Accuracy: 0.78, ECE: 0.086},
		{Name: "n", Classes: 1000, Width: 128, TestRows: 25_000, Accuracy: 0.75, ECE: 0.037},
	} {
		for _, parts := range []data.Parts{data.Labels, data.Logits | data.Labels, data.Logits | data.Augmented} {
			b.Run(fmt.Sprintf("n=%d/k=%d/d=%d/parts=%s", w.TestRows, w.Classes, w.Width, parts), func(b *testing.B) {
				r, err := sourceOf(w).Open(context.Background(), data.Ref{Split: data.Test}, parts)
				if err != nil {
					b.Fatal(err)
				}
				b.SetBytes(r.Bytes())
				for b.Loop() {
					for lo := 0; lo < w.TestRows; lo += 1000 {
						if _, err := data.Read(context.Background(), r, lo, lo+1000); err != nil {
							b.Fatal(err)
						}
					}
				}
			})
		}
	}
}
