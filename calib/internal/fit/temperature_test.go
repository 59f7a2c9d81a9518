package fit

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/qats-bench/qats/calib/internal/testset"
	"github.com/qats-bench/qats/calib/report"
	"github.com/qats-bench/qats/internal/cputime"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// Products in place of logarithms are as exact, for tiny, huge and mixed tails.
func TestLogSumIsThatOfLogarithms(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 5))
	for name, draw := range map[string]func() float64{
		"none":   func() float64 { return 0 },
		"tiny":   func() float64 { return 1e-18 * rng.Float64() },
		"small":  func() float64 { return math.Exp(-40 * rng.Float64()) },
		"around": func() float64 { return 4 * rng.Float64() },
		"huge":   func() float64 { return 1e9 * rng.Float64() },
		"mixed":  func() float64 { return math.Exp(60 * (rng.Float64() - 0.8)) },
	} {
		got := logSum{product: 1}
		want, lost := 0.0, 0.0 // Kahan's sum
		for range 2000 {
			tail := draw()
			got.add(tail, 1+tail, 1/(1+tail))
			y := softmax.Log1p(tail) - lost
			s := want + y
			want, lost = s, (s-want)-y
		}
		if d := math.Abs(got.total() - want); d > 1e-15*want+2000*0x1p-53*math.Min(1, want) {
			t.Errorf("%s: %g, want %g: off by %g", name, got.total(), want, d)
		}
	}
}

// The next u is that of the Newton step, inside the bracket; otherwise it is the middle of
// the bracket.
func TestSearchStaysInItsBracket(t *testing.T) {
	for _, c := range []struct{ lo, hi, step, want float64 }{
		{-2, 3, .25, .25}, {-2, 3, -1, -1}, {-2, 3, 2, 2},
		{-1, 2, -1.5, .5}, {-2, 1, 1.5, -.5}, {-1, 2, -1, .5}, {-2, 1, 1, -.5}, // outside, or at an end
		{-1, 2, math.NaN(), .5}, {-1, 2, math.Inf(1), .5}, {-1, 2, math.Inf(-1), .5},
	} {
		r := newRootSearch(0, Usual())
		r.lo, r.hi = c.lo, c.hi
		if r.advance(c.step); r.u != c.want || r.moved != c.want {
			t.Errorf("%+v: %v", c, r.u)
		}
	}
	r := newRootSearch(0, Usual())
	r.lo = 1 // no upper end so far
	if r.advance(-1); r.u != (1+r.maxU)/2 {
		t.Errorf("below an open bracket: %v, want the middle of 1 and %v", r.u, r.maxU)
	}
	r = newRootSearch(0, Usual())
	r.hi = 0
	if r.advance(math.NaN()); r.u != r.minU {
		t.Errorf("every row is certain: %v, want the largest temperature", r.u)
	}
}

// manyRows is a stream of rows of two classes, computed when they are read. The gap
// between the logits is from a table. The labels are drawn from the softmax at
// T = 1.7.
type manyRows struct {
	gap   [1024]float32
	right [1024]uint32
}

func newManyRows() *manyRows {
	s := &manyRows{}
	for i := range s.gap {
		s.gap[i] = 12 * float32(i) / 1024
		s.right[i] = uint32(math.MaxUint32 / (1 + math.Exp(-float64(s.gap[i])/1.7)))
	}
	return s
}

func (s *manyRows) Rows() int    { return 1 << 23 }
func (s *manyRows) Classes() int { return 2 }

func (s *manyRows) Read(_ context.Context, lo, hi int, logits []float32, labels []int32) error {
	for i := range hi - lo {
		h := uint64(lo+i+1) * 0x9e3779b97f4a7c15 // SplitMix64
		h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
		h = (h ^ h>>27) * 0x94d049bb133111eb
		h ^= h >> 31
		row := h % 1024
		logits[2*i], logits[2*i+1], labels[i] = 0, s.gap[row], 0
		if uint32(h>>32) < s.right[row] {
			labels[i] = 1
		}
	}
	return nil
}

