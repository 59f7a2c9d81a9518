package compare

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/compare/significance"
	"github.com/qats-bench/qats/results/resultstest"
)

// TestAPairFromTheOtherSideIsTurnedAround: difference and interval change sign, and
// the ends of the interval change places, also where higher is better.
func TestAPairFromTheOtherSideIsTurnedAround(t *testing.T) {
	c := cell("a", "x")
	nll, split := resultstest.Pair(c, "ts", "qats", "nll", .9, .8, 1), resultstest.Varied(c, results.Variant{Split: 1})
	v, err := readView([]results.Record{record(c, "qats", .2), record(c, "ts", .1)},
		[]results.Pair{pair(c, "qats", "ts", .1, -.05, .2), nll, pair(split, "ts", "qats", .9, .8, 1)}, "ece", results.View{})
	if err != nil {
		t.Fatal(err)
	}
	if p := v.cube.Pairs("ts", "qats", "ece")[0]; p.Difference != -.1 || p.Lo != -.2 || p.Hi != .05 || p.Method != "ts" || p.Against != "qats" {
		t.Errorf("%+v", p)
	}
	var records []results.Record
	var pairs []results.Pair
	for i := range 6 {
		c := cell(fmt.Sprint("d", i), "x")
		records = append(records, resultstest.By("accuracy", record(c, "qats", .8), record(c, "ts", .85))...)
		pairs = append(pairs, resultstest.Pair(c, "ts", "qats", "accuracy", .05, []float64{-.05, .02, .02}[i%3], .15))
	}
	r := comparison(t, records, pairs, Options{Metric: "accuracy", Against: "qats"}).Rows[0]
	if r.Win != 4 || r.Tie != 2 || r.Loss != 0 {
		t.Errorf("accuracy: %d wins, %d ties, %d losses; want 4, 2 and 0", r.Win, r.Tie, r.Loss)
	}
}

// TestValueReplacesTheSkipOfAnotherExperiment, and a skip says why there is none.
func TestValueReplacesTheSkipOfAnotherExperiment(t *testing.T) {
	c := cell("a", "x")
	later := resultstest.Setting("later", "a", "x")
	v, err := readView([]results.Record{record(c, "qats", .2), absent(c, "ts"), record(later, "ts", .1), absent(c, "vs")}, nil, "ece", results.View{})
	if err != nil {
		t.Fatal(err)
	}
	if qats, ts, vs := v.numbersOf("qats")[0], v.numbersOf("ts")[0], v.numbersOf("vs")[0]; !qats.ok || !ts.ok || ts.x != .1 || vs.ok || vs.why() != "needs features" {
		t.Errorf("numbers: %+v, %+v, %+v", qats, ts, vs)
	}
	if none := v.numbersOf("other")[0]; none.ok || none.why() != "was not run" {
		t.Errorf("of a method without rows: %+v", none)
	}
}

// TestOneValueShowsThatAMethodCanHaveTheMetric.
func TestOneValueShowsThatAMethodCanHaveTheMetric(t *testing.T) {
	a, b := cell("a", "x"), cell("b", "x")
	none := resultstest.Noted(results.Notes{{Kind: results.NoVector}}, absent(a, "ts"))[0]
	for _, c := range []struct {
		second results.Record
		want   bool
	}{{record(b, "ts", .1), false}, {absent(b, "ts"), true}, {record(b, "qats", .1), true}} {
		v, err := readView([]results.Record{none, c.second}, nil, "ece", results.View{})
		if err != nil {
			t.Fatal(err)
		}
		if got := v.byNature("ts"); got != c.want {
			t.Errorf("with %s of %s: %t", c.second.Status, c.second.Method, got)
		}
	}
}

