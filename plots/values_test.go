package plots

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/figure"
	"github.com/qats-bench/qats/results/resultstest"
)

// TestRowsOfResultsAreChecked: figures of several settings reject rows that they
// cannot draw, and name the row.
func TestRowsOfResultsAreChecked(t *testing.T) {
	for _, kind := range figure.Kinds() {
		if kind.Example.From != results.ResultsFile {
			continue
		}
		metric := kind.Example.Metrics[0]
		_, output, ok := metrics.LookupOutput(metric)
		if !ok {
			t.Fatalf("%s: its example has the metric %q", kind.Name, metric)
		}
		beyond := output.Lo - 12.5
		if !math.IsInf(output.Hi, 0) {
			beyond = output.Hi + 11.5
		}
		for name, c := range map[string]struct {
			change func(*Input)
			want   string
		}{
			"nothing": {func(in *Input) { in.Records = nil }, "no rows of results.csv have a value of"},
			"other metric": {func(in *Input) {
				first := slices.DeleteFunc(in.Records, func(r results.Record) bool { return r.Metric != metric })
				in.Records = resultstest.By("ece_sweep", first...)
			}, "no rows of results.csv have a value of"},
			"all skipped": {func(in *Input) {
				in.Records = resultstest.Each(in.Records, func(r *results.Record) { r.Status = results.Skip })
			}, "no rows of results.csv have a value of"},
			"NaN":           {func(in *Input) { in.Records[3].Value = math.NaN() }, "column value: NaN is not finite"},
			"impossible":    {func(in *Input) { in.Records[3].Value = beyond }, fmt.Sprintf("column value: %g is outside", beyond)},
			"two rows":      {func(in *Input) { in.Records = append(in.Records, in.Records[3]) }, "two rows of"},
			"no source":     {func(in *Input) { in.Records[3].Source = "" }, `column source: "" is neither`},
			"mixed sources": {func(in *Input) { in.Records[3].Source = simulated }, "simulated rows beside measured ones"},
		} {
			in := sample(kind, "ts", "qats")
			c.change(&in)
			f, err := Draw(kind, in)
			if err == nil || f != nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), kind.Name+" figure: ") {
				t.Errorf("%s, %s: error %v, want %q", kind.Name, name, err, c.want)
			}
		}
	}
}

// TestKindsRejectWhatTheyCannotShow has the mistakes of single kinds.
func TestKindsRejectWhatTheyCannotShow(t *testing.T) {
	other := func(kind figure.Kind, change func(*results.Setting)) Input {
		in := sample(kind, "ts", "qats")
		change(&in.Records[2].Setting)
		return in
	}
	many := func(kind figure.Kind) Input {
		in := sample(kind, "ts")
		for i := range 40 {
			in.Bins = append(in.Bins, inCell(resultstest.Setting("standard", "cifar10", strings.Repeat("x", i+1)), testBins("ts"))...)
		}
		return in
	}
	for _, c := range []struct {
		kind figure.Kind
		in   Input
		want string
	}{
		{figure.Severity, other(figure.Severity, func(c *results.Setting) { c.Backbone = "b" }), "rows of two networks, cifar100-c/vit-b16 and cifar100-c/b"},
		{figure.Severity, other(figure.Severity, func(c *results.Setting) { c.Corruption, c.Severity = "", 0 }), "has no corruption or no severity"},
		{figure.Severity, Input{Records: slices.DeleteFunc(sample(figure.Severity, "ts").Records, func(r results.Record) bool {
			return r.Corruption == "fog" && r.Severity != 2 || r.Corruption == "snow" && r.Severity == 2
		})}, "no method has all 5 corruptions at any severity"},
		{figure.Corruptions, other(figure.Corruptions, func(c *results.Setting) { c.Severity = 2 }), "rows of severities 2 and 5"},
		{figure.Dominance, Input{Records: sample(figure.Dominance, "ts").Records}, "0 methods; it needs two, and compares the first with the second"},
		{figure.Dominance, Input{Records: sample(figure.Dominance, "ts").Records, Methods: []string{"ts", "gc"}}, "no setting has both ts and gc"},
		{figure.Dominance, Input{Records: sample(figure.Dominance, "ts").Records, Methods: []string{"ts", "ts"}}, `"ts" is listed twice`},
		{figure.QuantileGapGrid, many(figure.QuantileGapGrid), "84 panels, but a page holds 24"},
		{figure.RankAgreement, Input{Records: sample(figure.RankAgreement, "ts", "qats", "ir").Records, Metrics: []string{"ece"}}, "rank-agreement figure: 1 metric; it takes two or more"},
		{figure.ReliabilityGrid, many(figure.ReliabilityGrid), "44 settings x 1 methods, but a page holds 6 x 8"},
		{figure.QuantileGapGrid, Input{}, "no rows of bins.csv"},
		{figure.ReliabilityGrid, Input{Bins: testBins("ts"), Methods: []string{"gc"}}, "no rows of bins.csv for any method shown"},
		{figure.ReliabilityGrid, Input{Bins: resultstest.Each(testBins("ts"), func(b *results.Bin) { b.Acc = math.NaN() })}, "cifar10/resnet50: method \"ts\", width15 bin 0: column acc: NaN"},
		{figure.ReliabilityGrid, Input{Bins: append(testBins("ts"), resultstest.Each(testBins("gc"), func(b *results.Bin) { b.Source = simulated })...)}, "simulated rows beside measured ones"},
	} {
		if f, err := Draw(c.kind, c.in); err == nil || f != nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), c.kind.Name+" figure: ") {
			t.Errorf("%s: error %v, want %q", c.kind.Name, err, c.want)
		}
	}
}

