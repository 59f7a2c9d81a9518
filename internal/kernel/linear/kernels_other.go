//go:build !amd64 || purego

package linear

import "github.com/qats-bench/qats/internal/kernel/cpu"

func vectorTile(cpu.Instructions, []float64, *[tileRows][]float64, []float64) bool { return false }
