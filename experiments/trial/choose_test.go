package trial

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/qats-bench/qats/calib/report"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/compare/significance"
)

// predictedLabels makes the labels of a set its predictions.
func predictedLabels(set *data.Set) *data.Set {
	for i := range set.Labels {
		row := set.Logits.Row(i)
		set.Labels[i] = int32(slices.Index(row, slices.Max(row)))
	}
	return set
}

// Nothing is recommended where no temperature can be found: the answer is no calibration, with the
// reason, whatever method has a lower NLL.
func TestTheNetworkIsKeptWhereTemperatureScalingIsNone(t *testing.T) {
	one := drawn(11, 300, 3, 2)
	for i := range one.Labels {
		one.Labels[i] = 1
	}
	inverse := drawn(12, 300, 3, .001)
	for i := range inverse.Labels { // the least likely class: T grows without end
		row := inverse.Logits.Row(i)
		inverse.Labels[i] = int32(slices.Index(row, slices.Min(row)))
	}
	for _, c := range []struct {
		name string
		cal  *data.Set
		want Reason
		bar  Exclusion
	}{
		{"all right", predictedLabels(drawn(10, 300, 3, 2)), AllRight, AtABound},
		{"one class", one, OneClass, ""},
		{"the least likely class", inverse, NoFinite, AtABound},
	} {
		got := runOf(t, inputOf(t, c.cal, drawn(13, 300, 3, 2)), ByNLL, "qats", "ir", "platt-logits")
		if got.Chosen().Method.Name != Plain || got.Reason != c.want {
			t.Errorf("%s: chosen %s by %s, want %s by %s", c.name, got.Chosen().Method.Name, got.Reason, Plain, c.want)
		}
		if bar := got.Of(Reference).Excluded; c.bar != "" && bar != c.bar {
			t.Errorf("%s: ts is barred by %q, want %q", c.name, bar, c.bar)
		}
		if got.ToPlain != nil || got.ToReference == nil {
			t.Errorf("%s: compared with %+v and %+v", c.name, got.ToPlain, got.ToReference)
		}
	}
}

// A method that can change predictions is no candidate where a class has no calibration row. The
// classes are named.
func TestAClassWithoutRowsBarsMethodsThatMovePredictions(t *testing.T) {
	cal := drawn(14, 600, 5, 2)
	for i := range cal.Labels {
		if y := cal.Labels[i]; y == 1 || y == 4 {
			cal.Labels[i] = 2
		}
	}
	got := runOf(t, inputOf(t, cal, drawn(15, 600, 5, 2)), ByNLL, "qats", "svs", "platt-logits", "ets")
	if !slices.Equal(got.Empty, []int{1, 4}) {
		t.Errorf("classes without rows: %v", got.Empty)
	}
	for name, want := range map[string]Exclusion{"uncal": "", "ts": "", "qats": "", "ets": "", "svs": MovesEmpty, "platt-logits": MovesEmpty} {
		if bar := got.Of(name).Excluded; bar != want {
			t.Errorf("%s: barred by %q, want %q", name, bar, want)
		}
	}
}

