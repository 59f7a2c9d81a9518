//go:build amd64 && !purego

package linear

import (
	"slices"

	"github.com/qats-bench/qats/internal/kernel/cpu"
)

// vector says that this processor has AVX2.
var vector = slices.Contains(cpu.Available(), cpu.AVX2)

// lineAVX2 writes dst = a + c s of n > 0 numbers, a multiple of 4; most becomes the largest of it and
// them.
//
//go:noescape
func lineAVX2(dst, a, s, c, most *float64, n int)

// gapsAVX2 writes dst = z - largest of n > 0 numbers, a multiple of 4.
//
//go:noescape
func gapsAVX2(dst *float32, z, largest *float64, n int)

// tileAVX2 adds the products of four rows of d > 0 numbers with a panel of vectorWidth to dst.
//
//go:noescape
func tileAVX2(dst, x0, x1, x2, x3, panel *float64, d int)
