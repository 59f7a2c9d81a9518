package neighbours

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// densityKernels is the density of n points (x, y) in [0, 1]^2, the mean over the points of
//
//	phi((x - x_i)/h_x)/h_x phi((y - y_i)/h_y)/h_y,
//
// phi the standard normal density. A bandwidth h of 0 leaves out its factor.
type densityKernels struct {
	X fit.Packed[float64] `json:"x"` // n
	Y fit.Packed[float64] `json:"y"` // n
	H [2]float64          `json:"h"` // h_x and h_y
}

// constantDeviation is the deviation below which a quantity is constant up to rounding.
const constantDeviation = 1e-9

// newKernels returns the densities of two groups of points by the normal-reference rule,
// h = 1.06 s n^(-1/6), s the standard deviation of x or y among the n points of the
// group. If s is below constantDeviation, the deviation of the points of both groups replaces it. If that deviation
// is below constantDeviation too, the factor is left out in both densities.
func newKernels(groups *[2]densityKernels) {
	for axis := range 2 {
		all := deviation(slices.Concat(groups[0].axis(axis), groups[1].axis(axis)))
		for g := range groups {
			s := deviation(groups[g].axis(axis))
			if s == 0 || all == 0 {
				s = all
			}
			groups[g].H[axis] = 0
			if n := len(groups[g].X); n > 0 {
				groups[g].H[axis] = 1.06 * s * softmax.Exp(-softmax.Log(float64(n))/6)
			}
		}
	}
}

func (k *densityKernels) axis(axis int) []float64 {
	if axis == 0 {
		return k.X
	}
	return k.Y
}

// deviation returns the standard deviation of v, 0 if it is below Constant.
func deviation(v []float64) float64 {
	if _, s := fit.MeanDeviation(v); s >= constantDeviation {
		return s
	}
	return 0
}

// LogSum returns the log of n times the density at (x, y), without the factors
// 1/sqrt(2 pi); it is -Inf if there are no points. buffer holds n numbers. The sum is
// relative to its largest term, so a point far from all others has a finite logarithm.
func (k *densityKernels) LogSum(x, y float64, buffer []float64) float64 {
	if len(k.X) == 0 {
		return math.Inf(-1)
	}
	scale, log := [2]float64{}, 0.0
	for axis, h := range k.H {
		if h > 0 {
			scale[axis] = 1 / h
			log -= softmax.Log(h)
		}
	}
	least := math.Inf(1)
	buffer = buffer[:len(k.X)]
	for i, xi := range k.X {
		u, v := (x-xi)*scale[0], (y-k.Y[i])*scale[1]
		buffer[i] = float64(u*u) + float64(v*v)
		least = min(least, buffer[i])
	}
	for i, u := range buffer {
		buffer[i] = max((least-u)/2, -100) // e^-100 is lost in rounding
	}
	softmax.Exps(buffer, buffer)
	sum := 0.0
	for _, e := range buffer {
		sum += e
	}
	return log + softmax.Log(sum) - least/2
}

// Check returns an error if k, read from a file, is not such a density.
func (k *densityKernels) Check() error {
	if len(k.X) != len(k.Y) {
		return fmt.Errorf("%d numbers x but %d numbers y", len(k.X), len(k.Y))
	}
	for _, v := range slices.Concat(k.X, k.Y) {
		if !(v >= 0 && v <= 1) {
			return errors.New("a point outside [0, 1]")
		}
	}
	for _, h := range k.H {
		if !(h == 0 || h >= constantDeviation/100 && h <= 1) {
			return fmt.Errorf("bandwidth %v: want 0, or one in [%g, 1]", h, constantDeviation/100)
		}
	}
	return nil
}
