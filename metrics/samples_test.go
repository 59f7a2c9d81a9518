package metrics

import (
	"cmp"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// Confidences of every kind: saturated to the last bit, with and without other
// probabilities beside them, equal, and so close together that they share a bucket. Equal
// ones from 127/128 on are in the order of the sum of the others.
func TestSamplesAreSortedByConfidenceThenRow(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 1))
	for _, n := range []int{0, 1, 2, 1000, 5000, 50_000} {
		f := network(rng, n, 1)
		for i := range f.Conf {
			switch rng.IntN(8) {
			case 0:
				f.Conf[i] = .7 + float64(rng.IntN(40))*0x1p-40
			case 1:
				f.Conf[i] = 1 - float64(rng.IntN(5))*0x1p-53
			case 2:
				f.Conf[i] = float64(rng.IntN(3)) * 0x1p-60
			}
			f.Rest[i] = 1 - f.Conf[i]
			if f.Conf[i] > .99999 && rng.IntN(2) == 0 {
				f.Rest[i] = math.Exp(-12 - 500*rng.Float64())
			}
		}
		want := make([]sample, n)
		for i, c := range f.Conf {
			if c >= 127./128 && math.Abs(1-f.Rest[i]-c) <= 0x1p-51 {
				c = 1 - f.Rest[i]
			}
			want[i] = sample{c, int32(i), f.Correct(i)}
		}
		slices.SortStableFunc(want, func(a, b sample) int {
			if a.conf == b.conf && a.conf >= 127./128 {
				return cmp.Compare(f.Rest[b.row], f.Rest[a.row])
			}
			return cmp.Compare(a.conf, b.conf)
		})
		if got := Of(f).sorted; !slices.Equal(got, want) {
			t.Errorf("%d samples are out of order", n)
		}
	}
}

// softmaxOf returns logits with labels and their probabilities.
func softmaxOf(rng *rand.Rand, n, k int) (*data.Set, data.Probs) {
	set := &data.Set{Logits: data.NewMatrix(n, k), Labels: make([]int32, n)}
	p := data.NewProbs(n, k)
	for i := range n {
		for j := range k {
			set.Logits.Row(i)[j] = float32(math.Round(8*rng.NormFloat64()) / 4) // with ties
		}
		set.Labels[i] = rng.Int32N(int32(k))
		softmax.Probs(p.Row(i), set.Logits.Row(i), 1)
	}
	return set, p
}

// Only NLL and Brier score may differ, by rounding.
func TestFromLogitsIsFromProbsOfTheSoftmax(t *testing.T) {
	set, p := softmaxOf(rand.New(rand.NewPCG(35, 1)), 400, 7)
	a, err := FromLogits(set)
	if err != nil {
		t.Fatal(err)
	}
	b, err := FromProbs(p, set)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []**Samples{&a, &b} {
		if *s, err = (*s).Against(a); err != nil {
			t.Fatal(err)
		}
		if *s, err = (*s).CrossFit(t.Context(), p, 1); err != nil {
			t.Fatal(err)
		}
	}
	for _, e := range Registry() {
		if e.Positive {
			continue // of two classes
		}
		x, errX := e.Compute(a, 1)
		y, errY := e.Compute(b, 1)
		if errX != nil || errY != nil {
			t.Errorf("%s: %v, %v", e.Name, errX, errY)
			continue
		}
		for i := range x {
			near(t, e.Outputs[i].Name, x[i], y[i], 1e-14)
		}
	}
}

// Every metric without Entry.Vector has the value of FromProbs, and every other one
// is ErrNoVector.
func TestFromConfidencesHasTheMetricsOfTheTopClass(t *testing.T) {
	set, p := softmaxOf(rand.New(rand.NewPCG(36, 1)), 400, 7)
	full, err := FromProbs(p, set)
	if err != nil {
		t.Fatal(err)
	}
	conf, correct := make([]float64, 400), make([]bool, 400)
	for _, x := range full.sorted {
		conf[x.row], correct[x.row] = x.conf, x.correct
	}
	top, err := FromConfidences(conf, correct)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range Registry() {
		want, _ := e.Compute(full, 1)
		got, err := e.Compute(top, 1)
		switch {
		case e.Vector:
			if !errors.Is(err, ErrNoVector) {
				t.Errorf("%s: %v, %v, want ErrNoVector", e.Name, got, err)
			}
		case e.Name == "miou" || e.Name == "argmax_change" || e.Name == "ece_toplabel":
			if err == nil {
				t.Errorf("%s: %v without classes", e.Name, got)
			}
		case err != nil || !slices.Equal(got, want):
			t.Errorf("%s: %v, %v, want %v", e.Name, got, err, want)
		}
	}
}

