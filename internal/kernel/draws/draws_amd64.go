//go:build amd64 && !purego

package draws

import (
	"slices"

	"github.com/qats-bench/qats/internal/kernel/cpu"
)

// vector says that this processor has AVX2.
var vector = slices.Contains(cpu.Available(), cpu.AVX2)

// sumsAVX2 writes the sums of n > 0 rows.
//
//go:noescape
func sumsAVX2(sums *[Lanes]int64, drawn *Times, place *uint16, weight *int64, n int)