// A method that reads the test rows is shown with its scores and never chosen: it is not
// cross-fitted, so other test rows change no number that chooses.
func TestMethodsOfTargetRowsAreNoCandidates(t *testing.T) {
	got := runOf(t, inputOf(t, drawn(16, 600, 3, 2), drawn(17, 600, 3, 2)), ByNLL, "qats-transductive", "label-shift")
	for _, name := range []string{"qats-transductive", "label-shift"} {
		if r := got.Of(name); r == nil || r.Excluded != SeesTarget || r.NoChoice == nil || r.NLL == 0 {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

// skewed returns rows whose temperature grows with the entropy of the logits: those in which two
// classes are near are drawn at 4, the others at 1.
func skewed(seed uint64, n int) *data.Set {
	a, b := drawn(seed, n/2, 3, 1), drawn(seed+1, n/2, 3, 1)
	rng := rand.New(rand.NewPCG(seed, 2))
	for i := range b.Labels {
		row := b.Logits.Row(i)
		for j := range row {
			row[j] /= 3
		}
		b.Labels[i] = int32(rng.IntN(3))
	}
	out := &data.Set{Logits: data.NewMatrix(n, 3), Labels: append(slices.Clone(a.Labels), b.Labels...)}
	copy(out.Logits.Data, a.Logits.Data)
	copy(out.Logits.Data[len(a.Logits.Data):], b.Logits.Data)
	return out
}

// The rule done by hand: of the methods whose cross-fitted NLL is lower than that of ts by the
// verdict after Holm's correction the smallest is taken, and a larger one only if it is better
// than that.
func TestTheRuleByHand(t *testing.T) {
	cal := skewed(20, 4000)
	names := []string{"uncal", "ets", "ir", "hts", "qats", "svs", "platt-logits", "quadratic"}
	got := runOf(t, inputOf(t, cal, skewed(30, 2000)), ByNLL, names...)
	shown := func(base string, of []string) (list []string) {
		entry, _ := metrics.Lookup("nll")
		var others []*metrics.Samples
		for _, name := range of {
			others = append(others, got.Of(name).cross)
		}
		pairs, err := metrics.Pairs(context.Background(), got.Of(base).cross, others, metrics.PairOptions{Metrics: []metrics.Entry{entry}})
		if err != nil {
			t.Fatal(err)
		}
		var p []float64
		for _, pair := range pairs {
			p = append(p, pair.Verdict.P)
		}
		for i, adjusted := range significance.Holm(p) {
			if adjusted <= .05 && pairs[i].Difference < 0 {
				list = append(list, of[i])
			}
		}
		return list
	}
	order := []string{"uncal", "hts", "qats", "ets", "ir", "svs", "platt-logits", "quadratic"}
	if got.Of("qats").Choice < got.Of("hts").Choice {
		order[1], order[2] = "qats", "hts"
	}
	last := order[5:]
	slices.SortFunc(last, func(a, b string) int {
		if got.Of(a).Choice < got.Of(b).Choice {
			return -1
		}
		return 1
	})
	want := "ts"
	for rest := order; ; {
		better := shown(want, rest)
		if len(better) == 0 {
			break
		}
		want = better[0]
		rest = rest[slices.Index(rest, want)+1:]
	}
	if want == "ts" {
		t.Fatal("nothing is better than ts: the rows test nothing")
	}
	if got.Chosen().Method.Name != want || got.Reason != ByVerdict || got.Tests != len(order) {
		t.Errorf("chosen %s by %s among %d, want %s", got.Chosen().Method.Name, got.Reason, got.Tests, want)
	}
	if got.ToReference == nil || got.ToReference.Outcome() != results.Win {
		t.Errorf("on the test rows: %+v", got.ToReference)
	}
}

// A temperature that runs away bars a method; a = 0 of QaTS, the order of bins, and ends of
// parameters that are no temperatures do not.
func TestBoundsThatBar(t *testing.T) {
	for _, c := range []struct {
		bound report.Bound
		want  bool
	}{
		{report.AtLeast("T", 0, .001), true}, {report.AtMost("T", 0, 1000), true}, {report.AtLeast("b", 0, .001), true}, {report.AtMost("t", 3, 1000), true},
		{report.AtLeast("a", 0, 0), false}, {report.AtMost("a", 0, 1000), true}, {report.Bound{Parameter: "t", Bin: 1, Minus: 2, Side: report.Lower}, false},
		{report.AtMost("lambda", 0, 10), false}, {report.Bound{Parameter: "b", Side: report.Lower, Classes: 2, Fitted: 10}, false}, {report.AtLeast("w", 0, 0), false},
	} {
		if got := runaway(c.bound); got != c.want {
			t.Errorf("%v bars: %v, want %v", c.bound, got, c.want)
		}
	}
}

// A confidence alone whose predictions are wrong as often as right, or more often, is compared with platt-top, and methods that need the number of classes
// are candidates only with it.
func TestWeakConfidences(t *testing.T) {
	set := &data.Set{}
	for i := range 400 {
		set.Confidence = append(set.Confidence, float64(i%8)/8+.06)
		set.Labels = append(set.Labels, int32(min(1, (i/8+3)%(1+i%8))))
		if i%8 < 4 {
			set.Labels[i] = 1
		}
	}
	for classes, want := range map[int]string{0: WeakReference, 10: TopReference} {
		s := *set
		s.Classes = classes
		in := inputOf(t, &s, nil)
		if got := in.Reference(); got != want {
			t.Errorf("%d classes: reference %s, want %s", classes, got, want)
		}
		ran := runOf(t, in, ByNLL, "uncal", "ts-top", "qats-top", "platt-top")
		for _, name := range []string{"ts-top", "qats-top"} {
			if bar := ran.Of(name).Excluded; (bar == NeedsClasses) != (classes == 0) {
				t.Errorf("%d classes: %s has the bar %q", classes, name, bar)
			}
		}
	}
	for i := range set.Labels {
		set.Labels[i] = int32(min(1, i%5/3))
	}
	if got := inputOf(t, set, nil).Reference(); got != TopReference {
		t.Errorf("of mostly right predictions the reference is %s", got)
	}
}
