package fit

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/qats-bench/qats/calib/internal/testset"
	"github.com/qats-bench/qats/calib/report"
	"github.com/qats-bench/qats/data"
)

// The NLL has the same bits from Slope, from NLLAt with one scale and from NLLAt with
// equal scales of all rows, for flat rows and for confident ones.
func TestNLLHasTheSameBitsFromEveryPass(t *testing.T) {
	ctx := context.Background()
	for _, spread := range []float64{0.3, 3, 30} {
		o := objective(t, testset.Simulated(3000, 20, spread, 1.7, 5))
		for _, scale := range []float64{0.1, 1, 3} {
			s, err := o.Slope(ctx, scale)
			if err != nil {
				t.Fatal(err)
			}
			for _, scaling := range []Scaling{Constant(scale), ByRow(func(int) float64 { return scale })} {
				if nll, err := o.NLLAt(ctx, scaling); err != nil || nll != s.NLL {
					t.Errorf("spread %g, scale %g: %v and %v (%v)", spread, scale, s.NLL, nll, err)
				}
			}
		}
	}
}

// The totals of one pass beside the slope are those of a pass of their own.
func TestSlopeWithSumsHasTheTotalsOfSums(t *testing.T) {
	ctx := context.Background()
	o := objective(t, testset.Simulated(1000, 5, 3, 1.7, 6))
	visit := func(b *RowBlock, sum []float64) {
		for i := range b.Moments {
			sum[0]++
			sum[1] += float64(b.LabelLogit[i])
		}
	}
	slope, got, err := o.slopeWithSums(ctx, 0.5, 2, visit)
	if err != nil {
		t.Fatal(err)
	}
	want, err := o.Sums(ctx, Constant(0.5), 2, visit)
	if err != nil {
		t.Fatal(err)
	}
	alone, err := o.Slope(ctx, 0.5)
	if err != nil || len(got) != 2 || got[0] != 1000 || got[1] != want[1] || slope != alone {
		t.Errorf("totals %v, want %v; %+v, alone %+v (%v)", got, want, slope, alone, err)
	}
}

// A stream needs rows and classes.
func TestStreamsWithoutRowsOrClassesAreRejected(t *testing.T) {
	for _, shape := range [][2]int{{0, 2}, {2, 0}, {0, 0}} {
		set := &data.Set{Logits: data.NewMatrix(shape[0], shape[1]), Labels: make([]int32, shape[0])}
		if _, err := NewStreamed(testset.StreamOf(set)); err == nil {
			t.Errorf("%d x %d is accepted", shape[0], shape[1])
		}
		if err := CheckLabelled(set); err == nil || err.Error() != "the calibration set is empty" {
			t.Errorf("%d x %d: %v", shape[0], shape[1], err)
		}
	}
	if _, err := NewStreamed(testset.StreamOf(&data.Set{Logits: data.NewMatrix(1, 1), Labels: []int32{0}})); err != nil {
		t.Errorf("a row with a class: %v", err)
	}
}

// wide is a stream of a million rows of zeros.
type wide struct{ classes int }

func (s wide) Rows() int    { return 1 << 20 }
func (s wide) Classes() int { return s.classes }
func (wide) Read(_ context.Context, lo, hi int, logits []float32, labels []int32) error {
	clear(logits)
	clear(labels)
	return nil
}

// A stream is read ahead about a mebibyte at a time, at least a block, and never
// beyond the end of the part.
func TestStreamsAreReadAheadByAMebibyte(t *testing.T) {
	for _, c := range []struct{ classes, end, rows int }{
		{2, 1 << 20, 131072}, {100, 1 << 20, 2560}, {1000, 1 << 20, 256}, {100000, 1 << 20, 256}, {2, 300, 300},
	} {
		o, err := NewStreamed(wide{c.classes})
		if err != nil {
			t.Fatal(err)
		}
		w := &workspace{}
		logits, labels, err := o.read(context.Background(), w, 0, 256, c.end)
		if err != nil || len(logits) != 256*c.classes || len(labels) != 256 || len(w.labels) != c.rows {
			t.Errorf("%d classes: %d rows ahead, want %d (%v)", c.classes, len(w.labels), c.rows, err)
		}
		if c.rows != 256 {
			continue
		}
		if _, _, err := o.read(context.Background(), w, 256, 512, c.end); err != nil || w.lo != 256 || len(w.labels) != c.rows {
			t.Errorf("%d classes, the next block: rows %d to %d (%v)", c.classes, w.lo, w.lo+len(w.labels), err)
		}
	}
}

