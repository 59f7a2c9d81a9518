package metrics

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/data"
)

// Every combination is that of a plain loop over rows in bins. Bins of equal mass are those of
// numpy.array_split of the sorted rows, up to which of them have the row more.
func TestECEOptionsAreThoseOfPlainLoops(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	p, set := data.NewProbs(1200, 2), &data.Set{Labels: make([]int32, 1200)} // a multiple of the numbers of bins, without ties
	for i := range set.Labels {
		p.Row(i)[0] = rng.Float64()
		p.Row(i)[1] = 1 - p.Row(i)[0]
		set.Labels[i] = int32(rng.IntN(2))
	}
	s, err := FromProbs(p, set)
	if err != nil {
		t.Fatal(err)
	}
	type row struct {
		conf float64
		hit  float64
	}
	var rows []row
	for i := range 1200 {
		best := 0
		for j, v := range p.Row(i) {
			if v > p.Row(i)[best] {
				best = j
			}
		}
		r := row{conf: p.Row(i)[best]}
		if int(set.Labels[i]) == best {
			r.hit = 1
		}
		rows = append(rows, r)
	}
	slices.SortFunc(rows, func(a, b row) int {
		if a.conf < b.conf {
			return -1
		}
		return 1
	})
	for _, bins := range []int{1, 5, 10, 15, 100} {
		for strategy := range strategies {
			gaps, weights := make([]float64, bins), make([]float64, bins)
			for i, r := range rows {
				b := i * bins / len(rows)
				if strategy == Uniform {
					b = max(int(math.Ceil(float64(bins)*r.conf))-1, 0)
				}
				gaps[b] += r.hit - r.conf
				weights[b]++
			}
			l1, l2, largest := 0.0, 0.0, 0.0
			for b := range gaps {
				if weights[b] == 0 {
					continue
				}
				gap := math.Abs(gaps[b]) / weights[b]
				l1 += weights[b] / float64(len(rows)) * gap
				l2 += weights[b] / float64(len(rows)) * gap * gap
				largest = max(largest, gap)
			}
			for norm, want := range map[Norm]float64{L1: l1, L2: math.Sqrt(l2), Largest: largest} {
				o := ECEOptions{bins, strategy, norm}
				got, err := Value(o.Name(), s)
				if err != nil || math.Abs(got-want) > 1e-12 {
					t.Errorf("%s: %g, want %g (%v)", o.Name(), got, want, err)
				}
			}
		}
	}
	if got, _ := Value("ece_15_uniform_l1", s); got != ECE(s, 15) {
		t.Errorf("ece_15_uniform_l1 is %g, not ece", got)
	}
	if got, _ := Value("ece_15_uniform_l2", s); got != RMSCE(s, 15) {
		t.Errorf("ece_15_uniform_l2 is %g, not rmsce", got)
	}
}

func TestNamesOfECEOptions(t *testing.T) {
	e, output, ok := LookupOutput("ece_10_quantile_l2")
	if !ok || e.Name != "ece_10_quantile_l2" || output.Label != "ECE (10 bins of equal mass, L2)" {
		t.Errorf("%+v, %+v, %v", e, output, ok)
	}
	for _, name := range []string{"ece_0_uniform_l1", "ece_010_uniform_l1", "ece_+5_uniform_l1", "ece_10001_uniform_l1", "ece_10_mass_l1", "ece_10_uniform_l3", "ece_10_uniform", "nll_10_uniform_l1", "ece_10_uniform_l1_"} {
		if _, ok := Lookup(name); ok {
			t.Errorf("%s is a metric", name)
		}
	}
	for want, o := range map[string]ECEOptions{
		"bins 0: want 1 to 10000":                   {0, Uniform, L1},
		`strategy "mass": want uniform or quantile`: {10, "mass", L1},
		`norm "l3": want l1, l2 or max`:             {10, Uniform, "l3"},
	} {
		if err := o.Check(); err == nil || err.Error() != want {
			t.Errorf("%+v: %v, want %s", o, err, want)
		}
	}
	if list := Known(nil, "ece_10_uniform_l1", "ece", "ece_10_uniform_l1"); len(list) != 1 {
		t.Errorf("%d entries, want one", len(list))
	}
	if _, ok := (ECEOptions{10, Uniform, Largest}).Entry().Judge("ece_10_uniform_max"); ok {
		t.Error("a largest gap has verdicts")
	}
	if _, err := (ECEOptions{10, Uniform, L1}).Value(&Samples{}); !errors.Is(err, ErrNoSamples) {
		t.Errorf("no samples: %v", err)
	}
	if !strings.Contains((ECEOptions{7, Quantile, L1}).Entry().Summary, "7 bins of equal mass") {
		t.Error("the summary names no bins")
	}
}