func TestArgmaxChangeNeedsTheUncalibratedLogits(t *testing.T) {
	set, p := softmaxOf(rand.New(rand.NewPCG(37, 1)), 10, 3)
	p.Row(0)[0], p.Row(0)[1], p.Row(0)[2] = .2, .3, .5
	set.Logits.Row(0)[0] = 100
	s, err := FromProbs(p, set)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := ArgmaxChange(s); got != .1 || err != nil {
		t.Errorf("%v, %v, want .1", got, err)
	}
	set.Logits = data.Matrix{}
	if s, err = FromProbs(p, set); err != nil {
		t.Fatal(err)
	}
	if got, err := ArgmaxChange(s); err == nil {
		t.Errorf("%v of a set without logits", got)
	}
}

func TestConstructorsReject(t *testing.T) {
	nan, inf := math.NaN(), float32(math.Inf(1))
	probs := func(rows int, v ...float64) data.Probs { return data.Probs{Rows: rows, Cols: 2, Data: v} }
	logits := func(rows int, v ...float32) data.Matrix { return data.Matrix{Rows: rows, Cols: 2, Data: v} }
	labels := func(v ...int32) *data.Set { return &data.Set{Labels: v} }
	set := func(m data.Matrix, v ...int32) *data.Set { return &data.Set{Logits: m, Labels: v} }
	for _, c := range []struct {
		want string
		make func() (*Samples, error)
	}{
		{"there are no samples", func() (*Samples, error) { return FromProbs(data.Probs{}, labels()) }},
		{"there are no samples", func() (*Samples, error) { return FromLogits(&data.Set{}) }},
		{"there are no samples", func() (*Samples, error) { return FromConfidences(nil, nil) }},
		{"row 1, class 0: NaN", func() (*Samples, error) { return FromProbs(probs(2, .5, .5, nan, .5), labels(0, 0)) }},
		{"row 0: label 2", func() (*Samples, error) { return FromProbs(probs(1, .5, .5), labels(2)) }},
		{"1 rows of probabilities, but 2 labels", func() (*Samples, error) { return FromProbs(probs(1, .5, .5), labels(0, 1)) }},
		{"with 3 numbers", func() (*Samples, error) { return FromProbs(probs(1, .5, .5, .5), labels(0)) }},
		{"with 0 numbers", func() (*Samples, error) { return FromProbs(data.Probs{Rows: 1}, labels(0)) }},
		{"but logits of 2 x 2", func() (*Samples, error) { return FromProbs(probs(1, .5, .5), set(logits(2, 1, 2, 3, 4), 0)) }},
		{"but logits of 1 x 1", func() (*Samples, error) {
			return FromProbs(probs(1, .5, .5), set(data.Matrix{Rows: 1, Cols: 1, Data: []float32{1}}, 0))
		}},
		{"but logits of 1 x 2", func() (*Samples, error) { return FromProbs(probs(1, .5, .5), set(logits(1, 1, 2, 3), 0)) }},
		{"logits: row 1, class 1: +Inf", func() (*Samples, error) { return FromLogits(set(logits(2, 1, 2, 3, inf), 0, 0)) }},
		{"logits: row 0, class 1: NaN", func() (*Samples, error) { return FromLogits(set(logits(1, 1, float32(nan)), 0)) }},
		{"row 1: label -1", func() (*Samples, error) { return FromLogits(set(logits(2, 1, 2, 3, 4), 0, -1)) }},
		{"2 rows of logits, but 1 labels", func() (*Samples, error) { return FromLogits(set(logits(2, 1, 2, 3, 4), 0)) }},
		{"with 3 numbers", func() (*Samples, error) { return FromLogits(set(logits(2, 1, 2, 3), 0, 0)) }},
		{"row 1: 1.5 is not a confidence", func() (*Samples, error) { return FromConfidences([]float64{.5, 1.5}, []bool{true, true}) }},
		{"1 confidences, but 2 flags", func() (*Samples, error) { return FromConfidences([]float64{.5}, []bool{true, true}) }},
	} {
		s, err := c.make()
		if s != nil || err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %q", err, c.want)
		}
	}
}

func TestZeroSamplesAreZeroOrAnError(t *testing.T) {
	for _, e := range Registry() {
		v, err := e.Compute(&Samples{}, 1)
		if err == nil {
			for i, x := range v {
				if x != 0 {
					t.Errorf("%s of no samples: %v", e.Outputs[i].Name, x)
				}
			}
		} else if !errors.Is(err, ErrNoSamples) {
			t.Errorf("%s of no samples: %v", e.Name, err)
		}
	}
}