// TestMissingValueMovesNothing: a skipped value is noted, and no text but the notes
// moves.
func TestMissingValueMovesNothing(t *testing.T) {
	for _, kind := range []figure.Kind{figure.Severity, figure.Corruptions, figure.Losses} {
		whole := sample(kind, "uncal", "ts", "qats")
		want := mustDraw(t, kind, whole)
		in := whole.from(measured)
		in.Records[4].Status = results.Skip // ts in the second cell
		in.Records[4].Value = math.NaN()    // not looked at
		got := mustDraw(t, kind, in)
		c := in.Records[4].Setting
		name := in.cellName(c)
		if kind.Example.Of == figure.SomeLosses {
			name += " / CE"
		}
		if !slices.Contains(got.Notes, "No value of ts in "+name+".") {
			t.Errorf("%s: notes %q do not name %s", kind.Name, got.Notes, name)
		}
		a, b := words(t, want), words(t, got)
		up := got.Height - want.Height
		for _, w := range a {
			w.Min.Y += up
			w.Max.Y += up
			if w.size > footSize && !slices.ContainsFunc(b, func(v word) bool {
				return v.text == w.text && math.Abs(float64(v.Min.X-w.Min.X)) < 1e-6 && math.Abs(float64(v.Min.Y-w.Min.Y)) < 1e-6
			}) {
				t.Errorf("%s: %q moved or is gone", kind.Name, w.text)
			}
		}
	}
}

// TestMissingValuesShareNotes where methods lack the same cells.
func TestMissingValuesShareNotes(t *testing.T) {
	list := []method{{"ts", "TS"}, {"gc", "GC"}, {"ir", "IR"}}
	for _, c := range []struct {
		without []string
		want    string
	}{
		{[]string{"a"}, "No value of GC in a."},
		{[]string{"a", "b"}, "No value of GC in a and b."},
		{[]string{"a", "b", "c"}, "No value of GC in 3 of 4 settings, for example a."},
		{[]string{"a", "b", "c", "d"}, "No values of GC."},
	} {
		if _, got := missing(list, map[string][]string{"gc": c.without}, 4); len(got) != 1 || got[0] != c.want {
			t.Errorf("%q: %q, want %q", c.without, got, c.want)
		}
	}
	if _, got := missing(list, nil, 4); got != nil {
		t.Errorf("%q for nothing missing", got)
	}
	same := map[string][]string{"ts": {"a"}, "gc": {"b"}, "ir": {"a"}}
	if _, got := missing(list, same, 4); !slices.Equal(got, []string{"No value of TS and IR in a.", "No value of GC in b."}) {
		t.Errorf("%q", got)
	}
}

// TestAbsentMethodIsNoted: a method without rows is noted and not in the legend; the
// others are drawn.
func TestAbsentMethodIsNoted(t *testing.T) {
	for _, e := range Registry() {
		if e.PerSetting || e.Two {
			continue
		}
		in := sample(e.Kind, "uncal", "qats")
		in.Methods = append(in.Methods, "gc")
		f := mustDraw(t, e.Kind, in)
		if !slices.Contains(f.Notes, "No values of gc.") {
			t.Errorf("%s: notes %q", e.Name, f.Notes)
		}
		for _, w := range words(t, f) {
			if w.text == "gc" {
				t.Errorf("%s shows gc", e.Name)
			}
		}
	}
}

// TestOrderOfRecordsDoesNotMatter where a figure sorts its settings.
func TestOrderOfRecordsDoesNotMatter(t *testing.T) {
	for _, kind := range []figure.Kind{figure.Severity, figure.Corruptions, figure.Dominance} {
		in := sample(kind, "uncal", "qats")
		want := encode(t, mustDraw(t, kind, in), SVG)
		slices.Reverse(in.Records)
		if string(encode(t, mustDraw(t, kind, in), SVG)) != string(want) {
			t.Errorf("%s depends on the order of rows", kind.Name)
		}
	}
}

// TestNoRanksOfTwoMethods: they would show nothing more than the comparison.
func TestNoRanksOfTwoMethods(t *testing.T) {
	in := sample(figure.CriticalDifference, "ts", "qats", "ir")
	in.Methods = []string{"ts", "qats"}
	if _, err := Draw(figure.CriticalDifference, in); err == nil || !strings.Contains(err.Error(), "a ranking of two methods") {
		t.Errorf("%v", err)
	}
}
