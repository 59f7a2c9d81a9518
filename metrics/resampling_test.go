package metrics

import (
	"cmp"
	"context"
	"maps"
	"math"
	"math/bits"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/internal/splitmix"
	"github.com/qats-bench/qats/metrics/scoring"
)

func TestResampledErrorsAreThoseOfTheExpandedSample(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	trials := 400
	if testing.Short() {
		trials = 130
	}
	for trial := range trials {
		n := []int{1, 2, 7, 8, 14, 15, 16, 40, 1000}[trial%9]
		f := network(rng, n, 1.5)
		if trial%5 == 0 { // long chains that fall apart where a link is not drawn
			for i := range f.Conf {
				f.Conf[i] = .7 + 7e-10*float64(rng.IntN(n))
			}
		}
		if trial%5 == 1 { // few plateaus, some of them next to each other
			for i := range f.Conf {
				f.Conf[i] = .4 + .1*float64(rng.IntN(2)) + 9e-10*float64(rng.IntN(1+trial%4))
			}
		}
		if trial%5 == 2 { // a single row is the link between two plateaus
			for i := range f.Conf {
				f.Conf[i] = .7 + 9e-10*float64(1+cmp.Compare(i, n/3))
			}
		}
		if trial%5 == 3 { // some distances are exactly that of a tie
			for i := range f.Conf {
				f.Conf[i] = tie * []float64{1, 2, 4, 5, 16, 17}[rng.IntN(6)]
			}
		}
		w, drawn := newWeighing(Of(f)), drawLanes(n, uint64(trial))
		if trial%7 == 0 { // one row drawn n times, or a few of 250 draws
			clear(drawn)
			for lane := range lanes {
				for left := n; left > 0; {
					if i := rng.IntN(n); drawn[i][lane] == 0 {
						drawn[i][lane] = uint8(min(left, 250))
						left -= min(left, 250)
					}
				}
			}
		}
		expectExpanded(t, f, w, drawn)
	}
}

// expectExpanded compares the values of each lane with ECE and AECE of the rows that it has drawn.
func expectExpanded(t *testing.T, f *scoring.SampleScores, w *weighing, drawn []times) {
	t.Helper()
	w.weigh(drawn)
	ece, aece := w.ece(drawn), w.aece(drawn)
	for lane := range lanes {
		var rows []int
		for i, word := range drawn {
			for range word[lane] {
				rows = append(rows, i)
			}
		}
		expanded := Of(pick(f, rows))
		near(t, "ECE", ece[lane], ECE(expanded, 15), 1e-12)
		near(t, "AECE", aece[lane], AECE(expanded, 15), 1e-12)
	}
}

// A block of ties that spans many chunks of rows is one block: each row is within the tie distance of
// its neighbour only, or all of them are.
func TestResampledErrorsOfLongBlocksOfTies(t *testing.T) {
	const n, together, block = 1300, 32, 650
	rng := rand.New(rand.NewPCG(9, 1))
	for _, step := range []float64{0, 2e-10, 9e-10} {
		conf, hit := make([]float64, n), make([]bool, n)
		for i := range conf {
			conf[i], hit[i] = .7+step*float64(i/together)+1e-6*float64(i/block), rng.IntN(n) < i
		}
		f := given(conf, hit)
		w := newWeighing(Of(f))
		expectExpanded(t, f, w, drawLanes(n, 1))
		if len(w.chunks) < 2*block/mostRows {
			t.Errorf("%d chunks of %d rows", len(w.chunks), n)
		}
	}
}