// A number of bins below one counts as one.
func TestBinsAreOneAtLeast(t *testing.T) {
	s := Of(given([]float64{.9, .8, .8, .6}, []bool{true, false, true, false}))
	for _, bins := range []int{-3, 0, 1} {
		near(t, "ECE", ECE(s, bins), .275, 1e-15)
		near(t, "AECE", AECE(s, bins), .275, 1e-15)
	}
}

func FuzzFromProbs(f *testing.F) {
	f.Add(.5, .25, .25, int32(0))
	f.Add(math.NaN(), 1., 0., int32(1))
	f.Fuzz(func(t *testing.T, a, b, c float64, label int32) {
		s, err := FromProbs(data.Probs{Rows: 1, Cols: 3, Data: []float64{a, b, c}}, &data.Set{Labels: []int32{label}})
		if err != nil {
			return
		}
		for _, e := range Registry() {
			v, err := e.Compute(s, 1)
			for i, x := range v {
				if o := e.Outputs[i]; !(x >= o.Lo && x <= o.Hi+1e-9) || math.IsInf(x, 0) {
					t.Errorf("%s of (%g, %g, %g), label %d: %g, %v", o.Name, a, b, c, label, x, err)
				}
			}
		}
	})
}

// Logits of another shape than the probabilities are rejected, even if they have as
// many numbers.
func TestFromProbsRejectsLogitsOfAnotherShape(t *testing.T) {
	p := data.Probs{Rows: 2, Cols: 2, Data: []float64{.5, .5, .25, .75}}
	for _, c := range []struct {
		logits data.Matrix
		ok     bool
	}{
		{data.Matrix{Rows: 2, Cols: 2, Data: make([]float32, 4)}, true},
		{data.Matrix{Rows: 4, Cols: 2, Data: make([]float32, 4)}, false},
		{data.Matrix{Rows: 2, Cols: 4, Data: make([]float32, 4)}, false},
		{data.Matrix{Rows: 2, Cols: 2, Data: make([]float32, 5)}, false},
	} {
		if _, err := FromProbs(p, &data.Set{Logits: c.logits, Labels: []int32{0, 1}}); (err == nil) != c.ok {
			t.Errorf("%d x %d with %d numbers: %v", c.logits.Rows, c.logits.Cols, len(c.logits.Data), err)
		}
	}
}

// Two confidences at exactly the distance of a tie are in one block of the bins of equal
// mass.
func TestBlocksIncludeTheirDistance(t *testing.T) {
	for _, c := range []struct {
		second float64
		joined bool
		acc    [2]float64
	}{
		{2 * tie, true, [2]float64{.5, .5}},
		{2.5 * tie, false, [2]float64{1, 0}},
	} {
		s := Of(given([]float64{tie, c.second}, []bool{true, false}))
		bins := MassBins(s, 2)
		near(t, "accuracy of the lower half", bins[0].Acc, c.acc[0], 0)
		near(t, "accuracy of the upper half", bins[1].Acc, c.acc[1], 0)
		if got := newCumulated(s).rising; got != c.joined {
			t.Errorf("second confidence %v: rising is %v", c.second, got)
		}
	}
}

// Probabilities in float32 sum to one only roughly, so confidences and the sums of the others
// may contradict each other. Bins and blocks need rising confidences.
func TestRoundedProbabilitiesRise(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 1))
	const n, k = 3000, 100
	set, p := softmaxOf(rng, n, k)
	for i := range n {
		row := p.Row(i)
		for j := range row {
			row[j] *= 1e-7 * rng.Float64()
		}
		top := i % k
		row[top] = 0
		rest := 0.0
		for _, q := range row {
			rest += q
		}
		row[top] = 1 - rest
		for j, q := range row {
			row[j] = float64(float32(q))
		}
	}
	s, err := FromProbs(p, set)
	if err != nil {
		t.Fatal(err)
	}
	for i := 1; i < n; i++ {
		a, b := s.sorted[i-1], s.sorted[i]
		if a.conf > b.conf || a.conf == b.conf && s.scores.Rest[a.row] < s.scores.Rest[b.row] {
			t.Fatalf("%+v is before %+v", a, b)
		}
	}
	for _, b := range MassBins(s, 15) {
		if b.N > 0 && b.Hi < b.Lo {
			t.Errorf("a bin from %v to %v", b.Lo, b.Hi)
		}
	}
}
