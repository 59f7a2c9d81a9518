package neighbours

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/calibtest"
	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/testset"
	"github.com/qats-bench/qats/calib/isotonic"
	"github.com/qats-bench/qats/data"
)

// BinMeanShift('multi_isotonic_regression', MultiIsotonicRegression,
// bin_strategy='quantile', proximity_bin=5) of MiaoXiong2320/ProximityBias-Calibration
// in Python 3.11 with numpy 1.24.2 and scikit-learn 1.2.1, on the proximities of rows 0
// to 199 of densitySet in float64, applied to rows 200 to 299; its rows were divided by
// their sums.
func TestProCalBinsIsThatOfItsAuthors(t *testing.T) {
	set := densitySet()
	cal, test := set.Rows(0, 200), set.Rows(200, 300)
	m := calibtest.Map(t, ProCalBins{}, cal).(proCalBinsMap)
	if want := []float64{0.5962478366238682, 0.7013330339272494, 0.7940039809213822, 0.8603189280037484}; !testset.Near(m.Edges, want, 1e-12) {
		t.Errorf("edges %v, want %v", m.Edges, want)
	}
	near, counts := make([]float64, 100), make([]int, 5)
	m.proximities(near, test.Features)
	for _, r := range near {
		counts[fit.UpTo(m.Edges, r)]++
	}
	if want := []int{21, 12, 23, 15, 29}; !slices.Equal(counts, want) {
		t.Errorf("%v rows in the groups, want %v", counts, want)
	}
	q := data.NewProbs(100, 4)
	calib.Apply(m, q, test)
	want := []float64{
		0.30107526890422814, 8.176893763413017e-15, 1.8906419717509057e-12, 0.6989247310938731,
		0.19108280239605477, 0.5732484080426561, 0.09554140117347791, 0.14012738838781125,
		0.08108108107298069, 0.08108108113837507, 0.1081081082649106, 0.7297297295237336,
	}
	if !testset.Near(q.Data[:12], want, 1e-12) {
		t.Errorf("probabilities %v, want %v", q.Data[:12], want)
	}
	root, conf := 0.0, 0.0
	for i, y := range test.Labels {
		root += math.Sqrt(q.Row(i)[y]) / 100
		conf += slices.Max(q.Row(i)) / 100
	}
	if !testset.Near([]float64{root, conf}, []float64{0.769927041127923, 0.7866573840553842}, 1e-9) {
		t.Errorf("means %v and %v, want 0.769927041127923 and 0.7866573840553842", root, conf)
	}
}

// With one group it is ir, to the bit.
func TestOneGroupIsIsotonicRegression(t *testing.T) {
	set := densitySet()
	a, b := data.NewProbs(300, 4), data.NewProbs(300, 4)
	calib.Apply(calibtest.Map(t, ProCalBins{Groups: 1}, set), a, set)
	calib.Apply(calibtest.Map(t, isotonic.Regression{}, set), b, set)
	if !slices.Equal(a.Data, b.Data) {
		t.Error("other probabilities than ir")
	}
}

// Groups without rows have the function of all rows, and the report says so.
func TestEmptyGroupsHaveTheFunctionOfAllRows(t *testing.T) {
	set := densitySet()
	for i := range set.Features.Data {
		set.Features.Data[i] = float32(i % 6)
	}
	f, err := calib.FitInput(context.Background(), ProCalBins{}, calib.Input{Cal: set})
	if err != nil {
		t.Fatal(err)
	}
	all := calibtest.Map(t, isotonic.Regression{}, set).(isotonic.Map)
	for g, own := range f.Map.(proCalBinsMap).Groups {
		if !slices.Equal(own.X, all.X) || !slices.Equal(own.Y, all.Y) {
			t.Errorf("group %d differs", g)
		}
	}
	if want := "4 of 5 groups have no calibration row, since proximities are equal: they have the function of all rows"; f.Report.Warnings.String() != want {
		t.Errorf("warnings %q, want %q", f.Report.Warnings, want)
	}
	f, err = calib.FitInput(context.Background(), ProCalBins{}, calib.Input{Cal: densitySet().Rows(0, 3)})
	want := "2 of 5 groups have no calibration row, since there are fewer rows than groups: they have the function of all rows"
	if err != nil || f.Report.Warnings.String() != want {
		t.Errorf("warnings %q (%v), want %q", f.Report.Warnings, err, want)
	}
}

// numpy.percentile([4, 1, 2, 8, 16, 32], [20, 40, 60, 80]) is [2, 4, 8, 16], and of
// [3, 1, 2, 7] it is [1.6, 2.2, 2.8, 4.6]; edges of equal values are equal.
func TestQuantileEdgesAreThoseOfNumpy(t *testing.T) {
	for _, c := range []struct{ v, want []float64 }{
		{[]float64{4, 1, 2, 8, 16, 32}, []float64{2, 4, 8, 16}},
		{[]float64{3, 1, 2, 7}, []float64{1.6, 2.2, 2.8, 4.6}},
		{[]float64{.1, .1, .1}, []float64{.1, .1, .1, .1}},
		{[]float64{.5}, []float64{.5, .5, .5, .5}},
	} {
		if got := quantileEdges(c.v, 5); !testset.Near(got, c.want, 1e-14) {
			t.Errorf("edges of %v: %v, want %v", c.v, got, c.want)
		}
	}
}

// The windows of the isotonic regression of each group are counted, here two of one group;
// see TestIRCountsItsWindows.
func TestProCalBinsCountWindows(t *testing.T) {
	const n = 61
	set := &data.Set{Logits: data.NewMatrix(n, 2), Labels: make([]int32, n), Features: data.NewMatrix(n, 2)}
	for i := range n {
		set.Logits.Row(i)[1] = -float32(i) * 0x1p-22
		set.Features.Row(i)[0] = 1
	}
	set.Labels[0] = 1
	f, err := ProCalBins{Groups: 1}.Fit(t.Context(), calib.Input{Cal: set}) // Fit divides logits of this size
	if err != nil || f.Report.Passes != 2*2+1 {
		t.Errorf("%+v (%v), want 5 passes", f.Report, err)
	}
}

// As many rows as groups are enough; if groups are empty, proximities are equal.
func TestAsManyRowsAsGroupsAreEnough(t *testing.T) {
	set := densitySet().Rows(0, 5)
	set.Features = data.NewMatrix(5, 6)
	for i := range set.Features.Data {
		set.Features.Data[i] = 1
	}
	f, err := calib.FitInput(t.Context(), ProCalBins{Groups: 5}, calib.Input{Cal: set})
	if err != nil || len(f.Report.Warnings) != 1 || !strings.Contains(f.Report.Warnings.String(), "proximities are equal") {
		t.Errorf("%+v (%v)", f.Report, err)
	}
}
