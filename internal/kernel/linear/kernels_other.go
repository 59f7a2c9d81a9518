//go:build !amd64 || purego

package linear

import "github.com/qats-bench/qats/internal/kernel/cpu"

func vectorDots(cpu.Instructions, []float64, []float64, Rows) int { return 0 }

func vectorAdd(cpu.Instructions, []float64, []float64, Rows) int { return 0 }

func vectorLine(cpu.Instructions, []float64, []float64, []float64, float64) (done, top int) {
	return 0, 0
}

func vectorGaps(cpu.Instructions, []float32, []float64, float64) int { return 0 }

func vectorDivide(cpu.Instructions, []float64, float64) int { return 0 }

func vectorTile(cpu.Instructions, []float64, *[tileRows][]float64, []float64) bool { return false }
