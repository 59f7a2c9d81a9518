//go:build !amd64 || purego

package linear

import "github.com/qats-bench/qats/calib/vector"

func vectorDots(vector.Instructions, []float64, []float64, Rows) int { return 0 }

func vectorAdd(vector.Instructions, []float64, []float64, Rows) int { return 0 }

func vectorLine(vector.Instructions, []float64, []float64, []float64, float64) (done, top int) {
	return 0, 0
}

func vectorGaps(vector.Instructions, []float32, []float64, float64) int { return 0 }

func vectorTile(vector.Instructions, []float64, *[tileRows][]float64, []float64) bool { return false }

func vectorInner(vector.Instructions, *[8]float64, []float64, []float64) bool { return false }