// objective returns the objective of a set.
func objective(t *testing.T, set *data.Set) *Objective {
	t.Helper()
	o, err := NewObjective(set)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// An ordinary fit takes few passes, reports the NLL and the gradient at its T, and its
// last pass gives the totals of visit at T. Passes of o before the fit count too.
func TestTemperatureReportsItsLastPass(t *testing.T) {
	ctx := context.Background()
	for seed := range uint64(20) {
		set := testset.Simulated(400+200*int(seed%3), 4, 3, 0.5+float64(seed)/8, seed)
		o := objective(t, set)
		visit := func(b *RowBlock, sum []float64) {
			for i := range b.Moments {
				sum[0] += b.Moments[i].Tail
			}
		}
		if _, err := o.Slope(ctx, 1); err != nil {
			t.Fatal(err)
		}
		temperature, r, totals, err := temperatureWithSums(ctx, o, 1, visit)
		if err != nil {
			t.Fatal(err)
		}
		if r.Iterations != int(r.Passes)-2 { // one pass before the fit, one that finds the end
			t.Errorf("seed %d: %d steps in %v passes", seed, r.Iterations, r.Passes)
		}
		if r.Passes != o.Passes || r.Passes < 3 || r.Passes > 9 || len(r.Warnings) > 0 {
			t.Errorf("seed %d: %v passes of %v, warnings %q", seed, r.Passes, o.Passes, r.Warnings)
		}
		s, err := o.Slope(ctx, 1/temperature)
		if err != nil {
			t.Fatal(err)
		}
		gradient := math.Abs(s.LabelGap - s.MeanGap)
		if !(math.Abs(s.NLL-r.NLL) <= 1e-15) || gradient > report.GradTol || !(math.Abs(gradient-r.Gradient) <= 1e-14) {
			t.Errorf("seed %d: NLL %v, gradient %g; reported %v and %g", seed, s.NLL, gradient, r.NLL, r.Gradient)
		}
		want, err := o.Sums(ctx, Constant(1/temperature), 1, visit)
		if err != nil || len(totals) != 1 || !(math.Abs(totals[0]/want[0]-1) <= 1e-14) {
			t.Errorf("seed %d: totals %v, want %v (%v)", seed, totals, want, err)
		}
	}
}

// A minimum beyond the span of the logits ends at the bound, which the report names: rows of
// one gap g, hardly more of them right than wrong, have it at g / log(right / wrong).
func TestTemperatureBeyondTheBounds(t *testing.T) {
	const right, wrong = 10_001, 9_999 // g / log is 10^4 g
	for _, gap := range []float32{1, 0x1p-10, 0x1p12} {
		set := &data.Set{Logits: data.NewMatrix(right+wrong, 2), Labels: make([]int32, right+wrong)}
		for i := range set.Labels {
			set.Logits.Row(i)[0] = gap
			if i < wrong {
				set.Labels[i] = 1
			}
		}
		want := MaxT * max(1, float64(gap))
		got, r, err := Temperature(context.Background(), objective(t, set))
		if gap < .1 { // the usual bound is wide enough
			if want = float64(gap) / math.Log(float64(right)/wrong); err != nil || !(math.Abs(got/want-1) <= 1e-7) || len(r.AtBound)+len(r.Warnings) > 0 {
				t.Errorf("gap %v: T = %v, %+v (%v), want %v", gap, got, r, err, want)
			}
			continue
		}
		bound, why := fmt.Sprintf("T <= %g", want), fmt.Sprintf("T = %g: the minimum of the NLL is beyond the largest temperature", want)
		if err != nil || got != want || len(r.AtBound) != 1 || r.AtBound[0].String() != bound || len(r.Warnings) != 1 || r.Warnings[0].String() != why {
			t.Errorf("gap %v: T = %v, %+v (%v), want %v", gap, got, r, err, want)
		}
	}
}

// Logits of unusual size have their minimum, in few passes more, and the same of a stream.
func TestTemperatureOfLogitsOfAnySize(t *testing.T) {
	at := func(set *data.Set) (float64, report.Report) {
		t.Helper()
		got, r, err := Temperature(context.Background(), objective(t, set))
		if err != nil || r.Gradient > report.GradTol || len(r.AtBound)+len(r.Warnings) > 0 {
			t.Errorf("%+v (%v)", r, err)
		}
		return got, r
	}
	for _, n := range []int{40, 1000, 20_000} {
		set := testset.Simulated(n, 4, 3, 2, 3)
		want, usual := at(set)
		for _, e := range []int{-60, -20, -12, -3, 3, 12, 20, 60} {
			scaled := &data.Set{Logits: data.NewMatrix(n, 4), Labels: set.Labels}
			for i, l := range set.Logits.Data {
				scaled.Logits.Data[i] = float32(math.Ldexp(float64(l), e))
			}
			got, r := at(scaled)
			if !(math.Abs(math.Ldexp(got, -e)/want-1) <= 2e-8) || !(math.Abs(r.NLL-usual.NLL) <= 1e-12) || r.Passes > usual.Passes+40 {
				t.Errorf("%d rows, 2^%d times the logits: T = %v, want 2^%d times %v; %+v and %+v", n, e, got, e, want, r, usual)
			}
			o, err := NewStreamed(&inMemory{scaled})
			if err != nil {
				t.Fatal(err)
			}
			if streamed, _, err := Temperature(context.Background(), o); err != nil || streamed != got {
				t.Errorf("%d rows, 2^%d times the logits, as a stream: T = %v, want %v (%v)", n, e, streamed, got, err)
			}
		}
	}
}

// inMemory is a stream of a set.
type inMemory struct{ set *data.Set }

func (m *inMemory) Rows() int    { return m.set.Logits.Rows }
func (m *inMemory) Classes() int { return m.set.Logits.Cols }

func (m *inMemory) Read(_ context.Context, lo, hi int, logits []float32, labels []int32) error {
	copy(logits, m.set.Logits.Slice(lo, hi).Data)
	copy(labels, m.set.Labels[lo:hi])
	return nil
}

// Rows of very different sizes make the slope far from a power of the scale. Still the
// fit converges in its bracket, in few passes.
func TestTemperatureOfRowsOfManySizes(t *testing.T) {
	for seed := range uint64(6000) {
		rng := rand.New(rand.NewPCG(seed, 9))
		set := testset.Simulated(2+rng.IntN(30), 2+rng.IntN(4), 3, 1.5, seed)
		k := set.Logits.Cols
		for i := range set.Labels {
			size := float32(math.Pow(10, 6*(rng.Float64()-0.5)))
			for j := range k {
				set.Logits.Data[i*k+j] *= size
			}
		}
		got, r, err := Temperature(context.Background(), objective(t, set))
		if err != nil {
			t.Fatal(err)
		}
		if len(r.AtBound) > 0 {
			continue
		}
		most := 20.0
		if !Usual().inside(got) {
			most *= 2 // there are two searches
		}
		if r.Gradient > report.GradTol || len(r.Warnings) > 0 || r.Passes > most {
			t.Errorf("seed %d: T = %v, %+v", seed, got, r)
		}
		if seed%100 != 0 {
			continue
		}
		if _, nll := testset.BruteTemperature(set); r.NLL > nll+1e-12 {
			t.Errorf("seed %d: NLL %v at T = %v; brute force %v", seed, r.NLL, got, nll)
		}
	}
}

// The same for few rows, whose sums keep the last digit of every logarithm.
func TestNLLOfFewRowsHasTheSameBits(t *testing.T) {
	ctx := context.Background()
	for seed := range uint64(500) {
		o := objective(t, testset.Simulated(1+int(seed%3), 4, 1, 1, seed))
		s, err := o.Slope(ctx, 1)
		if err != nil {
			t.Fatal(err)
		}
		if nll, err := o.NLLAt(ctx, Constant(1)); err != nil || nll != s.NLL {
			t.Errorf("seed %d: %v and %v (%v)", seed, s.NLL, nll, err)
		}
	}
}

// A pass has at most 1024 partial sums, each of as few whole blocks as that allows.
func TestSlotsAreAsSmallAsTheirNumberAllows(t *testing.T) {
	const most = slots * BlockRows
	for _, c := range []struct{ rows, slotRows, slots int }{
		{1, BlockRows, 1}, {BlockRows + 1, BlockRows, 2}, {most, BlockRows, slots}, {most + 1, 2 * BlockRows, slots/2 + 1},
		{2 * most, 2 * BlockRows, slots}, {2*most + 1, 3 * BlockRows, 683},
	} {
		o := &Objective{Logits: data.Matrix{Rows: c.rows, Cols: 1}}
		if size, n := o.slotRows(), o.numSlots(); size != c.slotRows || n != c.slots {
			t.Errorf("%d rows: %d slots of %d rows, want %d of %d", c.rows, n, size, c.slots, c.slotRows)
		}
	}
}

// Sets without a minimum say why: labels that contradict the logits, rows that are all
// correct, and rows without any order.
func TestTemperatureWithoutAMinimum(t *testing.T) {
	for _, c := range []struct {
		rows   [][]float32
		labels []int32
		want   float64
		why    string
	}{
		{[][]float32{{0, 2}, {3, 0}}, []int32{0, 1}, 2.5 * MaxT, "T = 2500: the calibration labels contradict the logits, so the NLL has no minimum"},
		{[][]float32{{0, 2}, {3, 0}}, []int32{1, 0}, MinT, "T = 0.001: every calibration row is classified correctly, so the NLL has no minimum"},
		{[][]float32{{2, 2}, {3, 3}}, []int32{1, 0}, 1, "the logits of every row are equal: any temperature gives the same probabilities; T = 1"},
	} {
		got, r, err := Temperature(context.Background(), objective(t, &data.Set{Logits: testset.Rows(c.rows), Labels: c.labels}))
		if err != nil || got != c.want || len(r.Warnings) != 1 || r.Warnings[0].String() != c.why {
			t.Errorf("T = %v, warnings %q (%v), want %v: %s", got, r.Warnings, err, c.want, c.why)
		}
	}
}

// countedRows is a stream that counts the rows that are read.
type countedRows struct {
	Stream
	read atomic.Int64
}

func (s *countedRows) Read(ctx context.Context, lo, hi int, logits []float32, labels []int32) error {
	s.read.Add(int64(hi - lo))
	return s.Stream.Read(ctx, lo, hi, logits, labels)
}

// A pass over a stream reads every row once, also where it reads ahead.
func TestAPassReadsEachRowOfAStreamOnce(t *testing.T) {
	for _, stream := range []Stream{testset.StreamOf(testset.Simulated(5000, 3, 3, 1.5, 1)), wide{2}} { // the parts of the second are read ahead
		rows, n := &countedRows{Stream: stream}, int64(stream.Rows())
		o, err := NewStreamed(rows)
		if err != nil {
			t.Fatal(err)
		}
		for pass := range 2 {
			rows.read.Store(0)
			if _, err := o.Slope(context.Background(), 1); err != nil {
				t.Fatal(err)
			}
			if got := rows.read.Load(); got > n || pass == 0 && got < n { // a later pass may find a block in memory
				t.Errorf("%d rows, pass %d: %d rows are read", n, pass, got)
			}
		}
	}
}

func TestLabelsOutsideTheClassesAreNamed(t *testing.T) {
	set := &data.Set{Logits: data.NewMatrix(2, 3), Labels: []int32{2, 3}}
	if err := CheckLabelled(set); err == nil || err.Error() != "row 1: label 3 is outside 0..2" {
		t.Errorf("label 3 of 3 classes: %v", err)
	}
}

func TestScalingByRowKnowsThePlaceOfABlock(t *testing.T) {
	got := ByRow(func(i int) float64 { return float64(i) })(make([]float64, 3), 256)
	if !slices.Equal(got, []float64{256, 257, 258}) {
		t.Errorf("scales %v of the rows from 256", got)
	}
}

// EachRow ends at the first row if its context is done, and soon after if it is done on
// the way.
func TestEachRowEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	rows := 0
	err := EachRow(ctx, data.NewMatrix(2000, 2), func(i int, _ []float64, _ float64) {
		if rows++; i == 10 {
			cancel()
		}
	})
	if err != context.Canceled || rows > 512 {
		t.Errorf("%v after %d rows", err, rows)
	}
	rows = 0
	if err := EachRow(ctx, data.NewMatrix(2000, 2), func(int, []float64, float64) { rows++ }); err != context.Canceled || rows > 0 {
		t.Errorf("%v after %d rows of a context that is done", err, rows)
	}
}