// TestSplitsWithGaps: draws without a value of both methods are left out, rows of
// other metrics do not count, a pairing from the other side has the same width, and
// one draw without an interval has no spread.
func TestSplitsWithGaps(t *testing.T) {
	var records []results.Record
	var pairs []results.Pair
	for i, d := range []float64{-.02, 0, math.NaN(), .01, .01} {
		c := resultstest.Varied(cell("a", "x"), results.Variant{Split: i + 1})
		records = append(records, record(c, "qats", .1))
		if math.IsNaN(d) {
			continue
		}
		records = append(records, record(c, "ts", .1+d), resultstest.Value(c, "ts", "aece", .9))
		pairs = append(pairs, pair(c, "qats", "ts", -d, -d-.0196, -d+.0196), resultstest.Pair(c, "ts", "qats", "nll", d, -1, 1))
	}
	clean := record(cell("a", "x"), "ts", .7)
	of := &Comparison{Options: ece, Better: metrics.Lower, Source: "measured"}
	s := of.Splits(append(records, clean), pairs)[0]
	if s.Draws != 4 || s.Ahead != 1 || s.Behind != 2 || !(math.Abs(s.Mean) <= 1e-12) || !(math.Abs(s.Resampling-.01) <= 1e-6) {
		t.Errorf("%+v", s)
	}
	s = of.Splits(records[:3], nil)[0]
	if s.Draws != 1 || s.Deviation != 0 || s.Resampling != 0 {
		t.Errorf("one draw: %+v", s)
	}
	c := resultstest.Varied(cell("b", "x"), results.Variant{Split: 1})
	if list := of.Splits([]results.Record{record(c, "ts", .1)}, nil); len(list) != 0 {
		t.Errorf("a method without a draw in common: %+v", list)
	}
}

// TestDrawsOfTwoExperimentsAndSources: where a draw has different values in two
// experiments the last counts, with its interval; rows after it count too, and rows of
// another source do not.
func TestDrawsOfTwoExperimentsAndSources(t *testing.T) {
	var records []results.Record
	var pairs []results.Pair
	add := func(experiment, backbone, source string, draw int, value, difference, width float64) {
		c := resultstest.Varied(resultstest.Setting(experiment, "a", backbone), results.Variant{Split: draw})
		records = append(records, resultstest.From(source, record(c, "qats", value), record(c, "ts", value+difference))...)
		p := pair(c, "ts", "qats", difference, difference-width/2, difference+width/2)
		p.Source = source
		pairs = append(pairs, p)
	}
	const width = 2 * 1.959964 // of an interval, in standard deviations
	for draw := range 5 {
		add("first", "x", "measured", draw+1, .1, .01, .01*width)
	}
	for draw := range 5 {
		add("second", "x", "measured", draw+1, .1, .02, .03*width)
		add("second", "y", "measured", draw+1, .1, -.01, .01*width)
		add("second", "x", "simulated", draw+1, .5, .3, .2*width)
	}
	for source, want := range map[string][][2]float64{"measured": {{.02, .03}, {-.01, .01}}, "simulated": {{.3, .2}}} {
		of := &Comparison{Options: ece, Better: metrics.Lower, Source: source}
		list := of.Splits(records, pairs)
		if len(list) != len(want) {
			t.Fatalf("%s: %+v", source, list)
		}
		for i, s := range list {
			if s.Draws != 5 || !(math.Abs(s.Mean-want[i][0]) <= 1e-12) || !(math.Abs(s.Resampling-want[i][1]) <= 1e-6) {
				t.Errorf("%s: %+v, want %v", source, s, want[i])
			}
		}
	}
}

// TestMethodThatLacksAFifthIsRanked: more than a fifth is too much. Methods after one
// that is left out are ranked.
func TestMethodThatLacksAFifthIsRanked(t *testing.T) {
	var records []results.Record
	for i := range 10 {
		c := cell(fmt.Sprint("d", i), "x")
		records = append(records, record(c, "qats", .1))
		for m, lacks := range map[string]int{"fifth": 2, "more": 3} {
			if i < lacks {
				records = append(records, absent(c, m))
			} else {
				records = append(records, record(c, m, .2))
			}
		}
	}
	for i := range 10 {
		records = append(records, record(cell(fmt.Sprint("d", i), "x"), "last", .3))
	}
	slices.SortStableFunc(records, func(a, b results.Record) int { // "more" before "fifth", "last" at the end
		order := []string{"qats", "more", "fifth", "last"}
		return slices.Index(order, a.Method) - slices.Index(order, b.Method)
	})
	k := comparison(t, records, nil, ece).Ranking
	if len(k.Aside) != 1 || k.Aside[0].Method != "more" || !slices.Equal(k.Methods, []string{"qats", "fifth", "last"}) {
		t.Errorf("aside %+v, ranked %v", k.Aside, k.Methods)
	}
}

