package features

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/calibtest"
	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/testset"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/softmax"
)

// plainScore is NLL, hits and ECE-15 at one threshold.
type plainScore struct {
	nll  float64
	hits int
	ece  float64
}

// exhaustive is the search of the original, with a product with W for every threshold
// of the grid. It returns c and its NLL, or an infinite c if none is admissible. The
// scores belong to the thresholds of the grid; the last one is without clipping.
func exhaustive(scores []plainScore, o FeatureClipping) (c, nll float64) {
	least := math.Inf(1)
	c = math.Inf(1)
	for i, s := range scores[:2000] {
		v := s.nll
		if o.Criterion == "ece" {
			v = s.ece
		}
		if float64(s.hits) > *o.Guard*float64(scores[2000].hits) && v < least {
			c, least, nll = float64(i+1)/100, v, s.nll
		}
	}
	if math.IsInf(c, 1) {
		nll = scores[2000].nll
	}
	return c, nll
}

// gridScores returns the scores at every threshold and without one.
func gridScores(set *data.Set, sides int) []plainScore {
	var scores []plainScore
	for m := 1; m <= 2000; m++ {
		scores = append(scores, clippedScore(set, float64(m)/100, sides))
	}
	return append(scores, clippedScore(set, math.Inf(1), sides))
}

// clippedScore computes the scores at one threshold by the definition.
func clippedScore(set *data.Set, c float64, sides int) (s plainScore) {
	n := set.Features.Rows
	var gap [15]float64
	x, z := make([]float64, set.Features.Cols), make([]float64, set.Head.W.Rows)
	for i := range n {
		for j, v := range set.Features.Row(i) {
			x[j] = math.Min(float64(v), c)
			if sides == 2 {
				x[j] = math.Max(x[j], -c)
			}
		}
		for k := range z {
			z[k] = float64(set.Head.B[k])
			for j, w := range set.Head.W.Row(k) {
				z[k] += x[j] * float64(w)
			}
		}
		most, sum := slices.Max(z), 0.0
		for _, v := range z {
			sum += math.Exp(v - most)
		}
		y := int(set.Labels[i])
		s.nll += (math.Log(sum) + most - z[y]) / float64(n)
		hit := 0.0
		if slices.Index(z, most) == y {
			s.hits++
			hit = 1
		}
		gap[softmax.Bin(1/sum, 15)] += hit - 1/sum
	}
	for _, g := range gap {
		s.ece += math.Abs(g) / float64(n)
	}
	return s
}

// The fit is that of the original's search, on sets of several kinds and with all
// options.
func TestFeatClipIsExhaustive(t *testing.T) {
	found := map[float64]bool{}
	seeds := uint64(4)
	if testing.Short() {
		seeds = 2
	}
	for seed := range seeds {
		for _, scale := range []float64{0.05, 1, 12} {
			set := testset.SignedHead(60, 4, 6, scale, seed)
			for _, sides := range []int{1, 2} {
				scores := gridScores(set, sides)
				for _, criterion := range []string{"nll", "ece"} {
					for _, guard := range []float64{0, 0.9, 0.99, 1} {
						o := FeatureClipping{Sides: sides, Guard: &guard, Criterion: criterion}
						want, nll := exhaustive(scores, o)
						f, err := calib.FitInput(context.Background(), o, calib.Input{Cal: set})
						if err != nil {
							t.Fatal(err)
						}
						m := f.Map.(featClipMap)
						if math.IsInf(want, 1) {
							want = math.MaxFloat32
						}
						if m.C != want || m.Sides != sides || !(math.Abs(f.Report.NLL-nll) <= 1e-7*max(1, nll)) { // logits reach the kernel as float32
							t.Errorf("seed %d, scale %g, %+v: c = %v, NLL %v; exhaustive %v, %v",
								seed, scale, o, m.C, f.Report.NLL, want, nll)
						}
						found[want] = true
					}
				}
			}
		}
	}
	if len(found) < 20 || !found[math.MaxFloat32] {
		t.Errorf("only %d different thresholds: the sets are too much alike", len(found))
	}
}

// If no threshold is admissible, nothing is clipped: the map is the uncalibrated
// network, up to the rounding of its logits to float32.
func TestFeatClipWithoutAdmissibleThresholdClipsNothing(t *testing.T) {
	set := testset.WithHead(200, 7, 9, 3)
	f, err := calib.FitInput(context.Background(), FeatureClipping{Guard: new(1.)}, calib.Input{Cal: set})
	if err != nil {
		t.Fatal(err)
	}
	right := 0
	for i, y := range set.Labels {
		if fit.TopClass(set.Logits.Row(i)) == int(y) {
			right++
		}
	}
	if f.Map.(featClipMap).C != math.MaxFloat32 {
		// A threshold raised the accuracy. Check the map without clipping below.
		f.Map = featClipMap{C: math.MaxFloat32, Sides: 2}
	} else if !strings.HasPrefix(f.Report.Warnings.String(), "no threshold keeps the accuracy above 1 of what it was") {
		t.Errorf("warnings %q with %d rows right", f.Report.Warnings, right)
	}
	got, want := data.NewProbs(200, 7), calibtest.Softmax(t, set.Logits)
	calib.Apply(f.Map, got, set.View(data.Features|data.Head))
	for i := range got.Data {
		// A logit of 20 is rounded by 1e-6 in float32.
		if !(math.Abs(got.Data[i]-want.Data[i]) <= 3e-6*want.Data[i]+1e-12) {
			t.Fatalf("element %d: %v, uncalibrated %v", i, got.Data[i], want.Data[i])
		}
	}
}