// Rows of several tiles, with chunks of as many rows as they may have.
func TestResampledErrorsOfManyTiles(t *testing.T) {
	const n = 3*tileRows + 100
	rng := rand.New(rand.NewPCG(9, 2))
	f := network(rng, n, 1.5)
	for i := range tileRows {
		f.Conf[i] = .999 + 1e-9*float64(i) // next to each other in the order
	}
	w := newWeighing(Of(f))
	expectExpanded(t, f, w, drawLanes(n, 1))
	for tile, ends := range w.tiles {
		if got, want := int(ends[len(ends)-1]), min(n, (tile+1)*tileRows); got != want {
			t.Errorf("tile %d: its rows end at row %d, want %d", tile, got, want)
		}
	}
	most := 0
	for _, c := range w.chunks {
		most = max(most, c.hi-c.lo)
	}
	if len(w.tiles) != 4 || most != mostRows {
		t.Errorf("%d tiles, and chunks of up to %d rows", len(w.tiles), most)
	}
}

// drawLanes draws a resample of n rows in each lane.
func drawLanes(n int, seed uint64) []times {
	drawn := make([]times, n)
	for lane := range lanes {
		drawLane(drawn, lane, stream(seed, forBootstrap, lane))
	}
	return drawn
}

// drawLane draws a resample in one lane.
func drawLane(drawn []times, lane int, start uint64) {
	count := make([]uint8, len(drawn))
	draw(count, start)
	for i, c := range count {
		drawn[i][lane] = c
	}
}

func TestLanesAbreastAreTheCountsOfTheLanes(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 3))
	for _, n := range []int{1, 7, 8, 9, 24, 31} {
		var counts [lanes][]uint8
		for lane := range counts {
			for range n {
				counts[lane] = append(counts[lane], uint8(rng.IntN(256)))
			}
		}
		drawn := make([]times, n)
		abreast(drawn, &counts)
		for i := range n {
			for lane := range lanes {
				if drawn[i][lane] != counts[lane][i] {
					t.Fatalf("%d rows: row %d of lane %d is %d, want %d", n, i, lane, drawn[i][lane], counts[lane][i])
				}
			}
		}
	}
}

// The sums of residuals of n rows, each at most 1, stay below 2^63.
func TestResidualsDoNotOverflow(t *testing.T) {
	for k := range 62 {
		digits := residualBits(1 << k)
		if digits+k > 62 || digits > 40 || k <= 21 && digits != 40 {
			t.Errorf("2^%d rows: %d binary digits", k, digits)
		}
	}
}

// Draws are the words of splitmix64. The words are the first of the generator with
// seed 1234567, as published with the reference code of Vigna.
func TestDrawsReadTheWordsOfSplitMix(t *testing.T) {
	words := []uint64{6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431}
	const start = 1234567
	for n := 1; n <= 7; n++ {
		drawn, want := make([]times, n), make([]times, n)
		drawLane(drawn, 1, start+splitmix.Golden)
		for i := range n {
			half := words[i/2] >> 32 // the even draws take the upper half of a word
			if i%2 == 1 {
				half = words[i/2] & (1<<32 - 1)
			}
			want[half*uint64(n)>>32][1]++
		}
		if !slices.Equal(drawn, want) {
			t.Errorf("%d rows: drawn %v, want %v", n, drawn, want)
		}
	}
	const n = 1<<20 + 1 // one draw a word
	drawn, total, next := make([]times, n), 0, 0
	drawLane(drawn, 1, start+splitmix.Golden)
	for i := range drawn {
		total += int(drawn[i][1])
	}
	for _, word := range words {
		i, _ := bits.Mul64(word, n)
		if drawn[i][1] > 0 {
			next++
		}
	}
	if total != n || next != len(words) {
		t.Errorf("%d draws of %d rows; %d of the first %d are there", total, n, next, len(words))
	}
}