// TestTooFewBlocksForSeveralMethods: six blocks reach p = .031, which Holm's
// correction for three methods takes above .05.
func TestTooFewBlocksForSeveralMethods(t *testing.T) {
	for _, c := range []struct {
		blocks, methods int
		want            bool
	}{{6, 1, false}, {6, 3, true}, {7, 3, false}, {5, 1, true}} {
		v := View{Comparison: &Comparison{Rows: make([]Row, c.methods)}, Labels: labels}
		if got := v.tooFewToTell(Row{Blocks: c.blocks}); got != c.want {
			t.Errorf("%d blocks, %d methods: %t", c.blocks, c.methods, got)
		}
	}
}

// TestApartNamesTheBlockFarthestFromTheShift on the side of the mean.
func TestApartNamesTheBlockFarthestFromTheShift(t *testing.T) {
	sign := func(x float64) int {
		switch {
		case x < 0:
			return -1
		case x > 0:
			return 1
		}
		return 0
	}
	for _, c := range []struct {
		mean, shift float64
		d           []float64
		block       string
	}{
		{.01, -.05, []float64{-.06, .04, -.9}, "b"},
		{-.01, .05, []float64{.06, .9, -.04}, "c"},
		{.01, .05, []float64{.06, .04, .9}, ""},
		{0, .05, []float64{.06, .04, .9}, ""},
	} {
		r := Row{Difference: c.mean, Shift: significance.Shift{Estimate: c.shift}, BlockDifference: c.d, BlockNames: []string{"a", "b", "c"}}
		if block, _, ok := r.Apart(sign); block != c.block || ok != (c.block != "") {
			t.Errorf("mean %v, shift %v: block %q, %t", c.mean, c.shift, block, ok)
		}
	}
}

func TestColumnsOfATableFitEachOther(t *testing.T) {
	setting := []string{"d"}
	for _, c := range []struct {
		columns Columns
		ok      bool
	}{
		{Columns{Setting: setting, Value: "v", Method: "m"}, true},
		{Columns{Setting: setting, Value: "*_v"}, true},
		{Columns{Value: "v", Method: "m"}, false},
		{Columns{Setting: setting, Method: "m"}, false},
		{Columns{Setting: setting, Value: "*_*"}, false},
		{Columns{Setting: setting, Value: "*_v", Method: "m"}, false},
		{Columns{Setting: setting, Value: "v"}, false},
	} {
		if err := c.columns.Check(); (err == nil) != c.ok {
			t.Errorf("%+v: %v", c.columns, err)
		}
	}
}

// The means of a ranking are those of the values over blocks, also where higher is
// better.
func TestMeansOfARankingAreThoseOfTheValues(t *testing.T) {
	for _, metric := range []string{"ece", "accuracy"} {
		var records []results.Record
		for i, d := range []string{"a", "b", "c"} {
			for m, method := range []string{"qats", "ts", "ir"} {
				records = append(records, resultstest.Value(cell(d, "x"), method, metric, .1*float64(m+1)+.01*float64(i)))
			}
		}
		k := comparison(t, records, nil, Options{Metric: metric, Against: "qats"}).Ranking
		for i, m := range k.Methods {
			want := .1*float64(slices.Index([]string{"qats", "ts", "ir"}, m)+1) + .01
			if !(math.Abs(k.Means[i]-want) <= 1e-12) {
				t.Errorf("%s of %s: mean %v, want %v", metric, m, k.Means[i], want)
			}
		}
		if first := map[string]string{"ece": "qats", "accuracy": "ir"}[metric]; k.Methods[0] != first {
			t.Errorf("by %s: %v", metric, k.Methods)
		}
	}
}

// Methods are compared by metrics with a direction, and by time.
func TestNamesAreThoseOfMetricsWithADirection(t *testing.T) {
	list := Names()
	for name, want := range map[string]bool{"ece": true, "accuracy": true, results.TimeMetric: true, "argmax_change": false, "gap": false, "oe": false, "slope": false, "intercept": false, "ece_positive": true, "mean_conf": false} {
		if e, _, ok := metrics.LookupOutput(name); ok && e.Better.Ranks() != want {
			t.Fatalf("%s has another direction", name)
		}
		if slices.Contains(list, name) != want {
			t.Errorf("%s: %v", name, !want)
		}
	}
}
