package softmax

import "math"

// Bin returns the index of conf among m right-closed bins of equal width,
// ceil(m conf) - 1 clamped to 0..m-1: conf = 1 is in the last bin, conf = i/m
// in the bin that it closes. This is the binning of ECE (Guo et al. 2017); it
// lives here so that a calibrator that minimises the ECE bins as the metric
// does. conf is in [0, 1].
func Bin(conf float64, m int) int {
	return min(max(int(math.Ceil(float64(conf*float64(m))))-1, 0), m-1)
}
