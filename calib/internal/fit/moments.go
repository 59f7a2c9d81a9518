package fit

import (
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// Moments returns the moments of every row at scale 1.
func Moments(logits data.Matrix) []softmax.Moments {
	moments := make([]softmax.Moments, logits.Rows)
	softmax.Rows(moments, logits.Data, logits.Cols, []float64{1})
	return moments
}

// Energy returns -logsumexp of the row of m, moments at scale 1.
func Energy(m *softmax.Moments) float64 { return -(float64(m.Max) + softmax.Log1p(m.Tail)) }

// TopGap returns the difference of the two largest elements of row, 0 if they
// tie or there is one.
func TopGap(row []float32) float64 {
	if len(row) < 2 {
		return 0
	}
	first, second := max(row[0], row[1]), min(row[0], row[1])
	for _, l := range row[2:] {
		switch {
		case l > first:
			first, second = l, first
		case l > second:
			second = l
		}
	}
	return float64(first) - float64(second)
}
