package v1

import (
	"encoding/csv"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/compare"
	"github.com/qats-bench/qats/results/leaderboard"
	"github.com/qats-bench/qats/results/resultstest"
)

// numbers returns the records of a method on eight data sets of two networks, and on a corrupted set: ECE, AECE, NLL and
// Brier score about skill, without NLL and Brier score of a top-label method.
func numbers(method string, skill float64, topLabel bool) (list []results.Record) {
	for d := range 8 {
		for n, network := range []string{"net", "other"} {
			at := resultstest.Setting("v1-lite", string(rune('a'+d)), network)
			ece := skill + .001*float64((7*d+3*n)%5) + .0001*float64((d*len(method))%7)
			list = append(list, valued(at, method, ece, topLabel)...)
		}
	}
	return append(list, valued(resultstest.Shifted(resultstest.Setting("v1-lite", "a-c", "net"), "fog", 3), method, 3*skill, topLabel)...)
}

func valued(at results.Setting, method string, ece float64, topLabel bool) (list []results.Record) {
	for k, metric := range Metrics() {
		if topLabel && k > 1 {
			list = append(list, resultstest.Skip(at, method, metric, "no value in the file of the entry"))
			continue
		}
		list = append(list, resultstest.Value(at, method, metric, ece*(1+float64(k)/10)))
	}
	return list
}

// members has a method of each contract but OOD, a verified entry, one that claims to be the best, and one that differs.
func members() []leaderboard.Member {
	some := slices.DeleteFunc(numbers("gc", .021, false), func(r results.Record) bool { return r.Dataset > "b" || r.Backbone != "net" })
	drawn := resultstest.Each(append(numbers("mine", .021, false), numbers("ts", .03, false)...), func(r *results.Record) { r.Value += .0001 })
	return []leaderboard.Member{
		{Method: "uncal", Label: "Uncal", Contract: leaderboard.KeepsTop, Status: leaderboard.Verified, Records: numbers("uncal", .06, false)},
		{Method: "ts", Label: "TS", Contract: leaderboard.KeepsTop, Status: leaderboard.Verified, Records: numbers("ts", .03, false)},
		{Method: "qats", Label: "QaTS", Contract: leaderboard.KeepsTop, Status: leaderboard.Verified, Records: numbers("qats", .02, false)},
		{Method: "irova", Label: "IROVA", Contract: leaderboard.ChangesTop, Status: leaderboard.Verified, Records: numbers("irova", .04, false)},
		{Method: "spline", Label: "Spline", Contract: leaderboard.TopLabel, Status: leaderboard.Verified, Records: numbers("spline", .025, true)},
		{Method: "gc", Label: "GC", Contract: leaderboard.Features, Status: leaderboard.Verified, Records: some},
		{Method: "tta-ts", Label: "TTA-TS", Contract: leaderboard.Features, Status: leaderboard.Verified},
		{Method: "label-shift", Label: "Label shift", Contract: leaderboard.Target, Status: leaderboard.Verified, Records: numbers("label-shift", .035, false)},
		{Method: "mine", Label: "Mine", Contract: leaderboard.KeepsTop, Status: leaderboard.Verified, Authors: []string{"A. Author"}, Reference: "Author (2026)", Records: numbers("mine", .021, false), Drawn: drawn, Draws: 20},
		{Method: "boast", Label: "Boast", Contract: leaderboard.KeepsTop, Status: leaderboard.Claimed, Authors: []string{"B. Oaster"}, Reference: "Oaster (2026)", Records: numbers("boast", .001, false)},
		{Method: "again", Label: "Again", Contract: leaderboard.KeepsTop, Status: leaderboard.Agrees, Authors: []string{"D. Draw"}, Reference: "Draw (2026)", Records: numbers("again", .002, false)},
		{Method: "off", Label: "Off", Contract: leaderboard.KeepsTop, Status: leaderboard.Differs, Authors: []string{"C. Areless"}, Reference: "Areless (2026)", Records: numbers("off", .001, false)},
	}
}

