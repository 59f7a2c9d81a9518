package metrics

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestSmoothECEOfSetsDoneByHand(t *testing.T) {
	smece := func(conf []float64, hit []bool) float64 { return compute(t, "smece", given(conf, hit)) }
	// Residuals of one sign: nothing cancels at any width.
	near(t, "one row", smece([]float64{.7}, []bool{false}), .7, 1e-9)
	near(t, "one sign", smece([]float64{.2, .5, .9}, []bool{false, false, false}), 1.6/3, 1e-9)
	near(t, "nothing wrong", smece([]float64{1, 1}, []bool{true, true}), 0, 0)
	// Tied rows cancel before they are smoothed.
	near(t, "tied", smece([]float64{.5, .5}, []bool{true, false}), 0, 0)
	// Residuals r and -r at a distance d far from the ends, at a width s:
	// r erf(d / (2 sqrt(2) s)).
	s := smoother{points: residuals{[]float64{.45, .53}, []float64{.3, -.3}}}
	for _, width := range []float64{.005, .02, .05} {
		near(t, "pair", s.error(width), .6*math.Erf(.08/(2*math.Sqrt2*width)), 1e-7)
	}
}

func TestCosinesAreTheSumsOfTheDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(33, 1))
	for _, g := range []int{1, 2, 8, 64} {
		v := make([]float64, g+1)
		for i := range v {
			v[i] = rng.NormFloat64()
		}
		for j, got := range cosines(slices.Clone(v)) {
			want := v[0] + v[g]*math.Cos(math.Pi*float64(j))
			for i := 1; i < g; i++ {
				want += 2 * v[i] * math.Cos(math.Pi*float64(i*j)/float64(g))
			}
			near(t, "sum", got, want, 1e-12)
		}
	}
}

// A change of sign counts once, whether the value between is 0 or next to it.
func TestMeanAbsIsContinuousWhereTheSignChanges(t *testing.T) {
	for _, sign := range []float64{1, -1} {
		for _, middle := range []float64{0, 1e-14, -1e-14} {
			near(t, fmt.Sprint(sign, middle), meanAbs([]float64{-sign, middle, sign}), (4./3+1)/4, 1e-13)
		}
	}
}

// The smoothed residuals are those of the reflected normal kernel, also of residuals
// at both ends.
func TestSmoothedResidualsAreThoseOfTheReflectedKernel(t *testing.T) {
	r := residuals{[]float64{0, .003, .5, .99, 1}, []float64{.3, -.1, .2, -.4, .25}}
	s := smoother{points: r}
	for _, sigma := range []float64{.02, .1, .5} {
		const steps = 20000
		want := 0.0
		for i := range steps {
			at, f := (float64(i)+.5)/steps, 0.0
			for j, x := range r.at {
				for image := -6.0; image <= 6; image += 2 {
					for _, d := range []float64{at - x + image, at + x + image} {
						f += r.sum[j] * math.Exp(-d*d/(2*sigma*sigma)) / (sigma * math.Sqrt(2*math.Pi))
					}
				}
			}
			want += math.Abs(f) / steps
		}
		near(t, fmt.Sprint("width ", sigma), s.error(sigma), want, 1e-6)
	}
}
