package trial

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/npy"
	"github.com/qats-bench/qats/experiments"
	"github.com/qats-bench/qats/experiments/engine"
	"github.com/qats-bench/qats/experiments/look"
	"github.com/qats-bench/qats/experiments/spec"
	"github.com/qats-bench/qats/internal/inputfile"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/metrics"
)

// drawn returns n rows of k logits, whose labels are drawn from the softmax of the logits
// divided by t.
func drawn(seed uint64, n, k int, t float64) *data.Set {
	rng := rand.New(rand.NewPCG(seed, 1))
	set := &data.Set{Logits: data.NewMatrix(n, k), Labels: make([]int32, n)}
	for i := range n {
		row, p := set.Logits.Row(i), make([]float64, k)
		sum := 0.0
		for j := range row {
			row[j] = float32(3 * rng.NormFloat64())
			p[j] = math.Exp(float64(row[j]) / t)
			sum += p[j]
		}
		u := rng.Float64() * sum
		for ; u >= p[set.Labels[i]] && int(set.Labels[i]) < k-1; set.Labels[i]++ {
			u -= p[set.Labels[i]]
		}
	}
	return set
}

// inputOf returns sets in memory as the input of a trial.
func inputOf(t *testing.T, cal, test *data.Set) *Input {
	t.Helper()
	in, err := InMemory(context.Background(), "d", cal, test)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// runOf makes a trial of the named methods.
func runOf(t *testing.T, in *Input, by By, names ...string) *Trial {
	t.Helper()
	var list []*spec.Method
	for _, name := range names {
		m, err := spec.NewMethod(experiments.Registry(), name, nil)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, m)
	}
	got, err := Run(context.Background(), in, Options{Methods: list, By: by})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// order returns the methods of a trial and the values that chose.
func order(t *Trial) (names []string, values []float64) {
	for _, r := range t.Results {
		names, values = append(names, r.Method.Name), append(values, r.Choice)
	}
	return names, values
}

// sameValues reports whether numbers are equal; NaN equals NaN.
func sameValues(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return x == y || math.IsNaN(x) && math.IsNaN(y) })
}

// Test rows have no part in the choice: neither their labels, nor other rows in their place,
// change a number of it. They change what judges it.
func TestChoiceSeesNoTestRow(t *testing.T) {
	cal, test := drawn(1, 300, 4, 2), drawn(2, 400, 4, 2)
	methods := []string{"uncal", "ts", "ets", "ir", "ir-top", "svs", "qats", "hb"}
	for _, by := range Choices() {
		want := runOf(t, inputOf(t, cal, test), by, methods...)
		names, values := order(want)
		permuted := *test
		permuted.Labels = slices.Clone(test.Labels)
		rand.New(rand.NewPCG(3, 1)).Shuffle(len(permuted.Labels), func(i, j int) {
			permuted.Labels[i], permuted.Labels[j] = permuted.Labels[j], permuted.Labels[i]
		})
		for name, other := range map[string]*data.Set{"permuted labels": &permuted, "other rows": drawn(4, 500, 4, 1), "none": nil} {
			got := runOf(t, inputOf(t, cal, other), by, methods...)
			gotNames, gotValues := order(got)
			measured := func(x float64) bool { return !math.IsNaN(x) } // those without a choice are in the order of the rows that judge
			n := slices.IndexFunc(append(slices.Clone(values), math.NaN()), func(x float64) bool { return !measured(x) })
			if !slices.Equal(gotNames[:n], names[:n]) || !sameValues(gotValues, values) {
				t.Errorf("by %s, %s: %v %v, want %v %v", by, name, gotNames, gotValues, names, values)
			}
			if got.Chosen().ECE == want.Chosen().ECE {
				t.Errorf("by %s, %s: the same ECE", by, name)
			}
		}
	}
}

