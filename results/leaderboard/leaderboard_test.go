package leaderboard

import (
	"encoding/csv"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/compare"
	"github.com/qats-bench/qats/results/resultstest"
)

// written are the metrics of the tests' files.
var written = []string{"nll", "nll_top", "brier", "brier_top", "ece", "aece"}

// blocks is the number of data sets of the tests.
const blocks = 16

// numbers returns the records of a method on 16 data sets of two networks, and on a corrupted set: all scores about .5 + loss,
// with noise, and a constant ECE.
func numbers(method string, loss float64) (list []results.Record) {
	for d := range blocks {
		for n, network := range []string{"net", "other"} {
			list = append(list, scored(resultstest.Setting("v2-lite", string(rune('a'+d)), network), method, .5+loss+.001*float64((7*d+3*n+len(method))%5))...)
		}
	}
	return append(list, scored(resultstest.Shifted(resultstest.Setting("v2-lite", "a-c", "net"), "fog", 3), method, .6+2*loss)...)
}

func scored(at results.Setting, method string, score float64) []results.Record {
	return lists.Values(written, func(metric string) results.Record {
		if metric == "ece" || metric == "aece" {
			return resultstest.Value(at, method, metric, .03)
		}
		return resultstest.Value(at, method, metric, score)
	})
}

// without leaves out metrics.
func without(records []results.Record, metrics ...string) []results.Record {
	return lists.Where(records, func(r results.Record) bool { return !slices.Contains(metrics, r.Metric) })
}

// lowECE gives records an ECE that is lower than that of all others.
func lowECE(records []results.Record) []results.Record {
	return resultstest.Each(records, func(r *results.Record) {
		if r.Metric == "ece" {
			r.Value = .001
		}
	})
}

// members has a method of each contract but OOD, and entries: one that is better than TS, a constant with a low ECE, one that nobody
// has verified, and one of a confidence alone that ran under version 1.
func members() []Member {
	registered := func(method, label string, of Contract, predicts results.Prediction, records []results.Record) Member {
		return Member{Method: method, Label: label, Contract: of, Predicts: predicts, Status: Verified, Records: records}
	}
	entry := func(method, label string, of Contract, predicts results.Prediction, status Status, protocol string, records []results.Record) Member {
		m := registered(method, label, of, predicts, records)
		m.Authors, m.Reference, m.Protocol, m.Status = []string{"A. Author"}, "Author (2026)", protocol, status
		return m
	}
	better := entry("mine", "Mine", KeepsTop, results.Keeps, Verified, "v2", numbers("mine", .05))
	better.Drawn, better.Draws = append(numbers("mine", .06), numbers("ts", .1)...), 20
	return []Member{
		registered("uncal", "Uncal", KeepsTop, results.Keeps, numbers("uncal", .2)),
		registered("ts", "TS", KeepsTop, results.Keeps, numbers("ts", .1)),
		registered("qats", "QaTS", KeepsTop, results.Keeps, numbers("qats", .09)),
		registered("base-rate", "Base rate", KeepsTop, results.Keeps, lowECE(numbers("base-rate", .4))),
		registered("irova", "IROVA", ChangesTop, results.Changes, numbers("irova", .15)),
		registered("spline", "Spline", TopLabel, results.TopLabel, without(numbers("spline", .08), "nll", "brier")),
		registered("gc", "GC", Features, results.Keeps, few("gc", .1)),
		registered("procal", "ProCal", Features, results.TopLabel, without(few("procal", .12), "nll", "brier")),
		registered("tta-ts", "TTA-TS", Features, results.Keeps, nil),
		registered("label-shift", "Label shift", Target, results.Changes, numbers("label-shift", .11)),
		better,
		entry("const", "Const", KeepsTop, results.Keeps, Verified, "v2", lowECE(numbers("const", .4))),
		entry("boast", "Boast", KeepsTop, results.Keeps, Claimed, "v2", numbers("boast", .001)),
		entry("flat", "Flat", KeepsTop, results.Keeps, Claimed, "v2", lowECE(numbers("flat", .4))),
		entry("old", "Old", TopLabel, results.TopLabel, Verified, "v1", without(numbers("old", .01), "nll", "brier", "nll_top")),
	}
}

