package metrics

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/qats-bench/qats/internal/exact"
	"github.com/qats-bench/qats/internal/splitmix"
	"github.com/qats-bench/qats/metrics/scoring"
)

func bandOf(t *testing.T, name string, f *scoring.SampleScores, seed uint64) []float64 {
	t.Helper()
	e, _ := Lookup(name)
	v, err := e.Compute(Of(f), seed)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestBandIsThatOfScoringDrawnLabels(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 1))
	for _, n := range []int{1, 9, 100, 700} {
		f := network(rng, n, 1)
		var ece, aece []float64
		for d := range 200 {
			hit := make([]bool, n)
			for i, c := range f.Conf {
				u := splitmix.Mix(stream(5, forBand, d) + uint64(i)*splitmix.Golden)
				hit[i] = float64(u>>1) < c*0x1p63
			}
			g := given(f.Conf, hit)
			ece = append(ece, ECE(Of(g), 15))
			aece = append(aece, AECE(Of(g), 15))
		}
		slices.Sort(ece)
		slices.Sort(aece)
		for k, p := range []float64{.025, .5, .975} {
			near(t, "ece_null", bandOf(t, "ece_null", f, 5)[k], quantile(ece, p), 1e-13)
			near(t, "aece_null", bandOf(t, "aece_null", f, 5)[k], quantile(aece, p), 1e-13)
		}
	}
}

// Samples remember the bands of one seed, which change no value.
func TestRememberedBandsAreThoseOfTheSeedAndTheSamples(t *testing.T) {
	f := network(rand.New(rand.NewPCG(15, 2)), 300, 1)
	s := Of(f)
	for _, seed := range []uint64{3, 3, 4, 3} {
		for name, want := range map[string]Band{"ece_null": ECEBand(Of(f), 15, seed), "aece_null": AECEBand(Of(f), 15, seed)} {
			e, _ := Lookup(name)
			if got, err := e.Compute(s, seed); err != nil || !slices.Equal(got, want.values()) {
				t.Errorf("%s with seed %d: %v, %v, want %v", name, seed, got, err, want)
			}
		}
	}
}

// The band of calibrated data holds their own error in about 95 % of data
// sets: with 400 of them the standard error is 1.1 points, and the quantiles
// of 200 draws add some.
func TestBandHoldsTheErrorOfCalibratedData(t *testing.T) {
	rng := rand.New(rand.NewPCG(16, 1))
	const trials = 400
	for _, name := range []string{"ece", "aece"} {
		inside := 0
		for seed := range trials {
			f := network(rng, 300, 1)
			v := compute(t, name, f)
			if band := bandOf(t, name+"_null", f, uint64(seed)); band[0] <= v && v <= band[2] {
				inside++
			}
		}
		near(t, name+" inside its band", float64(inside)/trials, .95, .035)
	}
}

// All draws see the same uniform numbers for one seed, and others for another. Rows
// of confidence 1 are always correct, so their band is zero.
func TestBandDependsOnTheSeedAlone(t *testing.T) {
	certain := given([]float64{1, 1, 1}, []bool{true, false, true})
	if v := bandOf(t, "ece_null", certain, 1); v[2] != 0 {
		t.Errorf("band of certain rows: %v", v)
	}
	f := network(rand.New(rand.NewPCG(17, 1)), 200, 1)
	if a, b := bandOf(t, "ece_null", f, 1), bandOf(t, "ece_null", f, 1); !slices.Equal(a, b) {
		t.Errorf("one seed gives %v and %v", a, b)
	}
	if a, b := bandOf(t, "ece_null", f, 1), bandOf(t, "ece_null", f, 2); slices.Equal(a, b) {
		t.Error("two seeds give the same band")
	}
}

// A level measured independently, on networks of CIFAR-10 with a mean
// confidence of .94 and 10,000 rows: ECE .47 +- .12 points, AECE .54 +- .13.
// Here the logits of ten classes are normal, one class raised to that mean.
func TestBandOfNormalLogitsHasItsMeasuredLevel(t *testing.T) {
	rng := rand.New(rand.NewPCG(18, 1))
	const n = 10000
	conf := make([]float64, n)
	for i := range conf {
		largest, sum := 0.0, 0.0
		for class := range 10 {
			e := math.Exp(2 * rng.NormFloat64())
			if class == 0 {
				e *= math.Exp(8)
			}
			largest = max(largest, e)
			sum += e
		}
		conf[i] = largest / sum
	}
	f := given(conf, make([]bool, n))
	near(t, "mean confidence", exact.Mean(conf), .94, .005)
	for name, want := range map[string][2]float64{"ece_null": {.0047, .0012}, "aece_null": {.0054, .0013}} {
		band := bandOf(t, name, f, 1)
		near(t, name, band[1], want[0], want[1])
		near(t, name+": spread", (band[2]-band[0])/(2*1.96), want[1], .0003) // the range of a normal is 3.92 deviations
	}
}

// numpy.quantile([1, 2, 4, 8], p).
func TestQuantileIsThatOfNumpy(t *testing.T) {
	v := []float64{1, 2, 4, 8}
	for p, want := range map[float64]float64{0: 1, .25: 1.75, .5: 3, .9: 6.8, 1: 8} {
		near(t, "quantile", quantile(v, p), want, 1e-15)
	}
	near(t, "quantile of one", quantile([]float64{3}, .7), 3, 0)
}
