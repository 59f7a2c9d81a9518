package metrics

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/qats-bench/qats/data"
)

// sines returns n x k probabilities, the softmax of 3 sin(1.7 (i+1) (j+1)), with the
// labels (7 i mod 11) mod k.
func sines(n, k int) (data.Probs, *data.Set) {
	p, set := data.NewProbs(n, k), &data.Set{Labels: make([]int32, n)}
	for i := range n {
		sum := 0.0
		for j := range k {
			p.Row(i)[j] = math.Exp(3 * math.Sin(1.7*float64(i+1)*float64(j+1)))
			sum += p.Row(i)[j]
		}
		for j := range k {
			p.Row(i)[j] /= sum
		}
		set.Labels[i] = int32(i * 7 % 11 % k)
	}
	return p, set
}

// The values come from numpy 1.24: TACE with the steps of get_adaptive_bins and
// get_binned_calibration_error of github.com/google/uncertainty-metrics, class by
// class above .01, with 15 bins; the top-5 ECE with bins by ceil(15 c) - 1.
func TestTACEAndTopFiveECEHaveTheValuesOfNumpy(t *testing.T) {
	s, err := FromProbs(sines(300, 9))
	if err != nil {
		t.Fatal(err)
	}
	tace, err := TACE(s)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "TACE", tace, 0.133861240048319, 1e-14)
	top, err := TopFiveECE(s)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "top-5 ECE", top, 0.44529886678772784, 1e-13)
}

// Labels drawn from the probabilities: both errors fall to noise.
func TestTACEAndTopFiveECEOfACalibratedModelAreNoise(t *testing.T) {
	rng := rand.New(rand.NewPCG(52, 1))
	const n, k = 40000, 9
	p, set := sines(n, k)
	for i := range n {
		u, j := rng.Float64(), 0
		for ; j < k-1 && u > p.Row(i)[j]; j++ {
			u -= p.Row(i)[j]
		}
		set.Labels[i] = int32(j)
	}
	s, err := FromProbs(p, set)
	if err != nil {
		t.Fatal(err)
	}
	for name, metric := range map[string]func(*Samples) (float64, error){"TACE": TACE, "top-5 ECE": TopFiveECE} {
		if v, err := metric(s); err != nil || v > .01 {
			t.Errorf("%s %g, %v", name, v, err)
		}
	}
}

func TestTopFiveOfTiedClassesAreTheLowest(t *testing.T) {
	const k = 8
	p, set := data.NewProbs(k, k), &data.Set{Labels: make([]int32, k)}
	for i := range k {
		set.Labels[i] = int32(i)
		for j := range k {
			p.Row(i)[j] = 1. / k
		}
	}
	s, err := FromProbs(p, set)
	if err != nil {
		t.Fatal(err)
	}
	// Sums of 5/8, and 5 of the 8 labels are among the classes 0 to 4.
	v, err := TopFiveECE(s)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "top-5 ECE", v, 0, 1e-15)
	set.Labels = slices.Repeat([]int32{5}, k)
	if s, err = FromProbs(p, set); err != nil {
		t.Fatal(err)
	}
	if v, err = TopFiveECE(s); err != nil {
		t.Fatal(err)
	}
	near(t, "top-5 ECE", v, 5./8, 1e-15)
}

func TestTopFiveECENeedsMoreClasses(t *testing.T) {
	s, err := FromProbs(sines(20, 5))
	if err != nil {
		t.Fatal(err)
	}
	if v, err := TopFiveECE(s); err == nil {
		t.Errorf("of five classes: %g", v)
	}
	bare := Of(given([]float64{.5}, []bool{true}))
	for _, metric := range []func(*Samples) (float64, error){TACE, TopFiveECE} {
		if _, err := metric(bare); !errors.Is(err, errNoClassBins) {
			t.Errorf("without class bins: %v", err)
		}
		if _, err := metric(&Samples{}); !errors.Is(err, ErrNoSamples) {
			t.Errorf("without samples: %v", err)
		}
	}
}
