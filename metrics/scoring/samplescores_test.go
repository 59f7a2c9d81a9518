package scoring

import (
	"bytes"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/npy"
)

// table returns rows as probabilities.
func table(rows ...[]float64) data.Probs {
	p := data.NewProbs(len(rows), len(rows[0]))
	for i, r := range rows {
		copy(p.Row(i), r)
	}
	return p
}

// logits returns rows as a set with labels.
func logits(labels []int32, rows ...[]float32) *data.Set {
	s := &data.Set{Labels: labels}
	if len(rows) > 0 {
		s.Logits = data.NewMatrix(len(rows), len(rows[0]))
		for i, r := range rows {
			copy(s.Logits.Row(i), r)
		}
	}
	return s
}

func TestAppendProbsDoneByHand(t *testing.T) {
	f := &SampleScores{}
	p := table(
		[]float64{.2, .5, .3}, // plain
		[]float64{.4, .2, .4}, // a tie with the raw top class, which is the last
		[]float64{.4, .4, .2}, // a tie without it
		[]float64{0, 1, 0},    // certain and right
		[]float64{0, 1, 0},    // certain and wrong
	)
	set := logits([]int32{1, 0, 2, 1, 0},
		[]float32{0, 2, 1}, []float32{1, 0, 2}, []float32{0, 1, 3}, []float32{0, 5, 5}, []float32{-1, 5, 0})
	if err := f.AppendProbs(p, set); err != nil {
		t.Fatal(err)
	}
	want := &SampleScores{
		Conf:    []float64{.5, .4, .4, 1, 1},
		Rest:    []float64{.5, .2 + .4, .4 + .2, 0, 0},
		Pred:    []int32{1, 2, 0, 1, 1},
		Label:   []int32{1, 0, 2, 1, 0},
		NLL:     []float64{math.Ln2, -math.Log(.4), -math.Log(.2), 0, -math.Log(1e-300)},
		Brier:   []float64{.25 + .04 + .09, .36 + .04 + .16, .64 + .16 + .16, 0, 2},
		Changed: []bool{false, false, true, false, false},
	}
	for i := range f.Len() {
		near(t, "NLL", f.NLL[i], want.NLL[i], 1e-13)
		near(t, "Brier", f.Brier[i], want.Brier[i], 1e-15)
		near(t, "rest", f.Rest[i], want.Rest[i], 1e-15)
		if math.Signbit(f.NLL[i]) {
			t.Errorf("row %d: NLL is -0", i)
		}
	}
	f.Rest, f.NLL, f.Brier = want.Rest, want.NLL, want.Brier
	if !reflect.DeepEqual(f, want) {
		t.Errorf("got  %+v\nwant %+v", f, want)
	}

	// Without logits the raw top class is that of the probabilities.
	g := New(5)
	if err := g.AppendProbs(p, logits(set.Labels)); err != nil {
		t.Fatal(err)
	}
	if want := []int32{1, 0, 0, 1, 1}; !reflect.DeepEqual(g.Pred, want) {
		t.Errorf("predictions %v, want %v", g.Pred, want)
	}
	if len(g.Changed) > 0 {
		t.Error("changes are known without logits")
	}
}

func TestLowestOfTheLargestClassesWins(t *testing.T) {
	for _, row := range [][]float64{{2, 2, 1}, {1, 2, 2}, {2, 1, 2}, {2, 2, 2}, {0, -1, 0}, {3}} {
		want, single := slices.Index(row, slices.Max(row)), make([]float32, len(row))
		for j, v := range row {
			single[j] = float32(v)
		}
		if got := argmax(row); got != want {
			t.Errorf("argmax(%v) = %d, want %d", row, got, want)
		}
		if got := argmax(single); got != want {
			t.Errorf("argmax(%v) of float32 = %d, want %d", row, got, want)
		}
	}
	// Probabilities that tie, without logits; with logits that tie; and with logits
	// that do not.
	p := table([]float64{.1, .45, .45})
	for name, c := range map[string]struct {
		logits [][]float32
		pred   int32
	}{
		"no logits":     {nil, 1},
		"tied logits":   {[][]float32{{0, 1, 1}}, 1},
		"untied logits": {[][]float32{{0, 1, 2}}, 2},
		"other class":   {[][]float32{{3, 1, 2}}, 1},
	} {
		var s SampleScores
		if err := s.AppendProbs(p, logits([]int32{0}, c.logits...)); err != nil {
			t.Fatal(err)
		}
		if s.Pred[0] != c.pred {
			t.Errorf("%s: class %d is predicted, want %d", name, s.Pred[0], c.pred)
		}
	}
}

