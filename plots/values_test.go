package plots

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/resultstest"
)

// ofRecords are the kinds that are drawn from results.csv.
func ofRecords() []Entry {
	return slices.DeleteFunc(Registry(), func(e Entry) bool { return len(sample(e.Name, "ts").Records) == 0 })
}

// TestRowsOfResultsAreChecked: figures of several settings reject rows that they
// cannot draw, and name the row.
func TestRowsOfResultsAreChecked(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Input)
		want   string
	}{
		"nothing": {func(in *Input) { in.Records = nil }, "no rows of results.csv have a value of"},
		"other metric": {func(in *Input) {
			in.Records = resultstest.By("nll", in.Records...)
			seen := results.Index(in.Records) // one of each
			in.Records = slices.DeleteFunc(in.Records, func(r results.Record) bool { return seen[r.Place()].Value != r.Value })
		}, "no rows of results.csv have a value of"},
		"all skipped": {func(in *Input) {
			in.Records = resultstest.Each(in.Records, func(r *results.Record) { r.Status = results.Skip })
		}, "no rows of results.csv have a value of"},
		"NaN":           {func(in *Input) { in.Records[3].Value = math.NaN() }, "column value: NaN is not finite"},
		"per cent":      {func(in *Input) { in.Records[3].Value = 12.5 }, "column value: 12.5 is outside [0, 1]"},
		"two rows":      {func(in *Input) { in.Records = append(in.Records, in.Records[3]) }, "two rows of"},
		"no source":     {func(in *Input) { in.Records[3].Source = "" }, `column source: "" is neither`},
		"mixed sources": {func(in *Input) { in.Records[3].Source = simulated }, "simulated rows beside measured ones"},
	} {
		for _, e := range ofRecords() {
			in := sample(e.Name, "ts", "qats")
			c.change(&in)
			f, err := e.Draw(in)
			if err == nil || f != nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), e.Name+" figure: ") {
				t.Errorf("%s, %s: error %v, want %q", e.Name, name, err, c.want)
			}
		}
	}
}

// TestKindsRejectWhatTheyCannotShow has the mistakes of single kinds.
func TestKindsRejectWhatTheyCannotShow(t *testing.T) {
	other := func(kind string, change func(*results.Setting)) Input {
		in := sample(kind, "ts", "qats")
		change(&in.Records[2].Setting)
		return in
	}
	many := func(kind string) Input {
		in := sample(kind, "ts")
		for i := range 40 {
			in.Bins = append(in.Bins, inCell(resultstest.Setting("standard", "cifar10", strings.Repeat("x", i+1)), testBins("ts"))...)
		}
		return in
	}
	for _, c := range []struct {
		kind string
		in   Input
		want string
	}{
		{"severity", other("severity", func(c *results.Setting) { c.Backbone = "b" }), "rows of two networks, cifar100-c/vit-b16 and cifar100-c/b"},
		{"severity", other("severity", func(c *results.Setting) { c.Corruption, c.Severity = "", 0 }), "has no corruption or no severity"},
		{"severity", Input{Records: slices.DeleteFunc(sample("severity", "ts").Records, func(r results.Record) bool {
			return r.Corruption == "fog" && r.Severity != 2 || r.Corruption == "snow" && r.Severity == 2
		})}, "no method has all 5 corruptions at any severity"},
		{"corruptions", other("corruptions", func(c *results.Setting) { c.Severity = 2 }), "rows of severities 2 and 5"},
		{"dominance", Input{Records: sample("dominance", "ts").Records}, "0 methods; it needs two, and compares the first with the second"},
		{"dominance", Input{Records: sample("dominance", "ts").Records, Methods: []string{"ts", "gc"}}, "no setting has both ts and gc"},
		{"dominance", Input{Records: sample("dominance", "ts").Records, Methods: []string{"ts", "ts"}}, `"ts" is listed twice`},
		{"quantile-gap-grid", many("quantile-gap-grid"), "84 panels, but a page holds 24"},
		{"rank-agreement", Input{Records: sample("rank-agreement", "ts", "qats", "ir").Records, Metrics: []string{"ece"}}, "rank-agreement figure: 1 metric; it takes two or more"},
		{"reliability-grid", many("reliability-grid"), "44 settings x 1 methods, but a page holds 6 x 8"},
		{"quantile-gap-grid", Input{}, "no rows of bins.csv"},
		{"reliability-grid", Input{Bins: testBins("ts"), Methods: []string{"gc"}}, "no rows of bins.csv for any method shown"},
		{"reliability-grid", Input{Bins: resultstest.Each(testBins("ts"), func(b *results.Bin) { b.Acc = math.NaN() })}, "cifar10/resnet50: method \"ts\", width15 bin 0: column acc: NaN"},
		{"reliability-grid", Input{Bins: append(testBins("ts"), resultstest.Each(testBins("gc"), func(b *results.Bin) { b.Source = simulated })...)}, "simulated rows beside measured ones"},
	} {
		e := entry(t, c.kind)
		if f, err := e.Draw(c.in); err == nil || f != nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), c.kind+" figure: ") {
			t.Errorf("%s: error %v, want %q", c.kind, err, c.want)
		}
	}
}

