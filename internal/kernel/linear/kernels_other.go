//go:build !amd64 || purego

package linear

import "github.com/qats-bench/qats/internal/kernel/cpu"

func vectorTile(cpu.Instructions, []float64, *[tileRows][]float64, []float64) bool { return false }

func vectorLine(cpu.Instructions, []float64, []float64, []float64, float64, *float64) int { return 0 }

func vectorGaps(cpu.Instructions, []float32, []float64, float64) int { return 0 }
