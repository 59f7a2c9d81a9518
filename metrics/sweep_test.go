package metrics

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Bins from the definition, one number of bins after the other.
func TestSweepECEFollowsItsDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(32, 1))
	for trial := range 200 {
		n := []int{1, 2, 3, 17, 90}[trial%5]
		f := network(rng, n, []float64{.2, 1, 3}[trial%3])
		if trial%4 == 0 { // accuracy rises, so that many bins are monotone
			for i, c := range f.Conf {
				f.Label[i] = 1
				if c > .8 {
					f.Label[i] = 0
				}
			}
		}
		best := 1
	bins:
		for m := 2; m <= n; m++ {
			b := MassBins(Of(f), m)
			for i := 1; i < m; i++ {
				if b[i].Acc < b[i-1].Acc-1e-12 {
					break bins
				}
			}
			best = m
		}
		want, square := 0.0, 0.0
		for _, b := range MassBins(Of(f), best) {
			want += float64(b.N) * math.Abs(b.Acc-b.Conf) / float64(n)
			square += float64(b.N) * (b.Acc - b.Conf) * (b.Acc - b.Conf) / float64(n)
		}
		l1, l2 := SweepECE(Of(f))
		near(t, "norm 1", l1, want, 1e-12)
		near(t, "norm 2", l2, math.Sqrt(square), 1e-12)
	}
}

// Accuracy rises if no block of ties has less than the block before; equal is enough.
func TestRisingAccuracyIsThatOfBlocks(t *testing.T) {
	for _, c := range []struct {
		conf    []float64
		correct []bool
		want    bool
	}{
		{nil, nil, true},
		{[]float64{.5, .6, .7, .8}, []bool{false, true, true, true}, true},
		{[]float64{.5, .6, .7, .8}, []bool{false, true, false, true}, false},
		{[]float64{.5, .6, .6, .6}, []bool{true, true, true, false}, false}, // 1, then 2/3
		{[]float64{.5, .5, .5, .6}, []bool{true, true, false, true}, true},  // 2/3, then 1
		{[]float64{.5, .5, .6, .6}, []bool{true, false, true, false}, true}, // 1/2 twice
		{[]float64{.5, .5, .6}, []bool{true, false, false}, false},
	} {
		if got := newCumulated(Of(given(c.conf, c.correct))).rising; got != c.want {
			t.Errorf("%v %v: rising is %v", c.conf, c.correct, got)
		}
	}
}