// A difference has one value of the whole sample and one of each resample, or of the
// first 200 if the metric is computed anew, whatever the number asked for.
func TestResamplesAreAsManyAsAskedFor(t *testing.T) {
	f := Of(network(rand.New(rand.NewPCG(10, 1)), 40, 1))
	for _, asked := range []int{1, 6, 7, 8, 200, 203, 209} {
		opts := PairOptions{Resamples: asked, Metrics: []Entry{eceEntry, aeceEntry, mceEntry}}
		values, err := resample(context.Background(), []*resampler{newResampler(f, opts.Metrics, 1)}, opts)
		if err != nil {
			t.Fatal(err)
		}
		for k, want := range []int{asked + 1, asked + 1, min(asked, anewResamples) + 1} {
			if got := len(values[0][k]); got != want {
				t.Errorf("%d resamples of %s: %d values, want %d", asked, opts.Metrics[k].Name, got, want)
			}
		}
	}
}

// Metrics besides those of Paired have differences too. One that is undefined is left out,
// and of one that resampling shifts there is a difference without an interval.
func TestPairsOfNamedMetrics(t *testing.T) {
	b := network(rand.New(rand.NewPCG(51, 1)), 2000, 1)
	constant, hit := make([]float64, b.Len()), make([]bool, b.Len())
	accuracy := Accuracy(Of(b))
	for i := range constant { // no resample bins the noise of one confidence
		constant[i], hit[i] = accuracy, b.Correct(i)
	}
	a := given(constant, hit)
	b.Label = a.Label
	opts := PairOptions{Resamples: 60, Metrics: []Entry{phiEntry, brierTopEntry, corpMCBEntry, mceEntry}}
	pairs, err := Pairs(context.Background(), Of(a), []*Samples{Of(b)}, opts)
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]Interval{}
	for _, p := range pairs {
		kinds[p.Metric] = p.Kind
		near(t, p.Metric, p.Difference, compute(t, p.Metric, b)-compute(t, p.Metric, a), 1e-12)
	}
	if want := map[string]Interval{"brier_top": Normal, "corp_mcb": "", "mce": Percentile}; !maps.Equal(kinds, want) {
		t.Errorf("intervals %v, want %v", kinds, want)
	}
	for _, p := range pairs {
		switch p.Metric {
		case "brier_top":
			if p.Verdict == nil || p.Verdict.By != "brier_top" || *p.Range != (Range{p.Verdict.Lo, p.Verdict.Hi}) || p.Note != "" {
				t.Errorf("%+v", p)
			}
		case "corp_mcb":
			if p.Verdict == nil || p.Verdict.By != "sce_mass15" || p.Range != nil || p.Note != errShifted.Error() {
				t.Errorf("%+v", p)
			}
		case "mce":
			if p.Verdict != nil || p.Note != errNoVerdict.Error() {
				t.Errorf("%+v", p)
			}
		}
	}
}

// Rows without classes have labels of their own, which say nothing about the rows of
// a network; their number must agree all the same.
func TestRowsWithoutClassesAreComparedByTheirNumber(t *testing.T) {
	conf, hit := []float64{.9, .8}, []bool{true, false}
	top, err := FromConfidences(conf, hit)
	if err != nil {
		t.Fatal(err)
	}
	more, err := FromConfidences([]float64{.9, .8, .7}, []bool{true, false, true})
	if err != nil {
		t.Fatal(err)
	}
	full := given(conf, hit)
	full.Label, full.Pred = []int32{4, 2}, []int32{4, 3}
	for _, c := range []struct {
		base, other *Samples
		ok          bool
	}{{Of(full), top, true}, {top, Of(full), true}, {Of(full), more, false}, {more, Of(full), false}, {top, more, false}} {
		_, err := Pairs(context.Background(), c.base, []*Samples{c.other}, PairOptions{Resamples: 2})
		if (err == nil) != c.ok {
			t.Errorf("%d and %d rows: %v", c.base.Len(), c.other.Len(), err)
		}
	}
	if _, err := top.Against(Of(full)); err != nil {
		t.Errorf("against two rows with classes: %v", err)
	}
	if _, err := more.Against(Of(full)); err == nil {
		t.Error("three rows were compared with two")
	}
}

