package compare

import (
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/calib/report"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/resultstest"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func cell(dataset, backbone string) results.Setting {
	return resultstest.Setting("e", dataset, backbone)
}

func record(c results.Setting, method string, value float64) results.Record {
	return resultstest.Value(c, method, "ece", value)
}

func absent(c results.Setting, method string) results.Record {
	return resultstest.Skip(c, method, "ece", "needs features")
}

func pair(c results.Setting, method, against string, d, lo, hi float64) results.Pair {
	return resultstest.Pair(c, method, against, "ece", d, lo, hi)
}

var ece = Options{Metric: "ece", Against: "qats"}

func comparison(t *testing.T, records []results.Record, pairs []results.Pair, o Options) *Comparison {
	t.Helper()
	list, err := Of(records, pairs, o)
	if err != nil {
		t.Fatal(err)
	}
	if len(list) != 1 {
		t.Fatalf("%d comparisons", len(list))
	}
	return list[0]
}

// judged returns the view of a comparison of rows of one source, with its judgement.
func judged(t *testing.T, records []results.Record, pairs []results.Pair, o Options) View {
	t.Helper()
	return View{Comparison: comparison(t, records, pairs, o), Labels: labels, Judgement: judgement(t, records, pairs, o)}
}

// judgement returns the judgement on rows of one source.
func judgement(t *testing.T, records []results.Record, pairs []results.Pair, o Options) *Judgement {
	t.Helper()
	list, err := Judge(&results.Rows{Records: records, Pairs: pairs}, o, o.Metric)
	if err != nil || len(list) != 1 {
		t.Fatalf("%d judgements, %v", len(list), err)
	}
	return list[0]
}

// Three settings of one dataset and one of another.
func TestABlockCountsOnce(t *testing.T) {
	var records []results.Record
	for i, b := range []string{"x", "y", "z"} {
		records = append(records, record(cell("a", b), "qats", .1), record(cell("a", b), "ts", .1+.01*float64(i)))
	}
	records = append(records, record(cell("b", "x"), "qats", .3), record(cell("b", "x"), "ts", .2))
	for by, want := range map[Block][3]float64{ // blocks, difference, value
		ByDataset: {2, (.01 - .1) / 2, (.11 + .2) / 2},
		ByNetwork: {4, (.01 + .02 - .1) / 4, (.1 + .11 + .12 + .2) / 4},
		BySetting: {4, (.01 + .02 - .1) / 4, (.1 + .11 + .12 + .2) / 4},
	} {
		o := ece
		o.Block = by
		r := comparison(t, records, nil, o).Rows[0]
		if r.Method != "ts" || float64(r.Blocks) != want[0] || !(math.Abs(r.Difference-want[1]) <= 1e-12) || !(math.Abs(r.Value-want[2]) <= 1e-12) {
			t.Errorf("%s: %+v, want %v", by, r, want)
		}
		if r.Ahead != 1 || r.Behind != 2 || r.Settings != 4 || r.NoVerdict != 4 {
			t.Errorf("%s: counts %+v", by, r)
		}
	}
	// Corruptions are of one network.
	for s := 1; s <= 3; s++ {
		shifted := resultstest.Shifted(cell("a", "x"), "fog", s)
		records = append(records, record(shifted, "qats", .1), record(shifted, "ts", .2))
	}
	for by, want := range map[Block]int{ByDataset: 2, ByNetwork: 4, BySetting: 7} {
		o := ece
		o.Block = by
		if r := comparison(t, records, nil, o).Rows[0]; r.Blocks != want || r.Settings != 7 {
			t.Errorf("%s with corruptions: %d blocks of %d settings, want %d of 7", by, r.Blocks, r.Settings, want)
		}
	}
}

// Derived data sets are one block: the mean over data sets of the means over settings,
// so that corruptions of one network do not outweigh the others.
func TestDataSetsWithCommonTestSamplesAreOneBlock(t *testing.T) {
	var records []results.Record
	add := func(at results.Setting, difference float64, note ...results.Note) {
		records = append(records, resultstest.Noted(note, record(at, "qats", .2), record(at, "ts", .2+difference))...)
	}
	add(cell("a", "x"), .01)
	add(cell("a", "y"), .03)
	for s := 1; s <= 5; s++ {
		add(resultstest.Shifted(cell("a-c", "x"), "fog", s), .06)
	}
	add(cell("other-name", "x"), .04, results.Note{Kind: results.Samples, Text: "a"})
	add(cell("b", "x"), .1)
	records = append([]results.Record{absent(cell("other-name", "x"), "vs")}, records...)
	c := comparison(t, records, nil, Options{Metric: "ece", Against: "qats", Methods: []string{"ts"}})
	r := c.Rows[0]
	if want := ((.02+.06+.04)/3 + .1) / 2; r.Blocks != 2 || !(math.Abs(r.Difference-want) <= 1e-12) {
		t.Errorf("%d blocks, difference %v, want 2 and %v", r.Blocks, r.Difference, want)
	}
	if !slices.Equal(r.BlockNames, []string{"a", "b"}) || !slices.Equal(c.Datasets["a"], []string{"other-name", "a", "a-c"}) {
		t.Errorf("blocks %v, of %v", r.BlockNames, c.Datasets)
	}
	text := strings.Join(View{Comparison: c, Labels: labels}.legend(), " ")
	for _, want := range []string{"9 settings in 2 independent data sets, which share no known test samples; 5 are corruptions of one network. ", "then the data sets that share some: a (other-name, a, a-c). ",
		" The independent data sets rest on names of data sets and a manifest or the spec (a), on names of data sets (b). "} {
		if !strings.Contains(text, want) {
			t.Errorf("legend %q, want %q", text, want)
		}
	}
	notes := strings.Join(Summary([]View{{Comparison: c, Labels: labels, Judgement: judgement(t, records, nil, c.Options)}})[0].Remarks, " ")
	if want := "Over 9 settings in 2 independent data sets (5 are corruptions of one network)."; !strings.Contains(notes, want) {
		t.Errorf("notes %q, want %q", notes, want)
	}
}

// From pairs of either direction, and the other way round where higher is better.
func TestWinsAndLossesAreThoseOfIntervals(t *testing.T) {
	var records []results.Record
	var pairs []results.Pair
	for i, at := range [][2]float64{{-.02, -.01}, {-.01, .01}, {.01, .02}, {0, 0}, {0, .01}} {
		c := cell("a", fmt.Sprint(i))
		records = append(records, record(c, "qats", .1), record(c, "ts", .1+(at[0]+at[1])/2))
		if i == 0 {
			pairs = append(pairs, pair(c, "qats", "ts", -(at[0]+at[1])/2, -at[1], -at[0]))
		} else {
			pairs = append(pairs, pair(c, "ts", "qats", (at[0]+at[1])/2, at[0], at[1]))
		}
	}
	r := comparison(t, records, pairs, ece).Rows[0]
	if r.Win != 1 || r.Tie != 3 || r.Loss != 1 || r.NoVerdict != 0 {
		t.Errorf("%+v", r)
	}
	o := ece
	o.Metric = "auroc"
	pairs = resultstest.Each(pairs, func(p *results.Pair) { p.Metric = o.Metric })
	if h := comparison(t, resultstest.By(o.Metric, records...), pairs[1:], o).Rows[0]; h.Win != 1 || h.Tie != 3 || h.Loss != 0 || h.NoVerdict != 1 || h.Ahead != r.Behind {
		t.Errorf("%+v", h)
	}
}

// The setting, or the method, is left out.
func TestMissingValueShiftsNoRank(t *testing.T) {
	var records []results.Record
	for i := range 6 {
		c := cell("d"+fmt.Sprint(i), "x")
		records = append(records, record(c, "qats", .1), record(c, "ts", .2), record(c, "ir", .05))
		switch {
		case i == 0:
			records = append(records, absent(c, "gc-split"))
			records[len(records)-2] = absent(c, "ir")
		case i < 4:
			records = append(records, absent(c, "gc-split"))
		default:
			records = append(records, record(c, "gc-split", .01))
		}
	}
	k := comparison(t, records, nil, ece).Ranking
	if !slices.Equal(k.Methods, []string{"ir", "qats", "ts"}) || !slices.Equal(k.Ranks, []float64{1, 2, 3}) || len(k.Blocks) != 5 {
		t.Errorf("%+v", k)
	}
	if len(k.Aside) != 1 || k.Aside[0].Method != "gc-split" || len(k.Aside[0].Settings) != 4 ||
		len(k.Missing) != 1 || k.Missing[0].Method != "ir" || k.Missing[0].Why != "needs features" {
		t.Errorf("aside %+v, missing %+v", k.Aside, k.Missing)
	}
	// Asked for by name, gc keeps its place and four settings go.
	o := ece
	o.Methods = []string{"gc-split", "ir"}
	k = comparison(t, records, nil, o).Ranking
	if !slices.Equal(k.Methods, []string{"gc-split", "ir", "qats"}) || len(k.Blocks) != 2 || len(k.Aside) != 0 {
		t.Errorf("%+v", k)
	}
}

// One block has so many settings that the method lacks few of them.
func TestMethodThatLacksHalfOfTheBlocksIsLeftOut(t *testing.T) {
	var records []results.Record
	for i := range 6 {
		for j := range []int{30, 1, 1, 1, 1, 1}[i] {
			c := cell("d"+fmt.Sprint(i), fmt.Sprint(j))
			records = append(records, record(c, "qats", .1), record(c, "ts", .2))
			if i < 3 {
				records = append(records, record(c, "vs", .05))
			} else {
				records = append(records, absent(c, "vs"))
			}
		}
	}
	k := comparison(t, records, nil, ece).Ranking
	if len(k.Blocks) != 6 || len(k.Aside) != 1 || k.Aside[0].Method != "vs" || !slices.Equal(k.Methods, []string{"qats", "ts"}) {
		t.Errorf("%+v", k)
	}
}

func TestMeasuredAndSimulatedNeverMeet(t *testing.T) {
	var records []results.Record
	for i := range 4 {
		c := cell("d"+fmt.Sprint(i), "x")
		records = append(records, resultstest.From([]string{"measured", "simulated"}[i%2], record(c, "qats", .1), record(c, "ts", .2))...)
	}
	list, err := Of(records, nil, ece)
	if err != nil || len(list) != 2 {
		t.Fatal(list, err)
	}
	for i, source := range []string{"measured", "simulated"} {
		if c := list[i]; c.Source != source || c.Settings != 2 || c.Rows[0].Settings != 2 {
			t.Errorf("%s: %+v", source, c)
		}
	}
}

// Two different numbers of it are an error.
func TestSettingOfTwoExperimentsCountsOnce(t *testing.T) {
	a, b := cell("d", "x"), cell("d", "x")
	b.Experiment = "f"
	records := []results.Record{record(a, "qats", .1), record(a, "ts", .2), record(b, "qats", .1), absent(b, "ts"), record(b, "ir", .3)}
	c := comparison(t, records, nil, ece)
	if c.Settings != 1 || len(c.Rows) != 2 || c.Rows[0].Settings != 1 || c.Ranking.None == "" {
		t.Errorf("%+v", c)
	}
	records[2].Value = .11
	if _, err := Of(records, nil, ece); err == nil || !strings.Contains(err.Error(), "one experiment at a time") {
		t.Errorf("two numbers: %v", err)
	}
}

// Rows of other metrics, of redrawn splits and of methods that are not compared
// stand between those that count.
func TestRowsThatDoNotCountHideNoOthers(t *testing.T) {
	var records []results.Record
	var pairs []results.Pair
	for i := range 6 {
		c := cell("d"+fmt.Sprint(i), "x")
		split := resultstest.Varied(c, results.Variant{Split: 1})
		records = append(records, resultstest.Value(c, "ts", "nll", 9), record(split, "ts", .9), record(c, "qats", .1), record(c, "ts", .2))
		pairs = append(pairs, resultstest.Pair(c, "ts", "qats", "aece", .5, .4, .6), pair(split, "ts", "qats", .5, -.4, .6), pair(c, "ts", "ir", .5, -.4, .6), pair(c, "ts", "qats", .1, .05, .15))
	}
	r := comparison(t, records, pairs, ece).Rows[0]
	if r.Settings != 6 || r.Blocks != 6 || r.Behind != 6 || r.Loss != 6 || r.NoVerdict != 0 || !(math.Abs(r.Difference-.1) <= 1e-12) {
		t.Errorf("%+v", r)
	}
}

func TestOfRejects(t *testing.T) {
	records := []results.Record{record(cell("d", "x"), "qats", .1), absent(cell("d", "x"), "gc-split")}
	for _, c := range []struct {
		change func(*Options)
		want   string
	}{
		{func(o *Options) { o.Against = "ts" }, `no rows of method "ts"; it has qats, gc`},
		{func(o *Options) { o.Methods = []string{"gc-split"} }, `method "gc-split" has no value of ece in results.csv (needs features)`},
		{func(o *Options) { o.Metric = "nll" }, "no rows of metric nll"},
		{func(o *Options) { o.Metric = "gap" }, "nothing can be compared"},
		{func(o *Options) { o.Metric = "eec" }, `unknown metric "eec"`},
	} {
		o := ece
		c.change(&o)
		if _, err := Of(records, nil, o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

func TestNamesPutsCorruptedSetsTogether(t *testing.T) {
	var list []results.Setting
	for i := range 3 {
		list = append(list, resultstest.Shifted(cell("d", "x"), "fog", i+1))
	}
	if got := names(append(list[:1:1], cell("d", "y"))); got != "d/x/fog/1, d/y" {
		t.Error(got)
	}
	for i := range 12 {
		list = append(list, cell("d", fmt.Sprint(i)))
	}
	if got := names(list); !strings.HasPrefix(got, "d/x (3 corrupted sets), d/0, ") || !strings.HasSuffix(got, ", d/10, 1 more") {
		t.Error(got)
	}
}

// redrawn returns four draws of a setting.
func redrawn() ([]results.Record, []results.Pair) {
	var records []results.Record
	var pairs []results.Pair
	for i, d := range []float64{-.02, 0, -.01, .01} {
		c := resultstest.Varied(cell("a", "x"), results.Variant{Split: i + 1})
		records = append(records, record(c, "qats", .1), record(c, "ts", .1+d))
		pairs = append(pairs, pair(c, "ts", "qats", d, d-.0196, d+.0196))
	}
	return records, pairs
}

func TestSplitsDescribesFourDrawsDoneByHand(t *testing.T) {
	records, pairs := redrawn()
	of := &Comparison{Options: ece, Better: metrics.Lower, Source: "measured"}
	list := of.Splits(records, pairs)
	if len(list) != 1 {
		t.Fatal(list)
	}
	s := list[0]
	// -2, 0, -1, 1 points: mean -.5, squares 2.25 + .25 + .25 + 2.25 = 5 over 3.
	if s.Draws != 4 || s.Ahead != 2 || s.Behind != 1 || !(math.Abs(s.Mean+.005) <= 1e-12) || !(math.Abs(s.Deviation-.01*math.Sqrt(5./3)) <= 1e-12) ||
		!(math.Abs(s.Lo+.02) <= 1e-12) || !(math.Abs(s.Hi-.01) <= 1e-12) || !(math.Abs(s.Resampling-.01) <= 1e-6) {
		t.Errorf("%+v", s)
	}
	// Draws are replicates and not settings.
	if _, err := Of(records, pairs, ece); err == nil {
		t.Error("draws are compared as settings")
	}
	of.Source = "simulated"
	if list := of.Splits(records, pairs); list != nil {
		t.Errorf("%+v of another source", list)
	}
}

// example has ten datasets of two networks, a method with missing values and one
// that agrees with qats on half of the datasets.
func example() ([]results.Record, []results.Pair) {
	var records []results.Record
	var pairs []results.Pair
	for i := range 10 {
		for j, b := range []string{"x", "y"} {
			c := cell("d"+fmt.Sprint(i), b)
			q := .05 + .003*float64((7*i+3*j)%10)
			ts := q + .002*float64((3*i+j)%5-1)*float64(i%2)
			records = append(records, record(c, "uncal", q+.05+.01*float64(i%3)), record(c, "ts", ts), record(c, "qats", q))
			if i > 7 {
				records[len(records)-1].Note = results.Notes{{Kind: results.Arrays, Text: "a network"}, results.Warn(report.Warning{Text: "a = 0 after {steps} steps", Steps: i})}
			}
			if i < 9 {
				records = append(records, record(c, "ir", q+.004*float64((5*i+j)%7-2)))
			} else {
				records = append(records, absent(c, "ir"))
			}
			if i < 3 {
				records = append(records, record(c, "gc-split", .2))
			} else {
				records = append(records, absent(c, "gc-split"))
			}
			pairs = append(pairs, pair(c, "ts", "qats", ts-q, min(ts-q-.001, ts-q+.0005), ts-q+.001))
		}
	}
	more, pairsToo := redrawn()
	return append(records, more...), append(pairs, pairsToo...)
}

// Change detectors: the numbers are tested by the other tests. Files of LaTeX have the first words alone
// of each note, which stands in the text.
func TestPrintedPagesAreTheGoldenOnes(t *testing.T) {
	records, pairs := example()
	c := comparison(t, records, pairs, ece)
	v := View{Comparison: c, Splits: c.Splits(records, pairs), Labels: labels, Judgement: judgement(t, records, pairs, ece), Full: true}
	printed := func(print func(io.Writer) error) string {
		var b strings.Builder
		if err := print(&b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	text := printed(v.Text)
	for name, got := range map[string]string{
		"example.txt":         text,
		"example.jsonl":       printed(v.JSON),
		"example.tex":         printed(v.LaTeX),
		"example-splits.tex":  printed(v.SplitTable().LaTeX),
		"example-compact.tex": printed(v.CompactTable().LaTeX),
	} {
		for _, end := range []string{"\\end{table}\n", "\\end{table*}\n"} {
			if head, notes, ok := strings.Cut(got, end); ok {
				got = head + beginnings(t, name, strings.ReplaceAll("\n"+notes, "\n% ", "\n"), text)
			}
		}
		path := filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("%s differs; run with -update and read the diff:\n%s", name, got)
		}
	}
}

// beginnings returns the first words of each sentence of the notes of LaTeX. All of it stands in the
// text, after the sentences before it.
func beginnings(t *testing.T, name, notes, text string) string {
	t.Helper()
	plain := strings.NewReplacer(`\%`, "%", `\textless{}`, "<").Replace(notes)
	rest, found := strings.Join(strings.Fields(text), " "), false
	var b strings.Builder
	for line := range strings.Lines(strings.TrimSpace(plain)) {
		for sentence := range strings.SplitSeq(strings.TrimSuffix(strings.TrimSpace(line), "."), ". ") {
			if _, rest, found = strings.Cut(rest, sentence); !found {
				t.Fatalf("%s has the note %q, and the text has it nowhere after the notes before it", name, sentence)
			}
			words := strings.Fields(sentence)
			fmt.Fprintf(&b, "%% %s\n", strings.Join(words[:min(3, len(words))], " "))
		}
	}
	return b.String()
}

// By time, means are geometric and differences ratios: a method that takes twice the
// time on small and on large sets has the ratio 2.
func TestTimesAreComparedByRatios(t *testing.T) {
	var records []results.Record
	for i, d := range []string{"a", "b", "c", "d", "e", "f"} {
		seconds := math.Pow(10, float64(i-4))
		for method, x := range map[string]float64{"qats": seconds, "ts": seconds / 2, "slow": 4 * seconds} {
			records = append(records, resultstest.Value(cell(d, "x"), method, results.TimeMetric, x))
		}
	}
	c := comparison(t, records, nil, Options{Metric: "time", Against: "qats", Methods: []string{"ts", "slow"}})
	ts, slow := c.Rows[0], c.Rows[1]
	for _, x := range []struct{ got, want float64 }{
		{ts.Difference, math.Log(.5)}, {ts.Shift.Estimate, math.Log(.5)}, {slow.Difference, math.Log(4)}, {c.Own.Value, math.Log(math.Pow(10, -1.5))},
	} {
		if !(math.Abs(x.got-x.want) <= 1e-12) {
			t.Errorf("%v, want %v", x.got, x.want)
		}
	}
	if ts.Test.P != 2.0/64 || !slices.Equal(c.Ranking.Methods, []string{"ts", "qats", "slow"}) {
		t.Errorf("p = %v, ranks of %v", ts.Test.P, c.Ranking.Methods)
	}
	var text, json strings.Builder
	v := View{Comparison: c, Labels: labels}
	if err := v.Text(&text); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"ratio", "TS      1  1.00  15.8 ", "QaTS    2  2.00  31.6 ", "0.500 6 6 0.500", "4.00 6 6 4.00", "in milliseconds of processor time", "geometric means over independent data sets", "Below 1 the method is faster"} {
		if !strings.Contains(text.String(), want) && !strings.Contains(strings.Join(strings.Fields(text.String()), " "), want) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
	if err := v.JSON(&json); err != nil || !strings.Contains(json.String(), `"mean":0.0158113883,"difference":0.5,"win":null,"tie":null,"loss":null,"win_holm":null,"loss_holm":null,"smallest":null,"settings":6,"blocks":6,"shift":0.5`) {
		t.Errorf("%v\n%s", err, json.String())
	}
	if s := v.sentence(ts).String(); s != "TS against QaTS, Fit time, 6 data sets: 0.500 times [0.500, 0.500], p = .062: 6 data sets cannot show a difference." {
		t.Error(s)
	}
}

// labels are the names in print of the methods of tests.
var labels = resultstest.Labels()