// The value that chooses is the metric of predictions that fits on the other folds make.
func TestCrossFittingByHand(t *testing.T) {
	cal := drawn(5, 203, 3, 2)
	f, err := engine.Fold(cal)
	if err != nil {
		t.Fatal(err)
	}
	var nll float64
	for k := range Folds {
		held, rest := f.Only(k), f.Without(k)
		fitted, err := calib.Fit(context.Background(), calib.TemperatureScaling{}, rest)
		if err != nil {
			t.Fatal(err)
		}
		probs, err := fitted.Probabilities(held)
		if err != nil {
			t.Fatal(err)
		}
		samples, err := metrics.FromProbs(probs, held)
		if err != nil {
			t.Fatal(err)
		}
		v, err := metrics.NLL(samples)
		if err != nil {
			t.Fatal(err)
		}
		nll += v * float64(len(held.Labels)) / 203
	}
	got := runOf(t, inputOf(t, cal, nil), ByNLL)
	if ts := got.Of("ts"); math.Abs(ts.Choice-nll) > 1e-9 || math.Abs(ts.NLL-nll) > 1e-9 {
		t.Errorf("NLL of ts: %v chooses, %v judges; want %v", ts.Choice, ts.NLL, nll)
	}
}

// Of methods with the same numbers Reference is chosen. The fit is that of qats fit, and the pair
// that of package metrics.
func TestEqualMethodsAndThePair(t *testing.T) {
	cal, test := drawn(8, 400, 3, 2), drawn(7, 400, 3, 2)
	twice, err := spec.NewMethod(experiments.Registry(), "ts", nil)
	if err != nil {
		t.Fatal(err)
	}
	twice.Name = "again"
	var fits []int
	got, err := Run(context.Background(), inputOf(t, cal, test), Options{Methods: []*spec.Method{twice}, Progress: func(done, all int, _ string) { fits = append(fits, done, all) }})
	if n := 3 * (Folds + 1); len(fits) != 2*n || fits[2*n-2] != n || fits[2*n-1] != n {
		t.Errorf("progress %v", fits)
	}
	if err != nil {
		t.Fatal(err)
	}
	if got.Chosen().Method.Name != Reference || got.Reason != ByDefault || !got.Gain {
		t.Errorf("chosen %s by %s, gain %v", got.Chosen().Method.Name, got.Reason, got.Gain)
	}
	if got.ToReference != nil || got.ToPlain == nil || got.ToPlain.Against != Plain || got.ToPlain.Verdict == nil {
		t.Fatalf("compared with %+v and %+v", got.ToPlain, got.ToReference)
	}
	plain, err := metrics.FromLogits(test)
	if err != nil {
		t.Fatal(err)
	}
	fitted, err := calib.Fit(context.Background(), calib.TemperatureScaling{}, cal)
	if err != nil {
		t.Fatal(err)
	}
	probs, err := fitted.Probabilities(test)
	if err != nil {
		t.Fatal(err)
	}
	after, err := metrics.FromProbs(probs, test)
	if err != nil {
		t.Fatal(err)
	}
	pairs, err := metrics.Pairs(context.Background(), plain, []*metrics.Samples{after}, metrics.PairOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pairs {
		if p.Metric == "nll" && (math.Abs(p.Difference-got.ToPlain.Difference) > 1e-9 || math.Abs(p.Verdict.Lo-got.ToPlain.Verdict.Lo) > 1e-9) {
			t.Errorf("pair %+v %+v, want %+v %+v", got.ToPlain, got.ToPlain.Verdict, p, p.Verdict)
		}
	}
}

// A method without the metric that chooses is last, and says why. One whose arrays are not
// there is left out.
func TestMethodsWithoutAChoice(t *testing.T) {
	in := inputOf(t, drawn(8, 200, 3, 2), nil)
	got := runOf(t, in, ByNLL, "ir-top", "hfe", "qats-transductive", "gc")
	last := got.Results[len(got.Results)-1]
	if last.Method.Name != "ir-top" || last.NoChoice == nil || !math.IsNaN(last.Choice) || last.ECE == 0 {
		t.Errorf("last %s: %v, %v", last.Method.Name, last.Choice, last.NoChoice)
	}
	var left []string
	for _, l := range got.LeftOut {
		left = append(left, l.Method+": "+l.Why.String())
	}
	want := "hfe: needs out-of-distribution logits of the calibration set; " +
		"qats-transductive: needs unlabelled rows of the deployment domain: a test set beside the calibration set; gc: needs features of the calibration set"
	if strings.Join(left, "; ") != want {
		t.Errorf("left out %v", left)
	}
	if got.Of("ir-top").Excluded != TopLabelAlone || got.ToPlain == nil || got.ToPlain.Verdict != nil || got.ToPlain.Interval != "" {
		t.Errorf("ir-top is barred by %q; of one set the difference is %+v", got.Of("ir-top").Excluded, got.ToPlain)
	}
	if _, err := Run(context.Background(), inputOf(t, in.Cal.Rows(0, 9), nil), Options{}); err == nil || !strings.Contains(err.Error(), "9 rows are too few") {
		t.Errorf("9 rows: %v", err)
	}
}

// Methods that take long are known before they are fitted: those that can be fitted, the slowest
// first.
func TestSlowMethodsAreKnownBefore(t *testing.T) {
	in := inputOf(t, drawn(9, 400, 5, 2), nil)
	var list []*spec.Method
	for _, name := range []string{"ts", "smart", "h-calibration", "gc"} {
		m, err := spec.NewMethod(experiments.Registry(), name, nil)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, m)
	}
	slow := in.Slow(list, 0)
	if len(slow) != 3 || slow[0].Name != "h-calibration" || slow[2].Name != "ts" || slow[0].Fits != Folds+1 {
		t.Errorf("%+v", slow)
	}
	if one := in.Slow(list, slow[0].CPU); len(one) != 1 {
		t.Errorf("%+v", one)
	}
}

