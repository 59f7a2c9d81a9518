package features

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/calib/calibtest"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/testset"
	"github.com/qats-bench/qats/calib/report"
	"github.com/qats-bench/qats/data"
)

func fitGC(t testing.TB, set *data.Set, method GroupCalibrationOneSet) *calib.Fitted {
	t.Helper()
	f, err := calib.FitInput(context.Background(), method, calib.Input{Cal: set, Seed: 5})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// groupsOf returns the group of each row.
func groupsOf(p *gcPartition, set *data.Set) []int {
	return newGCGroups([]gcPartition{*p}, set.Features.Cols).appendTo(nil, set.Features)
}

// If the labels are drawn at two temperatures, and a feature separates the rows, the
// fit finds these temperatures and a lower NLL than ts.
func TestGCFindsGroups(t *testing.T) {
	set := testset.TwoGroups(4000, 10, 8, [2]float64{1, 4}, 1)
	f := fitGC(t, set, GroupCalibrationOneSet{Partitions: 3})
	for u, p := range f.Map.(gcMap).Partitions {
		low, high := slices.Min(p.T), slices.Max(p.T)
		if !(math.Abs(low-1) <= 0.15) || !(math.Abs(high-4) <= 0.4) {
			t.Errorf("partition %d: temperatures %v, drawn at 1 and 4", u, p.T)
		}
		wrong := 0
		group := groupsOf(&p, set)
		for i := range set.Labels {
			if (p.T[group[i]] == high) != (set.Features.Row(i)[0] < 0) {
				wrong++
			}
		}
		if wrong > 200 {
			t.Errorf("partition %d: %d of 4000 rows in the wrong group", u, wrong)
		}
	}
	flat, err := calib.TemperatureScaling{}.Fit(context.Background(), calib.Input{Cal: set})
	if err != nil {
		t.Fatal(err)
	}
	if f.Report.NLL > flat.Report.NLL-0.02 || len(f.Report.Warnings) > 0 {
		t.Errorf("NLL %v, ts %v; warnings %q", f.Report.NLL, flat.Report.NLL, f.Report.Warnings)
	}
}

// One group is ts to the last bit, for any number of partitions, and also if ts is at
// a bound.
func TestGCOneGroupIsTS(t *testing.T) {
	set := testset.TwoGroups(300, 5, 4, [2]float64{1, 3}, 2)
	right := *set
	right.Labels = make([]int32, len(set.Labels))
	for i := range right.Labels {
		right.Labels[i] = int32(fit.TopClass(set.Logits.Row(i)))
	}
	for _, set := range []*data.Set{set, &right} {
		want, err := calib.TemperatureScaling{}.Fit(context.Background(), calib.Input{Cal: set})
		if err != nil {
			t.Fatal(err)
		}
		got := fitGC(t, set, GroupCalibrationOneSet{Groups: 1, Partitions: 7})
		a, b := data.NewProbs(300, 5), data.NewProbs(300, 5)
		calib.Apply(want.Map, a, set)
		calib.Apply(got.Map, b, set)
		if !slices.Equal(a.Data, b.Data) {
			t.Error("probabilities differ from those of ts")
		}
		if !slices.Equal(got.Report.AtBound, want.Report.AtBound) || !slices.Equal(got.Report.Warnings, want.Report.Warnings) {
			t.Errorf("report %+v, of ts %+v", got.Report, want.Report)
		}
	}
}

// The map follows from W alone: groups by the largest product, the temperature of
// each group by a search for the least NLL, and the mean over the partitions of the
// softmax.
func TestGCFollowsItsDefinition(t *testing.T) {
	set := testset.TwoGroups(500, 6, 5, [2]float64{1.5, 3}, 3)
	f := fitGC(t, set, GroupCalibrationOneSet{Groups: 3, Partitions: 4})
	m := f.Map.(gcMap)
	n, k := 500, 6
	want := data.NewProbs(n, k)
	for _, p := range m.Partitions {
		group := make([]int, n)
		for i := range n {
			most := math.Inf(-1)
			for g, w := range p.W {
				a := 0.0
				for j, v := range set.Features.Row(i) {
					a += w[j] * float64(v)
				}
				if a > most {
					group[i], most = g, a
				}
			}
		}
		for g := range p.W {
			temperature := leastNLL(set, func(i int) bool { return group[i] == g })
			if !(math.Abs(temperature/p.T[g]-1) <= 1e-6) {
				t.Errorf("T = %v, the least NLL is at %v", p.T[g], temperature)
			}
			for i := range n {
				if group[i] != g {
					continue
				}
				sum := 0.0
				for _, l := range set.Logits.Row(i) {
					sum += math.Exp(float64(l) / temperature)
				}
				for j, l := range set.Logits.Row(i) {
					want.Row(i)[j] += math.Exp(float64(l)/temperature) / sum / 4
				}
			}
		}
	}
	got := data.NewProbs(n, k)
	calib.Apply(m, got, set)
	for i := range got.Data {
		if !(math.Abs(got.Data[i]-want.Data[i]) <= 1e-6) {
			t.Fatalf("element %d: %v, want %v", i, got.Data[i], want.Data[i])
		}
	}
}

// leastNLL returns the temperature with the least NLL on some rows by
// golden-section search, with an error of about 1e-8.
func leastNLL(set *data.Set, in func(i int) bool) float64 {
	nll := func(u float64) float64 {
		sum := 0.0
		for i, y := range set.Labels {
			if in(i) {
				v, _ := testset.RowNLL(set.Logits.Row(i), int(y), u)
				sum += v
			}
		}
		return sum
	}
	lo, hi := -4.0, 4.0
	ratio := (math.Sqrt(5) - 1) / 2
	for range 60 {
		a, b := hi-ratio*(hi-lo), lo+ratio*(hi-lo)
		if nll(a) < nll(b) {
			hi = b
		} else {
			lo = a
		}
	}
	return math.Exp(-(lo + hi) / 2)
}

// A group whose rows are all right has the temperature of ts, and the report says so.
func TestGCGroupsWithoutMinimumHaveTheTemperatureOfTS(t *testing.T) {
	set := testset.TwoGroups(400, 5, 2, [2]float64{1, 5}, 7)
	for i := range set.Labels {
		if set.Features.Row(i)[0] > 0 {
			set.Labels[i] = int32(fit.TopClass(set.Logits.Row(i)))
		}
		set.Features.Row(i)[0] *= 1000 // W splits the rows by this feature, from any start
	}
	f := fitGC(t, set, GroupCalibrationOneSet{Partitions: 2})
	flat, err := calib.TemperatureScaling{}.Fit(context.Background(), calib.Input{Cal: set})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range f.Map.(gcMap).Partitions {
		if !slices.Contains(p.T, flat.Map.(calib.Temperature).T) {
			t.Errorf("temperatures %v, ts %v", p.T, flat.Map.(calib.Temperature).T)
		}
	}
	if !strings.Contains(f.Report.Warnings.String(), "2 of 4 groups have no calibration row, or no wrong one") {
		t.Errorf("warnings %q", f.Report.Warnings)
	}
}

// For a group whose labels contradict its logits the minimum is at T -> infinity. It
// gets the largest temperature.
func TestGCGroupsLessAccurateThanChanceHaveTheLargestTemperature(t *testing.T) {
	set := testset.TwoGroups(400, 5, 2, [2]float64{1, 5}, 7)
	for i := range set.Labels {
		if set.Features.Row(i)[0] > 0 {
			row := set.Logits.Row(i)
			for j, l := range row {
				if l < row[set.Labels[i]] {
					set.Labels[i] = int32(j)
				}
			}
		}
		set.Features.Row(i)[0] *= 1000
	}
	f := fitGC(t, set, GroupCalibrationOneSet{Partitions: 2})
	for _, p := range f.Map.(gcMap).Partitions {
		if most := slices.Max(p.T); !strings.Contains(f.Report.AtBound.String(), fmt.Sprintf("T <= %v", most)) || most < fit.MaxT || slices.Min(p.T) >= fit.MaxT {
			t.Errorf("temperatures %v: want one of them at the bound of %q", p.T, f.Report.AtBound)
		}
	}
	if !strings.Contains(f.Report.Warnings.String(), "2 of 4 groups are less accurate than chance") {
		t.Errorf("bounds %q, warnings %q", f.Report.AtBound, f.Report.Warnings)
	}
}

// The halves are disjoint and complete, and depend on the seed. The temperatures are
// fitted on the second half.
func TestGCSplitsTheRows(t *testing.T) {
	set := testset.TwoGroups(301, 4, 3, [2]float64{1, 3}, 8)
	a, b := halves(set, 5)
	if a.Logits.Rows != 150 || b.Logits.Rows != 151 {
		t.Fatalf("halves of %d and %d rows", a.Logits.Rows, b.Logits.Rows)
	}
	all := slices.Concat(a.Logits.Data, b.Logits.Data)
	want := slices.Clone(set.Logits.Data)
	slices.Sort(all)
	slices.Sort(want)
	if !slices.Equal(all, want) {
		t.Error("the halves are not the set")
	}
	if again, _ := halves(set, 5); !reflect.DeepEqual(a, again) {
		t.Error("the halves of one seed differ")
	}
	if other, _ := halves(set, 6); reflect.DeepEqual(a, other) {
		t.Error("the halves do not depend on the seed")
	}
	order := rand.New(rand.NewPCG(9, 9)).Perm(301)
	if moved, _ := halves(fit.Pick(set, order), 5); !sameRows(moved, a) {
		t.Error("the halves depend on the order of the rows")
	}
	m := GroupCalibration{Partitions: 2}
	f, err := calib.FitInput(context.Background(), m, calib.Input{Cal: set, Seed: 5})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range f.Map.(gcMap).Partitions {
		group := groupsOf(&p, b)
		for g := range p.T {
			want := leastNLL(b, func(i int) bool { return group[i] == g })
			if !(math.Abs(p.T[g]/want-1) <= 1e-6) {
				t.Errorf("T = %v, on the second half %v", p.T[g], want)
			}
		}
	}
}

// sameRows reports whether two sets have the same features in some order.
func sameRows(a, b *data.Set) bool {
	x, y := slices.Clone(a.Features.Data), slices.Clone(b.Features.Data)
	slices.Sort(x)
	slices.Sort(y)
	return slices.Equal(x, y)
}

// Errors name what is wrong with options and sets.
func TestGCRejects(t *testing.T) {
	set := testset.TwoGroups(5, 3, 2, [2]float64{1, 1}, 1)
	for _, c := range []struct {
		method GroupCalibration
		want   string
	}{
		{GroupCalibration{Groups: -1}, "groups: -1: want 1 to 100"},
		{GroupCalibration{Partitions: 1001}, "partitions: 1001: want 1 to 1000"},
		{GroupCalibration{WeightDecay: new(math.NaN())}, "weight_decay: NaN: want 0 to 1e+06"},
		{GroupCalibration{WeightDecay: new(-1.)}, "weight_decay: -1: want 0 to 1e+06"},
	} {
		if _, err := calib.FitInput(context.Background(), c.method, calib.Input{Cal: set}); err == nil || err.Error() != c.want {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	short := *set
	short.Features = set.Features.Slice(0, 4)
	if _, err := calib.FitInput(context.Background(), GroupCalibrationOneSet{}, calib.Input{Cal: &short}); err == nil || err.Error() != "5 rows of logits but 4 of features" {
		t.Error(err)
	}
	f := fitGC(t, set, GroupCalibrationOneSet{})
	wide := testset.TwoGroups(5, 3, 4, [2]float64{1, 1}, 1)
	if err := calib.CheckSet(f.Map, wide); err == nil || err.Error() != "4 features, but the model is for 2" {
		t.Error(err)
	}
	if err := calib.CheckSet(f.Map, set); err != nil {
		t.Error(err)
	}
}

// Stage 2 reads the set for the temperature of ts and for the nodes of the table, and the rows of
// each group for its own temperature. Empty groups have the temperature of ts.
func TestGCCountsTheRowsOfItsGroups(t *testing.T) {
	set := testset.TwoGroups(200, 5, 4, [2]float64{1, 3}, 2)
	w := make([]float64, 4)
	w[0] = 1
	partitions := []gcPartition{{W: [][]float64{w, make([]float64, 4)}}, {W: [][]float64{make([]float64, 4), make([]float64, 4)}}}
	var report calib.Report
	table, own := tableOf(t, set), tableOf(t, set)
	if err := (GroupCalibration{Groups: 2, Partitions: 2}).temperatures(t.Context(), tabled{table, set.Features}, partitions, &report); err != nil {
		t.Fatal(err)
	}
	temperature := func(set *data.Set) (float64, float64) {
		f := calibtest.Fit(t, calib.TSEntry, set, nil)
		return f.Map.(calib.Temperature).T, f.Report.Passes
	}
	all, want := temperature(set)
	var groups [2][]int
	for i := range 200 {
		g := 0
		if !(set.Features.Row(i)[0] > 0) {
			g = 1
		}
		groups[g] = append(groups[g], i)
	}
	for g, rows := range groups {
		temp, from := temperature(fit.Pick(set, rows))
		start, err := own.least(t.Context(), all, func(i int) bool { return slices.Contains(rows, i) })
		if err != nil || !(math.Abs(start/temp-1) <= 1e-8) {
			t.Errorf("group %d: the search begins at %v, and the least NLL is at %v (%v)", g, start, temp, err)
		}
		o, err := fit.NewObjective(fit.Pick(set, rows))
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := fit.TemperatureOfPart(t.Context(), o, all, start); err != nil || o.Passes > 2 || o.Passes >= from {
			t.Errorf("group %d: %v passes from there, %v from elsewhere (%v)", g, o.Passes, from, err)
		}
		want += o.Passes * float64(len(rows)) / 200
		if !(math.Abs(partitions[0].T[g]/temp-1) <= 1e-9) {
			t.Errorf("group %d of %d rows: T = %v, want %v", g, len(rows), partitions[0].T[g], temp)
		}
	}
	if want += own.Passes; !(math.Abs(table.Passes-want) <= 1e-9) {
		t.Errorf("%v passes, want %v", table.Passes, want)
	}
	if one := partitions[1].T; one[0] != all || one[1] != all { // argmax 0 of equal products
		t.Errorf("all rows in group 0: T = %v, want that of ts, %v", one, all)
	}
	if w := report.Warnings.String(); !strings.HasPrefix(w, "1 of 4 groups have no calibration row") {
		t.Errorf("warnings %q", w)
	}
}

// tableOf returns the table of a set.
func tableOf(t *testing.T, set *data.Set) *nllTable {
	o, err := fit.NewObjective(set)
	if err != nil {
		t.Fatal(err)
	}
	return newNLLTable(o)
}

// Two rows have halves of one row each.
func TestGCSplitsTwoRows(t *testing.T) {
	set := testset.TwoGroups(200, 5, 4, [2]float64{1, 3}, 2)
	for n, want := range map[int]bool{1: false, 2: true} {
		f, err := calib.FitInput(t.Context(), GroupCalibration{Partitions: 1}, calib.Input{Cal: set.Rows(0, n)})
		if err != nil || strings.Contains(f.Report.Warnings.String(), "random half") != want {
			t.Errorf("%d rows: %v, %q", n, err, f.Report.Warnings)
		}
	}
}

// Fits of groups end with a temperature, at a bound or unconverged. The report counts
// them, and has the bounds and warnings of ts where a group has its temperature.
func TestGCReportsHowItsGroupsEnd(t *testing.T) {
	e := gcEnds{all: 9}
	for _, c := range []struct{ t, gradient float64 }{{fit.MinT, 1}, {fit.MinT, 0}, {fit.MaxT, 1}, {2, report.GradTol}, {2, 2 * report.GradTol}, {3, 1}, {4, 1}} {
		r := calib.Report{Gradient: c.gradient}
		switch c.t {
		case fit.MinT:
			r.AtBound = report.Bounds{report.AtLeast("T", 0, c.t)}
		case fit.MaxT:
			r.AtBound = report.Bounds{report.AtMost("T", 0, c.t)}
		}
		e.count(c.t, r)
	}
	if e != (gcEnds{all: 9, without: 2, hot: 1, most: fit.MaxT, unconverged: 3}) {
		t.Errorf("%+v", e)
	}
	ts := calib.Report{AtBound: report.Bounds{report.AtLeast("T", 0, 0.001)}, Warnings: report.Warnings{{Text: "warning"}}}
	for _, c := range []struct {
		e    gcEnds
		want string
	}{
		{gcEnds{all: 9}, "[] []"}, {gcEnds{all: 9, whole: true}, "[T >= 0.001] [warning]"},
		{gcEnds{all: 9, without: 1}, "[T >= 0.001] [1 of 9 groups have no calibration row, or no wrong one: they take the T of ts, 2; warning]"},
		{gcEnds{all: 9, hot: 1, most: 1000, unconverged: 2}, "[T <= 1000] [1 of 9 groups are less accurate than chance: T = 1000; 2 of 9 groups not converged]"},
	} {
		var r calib.Report
		c.e.explain(&r, 2, ts)
		if got := fmt.Sprintf("[%s] [%s]", r.AtBound, r.Warnings); got != c.want {
			t.Errorf("%+v: %s, want %s", c.e, got, c.want)
		}
	}
}

// A single group has nothing to learn. Four groups are learnt in 100 steps, and twenty with
// hardly a penalty are not.
func TestGCReportsTheStepsOfItsPartitions(t *testing.T) {
	set := testset.TwoGroups(100, 5, 4, [2]float64{1, 3}, 2)
	for _, c := range []struct {
		groups      int
		decay       float64
		least, most int // steps of both partitions
		want        string
	}{
		{1, 0, 0, 0, ""}, {4, .1, 2, 199, ""},
		{20, 1e-9, 200, 200, "2 of 2 partitions not converged after 100 steps, the method's limit"},
	} {
		_, _, r, err := GroupCalibration{Groups: c.groups, Partitions: 2, WeightDecay: &c.decay}.learn(t.Context(), set, 1)
		if err != nil || r.Iterations < c.least || r.Iterations > c.most || r.Warnings.String() != c.want {
			t.Errorf("%d groups: %+v (%v), want %q", c.groups, r, err, c.want)
		}
	}
}
