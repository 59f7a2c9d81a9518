package features

import (
	"math"
	"slices"
	"testing"

	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/testset"
)

// A row at the floor of T has no derivatives in the thetas.
func TestHFERowsAtTheFloorAreConstant(t *testing.T) {
	_, _, f := fitHFEAlone(t, testset.Energetic(30, 3, 5))
	local, err := f.squaredError(t.Context(), hfeMap{T0: hfeFloor, Theta1: 1})
	if err != nil || slices.Max(f.correct) == 0 {
		t.Fatal("no row is at the floor", err)
	}
	for _, v := range append(local.Gradient, local.Hessian...) {
		if v != 0 {
			t.Fatalf("derivatives %v %v, want 0", local.Gradient, local.Hessian)
		}
	}
}

// The spread of energies is computed without cancellation, and is none where it is a
// rounding error of the mean.
func TestNormalsOfNearEnergies(t *testing.T) {
	for _, c := range []struct {
		energies []float64
		std      float64
	}{
		{[]float64{1e5, 1e5 + 1, 1e5 + 1}, math.Sqrt(2) / 3}, {[]float64{1e5 - .0625, 1e5 + .0625}, 0}, {[]float64{1e5 - .125, 1e5 + .125}, .125},
		{[]float64{-1e-7, 1e-7}, 0}, {[]float64{-2e-6, 2e-6}, 2e-6}, {[]float64{3, 3}, 0}, {[]float64{3}, 0}, {nil, 0},
	} {
		if g := fitNormal(c.energies); !(math.Abs(g.Std-c.std) <= 1e-9*c.std) {
			t.Errorf("%v: %+v, want a standard deviation of %v", c.energies, g, c.std)
		}
	}
}

func TestHalvingThetaHalvesThePeak(t *testing.T) {
	g := normal{3, .5}
	if theta := g.halving(1.5); !(math.Abs(theta*g.density(3)-.75) <= 1e-15) {
		t.Errorf("theta %v", theta)
	}
	if theta := g.halving(1e3); theta != hfeMost {
		t.Errorf("theta %v beyond the bound", theta)
	}
	if theta := (normal{}).halving(1); theta != 0 {
		t.Errorf("theta %v without a density", theta)
	}
}

func TestHFENormalIsMaximumLikelihood(t *testing.T) {
	set := testset.Energetic(150, 4, 2)
	m, _, _ := fitHFEAlone(t, set)
	var right, wrong []float64
	for i, y := range set.Labels {
		sum := 0.0
		for _, l := range set.Logits.Row(i) {
			sum += math.Exp(float64(l))
		}
		if fit.TopClass(set.Logits.Row(i)) == int(y) {
			right = append(right, -math.Log(sum))
		} else {
			wrong = append(wrong, -math.Log(sum))
		}
	}
	for _, c := range []struct {
		got normal
		of  []float64
	}{{m.Correct, right}, {m.Wrong, wrong}} {
		mean, square := 0.0, 0.0
		for _, e := range c.of {
			mean += e
			square += e * e
		}
		mean /= float64(len(c.of))
		std := math.Sqrt(square/float64(len(c.of)) - mean*mean)
		if !(math.Abs(c.got.Mean-mean) <= 1e-12) || !(math.Abs(c.got.Std-std) <= 1e-10) {
			t.Errorf("normal %v, want mean %v std %v", c.got, mean, std)
		}
		if want := math.Exp(-0.5) / (std * math.Sqrt(2*math.Pi)); !(math.Abs(c.got.density(mean-std)-want) <= 1e-9) {
			t.Errorf("density one std below the mean: %v, want %v", c.got.density(mean-std), want)
		}
	}
}