// Parts that are filled from the end, at the same time, have the bits and the row
// numbers of one fill of all rows.
func TestPartsFillTheirRowsOfTheWhole(t *testing.T) {
	const n, k, block = 1000, 5, 70
	set := hardLogits(rand.New(rand.NewPCG(41, 1)), n, k)
	ones := slices.Repeat([]float64{1}, n)
	want := New(n)
	if err := AppendScaled([]*SampleScores{want}, set, ones); err != nil {
		t.Fatal(err)
	}
	got := Zeros(n)
	var wait sync.WaitGroup
	for lo := (n - 1) / block * block; lo >= 0; lo -= block {
		wait.Go(func() {
			hi := min(n, lo+block)
			if err := AppendScaled([]*SampleScores{got.Part(lo, hi)}, set.Rows(lo, hi), ones[lo:hi]); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if !reflect.DeepEqual(got, want) {
		t.Error("the parts differ from the whole")
	}
	err := got.Part(40, 42).AppendProbs(table([]float64{.5, .5}, []float64{.5, .6}), logits([]int32{0, 1}))
	if err == nil || !strings.HasPrefix(err.Error(), "row 41: probabilities sum to 1.1") {
		t.Errorf("error %v", err)
	}
}

func TestAppendTopLabelRejects(t *testing.T) {
	s := &SampleScores{}
	if err := s.AppendTopLabel([]int32{1, 0}, []float64{0, 1}, []int32{1, 1}); err != nil {
		t.Fatal(err)
	}
	for want, try := range map[string]func() error{
		"row 3: 1.5 is not a confidence":              func() error { return s.AppendTopLabel([]int32{0, 0}, []float64{.5, 1.5}, []int32{0, 0}) },
		"row 2: NaN is not a confidence":              func() error { return s.AppendTopLabel([]int32{0}, []float64{math.NaN()}, []int32{0}) },
		"row 2: class -1 and label 0: want 0 or more": func() error { return s.AppendTopLabel([]int32{-1}, []float64{.5}, []int32{0}) },
		"row 2: class 0 and label -1: want 0 or more": func() error { return s.AppendTopLabel([]int32{0}, []float64{.5}, []int32{-1}) },
	} {
		if err := try(); err == nil || err.Error() != want || s.Len() != 2 {
			t.Errorf("got %v with %d rows, want %s", err, s.Len(), want)
		}
	}
	if !s.Correct(0) || s.Correct(1) || s.Changed[1] {
		t.Errorf("%+v", s)
	}
}

// Blocks of any size give the same bits, against the definitions.
func TestBlocksOfProbsChangeNoBit(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 1))
	const n, k = 200, 7
	p, set := data.NewProbs(n, k), &data.Set{Logits: data.NewMatrix(n, k), Labels: make([]int32, n)}
	for i := range n {
		sum := 0.0
		for j := range k {
			p.Row(i)[j] = rng.ExpFloat64()
			sum += p.Row(i)[j]
			set.Logits.Row(i)[j] = rng.Float32()
		}
		for j := range k {
			p.Row(i)[j] /= sum
		}
		set.Labels[i] = rng.Int32N(k)
	}
	whole, parts := New(n), &SampleScores{}
	if err := whole.AppendProbs(p, set); err != nil {
		t.Fatal(err)
	}
	for lo := 0; lo < n; {
		hi := min(n, lo+rng.IntN(30))
		if err := parts.AppendProbs(p.Slice(lo, hi), set.Rows(lo, hi)); err != nil {
			t.Fatal(err)
		}
		lo = hi
	}
	if !reflect.DeepEqual(whole, parts) {
		t.Error("blocks differ from the whole")
	}
	for i := range n {
		brier := 0.0
		for j, v := range p.Row(i) {
			if j == int(set.Labels[i]) {
				v = 1 - v
			}
			brier += v * v
		}
		near(t, "Brier", whole.Brier[i], brier, 1e-14)
		near(t, "NLL", whole.NLL[i], -math.Log(p.Row(i)[set.Labels[i]]), 1e-13)
	}
}

func TestAppendProbsRejects(t *testing.T) {
	good := []float64{.5, .25, .25}
	for _, c := range []struct {
		row   []float64
		label int32
		want  string
	}{
		{[]float64{.5, math.NaN(), .25}, 0, "row 3, class 1: NaN is not a probability"},
		{[]float64{math.NaN(), .5, .5}, 0, "row 3, class 0: NaN is not a probability"},
		{[]float64{.5, .75, -.25}, 0, "row 3, class 2: -0.25 is not a probability"},
		{[]float64{-.5, .75, .75}, 0, "row 3, class 0: -0.5 is not a probability"},
		{[]float64{math.Inf(1), 0, 0}, 1, "row 3, class 0: +Inf is not a probability"},
		{[]float64{0, 1 + 1e-9, 0}, 1, "row 3, class 1: 1.000000001 is not a probability"},
		{[]float64{.5, .25, .26}, 0, "row 3: probabilities sum to 1.01, which is not 1 within 1.2e-06"},
		{[]float64{0, 0, 0}, 0, "row 3: probabilities sum to 0, which is not 1 within 1.2e-06"},
		{good, 3, "row 3: label 3, but the classes are 0 to 2"},
		{good, -1, "row 3: label -1, but the classes are 0 to 2"},
	} {
		f := &SampleScores{}
		if err := f.AppendProbs(table(good, good), logits([]int32{0, 1})); err != nil {
			t.Fatal(err)
		}
		err := f.AppendProbs(table(good, c.row), logits([]int32{0, c.label}))
		if err == nil || err.Error() != c.want {
			t.Errorf("got  %v\nwant %s", err, c.want)
		}
		if f.Len() != 2 || len(f.NLL) != 2 || len(f.Pred) != 2 {
			t.Errorf("%v: %d rows were kept, want 2", c.row, f.Len())
		}
	}
	// A negative zero is zero, and float32 rounding passes.
	f := &SampleScores{}
	third := float64(float32(1) / 3)
	if err := f.AppendProbs(table([]float64{1, math.Copysign(0, -1), 0}, []float64{third, third, third}), logits([]int32{0, 1})); err != nil {
		t.Error(err)
	}
}

// scored returns the scores of n rows.
func scored(rng *rand.Rand, n int) *SampleScores {
	s := New(n)
	if err := AppendScaled([]*SampleScores{s}, hardLogits(rng, n, 3), slices.Repeat([]float64{1}, n)); err != nil {
		panic(err)
	}
	return s
}

func TestDecodeReturnsWhatWasEncoded(t *testing.T) {
	rng := rand.New(rand.NewPCG(10, 1))
	f := scored(rng, 100)
	f.Changed[3], f.NLL[4], f.Brier[5], f.Pred[6] = true, 5e-324, 1./3, 1<<30
	b, err := f.AppendEncoded(nil)
	if err != nil {
		t.Fatal(err)
	}
	again, _ := f.AppendEncoded(nil)
	if !bytes.Equal(b, again) {
		t.Error("two encodings differ")
	}
	g, err := Decode(b)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(f, g) {
		t.Error("the scores changed")
	}
	if _, err := (&SampleScores{}).AppendEncoded(nil); err == nil {
		t.Error("no rows were encoded")
	}
	if c, err := f.AppendEncoded([]byte("before")); err != nil || string(c[:6]) != "before" || !bytes.Equal(c[6:], b) {
		t.Errorf("appended: %v", err)
	}
	for _, at := range []int{200, len(b) / 2} { // inside columns
		bad := bytes.Clone(b)
		bad[at] ^= 1
		if _, err := Decode(bad); err == nil {
			t.Errorf("a flipped bit at byte %d passed", at)
		}
	}
	if _, err := Decode(b[:len(b)-30]); err == nil {
		t.Error("a truncated archive passed")
	}
	encode := func(members ...npy.Column) []byte {
		var w bytes.Buffer
		if err := npy.WriteNPZ(&w, members...); err != nil {
			t.Fatal(err)
		}
		return w.Bytes()
	}
	full := []npy.Column{{Name: "conf", Float64: []float64{.5}}, {Name: "pred", Int32: []int32{0}}, {Name: "label", Int32: []int32{0}},
		{Name: "nll", Float64: []float64{1}}, {Name: "brier", Float64: []float64{1}}, {Name: "changed", Bool: []bool{false}}, {Name: "rest", Float64: []float64{.5}}}
	if _, err := Decode(encode(full...)); err != nil {
		t.Error(err)
	}
	for _, c := range []struct {
		want   string
		member npy.Column
	}{
		{"unequal", npy.Column{Name: "nll", Float64: []float64{1, 1}}},
		{"another type", npy.Column{Name: "nll", Int32: []int32{1}}},
		{"does not belong to", npy.Column{Name: "x", Float64: []float64{1}}},
		{"row 0", npy.Column{Name: "nll", Float64: []float64{-1}}},
	} {
		members := append([]npy.Column(nil), full...)
		members[3] = c.member
		if _, err := Decode(encode(members...)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %q", err, c.want)
		}
	}
	if _, err := Decode(encode(full[:5]...)); err == nil {
		t.Error("a lacking column passed")
	}
}

// Rounding decides no prediction: the raw top class stays if another one is ahead by
// rounding alone. A term of 1e-9, as that of isotonic regression, is not rounding.
func TestRoundingChangesNoPrediction(t *testing.T) {
	f := New(3)
	above := math.Nextafter(.5, 1)
	p := table([]float64{above, 1 - above}, []float64{.5 + 1e-15, .5 - 1e-15}, []float64{.5 + 1e-9, .5 - 1e-9})
	if err := f.AppendProbs(p, logits([]int32{1, 1, 1}, []float32{0, 1}, []float32{0, 1}, []float32{0, 1})); err != nil {
		t.Fatal(err)
	}
	if want := []int32{1, 1, 0}; !slices.Equal(f.Pred, want) || !slices.Equal(f.Changed, []bool{false, false, true}) {
		t.Errorf("predictions %v, changed %v, want %v", f.Pred, f.Changed, want)
	}
}

// The sum of the other probabilities has all its digits, whichever class is the top one.
func TestRestHasAllItsDigits(t *testing.T) {
	f := New(4)
	p := table([]float64{1, 3e-20, 1e-20}, []float64{3e-20, 1, 1e-20}, []float64{1e-20, 3e-20, 1}, []float64{.25, .5, .25})
	if err := f.AppendProbs(p, &data.Set{Labels: []int32{0, 1, 2, 0}}); err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{4e-20, 4e-20, 4e-20, .5} {
		near(t, "rest", f.Rest[i], want, 1e-15*want)
	}
	g := New(1)
	if err := AppendScaled([]*SampleScores{g}, logits([]int32{0}, []float32{0, 50, 50 - 100}), []float64{1}); err != nil {
		t.Fatal(err)
	}
	near(t, "rest of logits", g.Rest[0], math.Exp(-50), 1e-15*math.Exp(-50))
	h := &SampleScores{}
	if err := h.AppendTopLabel([]int32{0}, []float64{1 - 0x1p-50}, []int32{0}); err != nil {
		t.Fatal(err)
	}
	near(t, "rest of a pair", h.Rest[0], 0x1p-50, 0)
}
