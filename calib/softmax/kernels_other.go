//go:build !amd64 || purego

package softmax

// best is what this processor runs fastest.
const best = portable

// available returns what this processor can run.
func available() []instructions { return []instructions{portable} }

func vectorRows(instructions, []Moments, []float32, int, []float64) bool { return false }

func vectorScores(instructions, []Score, []int32, []float32, int, []float64) bool { return false }

func vectorProbs(instructions, []float64, []float32, float64) bool { return false }

func vectorTails(instructions, []float64, []float32, int) bool { return false }
