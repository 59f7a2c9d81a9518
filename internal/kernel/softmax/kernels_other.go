//go:build !amd64 || purego

package softmax

func vectorRows(instructions, []Moments, []float32, int, []float64) bool { return false }

func vectorScores(instructions, []Score, []int32, []float32, int, []float64) bool { return false }

func vectorProbs(instructions, []float64, []float32, float64) (float64, bool) {
	return 0, false
}

func vectorTails(instructions, []float64, []float32, int) bool { return false }

func vectorTop(instructions, []float32) (int, bool) { return 0, false }

func vectorExp(instructions, []float64, []float64) int { return 0 }

func vectorLog(instructions, []float64, []float64) int { return 0 }

func vectorLog1p(instructions, []float64, []float64) int { return 0 }

func vectorMixtures(instructions, *Mixture, *[3][]float64) int { return 0 }

func vectorQuintics(instructions, *Quintic, []float64, []float64, *[7][]float64) int { return 0 }
