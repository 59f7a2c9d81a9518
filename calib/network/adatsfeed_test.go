package network

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/testset"
	"github.com/qats-bench/qats/data"
)

// The last limit on each side is accepted, the next number is not.
func TestAdaTSNetworksHaveLimits(t *testing.T) {
	for _, c := range []struct {
		features, hidden, classes int
		good                      bool
	}{
		{1, 2, 1, true}, {adatsMostWidth, adatsMostHidden, adatsMostWidth, true}, {0, 2, 1, false}, {1, 2, 0, false}, {1, 0, 1, false}, {1, 1, 1, false}, {1, 3, 1, false},
		{adatsMostWidth + 1, 2, 1, false}, {1, 2, adatsMostWidth + 1, false}, {1, adatsMostHidden + 2, 1, false},
	} {
		m := adatsMap{Width: c.features, Hidden: c.hidden, Classes: c.classes}
		if err := m.checkShape(); (err == nil) != c.good {
			t.Fatalf("%+v: %v", c, err)
		}
	}
	wide := &data.Set{Logits: data.NewMatrix(1, 2), Labels: make([]int32, 1), Features: data.NewMatrix(1, adatsMostWidth+1)}
	if _, err := calib.FitInput(t.Context(), AdaTS{}, calib.Input{Cal: wide}); err == nil {
		t.Error("a fit accepts too many features")
	}
}

// A feature whose spread is a rounding error of its mean has the scale 0.
func TestFeaturesThatVaryByRoundingHaveNoScale(t *testing.T) {
	h := testset.Rows([][]float32{{1<<20 - .125, 1e-3 - 1e-6, 5, 0, 3}, {1<<20 + .125, 1e-3 + 1e-6, 5, 0, 1}})
	mean, scale := standardisation(h)
	for j, want := range []float64{0, 1e6, 0, 0, 1} {
		if got := float64(scale[j]); !(got >= want*.999 && got <= want*1.001) {
			t.Errorf("feature %d of mean %v: scale %v, want %v", j, mean[j], got, want)
		}
	}
}

// Every epoch gives each row once, in minibatches of the given size and a shorter last
// one, with its own features, logits and label and new noise; after the last minibatch
// there is none.
func TestAdaTSFeedGivesEveryRowOnceAnEpoch(t *testing.T) {
	const n, k, rows, steps = 10, 3, 4, 6
	set := &data.Set{Logits: data.NewMatrix(n, k), Labels: make([]int32, n), Features: data.NewMatrix(n, 2)}
	for i := range n {
		set.Labels[i] = int32(i % k)
		copy(set.Features.Row(i), []float32{float32(i), float32(-i)})
		for j := range k {
			set.Logits.Row(i)[j] = float32(10*i + j)
		}
	}
	m := adatsMap{Width: 2, Hidden: 2, Classes: k, Mean: fit.Packed[float32]{0, 0}, Scale: fit.Packed[float32]{1, 1}}
	feed := newAdatsFeed(set, m, rows, steps, rand.New(rand.NewPCG(1, 1)))
	if !slices.Equal(feed.slot, []int{0, 1, 2}) { // classes in the order of the rows sorted by features
		t.Fatalf("numbers of the classes %v", feed.slot)
	}
	var seen []int
	var noise []float32
	for step := range steps {
		b := feed.next()
		if want := []int{4, 4, 2}[step%3]; b == nil || b.N != want {
			t.Fatalf("minibatch %d: %+v, want %d rows", step, b, want)
		}
		for r := range b.N {
			i := int(b.Features[2*r])
			seen = append(seen, i)
			if b.Features[2*r+1] != float32(-i) || b.Labels[r] != i%k || !slices.Equal(b.Logits[r*k:(r+1)*k], set.Logits.Row(i)) {
				t.Errorf("minibatch %d, row %d: features %v, logits %v, label %d", step, r, b.Features[2*r:2*r+2], b.Logits[r*k:(r+1)*k], b.Labels[r])
			}
		}
		for _, part := range b.Noise {
			noise = append(noise, part[:b.N*adatsLatent]...)
		}
	}
	if feed.next() != nil {
		t.Error("there are more minibatches than steps")
	}
	for epoch := range 2 {
		one := slices.Sorted(slices.Values(seen[epoch*n : (epoch+1)*n]))
		if fmt.Sprint(one) != "[0 1 2 3 4 5 6 7 8 9]" {
			t.Errorf("epoch %d has the rows %v", epoch, one)
		}
	}
	if slices.Sort(noise); len(slices.Compact(noise)) < 2*2*n*adatsLatent-3 { // float32 numbers may meet by chance
		t.Error("noise is used twice, or is 0")
	}
}

// A fit takes ceil(n/128) minibatches an epoch, at most MaxSteps, and warns where these
// are fewer.
func TestAdaTSStepsAreCounted(t *testing.T) {
	for _, c := range []struct {
		n, epochs, most, steps int
		short                  bool
	}{{128, 2, 0, 2, false}, {129, 1, 0, 2, false}, {127, 2, 2, 2, false}, {127, 2, 1, 1, true}, {3, 4, 9, 4, false}} {
		set := featured(c.n, 4, 3, 1)
		f, err := calib.FitInput(t.Context(), AdaTS{Epochs: c.epochs, MaxSteps: new(c.most), Hidden: 2, Draws: new(0)}, calib.Input{Cal: set})
		if err != nil {
			t.Fatal(err)
		}
		if passes := float64(c.steps*min(c.n, 128)) / float64(c.n); f.Report.Iterations != c.steps || f.Report.Passes != passes || (len(f.Report.Warnings) > 0) != c.short {
			t.Errorf("%+v: %+v, want %v passes", c, f.Report, passes)
		}
	}
}

// A set of whole blocks has the probabilities of its rows one by one.
func TestAdaTSOnWholeBlocks(t *testing.T) {
	set := featured(fit.BlockRows, 4, 3, 1)
	f, err := calib.FitInput(t.Context(), AdaTS{Epochs: 1, Hidden: 2, Draws: new(2)}, calib.Input{Cal: set.Rows(0, 20)})
	if err != nil {
		t.Fatal(err)
	}
	q, one := data.NewProbs(fit.BlockRows, 3), data.NewProbs(1, 3)
	calib.Apply(f.Map, q, set)
	calib.Apply(f.Map, one, set.Rows(fit.BlockRows-1, fit.BlockRows))
	if !slices.Equal(one.Row(0), q.Row(fit.BlockRows-1)) {
		t.Errorf("the last row: %v, alone %v", q.Row(fit.BlockRows-1), one.Row(0))
	}
}
