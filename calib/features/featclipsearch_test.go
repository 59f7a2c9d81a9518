package features

import (
	"math"
	"slices"
	"testing"

	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/testset"
	"github.com/qats-bench/qats/data"
)

// whole returns the search after the sweep of the whole grid.
func whole(t *testing.T, set *data.Set) *clipSearch {
	t.Helper()
	s := newClipSearch(set, 2, 0, false)
	var points []int
	for m := min(s.top, clipPoints); m >= 1; m-- {
		points = append(points, m)
	}
	for _, points := range [][]int{{s.top}, points} {
		if err := s.sweep(t.Context(), points); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// Lower bounds are below the NLL everywhere, and near it next to a computed
// threshold. Excluding thresholds by them changes no result.
func TestBoundsAreBelowTheNLLAndChangeNoResult(t *testing.T) {
	spared := 0
	for seed := range uint64(3) {
		for _, scale := range []float64{0.3, 1, 8} {
			set := testset.SignedHead(400, 6, 10, scale, seed)
			all := whole(t, set)
			for _, guard := range []float64{0, .9, .99, 1} {
				all.guard = guard
				some := newClipSearch(set, 2, guard, false)
				best, err := some.Run(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				if best != all.best() {
					t.Errorf("seed %d, scale %g, guard %g: %d with bounds, %d without", seed, scale, guard, best, all.best())
				}
				computed := 0
				for m := 1; m <= some.top; m++ {
					switch want := all.score[m]; {
					case some.score[m].computed:
						computed++
						if got := some.score[m]; math.Abs(got.nll-want.nll) > 1e-9 || got.hits != want.hits {
							t.Fatalf("seed %d, scale %g, grid value %d: %+v, in a sweep of all %+v", seed, scale, m, got, want)
						}
					case !(some.bound[m] <= want.nll+1e-8):
						t.Fatalf("seed %d, scale %g, grid value %d: NLL %v is below its bound %v", seed, scale, m, want.nll, some.bound[m])
					default:
						spared++
					}
				}
				if some.Computed != computed {
					t.Errorf("%d thresholds reported, %d computed", some.Computed, computed)
				}
			}
		}
	}
	if spared == 0 {
		t.Error("no threshold is spared")
	}
}

// Hits that are counted without a softmax are those of a sweep, also where classes tie and where
// the logits have a large offset. The search counts them where the guard rejects the thresholds
// of the least NLL, and then takes few steps.
func TestHitsAreThoseOfASweep(t *testing.T) {
	for seed := range uint64(3) {
		for _, scale := range []float64{.3, 1, 8} {
			for _, sides := range []int{1, 2} {
				set := testset.SignedHead(400, 6, 10, scale, seed)
				for j := range set.Head.B {
					set.Head.B[j] += float32(1e5 * float64(seed))
				}
				copy(set.Head.W.Row(1), set.Head.W.Row(0)) // these two classes tie in every row
				set.Head.B[1] = set.Head.B[0]
				copy(set.Head.W.Row(3)[:5], set.Head.W.Row(2)[:5]) // and these where the other features are clipped to little
				swept, counted := newClipSearch(set, sides, .99, false), newClipSearch(set, sides, .99, false)
				var points []int
				for m := min(swept.top, clipPoints); m >= 1; m-- {
					points = append(points, m)
				}
				for _, err := range []error{
					swept.sweep(t.Context(), []int{swept.top}), swept.sweep(t.Context(), points),
					counted.sweep(t.Context(), []int{counted.top}), counted.count(t.Context(), points),
				} {
					if err != nil {
						t.Fatal(err)
					}
				}
				for _, m := range points {
					if got, want := counted.score[m], swept.score[m]; !got.counted || got.hits != want.hits {
						t.Fatalf("seed %d, scale %g, %d sides, grid value %d: %+v, in a sweep %+v", seed, scale, sides, m, got, want)
					}
				}
			}
		}
	}
	// An overconfident network: clipping to little lowers the NLL and ruins the accuracy.
	set := testset.SignedHead(400, 6, 10, 8, 1)
	for _, part := range [][]float32{set.Head.W.Data, set.Head.B, set.Logits.Data} {
		for j := range part {
			part[j] *= 6
		}
	}
	for _, guard := range []float64{.9, .999} {
		s, all := newClipSearch(set, 2, guard, false), whole(t, set)
		all.guard = guard
		best, err := s.Run(t.Context())
		if err != nil || best != all.best() {
			t.Fatalf("guard %g: best %d (%v), in a sweep of all %d", guard, best, err, all.best())
		}
		if !s.score[1].counted || s.Computed > s.top/4 {
			t.Errorf("guard %g: the hits at the lowest threshold are counted: %v; %d of %d thresholds computed", guard, s.score[1].counted, s.Computed, s.top)
		}
	}
}

// A step gives bounds at all other thresholds, which are near the NLL next to its own. The
// top is not clipped, so its bounds are those of the least c that clips nothing.
func TestBoundsOfAStep(t *testing.T) {
	for _, scale := range []float64{.3, 1, 8} {
		set := testset.SignedHead(400, 6, 10, scale, 1)
		all := whole(t, set)
		for _, e := range []int{all.top, all.top / 2, all.top / 5} {
			s := newClipSearch(set, 2, .99, false)
			for _, points := range [][]int{{s.top}, {e}} {
				if err := s.sweep(t.Context(), points); err != nil {
					t.Fatal(err)
				}
			}
			for m := 1; m < s.top; m++ {
				if gap := all.score[m].nll - s.bound[m]; !(gap >= -1e-8) || (m == e-1 || m == e+1) && e <= clipPoints && gap > .02 {
					t.Fatalf("scale %g, grid value %d, after a step at %d of %d: the bound is %v below the NLL", scale, m, e, s.top, gap)
				}
			}
		}
	}
}

func TestClipIndexIsTheFirstGridValueAtOrAbove(t *testing.T) {
	for m := 0; m <= 2000; m++ {
		c := float64(m) / 100
		if got := clipIndex(c); got != m {
			t.Errorf("%v: %d, want %d", c, got, m)
		}
		if got := clipIndex(math.Nextafter(c, 100)); got != m+1 {
			t.Errorf("above %v: %d, want %d", c, got, m+1)
		}
	}
	if got := clipIndex(math.MaxFloat32); got != 2001 {
		t.Error(got)
	}
}

// A step is half of the lowest threshold while there is something to exclude below it, then
// the least bound. The guard rejects thresholds up to some c: after a step that excluded
// little, or before any is admissible, steps halve what is left above that c.
func TestNextStep(t *testing.T) {
	left := func(from, to int) (list []int) {
		for m := to; m >= from; m-- {
			list = append(list, m)
		}
		return list
	}
	for _, c := range []struct {
		hits map[int]int // of the computed ones; 100 at the top, of which more than 90 are needed
		left []int
		poor bool
		want int
	}{
		{nil, left(1, 1999), false, 1000},                                     // half of the top
		{map[int]int{1000: 95}, left(1, 1999), false, 500},                    // half of the lowest
		{map[int]int{1000: 95}, left(1, 300), false, 150},                     // which is excluded: the middle of what is left below
		{map[int]int{500: 95}, left(510, 1999), false, 700},                   // the least bound
		{map[int]int{500: 95, 600: 80}, left(510, 1999), false, 700},          // the same above what is rejected
		{map[int]int{500: 95, 800: 80, 900: 80}, left(510, 1999), false, 700}, // below it
		{map[int]int{500: 95, 800: 80, 900: 80}, left(510, 1900), true, 1400}, // the middle of what is left above it
		{map[int]int{500: 95, 1950: 80}, left(510, 1900), true, 700},          // where nothing is left
	} {
		s := &clipSearch{top: 2000, guard: .9, score: make([]clipScore, 2001), bound: make([]float64, 2001)}
		s.score[2000] = clipScore{computed: true, hits: 100}
		for m, hits := range c.hits {
			s.score[m] = clipScore{computed: true, hits: hits}
		}
		s.bound[700] = -1
		if got := s.next(c.left, c.poor); got != c.want {
			t.Errorf("%v, %d to %d left: %d, want %d", c.hits, c.left[len(c.left)-1], c.left[0], got, c.want)
		}
	}
	none := &clipSearch{top: 2001, guard: 1, score: make([]clipScore, 2002), bound: make([]float64, 2002)}
	none.score[2001] = clipScore{computed: true, hits: 100}
	if got := none.next(left(1, 2000), false); got != 1000 {
		t.Errorf("with nothing admissible: %d, want the middle", got)
	}
	none.score[2000] = clipScore{computed: true, hits: 100}
	if got := none.next(left(1, 1999), false); got != 0 {
		t.Errorf("with nothing admissible and the highest rejected: %d, want none", got)
	}
}

// Of the computed and admissible values the best one has the least criterion, the
// lowest one on ties. Values whose bound is above the best one are not left.
func TestBestOfTheComputedValues(t *testing.T) {
	s := &clipSearch{top: 5, guard: .5, bound: []float64{0, 1, 1, 1, 3, 2}, score: []clipScore{{},
		{computed: true, nll: .5, ece: .1, hits: 5}, // half of the hits of the top is not enough
		{computed: false, nll: .1, ece: .1, hits: 10},
		{computed: true, nll: 2, ece: .4, hits: 6},
		{computed: true, nll: 2, ece: .3, hits: 9},
		{computed: true, nll: 3, ece: .2, hits: 10}}}
	if got := s.best(); got != 3 {
		t.Errorf("by NLL %d, want 3", got)
	}
	s.byECE = true
	if got := s.best(); got != 5 {
		t.Errorf("by ECE %d, want 5", got)
	}
	s.guard = 1
	if got := s.best(); got != 0 {
		t.Errorf("%d, of none that is admissible", got)
	}
	if got := s.candidates(); !slices.Equal(got, []int{5, 4, 3, 2, 1}) {
		t.Errorf("without a best one %v", got)
	}
	s.guard, s.byECE = .5, false
	s.score[4].computed, s.score[5].computed = false, false
	s.bound[3], s.bound[5] = 2, 2+clipMargin/2 // the margin reaches 5
	if got := s.candidates(); !slices.Equal(got, []int{5, 3, 2, 1}) {
		t.Errorf("candidates %v", got)
	}
	if got := s.left(); !slices.Equal(got, []int{5, 2}) {
		t.Errorf("left %v", got)
	}
}

// Features are clipped from above or on both sides.
func TestReachOfFeatures(t *testing.T) {
	for _, c := range []struct {
		h       float32
		sides   int
		a, sign float64
	}{{2, 1, 2, 1}, {2, 2, 2, 1}, {-3, 1, 0, 0}, {-3, 2, 3, -1}, {0, 1, 0, 0}} {
		if a, sign := (&clipSearch{sides: c.sides}).reach(c.h); a != c.a || sign != c.sign {
			t.Errorf("%v, %d sides: %v, %v", c.h, c.sides, a, sign)
		}
		dst := make([]float64, 1)
		if clipFeatures(dst, []float32{c.h}, 1.5, c.sides); dst[0] != map[float32]float64{2: 1.5, -3: map[int]float64{1: -3, 2: -1.5}[c.sides], 0: 0}[c.h] {
			t.Errorf("%v, %d sides: clipped to %v", c.h, c.sides, dst[0])
		}
	}
	w := data.Matrix{Rows: 2, Cols: 3, Data: []float32{1, 2, 3, 4, 5, 6}}
	set := &data.Set{Features: data.Matrix{Rows: 1, Cols: 3, Data: []float32{1, -2, .5}}, Head: data.Linear{W: w, B: []float32{10, 20}}}
	for sides, top := range map[int]int{1: 100, 2: 200} {
		s := newClipSearch(set, sides, 0, false)
		if s.top != top || !slices.Equal(s.columns, []float32{1, 4, 2, 5, 3, 6}) {
			t.Errorf("%d sides: top %d, columns %v", sides, s.top, s.columns)
		}
	}
	z := make([]float64, 4)
	newClipLayer(set.Head).Logits(z, []float64{1, 1, 1, 0, 0, 1})
	if !slices.Equal(z, []float64{16, 35, 13, 26}) {
		t.Errorf("logits %v", z)
	}
	gaps := make([]float32, 3)
	if top := clipGaps(gaps, []float64{1, 4, 4}); top != 1 || !slices.Equal(gaps, []float32{-3, 0, 0}) {
		t.Errorf("top %d, gaps %v", top, gaps)
	}
}

// A sweep over two blocks of rows computes NLL, hits and ECE by their definitions. Rows that
// are not clipped keep their sums.
func TestScoresAreTheirDefinitions(t *testing.T) {
	set := testset.SignedHead(fit.BlockRows+70, 3, 4, 1, 2)
	n := float64(len(set.Labels))
	for _, sides := range []int{1, 2} {
		s := newClipSearch(set, sides, .5, true)
		points := []int{s.top, s.reaches[1], s.top / 2, s.top / 3, s.top / 7, 1}
		for _, points := range [][]int{points[:1], points[1:2], points[2:]} {
			if err := s.sweep(t.Context(), points); err != nil {
				t.Fatal(err)
			}
		}
		if want := 2 + fit.BlockRows/n; math.Abs(s.Passes-want) > 1e-12 || s.Computed != len(points) {
			t.Errorf("%v passes, want %v; %d thresholds", s.Passes, want, s.Computed)
		}
		for _, m := range points {
			nll, hits, gaps := 0.0, 0, [clipBins]float64{}
			x, p := make([]float64, 4), make([]float64, 3)
			for i, y := range set.Labels {
				clipFeatures(x, set.Features.Row(i), clipValue(m), sides)
				sum := 0.0
				for j := range p {
					z := float64(set.Head.B[j])
					for l, w := range set.Head.W.Row(j) {
						z += float64(w) * x[l]
					}
					p[j] = math.Exp(z)
					sum += p[j]
				}
				conf := slices.Max(p) / sum
				hit := 0.0
				if p[y]/sum == conf {
					hit = 1
					hits++
				}
				nll -= math.Log(p[y]/sum) / n
				gaps[min(int(math.Ceil(conf*clipBins)), clipBins)-1] += (hit - conf) / n
			}
			ece := 0.0
			for _, gap := range gaps {
				ece += math.Abs(gap)
			}
			if got := s.score[m]; math.Abs(got.nll-nll) > 1e-6 || got.hits != hits || math.Abs(got.ece-ece) > 1e-6 {
				t.Errorf("%d sides, threshold %v: %+v, want NLL %v, %d hits, ECE %v", sides, clipValue(m), got, nll, hits, ece)
			}
		}
	}
}