// Every row is in one block, cancellation ends the work, and a panic of any block
// reaches the caller.
func TestEachBlockVisitsEveryRowOnce(t *testing.T) {
	for _, n := range []int{0, 1, 255, 256, 257, 5000} {
		owner := make([]int, n)
		err := EachBlock(context.Background(), n, func(block, lo, hi int) {
			for i := lo; i < hi; i++ {
				owner[i] += 1 + block
			}
		})
		for i, o := range owner {
			if o != 1+i/256 {
				t.Fatalf("%d rows: row %d is in block %d", n, i, o-1)
			}
		}
		if err != nil {
			t.Error(err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	seen := make([]bool, NumBlocks(1e6))
	err := EachBlock(ctx, 1e6, func(block, _, _ int) {
		seen[block] = true
		cancel()
	})
	if !errors.Is(err, context.Canceled) || !slices.Contains(seen, false) {
		t.Errorf("cancelled: %v", err)
	}
	for block := range 4 {
		func() {
			defer func() {
				if p := recover(); p != "a bug" {
					t.Errorf("a panic in block %d: recovered %v", block, p)
				}
			}()
			EachBlock(context.Background(), 1000, func(b, _, _ int) {
				if b == block {
					panic("a bug")
				}
			})
		}()
	}
}

func TestNumBlocksCountsThePartOfABlock(t *testing.T) {
	for n, want := range map[int]int{0: 0, 1: 1, BlockRows: 1, BlockRows + 1: 2, 10 * BlockRows: 10} {
		if got := NumBlocks(n); got != want {
			t.Errorf("%d rows: %d blocks, want %d", n, got, want)
		}
	}
}