func TestDrawIsUniform(t *testing.T) {
	const n, resamples = 100, 2000
	seen := make([]int, n)
	variance := 0.0
	for r := range resamples {
		drawn := make([]times, n)
		lane := r % lanes
		drawLane(drawn, lane, stream(1, forBootstrap, r))
		total := 0
		for i, word := range drawn {
			k := int(word[lane])
			total += k
			seen[i] += k
			variance += float64(k-1) * float64(k-1)
		}
		if total != n {
			t.Fatalf("drew %d rows of %d", total, n)
		}
	}
	// A multiplicity is binomial(n, 1/n): mean 1, variance 1 - 1/n.
	near(t, "variance", variance/(n*resamples), .99, .02)
	for i, k := range seen {
		near(t, "mean of row "+string(rune('0'+i%10)), float64(k)/resamples, 1, 5/math.Sqrt(resamples))
	}
}

func TestPairOfAMethodWithItselfIsZero(t *testing.T) {
	f := network(rand.New(rand.NewPCG(6, 1)), 300, 2)
	pairs, err := Pairs(context.Background(), Of(f), []*Samples{Of(f)}, PairOptions{Resamples: 50})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pairs {
		if p.Difference != 0 || *p.Range != (Range{}) || p.Verdict == nil || p.Verdict.Lo != 0 || p.Verdict.Hi != 0 || p.Verdict.P != 1 || p.Note != "" {
			t.Errorf("%+v", p)
		}
	}
	if len(pairs) != 4 {
		t.Errorf("%d pairs, want 4", len(pairs))
	}
}