// Beyond a bound of the estimated time the dear methods are left out, from the dearest on, and never those that a trial always has.
func TestDearMethodsAreLeftOut(t *testing.T) {
	in := inputOf(t, drawn(9, 400, 5, 2), nil)
	list, err := spec.NewMethods(experiments.Registry(), []string{"svs", "qats", "quadratic-ridge", "ets"})
	if err != nil {
		t.Fatal(err)
	}
	costs := map[string]time.Duration{}
	for _, m := range in.Slow(list, 0) {
		costs[m.Name] = m.CPU
	}
	all, err := in.Methods(list)
	if err != nil {
		t.Fatal(err)
	}
	var sum time.Duration
	for _, m := range in.Slow(all, 0) {
		if m.Name != "quadratic-ridge" && m.Name != "svs" {
			sum += m.CPU
		}
	}
	for most, want := range map[time.Duration][]string{0: nil, time.Hour: nil, sum: {"svs", "quadratic-ridge"}, sum + costs["svs"]: {"quadratic-ridge"}, 1: {"svs", "qats", "quadratic-ridge", "ets"}} {
		got, err := Run(context.Background(), in, Options{Methods: list, Most: most, Unjudged: true})
		if err != nil {
			t.Fatal(err)
		}
		if out := lists.Values(got.LeftOut, func(l LeftOut) string { return l.Method }); !slices.Equal(out, want) {
			t.Errorf("%v: left out %v, want %v", most, out, want)
		}
		if got.Of(Plain) == nil || got.Of(Reference) == nil || len(got.Results)+len(got.LeftOut) != len(all) {
			t.Errorf("%v: %d results", most, len(got.Results))
		}
	}
}

// The kind that a command states is that of the arrays of a folder, too: one number a row of two
// classes, with its other names.
func TestStatedKindOfAFolder(t *testing.T) {
	dir := t.TempDir()
	values, labels := make([]float32, 60), make([]int32, 60)
	for i := range values {
		values[i] = float32(i%10) / 10
		labels[i] = int32(i * 7 % 10 / 5)
	}
	for _, split := range []string{"cal", "test"} {
		if err := errors.Join(os.MkdirAll(filepath.Join(dir, split), 0o777), npy.WriteFloat32(filepath.Join(dir, split, "scores.npy"), values, 60),
			npy.WriteInt32(filepath.Join(dir, split, "y_true.npy"), labels, 60)); err != nil {
			t.Fatal(err)
		}
	}
	given, err := look.Find(context.Background(), inputfile.System{}, []string{dir}, look.Stated{Kind: data.KindProbs})
	if err != nil {
		t.Fatal(err)
	}
	in, err := Read(context.Background(), given, scored, 1<<30)
	if err != nil || in.Cal.Logits.Cols != 2 || in.Test == nil || in.Test.Logits.Rows != 60 {
		t.Fatal(in, err)
	}
	if len(given.Took) != 2 || !strings.Contains(given.Took[0], "taken are scores with the labels y_true") {
		t.Errorf("taken %q", given.Took)
	}
}