func TestFeatClipMapFollowsItsDefinition(t *testing.T) {
	set := testset.SignedHead(50, 6, 7, 2, 4)
	for _, m := range []featClipMap{{0.01, 2}, {1.5, 2}, {1.5, 1}, {100, 1}} {
		q := data.NewProbs(50, 6)
		calib.Apply(m, q, set.View(data.Features|data.Head))
		for i := range 50 {
			one := set.Rows(i, i+1)
			for k := range 6 {
				one.Labels = []int32{int32(k)}
				if want := math.Exp(-clippedScore(one, m.C, m.Sides).nll); !(math.Abs(q.Row(i)[k]-want) <= 3e-7) {
					t.Fatalf("%+v, row %d, class %d: %v, want %v", m, i, k, q.Row(i)[k], want)
				}
			}
		}
	}
}

// Errors name what is wrong with options and sets.
func TestFeatClipRejects(t *testing.T) {
	for _, c := range []struct {
		method FeatureClipping
		want   string
	}{
		{FeatureClipping{Sides: 3}, "sides: 3: want 1 to 2"},
		{FeatureClipping{Guard: new(math.NaN())}, "guard: NaN: want 0 to 1"},
		{FeatureClipping{Guard: new(1.01)}, "guard: 1.01: want 0 to 1"},
		{FeatureClipping{Criterion: "brier"}, `criterion: "brier": want nll or ece`},
	} {
		if _, err := calib.FitInput(context.Background(), c.method, calib.Input{Cal: testset.WithHead(20, 3, 4, 1)}); err == nil || err.Error() != c.want {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	for _, c := range []struct {
		change func(s *data.Set)
		want   string
	}{
		{func(s *data.Set) { s.Features = s.Features.Slice(0, 9) }, "10 rows of logits but 9 of features"},
		{func(s *data.Set) { s.Features = data.NewMatrix(10, 5) }, "5 features, but the last layer is for 4"},
		{func(s *data.Set) { s.Head.B = s.Head.B[:2] }, "the last layer has weights for 3 classes but biases for 2"},
		{func(s *data.Set) { s.Head = data.Linear{W: data.NewMatrix(4, 4), B: make([]float32, 4)} }, "the last layer has 4 classes, the logits have 3"},
		{func(s *data.Set) {
			s.Features = data.Matrix{Rows: 10, Cols: 4, Data: slices.Clone(s.Features.Data)}
			copy(s.Features.Row(3), s.Features.Row(4))
		}, "row 3: features and last layer give logits that differ by up to "},
	} {
		set := testset.WithHead(10, 3, 4, 1)
		c.change(set)
		_, err := calib.FitInput(context.Background(), FeatClipEntry.Method, calib.Input{Cal: set})
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	set := testset.WithHead(10, 3, 4, 1)
	for i := range set.Logits.Data {
		set.Logits.Data[i] += float32(5 + i/3) // an offset of each row, as of log-probabilities
	}
	if _, err := calib.FitInput(context.Background(), FeatClipEntry.Method, calib.Input{Cal: set}); err != nil {
		t.Error(err)
	}
	if err := calib.CheckSet(featClipMap{1, 2}, testset.WithHead(2, 3, 4, 1)); err != nil {
		t.Error(err)
	}
	bad := testset.WithHead(2, 3, 4, 1)
	bad.Features = data.NewMatrix(2, 6)
	if err := calib.CheckSet(featClipMap{1, 2}, bad); err == nil || fmt.Sprint(err) != "6 features, but the last layer is for 4" {
		t.Error(err)
	}
}

// After removal of an offset, logits may differ from the outputs of the last layer by
// .02 (1 + the range of the row).
func TestFeatClipToleratesRoundedLogits(t *testing.T) {
	for _, c := range []struct {
		range_, off float32
		good        bool
	}{{0, .019, true}, {0, .021, false}, {9, .19, true}, {9, .21, false}} {
		set := &data.Set{
			Logits: testset.Rows([][]float32{{5, 5 - c.range_ + c.off}}), Labels: []int32{0}, Features: testset.Rows([][]float32{{1}}),
			Head: data.Linear{W: testset.Rows([][]float32{{0}, {-c.range_}}), B: []float32{0, 0}},
		}
		if err := checkHead(set); (err == nil) != c.good {
			t.Errorf("range %v, off by %v: %v", c.range_, c.off, err)
		}
	}
}
