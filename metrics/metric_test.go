package metrics

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/qats-bench/qats/data"
)

func TestRegistry(t *testing.T) {
	seen := map[string]bool{}
	f := sample(rand.New(rand.NewPCG(11, 1)), 1000, 1)
	classes := NewClassTally(2)
	for i, c := range f.Conf { // class 0 is the predicted one
		classes.Add(data.Probs{Rows: 1, Cols: 2, Data: []float64{c, 1 - c}}, f.Label[i:i+1])
	}
	f.Class = classes.Bins()
	for _, e := range Registry() {
		if e.Name == "" || e.Label == "" || e.Summary == "" || e.Version < 1 || len(e.Outputs) == 0 {
			t.Errorf("%+v is incomplete", e)
		}
		for _, id := range e.Outputs {
			if seen[id] {
				t.Errorf("two metrics yield %s", id)
			}
			seen[id] = true
		}
		v, err := e.Compute(NewInput(f, 1))
		if err != nil || len(v) != len(e.Outputs) {
			t.Errorf("%s: %d values for %d outputs, %v", e.Name, len(v), len(e.Outputs), err)
		}
	}
	for _, id := range []string{"accuracy", "ece", "aece", "nll", "brier", "ece_null_lo", "ece_null_med", "ece_null_hi", "aece_null_lo", "aece_null_med", "aece_null_hi"} {
		if !seen[id] {
			t.Errorf("no metric yields %s", id)
		}
	}
	if _, ok := Lookup("eec"); ok {
		t.Error("found a metric that is not there")
	}
}

// Small enough to do by hand: confidences .9 .8 .8 .6, hits 1 0 1 0.
func TestByHand(t *testing.T) {
	f := given([]float64{.9, .8, .8, .6}, []bool{true, false, true, false})
	near(t, "accuracy", value(t, "accuracy", f), .5, 0)
	near(t, "gap", value(t, "gap", f), .275, 1e-15)
	near(t, "brier_top", value(t, "brier_top", f), (.01+.64+.04+.36)/4, 1e-15)
	near(t, "nll", value(t, "nll", f), -math.Log(.9*.8*.8*.6)/4, 1e-15)
	// Pairs of a hit and a miss: (.9, .8) (.9, .6) (.8, .6) right, (.8, .8) half.
	near(t, "auroc", value(t, "auroc", f), 3.5/4, 0)
	// Sums up to .6, .8, .9: .6, 1.2, 1.1.
	near(t, "ks", value(t, "ks", f), 1.2/4, 1e-15)
	// Errors among the top 1 to 4: 0, 1/2 (expected) of 2, 1 of 3, 2 of 4.
	near(t, "aurc", value(t, "aurc", f), (0+.25+1./3+.5)/4, 1e-15)
}

func TestRankOracles(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 1))
	for range 20 {
		f := sample(rng, 150, 1)
		wins, pairs := 0.0, 0.0
		for i := range f.Conf {
			for j := range f.Conf {
				if f.Hit(i) && !f.Hit(j) {
					pairs++
					if f.Conf[i] > f.Conf[j] {
						wins++
					} else if f.Conf[i] == f.Conf[j] {
						wins += .5
					}
				}
			}
		}
		near(t, "auroc", value(t, "auroc", f), wins/pairs, 1e-15)
	}
	// Without ties in confidence, KS and AURC are what their definitions say.
	for range 20 {
		f := sample(rng, 150, 1)
		for i := range f.Conf {
			f.Conf[i] = .1 + .9*rng.Float64()
		}
		rows := rng.Perm(150)
		slices.SortFunc(rows, func(a, b int) int {
			if f.Conf[a] < f.Conf[b] {
				return -1
			}
			return 1
		})
		sum, ks := 0.0, 0.0
		for _, i := range rows {
			sum += f.Conf[i]
			if f.Hit(i) {
				sum--
			}
			ks = max(ks, math.Abs(sum)/150)
		}
		near(t, "ks", value(t, "ks", f), ks, 1e-13)
		wrong, aurc := 0.0, 0.0
		for top := 1; top <= 150; top++ {
			if !f.Hit(rows[150-top]) {
				wrong++
			}
			aurc += wrong / float64(top) / 150
		}
		near(t, "aurc", value(t, "aurc", f), aurc, 1e-13)
	}
}

func TestUndefined(t *testing.T) {
	auroc, _ := Lookup("auroc")
	for _, hit := range []bool{true, false} {
		v, err := auroc.Compute(NewInput(given([]float64{.5, .6}, []bool{hit, hit}), 1))
		if err == nil || v != nil {
			t.Errorf("all rows %v: AUROC %v", hit, v)
		}
	}
}

// TestAddShare: of what is a share, addShare adds what add does.
func TestAddShare(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 1))
	var got, want exactSum
	for i := range 20000 {
		v := math.Ldexp(rng.Float64(), -rng.IntN(80))
		if i < 6 {
			v = []float64{0, 1, math.Nextafter(1, 0), 0.5, 0x1p-64, 5e-324}[i]
		}
		got.addShare(v)
		want.add(v)
		if got != want {
			t.Fatalf("%g: %x, want %x", v, got, want)
		}
	}
}

// The sum equals that of rationals, rounded once.
func TestExactSum(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 1))
	for trial := range 300 {
		var s exactSum
		want := new(big.Rat)
		for range 1 + rng.IntN(50) {
			v := rng.Float64()
			switch trial % 3 {
			case 1:
				v = 1 - v*0x1p-50
			case 2:
				v *= 700
			}
			v = math.Floor(v*0x1p60) / 0x1p60 // nothing below 2^-64
			s.add(v)
			want.Add(want, new(big.Rat).SetFloat64(v))
		}
		nearest, _ := want.Float64()
		if s.value() != nearest {
			t.Errorf("got %v, want %v", s.value(), nearest)
		}
	}
	if (exactSum{}).value() != 0 {
		t.Error("an empty sum is not 0")
	}
}

// TestSort sorts few rows and many, in the memory of those before, also such as
// lie so close together that the radix sort does not tell them apart.
func TestSort(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 1))
	var memory Memory
	for _, n := range []int{1000, 0, 1, 2, 5000, fewRows - 1, fewRows, 3000} {
		f := sample(rng, n, 1)
		for i := range f.Conf {
			switch rng.IntN(8) {
			case 0:
				f.Conf[i] = .7 + float64(rng.IntN(40))*0x1p-40
			case 1:
				f.Conf[i] = 1 - float64(rng.IntN(5))*0x1p-53
			}
		}
		o := memory.sort(f)
		if len(o.conf) != n || len(o.row) != n || len(o.hit) != n {
			t.Fatalf("%d, %d and %d of %d rows", len(o.conf), len(o.row), len(o.hit), n)
		}
		seen := make([]bool, n)
		for j, i := range o.row {
			if o.conf[j] != f.Conf[i] || o.hit[j] != f.Hit(int(i)) || seen[i] {
				t.Fatalf("place %d does not hold row %d", j, i)
			}
			seen[i] = true
			if j > 0 && (o.conf[j] < o.conf[j-1] || o.conf[j] == o.conf[j-1] && i < o.row[j-1]) {
				t.Fatalf("places %d and %d are out of order", j-1, j)
			}
		}
	}
}
