package features

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/testset"
	"github.com/qats-bench/qats/data"
)

// Lower bounds are below the NLL everywhere, and near it next to a computed
// threshold. Excluding thresholds by them changes no bit of the result.
func TestBoundsAreBelowTheNLLAndChangeNoResult(t *testing.T) {
	saved, ruledOut := 0, 0
	for seed := range uint64(3) {
		for _, scale := range []float64{0.3, 1, 8} {
			set := testset.SignedHead(400, 6, 10, scale, seed)
			all := newClipSearch(set, 2, 0.99, false)
			var points []int
			for m := all.top; m >= 1; m-- {
				points = append(points, m)
			}
			if err := all.sweep(context.Background(), points, make([]bool, len(points))); err != nil {
				t.Fatal(err)
			}

			some := newClipSearch(set, 2, 0.99, false)
			best, err := some.Run(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			if best != all.best() {
				t.Errorf("seed %d, scale %g: %d with bounds, %d without", seed, scale, best, all.best())
			}
			for m := range some.score {
				if some.score[m].computed {
					if some.score[m].nll != all.score[m].nll || some.score[m].hits != all.score[m].hits {
						t.Fatalf("seed %d, scale %g, grid value %d: the bits depend on the sweep", seed, scale, m)
					}
				} else if m > 0 && math.IsInf(some.bound[m], 1) {
					if all.admissible(all.score[m].hits) {
						t.Fatalf("seed %d, scale %g, grid value %d: ruled out with %d hits of %d", seed, scale, m, all.score[m].hits, all.score[all.top].hits)
					}
					ruledOut++
				} else if m > 0 && !(some.bound[m] <= all.score[m].nll+1e-8) {
					t.Fatalf("seed %d, scale %g, grid value %d: NLL %v is below its bound %v", seed, scale, m, all.score[m].nll, some.bound[m])
				}
				if m > 0 && !some.score[m].computed {
					saved++
				}
			}

			// One sweep with a point in the middle gives bounds at all others, which
			// are near the NLL next to the point.
			one := newClipSearch(set, 2, 0.99, false)
			mid := one.top / 2
			if err := one.sweep(context.Background(), []int{one.top, mid}, []bool{true, true}); err != nil {
				t.Fatal(err)
			}
			for m := 1; m < one.top; m++ {
				if gap := all.score[m].nll - one.bound[m]; m != mid && !(gap >= -1e-8) || (m == mid-1 || m == mid+1) && gap > 0.02 {
					t.Fatalf("seed %d, scale %g, grid value %d of %d, next to %d: the bound is %v below the NLL", seed, scale, m, one.top, mid, gap)
				}
			}
		}
	}
	if saved == 0 || ruledOut == 0 {
		t.Errorf("%d thresholds spared, %d of them by the guard", saved, ruledOut)
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

// A sweep computes all that is left or, of many, some that are spread evenly; the first
// one also computes the top.
func TestSweepsComputeWhatIsLeft(t *testing.T) {
	all := func(n int) []int {
		var list []int
		for m := range n {
			list = append(list, m+1)
		}
		return list
	}
	set := &data.Set{Features: data.Matrix{Cols: 3}}
	for _, c := range []struct {
		sweeps, top, left int
		byECE             bool
		want              []int // how many, the largest and the smallest
	}{
		{1, 9, 5, false, []int{5, 5, 1}}, {0, 9, 5, false, []int{6, 9, 1}}, {0, 5, 5, false, []int{5, 5, 1}},
		{1, 900, 2 * clipChosen, false, []int{2 * clipChosen, 2 * clipChosen, 1}},
		{1, 900, 10 * clipChosen, false, []int{clipChosen, 10 * clipChosen, 10}},
		{1, 900, 10 * clipChosen, true, []int{10 * clipChosen, 10 * clipChosen, 1}},
		{clipPatience, 900, 10 * clipChosen, false, []int{10 * clipChosen, 10 * clipChosen, 1}},
		{clipPatience - 1, 900, 10 * clipChosen, false, []int{clipChosen, 10 * clipChosen, 10}},
	} {
		s := &clipSearch{set: set, byECE: c.byECE, top: c.top, Sweeps: c.sweeps}
		points := s.choose(all(c.left))
		if got := []int{len(points), points[0], points[len(points)-1]}; !slices.Equal(got, c.want) || !slices.IsSortedFunc(points, func(a, b int) int { return b - a }) {
			t.Errorf("sweep %d, %d left of %d: %v, want %v", c.sweeps, c.left, c.top, got, c.want)
		}
	}
	if got := (&clipSearch{}).between([]int{9, 5, 3}, []int{4, 3, 9}); !slices.Equal(got, []bool{false, true, false}) {
		t.Errorf("a value is between a point and the next one: %v", got)
	}
	wide := &clipSearch{set: &data.Set{Features: data.Matrix{Cols: 8 * 50}}, top: 900, Sweeps: 1}
	if points := wide.choose(all(500)); len(points) != 50 {
		t.Errorf("%d thresholds, want one for each 8 features", len(points))
	}
	if got := (&clipSearch{}).between([]int{9, 5, 3}, []int{9, 5, 3}); !slices.Equal(got, []bool{false, false, false}) {
		t.Errorf("a point is not between two points: %v", got)
	}
	if got := (&clipSearch{}).between([]int{9, 5, 3}, []int{1, 7}); !slices.Equal(got, []bool{true, false, true}) {
		t.Errorf("a value is between a point and the next one: %v", got)
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
	s.score[1].computed, s.score[3].computed, s.score[4].computed, s.score[5].computed = false, false, false, false
	s.score[2].nll = 2 - clipMargin/2
	if got := s.left(2); !slices.Equal(got, []int{1, 2, 3, 5}) { // the margin reaches 5
		t.Errorf("left below the best one %v", got)
	}
	if got := s.left(0); !slices.Equal(got, []int{1, 2, 3, 4, 5}) {
		t.Errorf("left without a best one %v", got)
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

// A row that is counted as wrong between two thresholds is wrong at every grid value
// between them, and most such rows are counted.
func TestRowsThatStayWrongAreWrong(t *testing.T) {
	ctx := context.Background()
	counted, wrong := 0, 0
	for _, scale := range []float64{0.3, 0.6, 1, 2, 4} {
		set := testset.SignedHead(300, 5, 12, scale, 9)
		for i := range set.Labels {
			one := set.Rows(i, i+1)
			all := newClipSearch(one, 2, .5, false)
			var every []int
			for m := all.top; m >= 1; m-- {
				every = append(every, m)
			}
			if err := all.sweep(ctx, every, make([]bool, len(every))); err != nil {
				t.Fatal(err)
			}
			if all.score[all.top].hits == 0 || all.top < 8 { // any number of hits is enough
				continue
			}
			some := newClipSearch(one, 2, .5, false)
			points := []int{some.top, some.top * 3 / 4, some.top / 2, some.top / 4}
			if err := some.sweep(ctx, points, []bool{true, true, true, true}); err != nil {
				t.Fatal(err)
			}
			for k, p := range points {
				next := 0
				if k+1 < len(points) {
					next = points[k+1]
				}
				hits := all.score[p].hits + all.score[max(next, 1)].hits
				for m := next + 1; m < p; m++ {
					hits += all.score[m].hits
				}
				stays := p > next+1 && math.IsInf(some.bound[p-1], 1)
				if stays && hits-all.score[p].hits-all.score[max(next, 1)].hits > 0 {
					t.Errorf("scale %g, row %d: right somewhere between %d and %d", scale, i, next, p)
				}
				if stays {
					counted++
				}
				if p > next+1 && next > 0 && hits == 0 {
					wrong++
				}
			}
		}
	}
	if counted < 20 || counted*5 < wrong*2 {
		t.Errorf("%d of %d parts without a hit are counted", counted, wrong)
	}
}

// A sweep over two blocks of rows computes NLL, slope, hits and ECE by their definitions.
func TestScoresAreTheirDefinitions(t *testing.T) {
	set := testset.SignedHead(fit.BlockRows+70, 3, 4, 1, 2)
	n := float64(len(set.Labels))
	for _, sides := range []int{1, 2} {
		s := newClipSearch(set, sides, .5, true)
		points := []int{s.top, s.top / 2, s.top / 3, s.top / 7, 1}
		if err := s.sweep(context.Background(), points, make([]bool, len(points))); err != nil {
			t.Fatal(err)
		}
		if s.Sweeps != 1 || s.Computed != len(points) {
			t.Errorf("%d sweeps, %d thresholds", s.Sweeps, s.Computed)
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

// Only the parts of a sweep that are asked for have bounds.
func TestBoundsOfTheMarkedParts(t *testing.T) {
	s := newClipSearch(testset.SignedHead(50, 3, 4, 1, 2), 2, 0, false)
	points := []int{s.top, s.top / 2}
	if err := s.sweep(context.Background(), points, []bool{false, true}); err != nil {
		t.Fatal(err)
	}
	if above, below := s.bound[s.top-1], s.bound[s.top/2-1]; !math.IsInf(above, -1) || math.IsInf(below, 0) {
		t.Errorf("bounds %v above the second threshold, %v below", above, below)
	}
}

// At threshold 1 the prediction leads by 1. Up to threshold 3 a feature of 1.5 rises by
// 1/2, and one of 5 by 2. A feature that raises the lead is not counted.
func TestLeadThatStaysAboveZero(t *testing.T) {
	for _, c := range []struct {
		moved, clipped float64 // falls of the lead for each unit of the features
		want           bool
	}{{1, 0, true}, {3, 0, false}, {0, .25, true}, {0, .75, false}, {1, .125, true}, {1, .5, false}, {-4, .75, false}, {-4, -1, true}} {
		s := &clipSearch{sides: 2, columns: []float32{0, float32(c.moved), 0, float32(c.clipped)}}
		w := &clipWorker{search: s, a: make([]float64, 2), z: []float64{1, 0}, s: []float64{0, c.moved + c.clipped}}
		moved := []uint64{uint64(clipPoints+1-clipIndex(1.5)) << 32}
		if got := w.staysWrong(moved, []float32{1.5, 5}, 1, 1, 3); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}