// few returns the records of a method on three networks.
func few(method string, loss float64) []results.Record {
	return lists.Where(numbers(method, loss), func(r results.Record) bool { return r.Dataset <= "c" && r.Backbone == "net" && r.Corruption == "" })
}

func board(t *testing.T, members []Member) *Board {
	t.Helper()
	b, err := Of("Leaderboard", members, nil)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func (b *Board) table(t *testing.T, contract Contract) Table {
	t.Helper()
	i := slices.IndexFunc(b.Tables, func(of Table) bool { return of.Contract == contract })
	if i < 0 {
		t.Fatalf("no table %s", contract)
	}
	return b.Tables[i]
}

func (t Table) row(tb testing.TB, method string) Row {
	tb.Helper()
	i := slices.IndexFunc(t.Rows, func(r Row) bool { return r.Method == method })
	if i < 0 {
		tb.Fatalf("no row of %s in %s", method, t.Contract)
	}
	return t.Rows[i]
}

// TestContractsDivideMethods: what a method sees weighs more than what it keeps.
func TestContractsDivideMethods(t *testing.T) {
	for _, c := range []struct {
		sees           []string
		keeps, topOnly bool
		want           Contract
	}{
		{nil, true, false, KeepsTop},
		{nil, false, false, ChangesTop},
		{nil, true, true, TopLabel},
		{[]string{"features"}, true, true, Features},
		{[]string{"augmented"}, false, false, Features},
		{[]string{"features", "head"}, false, false, Features},
		{[]string{"ood"}, true, false, OOD},
		{[]string{"ood", "target"}, true, false, Target},
		{[]string{"target"}, false, false, Target},
	} {
		if got := ContractOf(c.sees, c.keeps, c.topOnly); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
	for _, c := range Contracts() {
		if c.Title() == "" || c.About() == "" {
			t.Errorf("%s has no title or no text", c)
		}
	}
}

// TestFilesAreReadAsWritten, and those of methods that are gone go.
func TestFilesAreReadAsWritten(t *testing.T) {
	dir := Folder(t.TempDir())
	ts, qats := numbers("ts", .03), numbers("qats", .02)
	settings := []results.SettingInfo{{Setting: ts[0].Setting, Source: "measured", Notes: results.Notes{{Kind: results.From, Text: "a network"}}}}
	if err := dir.Write(written, append(slices.Clone(ts), qats...), settings, true); err != nil {
		t.Fatal(err)
	}
	got, ok, err := dir.Read("qats", written)
	if err != nil || !ok || len(got) != len(qats) || got[0].Value != qats[0].Value {
		t.Errorf("%v %v %v", ok, err, got)
	}
	if err := dir.Write(written, qats, nil, false); err != nil {
		t.Fatal(err)
	}
	if _, ok, _ := dir.Read("ts", written); !ok {
		t.Error("a run of one method has removed another one")
	}
	if err := dir.Write(written, qats, settings, true); err != nil {
		t.Fatal(err)
	}
	if _, ok, err := dir.Read("ts", written); ok || err != nil {
		t.Errorf("ts is still there: %v", err)
	}
	if kept, err := dir.ReadSettings(); err != nil || len(kept) != 1 || kept[0].Notes.Text(results.From) != "a network" {
		t.Errorf("%v %v", kept, err)
	}
}

// TestRanksAreMeansOfTwoRanks: of the mean ranks by NLL and by Brier score, over blocks, of the ranked methods.
func TestRanksAreMeansOfTwoRanks(t *testing.T) {
	list := members()
	for i := range list { // Brier scores of another order
		loss := map[string]float64{"qats": .2, "ts": 0}[list[i].Method]
		resultstest.Each(list[i].Records, func(r *results.Record) {
			if r.Metric == "brier" {
				r.Value += loss
			}
		})
	}
	table := board(t, list).table(t, KeepsTop)
	ranked := []string{"uncal", "ts", "qats", "mine"}
	for _, method := range ranked {
		want := []float64{}
		for _, metric := range []string{"nll", "brier"} {
			// the ranks of each data set by hand: means over its networks, one plus the number that is lower, ties share
			sum := 0.
			for d := range blocks {
				mean := map[string]float64{}
				for _, m := range list {
					for _, r := range m.Records {
						if slices.Contains(ranked, m.Method) && r.Dataset == string(rune('a'+d)) && r.Metric == metric {
							mean[m.Method] += r.Value / 2
						}
					}
				}
				rank := 1.
				for other, x := range mean {
					switch {
					case other == method:
					case math.Abs(x-mean[method]) < 1e-9:
						rank += .5
					case x < mean[method]:
						rank++
					}
				}
				sum += rank / blocks
			}
			want = append(want, sum)
		}
		r := table.row(t, method)
		if len(r.Ranks) != 2 || math.Abs(r.Ranks[0]-want[0]) > 1e-12 || math.Abs(r.Ranks[1]-want[1]) > 1e-12 || math.Abs(r.Rank-(want[0]+want[1])/2) > 1e-12 {
			t.Errorf("%s: %v and %v, want %v", method, r.Ranks, r.Rank, want)
		}
	}
}

// TestOnlyWhatKnowsMoreThanBaseRateIsRanked: a constant is listed with the reason, verified or not, and its low ECE helps nothing.
func TestOnlyWhatKnowsMoreThanBaseRateIsRanked(t *testing.T) {
	table := board(t, members()).table(t, KeepsTop)
	const nothing = "is not shown to be better than base-rate, which knows nothing"
	for method, want := range map[string]string{
		"uncal": "", "ts": "", "qats": "", "mine": "",
		"const": nothing, "boast": "is not verified", "flat": "is not verified and " + nothing,
		"base-rate": "is the floor: it knows nothing but the share of right predictions",
	} {
		r := table.row(t, method)
		if r.NotRanked != want || math.IsNaN(r.Rank) != (want != "") {
			t.Errorf("%s: rank %v, not ranked: %q", method, r.Rank, r.NotRanked)
		}
	}
	order := lists.Values(table.Rows, func(r Row) string { return r.Method })
	if got := strings.Join(order, " "); got != "mine qats ts uncal const boast flat base-rate" {
		t.Error(got)
	}
	said := table.Statement().String()
	for _, want := range []string{"Over 16 independent data sets, of 4 methods that keep the predicted class Mine is best; better than TS are QaTS and Mine by NLL and Brier score; worse: Uncal and Const by NLL and Brier score.",
		"Lower ECE, higher NLL and Brier score: Const.", "Not ranked: Const, which " + nothing + "."} {
		if !strings.Contains(said, want) {
			t.Errorf("%q lacks %q", said, want)
		}
	}
	for _, not := range []string{"Boast", "Flat", "Base"} {
		if strings.Contains(said, not) {
			t.Errorf("%q names %s", said, not)
		}
	}
}

// TestBaseRateAndClaimsChangeNoNumber of other methods: they are in no ranking and in no family of tests.
func TestBaseRateAndClaimsChangeNoNumber(t *testing.T) {
	list := members()
	with := board(t, list).table(t, KeepsTop)
	fewer := board(t, slices.DeleteFunc(slices.Clone(list), func(m Member) bool { return m.Method == "boast" || m.Method == "flat" })).table(t, KeepsTop)
	for _, r := range fewer.Rows {
		if of := with.row(t, r.Method); of.ToTS.Verdict != r.ToTS.Verdict || !slices.EqualFunc(of.ToTS.Holm, r.ToTS.Holm, same) || !same(of.Rank, r.Rank) {
			t.Errorf("%s: %+v, %v beside claims, %+v, %v without", r.Method, of.ToTS, of.Rank, r.ToTS, r.Rank)
		}
	}
	// A claim on more networks adds none of them.
	claim := Member{Method: "wide", Label: "Wide", Contract: Features, Predicts: results.Keeps, Authors: []string{"A"}, Status: Claimed, Records: numbers("wide", .01)}
	narrow, wide := board(t, list).table(t, Features), board(t, append(slices.Clone(list), claim)).table(t, Features)
	for _, r := range narrow.Rows {
		if of := wide.row(t, r.Method); of.Means[0].Value != r.Means[0].Value && !math.IsNaN(of.Means[0].Value) || !same(of.Rank, r.Rank) {
			t.Errorf("%s: %v, rank %v beside a claim, %v, %v without", r.Method, of.Means[0].Value, of.Rank, r.Means[0].Value, r.Rank)
		}
	}
	// Without base-rate nobody knows who knows nothing, and the p against TS stay.
	bare := board(t, slices.DeleteFunc(slices.Clone(list), func(m Member) bool { return m.Method == "base-rate" })).table(t, KeepsTop)
	for _, r := range bare.Rows {
		if of := with.row(t, r.Method); !slices.EqualFunc(of.ToTS.Holm, r.ToTS.Holm, same) {
			t.Errorf("%s: %v beside base-rate, %v without", r.Method, of.ToTS.Holm, r.ToTS.Holm)
		}
	}
	if r := bare.row(t, "const"); math.IsNaN(r.Rank) {
		t.Error("const is not ranked, and no base-rate says so")
	}
	if said := strings.Join(bare.Table().Remarks, " "); !strings.Contains(said, "Not run: base-rate") {
		t.Error(said)
	}
}

func same(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }

// TestAConfidenceAlone is judged and ranked by top-label scores. An entry of version 1 has no NLL of that kind: it is shown, and
// neither ranked nor called better.
func TestAConfidenceAlone(t *testing.T) {
	of := board(t, members()).table(t, TopLabel)
	if r := of.row(t, "spline"); r.ToTS.Verdict != compare.Better || r.Rank != 1 {
		t.Errorf("spline: %s, rank %v", r.ToTS.Verdict, r.Rank)
	}
	r := of.row(t, "old")
	if !math.IsNaN(r.Rank) || r.ToTS.Verdict != "" || r.NotRanked != notRecorded || r.Means[0].Settings != 0 || r.Means[1].Settings != 2*blocks || r.Means[2].Settings != 2*blocks {
		t.Errorf("old: %+v", r)
	}
	printed := of.Table()
	var text strings.Builder
	if err := printed.Text(&text, 200); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"not recorded", "Not ranked, since it has no NLL (NLL not recorded).", "Protocol v1"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
	if said := of.Statement().String(); strings.Contains(said, "Old") {
		t.Error(said)
	}
	// In a table that is ranked by scores of all classes it has no rank.
	if r := board(t, members()).table(t, Features).row(t, "procal"); !math.IsNaN(r.Rank) || r.NotRanked != "gives a confidence alone, and the ranks are by scores of all classes" {
		t.Errorf("procal: %v %q", r.Rank, r.NotRanked)
	}
}

// TestFewBlocksUnrankNobody: three data sets show nothing, so the floor leaves nobody out, and a note says so.
func TestFewBlocksUnrankNobody(t *testing.T) {
	of := board(t, members()).table(t, Features)
	if r := of.row(t, "gc"); math.IsNaN(r.Rank) || r.NotRanked != "" || r.ToTS.Verdict != compare.NotShown {
		t.Errorf("%+v", r)
	}
	if said := strings.Join(of.Table().Remarks, " "); !strings.Contains(said, "3 independent data sets cannot show which methods are better than base-rate, so all are ranked.") {
		t.Error(said)
	}
	for _, m := range []string{TS, QaTS, results.BaseRate} {
		if r := of.row(t, m); !r.Beside || r.Means[0].Settings != 3 || r.NotRanked != "" {
			t.Errorf("%s: %+v", m, r)
		}
	}
	if len(of.Without) != 1 || of.Without[0].Label != "TTA-TS" {
		t.Errorf("%+v", of.Without)
	}
}

// TestNumbersAreThoseOfTheJudgement: shifts and intervals of a row are those of comparisons, and verdicts and p those of the judgement on the
// verified methods of the table.
func TestNumbersAreThoseOfTheJudgement(t *testing.T) {
	list := members()
	table := board(t, list).table(t, KeepsTop)
	rows := &results.Rows{}
	for _, m := range list {
		if m.Contract == KeepsTop && m.Status == Verified {
			rows.Records = append(rows.Records, clean(m.Records)...)
			rows.Methods = append(rows.Methods, results.MethodInfo{Method: m.Method, Predicts: m.Predicts})
		}
	}
	for _, against := range []string{TS, QaTS} {
		judged, err := compare.Judge(rows, compare.Options{Against: against})
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, g := range judged[0].Groups {
			for _, m := range g.Methods {
				to := table.row(t, m.Method).ToTS
				if against == QaTS {
					to = table.row(t, m.Method).ToQaTS
				}
				for k, e := range m.Scores {
					n++
					if to.Verdict != m.Verdict || to.Holm[k] != e.Holm || to.Rows[k].Shift != e.Row.Shift {
						t.Errorf("%s to %s, %s: %s, %v, %v; want %s, %v, %v", m.Method, against, e.Metric, to.Verdict, to.Holm[k], to.Rows[k].Shift, m.Verdict, e.Holm, e.Row.Shift)
					}
				}
			}
		}
		if n != 8 {
			t.Errorf("%d effects to %s", n, against)
		}
	}
	if r := table.row(t, TS); r.ToTS.Verdict != "" || r.ToTS.Rows[0] != nil || r.ToQaTS.Verdict == "" {
		t.Error("TS is compared with itself, or not with QaTS")
	}
	if got := table.row(t, "uncal").Corrupted; len(got) != 2 || math.Abs(got[0].Difference-.2) > 1e-12 || got[0].Settings != 1 {
		t.Errorf("corrupted: %+v", got)
	}
	if got := table.row(t, "mine").Drawn; len(got) != 2 || math.Abs(got[0].Shift.Estimate+.04) > .003 || table.row(t, "qats").Drawn != nil {
		t.Errorf("drawn: %+v", got)
	}
}

// TestTheFileHasEachMethodOnce, in the table of its contract, and all tables have the same columns.
func TestTheFileHasEachMethodOnce(t *testing.T) {
	p := board(t, members()).Printed()
	var text strings.Builder
	if err := p.WriteCSV(&text); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(strings.NewReader(text.String())).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, r := range rows[1:] {
		got[r[0]] += r[2]
	}
	want := map[string]string{}
	for _, m := range members() {
		if m.Records != nil {
			want[m.Method] = string(m.Contract)
		}
	}
	if !maps.Equal(got, want) {
		t.Errorf("%v\nwant %v", got, want)
	}
	if got := p.Count(); got != "10 methods and 5 entries on 32 settings" {
		t.Error(got)
	}
	for _, s := range p.Sections {
		for i, c := range s.Table.Columns {
			if c.Key != p.Sections[0].Table.Columns[i].Key {
				t.Errorf("%s: column %s in the place of %s", s.Contract, c.Key, p.Sections[0].Table.Columns[i].Key)
			}
		}
	}
}

// TestABoardNeedsTSAndQaTS, since all are compared with them. An entry cannot take their place.
func TestABoardNeedsTSAndQaTS(t *testing.T) {
	list := members()
	list[1].Authors = []string{"somebody"}
	if _, err := Of("", list, nil); err == nil || !strings.Contains(err.Error(), "no numbers of ts") {
		t.Error(err)
	}
}