// The interval of a method does not depend on the other methods, and swapping the
// two turns it around.
func TestPairsTurnAround(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	a, b, c := network(rng, 400, 2), network(rng, 400, 1), network(rng, 400, 1)
	b.Label, c.Label = a.Label, a.Label
	run := func(base *scoring.SampleScores, others ...*scoring.SampleScores) []Pair {
		var list []*Samples
		for _, o := range others {
			list = append(list, Of(o))
		}
		t.Helper()
		p, err := Pairs(context.Background(), Of(base), list, PairOptions{Resamples: 99, Seed: 3, Metrics: []Entry{eceEntry, aeceEntry}})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	both, alone := run(a, b, c), run(a, c)
	for k := range alone {
		alone[k].Other = 1
	}
	if !reflect.DeepEqual(both[2:], alone) {
		t.Errorf("with another method %v, alone %v", both[2:], alone)
	}
	near(t, "difference", both[0].Difference, ECE(Of(b), 15)-ECE(Of(a), 15), 1e-12)
	near(t, "difference", both[1].Difference, AECE(Of(b), 15)-AECE(Of(a), 15), 1e-12)
	for k, back := range run(b, a) {
		near(t, "turned difference", back.Difference, -both[k].Difference, 1e-15)
		near(t, "turned lo", back.Range.Lo, -both[k].Range.Hi, 1e-9) // by interpolation
		near(t, "turned hi", back.Range.Hi, -both[k].Range.Lo, 1e-9)
		near(t, "turned verdict", back.Verdict.Difference, -both[k].Verdict.Difference, 1e-15)
		near(t, "turned lo of the verdict", back.Verdict.Lo, -both[k].Verdict.Hi, 1e-15)
		near(t, "turned P", back.Verdict.P, both[k].Verdict.P, 1e-12)
	}
	if p := run(a, b)[0]; p.Range.Lo >= p.Range.Hi || p.Range.Hi < p.Difference-.1 || p.Range.Lo > p.Difference+.1 {
		t.Errorf("interval %+v", p)
	}
}

func TestPairsRejects(t *testing.T) {
	f := Of(given([]float64{.5, .6}, []bool{true, false}))
	g := Of(given([]float64{.5, .6}, []bool{true, true}))
	ctx, cancel := context.WithCancel(context.Background())
	if _, err := Pairs(ctx, f, []*Samples{g}, PairOptions{}); err == nil {
		t.Error("other labels were accepted")
	}
	if _, err := Pairs(ctx, f, nil, PairOptions{Resamples: -1}); err == nil {
		t.Error("-1 resamples were accepted")
	}
	if _, err := Pairs(ctx, f, nil, PairOptions{Level: 95}); err == nil {
		t.Error("level 95 was accepted")
	}
	if _, err := Pairs(ctx, &Samples{}, nil, PairOptions{}); err == nil {
		t.Error("no rows were accepted")
	}
	for _, level := range []float64{-.1, 1, math.NaN()} {
		if _, err := Pairs(ctx, f, nil, PairOptions{Level: level}); err == nil {
			t.Errorf("level %v was accepted", level)
		}
	}
	for kind, ok := range map[Interval]bool{"": true, BC: true, Percentile: true, Standard: true, Population: true, Normal: false, FixedMaps: false, "bca": false} {
		if _, err := Pairs(ctx, f, nil, PairOptions{Resamples: 2, Interval: kind}); (err == nil) != ok {
			t.Errorf("interval %q: %v", kind, err)
		}
	}
	if _, err := Pairs(ctx, f, []*Samples{f, g}, PairOptions{}); err == nil || !strings.Contains(err.Error(), "method 1 has other rows") {
		t.Errorf("the second method is named as %v", err)
	}
	cancel()
	if _, err := Pairs(ctx, f, []*Samples{f}, PairOptions{}); err != context.Canceled {
		t.Errorf("after cancel: %v", err)
	}
}

// With z0 = 0 the interval is the plain percentile one. A sample at the 75th
// percentile of its resamples moves it up.
func TestBiasCorrectedIntervalFollowsItsFormula(t *testing.T) {
	v := make([]float64, 1001)
	for i := range v {
		v[i] = float64(i)
	}
	lo, hi := biasCorrected(v, 500, .95)
	near(t, "lo", lo, 25, 1e-9)
	near(t, "hi", hi, 975, 1e-9)
	// Phi(2 (.67449) -+ 1.95996) = Phi(-.61098), Phi(3.30894)
	lo, hi = biasCorrected(v, 750.25, .95)
	near(t, "lo", lo, 270.6, 1)
	near(t, "hi", hi, 999.53, .05)
	for kind, want := range map[Interval]Range{BC: {270.6, 999.53}, Percentile: {25, 975}, Standard: {750.25 - 1.959964*289.1088, 750.25 + 1.959964*289.1088}} {
		lo, hi, err := interval(slices.Clone(v), 750.25, PairOptions{Level: .95, Interval: kind})
		near(t, "lo of "+string(kind), lo, want.Lo, 1e-3*want.Hi)
		near(t, "hi of "+string(kind), hi, want.Hi, 1e-3*want.Hi)
		if err != nil {
			t.Error(err)
		}
	}
	if _, _, err := interval(slices.Clone(v), 990, PairOptions{Level: .95, Interval: BC}); err != errShifted {
		t.Errorf("a value beyond the resamples: %v", err)
	}
	if _, _, err := interval([]float64{1, math.NaN()}, 1, PairOptions{Level: .95, Interval: BC}); err != errResample {
		t.Errorf("a resample without a value: %v", err)
	}
	for _, observed := range []float64{-1, 2000} { // z0 is bounded: both ends stay within the values
		lo, hi = biasCorrected(v, observed, .95)
		if !(lo >= 0 && hi <= 1000 && lo <= hi) {
			t.Errorf("observed %g: interval %g to %g", observed, lo, hi)
		}
	}
	lo, hi = biasCorrected(v, -1, .95)
	below, above := biasCorrected(v, 1001, .95) // the mirror image
	near(t, "mirrored lo", 1000-above, lo, 1e-9)
	near(t, "mirrored hi", 1000-below, hi, 1e-9)
}
