package softmax

import (
	"fmt"
	"math"
)

// MeanProbs writes softmax(scale * m) to dst, of k probabilities, and returns dst;
// m is the mean of the given rows of k logits, at least one row.
//
// The rows are summed in float64 and never rounded to float32. The scale, not the
// sum, is divided by the number of rows, so that differences of sums are exact
// wherever the sums are exact, and a constant added to every logit changes no bit.
// One row gives the bits of Probs. The predicted class is the lowest index of the
// largest sum; as in Probs, smaller sums never tie with it. MeanProbs panics if the
// lengths differ.
func MeanProbs(dst []float64, rows [][]float32, scale float64) []float64 {
	clear(dst)
	for _, row := range rows {
		if len(row) != len(dst) {
			panic(fmt.Sprintf("softmax: MeanProbs: %d probabilities for %d classes", len(dst), len(row)))
		}
		for j, l := range row {
			dst[j] += float64(l)
		}
	}
	top := 0
	for j, total := range dst {
		if total > dst[top] {
			top = j
		}
	}
	most := dst[top]
	r := rateOf(scale / float64(len(rows)))
	ties := -1
	for j, total := range dst {
		if total == most {
			dst[j] = 0
			ties++
		} else {
			dst[j] = power(total-most, r)
		}
	}
	s0 := 1 + (float64(ties) + sum(dst))
	conf := 1 / s0
	below := math.Nextafter(conf, 0)
	for j, e := range dst {
		p := e / s0
		if e == 0 && sumOf(rows, j) == most {
			p = conf
		} else if p >= conf {
			p = below
		}
		dst[j] = p
	}
	return dst
}

// sumOf returns the sum of class j over the rows.
func sumOf(rows [][]float32, j int) float64 {
	sum := 0.0
	for _, row := range rows {
		sum += float64(row[j])
	}
	return sum
}