// Millions of rows need no more passes than few, and sums over them lose no digits: T, the NLL
// and the gradient are those of one more pass. The T of 2^23 rows differs from that of the
// labels by some 1e-3.
func TestTemperatureOfMillionsOfRows(t *testing.T) {
	ctx := context.Background()
	o, err := NewStreamed(newManyRows())
	if err != nil {
		t.Fatal(err)
	}
	got, r, err := Temperature(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	if r.Passes > 4 || r.Iterations != int(r.Passes)-1 || len(r.Warnings) > 0 {
		t.Errorf("%+v", r)
	}
	if !(math.Abs(got/1.7-1) <= 2e-3) {
		t.Errorf("T = %v, want 1.7", got)
	}
	s, err := o.Slope(ctx, 1/got)
	if err != nil {
		t.Fatal(err)
	}
	if step := s.newtonStep(1 / got); !(math.Abs(step) <= stepTol) {
		t.Errorf("T is %.1e from the minimum", step)
	}
	if gradient := math.Abs(s.LabelGap - s.MeanGap); !(math.Abs(s.NLL-r.NLL) <= 1e-14) || r.Gradient > report.GradTol || !(math.Abs(gradient-r.Gradient) <= 1e-14) {
		t.Errorf("NLL %v, gradient %.1e; reported %v and %.1e", s.NLL, gradient, r.NLL, r.Gradient)
	}
}

// A pass without digits, where D or the variance underflowed, has no Newton step.
func TestNewtonStepNeedsAVariance(t *testing.T) {
	for _, s := range []Slope{{LabelGap: 1}, {LabelGap: 1, MeanGap: 1e-300}} {
		if step := s.newtonStep(1); !math.IsNaN(step) && !math.IsInf(step, 0) {
			t.Errorf("%+v: a step of %v", s, step)
		}
	}
}

// cache is a Cache, as calib.Shared is.
type cache struct{ atomic.Value }

// TestASharedTemperatureCountsForEachFit: a fit that finds T already made has the
// processor time of making it, as if it were alone.
func TestASharedTemperatureCountsForEachFit(t *testing.T) {
	shared := &cache{}
	shared.Store(&temperatureFit{t: 1.5, spent: time.Hour})
	spent, _, err := cputime.Measure(t.Context(), func(ctx context.Context) error {
		got, _, err := Temperature(ctx, &Objective{Shared: shared})
		if got != 1.5 {
			t.Errorf("T = %v, want 1.5", got)
		}
		return err
	})
	if err != nil || spent < time.Hour || spent > 2*time.Hour {
		t.Errorf("%v, error %v; want the hour of the first fit", spent, err)
	}
}

// A curve that finds the temperature already made has the same bits, from one more pass,
// and ends if that pass is cancelled.
func TestCurveOfASharedTemperatureHasTheSameBits(t *testing.T) {
	set := testset.Simulated(700, 5, 3, 1.7, 1)
	q, err := Tails(t.Context(), set.Logits)
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(q)
	fitted := func(ctx context.Context, shared Cache) ([]float64, error) {
		o, err := NewObjective(set)
		if err != nil {
			t.Fatal(err)
		}
		o.Shared = shared
		x, _, err := TemperatureCurve(ctx, func(string, float64) {}, o, q, Curve{Segments: 4, Free: false})
		return x, err
	}
	want, err := fitted(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	shared := &cache{}
	o, err := NewObjective(set)
	if err != nil {
		t.Fatal(err)
	}
	o.Shared = shared
	if _, _, err := Temperature(t.Context(), o); err != nil || !shared.Load().(*temperatureFit).near {
		t.Fatalf("the last pass was near is %v (%v)", shared.Load().(*temperatureFit).near, err)
	}
	if got, err := fitted(t.Context(), shared); err != nil || !slices.Equal(got, want) {
		t.Errorf("with a shared temperature %v (%v), alone %v", got, err, want)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if x, err := fitted(ctx, shared); err == nil {
		t.Errorf("cancelled: %v and no error", x)
	}
}