func board(t *testing.T, members []leaderboard.Member) *Board {
	t.Helper()
	b, err := Of("Leaderboard", members, nil)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func (b *Board) table(t *testing.T, contract leaderboard.Contract) Table {
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

// TestNumbersAreThoseOfCompare: means, shifts, intervals and p of a table are those of comparisons of its methods alone.
func TestNumbersAreThoseOfCompare(t *testing.T) {
	list := members()
	table := board(t, list).table(t, leaderboard.KeepsTop)
	var records []results.Record
	for _, m := range list {
		if m.Contract == leaderboard.KeepsTop {
			records = append(records, clean(m.Records)...)
		}
	}
	for metric, name := range Metrics() {
		for _, against := range []string{leaderboard.TS, leaderboard.QaTS} {
			made, err := compare.Of(records, nil, compare.Options{Metric: name, Against: against, Target: []string{"boast", "again", "off"}})
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range made[0].Rows {
				r := table.row(t, want.Method)
				if got := r.Means[metric]; got.Value != want.Value || got.Settings != 16 || got.Blocks != 8 {
					t.Errorf("%s of %s: %v of %d settings, want %v", name, want.Method, got.Value, got.Settings, want.Value)
				}
				to := r.ToTS
				if against == leaderboard.QaTS {
					to = r.ToQaTS
				}
				if metric == 0 && (to.Shift != want.Shift || to.Holm != want.Holm) {
					t.Errorf("%s to %s: %+v, want %+v", want.Method, against, to.Shift, want.Shift)
				}
			}
		}
	}
	if r := table.row(t, leaderboard.TS); r.ToTS != nil || r.ToQaTS == nil {
		t.Error("TS is compared with itself, or not with QaTS")
	}
	if got := table.row(t, "uncal").Corrupted; math.Abs(got.Difference-.09) > 1e-12 || got.Settings != 1 {
		t.Errorf("corrupted: %+v", got)
	}
	if got := table.row(t, "mine").Drawn; got == nil || math.Abs(got.Shift.Estimate+.009) > .001 || table.row(t, "qats").Drawn != nil {
		t.Errorf("drawn: %+v", got)
	}
}

// TestOnlyVerifiedMethodsAreRanked: neither a claim, nor numbers of the fixed split alone, nor an entry that differs leads, or
// counts in a sentence.
func TestOnlyVerifiedMethodsAreRanked(t *testing.T) {
	table := board(t, members()).table(t, leaderboard.KeepsTop)
	for _, m := range []string{"boast", "again", "off"} {
		if r := table.row(t, m); !math.IsNaN(r.Rank) || r.ToTS == nil || r.ToTS.Shift.Estimate >= 0 {
			t.Errorf("%s: rank %v, to TS %+v", m, r.Rank, r.ToTS)
		}
	}
	var order []string
	for _, r := range table.Rows {
		order = append(order, r.Method)
	}
	if got := strings.Join(order, " "); got != "qats mine ts uncal boast again off" {
		t.Error(got)
	}
	said := table.Statement().String()
	if want := "QaTS ranks best of 4 methods by ECE. QaTS against TS, ECE, 16 settings in 8 independent data sets: "; !strings.HasPrefix(said, want) || strings.Contains(said, "Boast") || strings.Contains(said, "Again") || strings.Contains(said, "Off") {
		t.Errorf("%q", said)
	}
	printed := table.Table()
	for _, r := range printed.Rows {
		if (r.Cells[6].Mark != 0) != (r.Cells[0].Value == "qats") {
			t.Errorf("%v is marked %v", r.Cells[0].Value, r.Cells[6].Mark)
		}
	}
}

// TestMethodsOfOtherContractsStandBeside the methods of a table, on its settings, and are no rows of the file.
func TestMethodsOfOtherContractsStandBeside(t *testing.T) {
	b := board(t, members())
	of := b.table(t, leaderboard.Features)
	for _, m := range []string{leaderboard.TS, leaderboard.QaTS} {
		if r := of.row(t, m); !r.Beside || r.Means[0].Settings != 2 {
			t.Errorf("%s: %+v", m, r)
		}
	}
	if of.row(t, "gc").Beside || len(of.Without) != 1 || of.Without[0].Label != "TTA-TS" {
		t.Errorf("%+v", of.Without)
	}
	if r := b.table(t, leaderboard.TopLabel).row(t, "spline"); r.Means[2].Settings != 0 || r.Means[1].Settings != 16 {
		t.Errorf("%+v", r.Means)
	}
	var text strings.Builder
	if err := b.Printed().WriteCSV(&text); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(strings.NewReader(text.String())).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var methods []string
	for _, r := range rows[1:] {
		methods = append(methods, r[0]+" "+r[2])
	}
	want := "qats keeps-top,mine keeps-top,ts keeps-top,uncal keeps-top,boast keeps-top,again keeps-top,off keeps-top,irova changes-top,spline top-label,gc features,label-shift target"
	if got := strings.Join(methods, ","); got != want {
		t.Errorf("%s\nwant %s", got, want)
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