func entry(t *testing.T, kind string) Entry {
	t.Helper()
	for _, e := range Registry() {
		if e.Name == kind {
			return e
		}
	}
	t.Fatalf("no kind %q", kind)
	return Entry{}
}

// TestMissingValueMovesNothing: a skipped value is noted, and no text but the notes
// moves.
func TestMissingValueMovesNothing(t *testing.T) {
	for _, kind := range []string{"severity", "corruptions", "losses"} {
		e := entry(t, kind)
		whole := sample(kind, "uncal", "ts", "qats")
		want := mustDraw(t, e, whole)
		in := whole.from(measured)
		in.Records[4].Status = results.Skip // ts in the second cell
		in.Records[4].Value = math.NaN()    // not looked at
		got := mustDraw(t, e, in)
		c := in.Records[4].Setting
		name := in.cellName(c)
		if kind == "losses" {
			name += " / CE"
		}
		if !slices.Contains(got.Notes, "No value of ts in "+name+".") {
			t.Errorf("%s: notes %q do not name %s", kind, got.Notes, name)
		}
		a, b := words(t, want), words(t, got)
		up := got.Height - want.Height
		for _, w := range a {
			w.Min.Y += up
			w.Max.Y += up
			if w.size > footSize && !slices.ContainsFunc(b, func(v word) bool {
				return v.text == w.text && math.Abs(float64(v.Min.X-w.Min.X)) < 1e-6 && math.Abs(float64(v.Min.Y-w.Min.Y)) < 1e-6
			}) {
				t.Errorf("%s: %q moved or is gone", kind, w.text)
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
		if e.PerSetting || e.Name == "dominance" || e.Name == "forest" {
			continue
		}
		in := sample(e.Name, "uncal", "qats")
		in.Methods = append(in.Methods, "gc")
		f := mustDraw(t, e, in)
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
	for _, kind := range []string{"severity", "corruptions", "dominance"} {
		in := sample(kind, "uncal", "qats")
		want := encode(t, mustDraw(t, entry(t, kind), in), SVG)
		slices.Reverse(in.Records)
		if string(encode(t, mustDraw(t, entry(t, kind), in), SVG)) != string(want) {
			t.Errorf("%s depends on the order of rows", kind)
		}
	}
}

// TestNoRanksOfTwoMethods: they would show nothing more than the comparison.
func TestNoRanksOfTwoMethods(t *testing.T) {
	in := sample("critical-difference", "ts", "qats", "ir")
	in.Methods = []string{"ts", "qats"}
	if _, err := entry(t, "critical-difference").Draw(in); err == nil || !strings.Contains(err.Error(), "a ranking of two methods") {
		t.Errorf("%v", err)
	}
}
