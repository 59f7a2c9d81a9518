package claims

import (
	"bufio"
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/paper"
	"github.com/qats-bench/qats/results/resultstest"
)

// reproductionOf returns the reproduction of printed lines by records.
func reproductionOf(t *testing.T, lines []string, records ...results.Record) (*reproduction, []paper.Number) {
	t.Helper()
	const header = "table,metric,dataset,corruption,severity,backbone,method,value,mark,delta\n"
	list, err := paper.Decode(strings.NewReader(header+strings.Join(lines, "\n")+"\n"), "test")
	if err != nil {
		t.Fatal(err)
	}
	return newReproduction(list, records), list
}

func measuredRecord(experiment, dataset, metric string, status results.Status, value float64) results.Record {
	r := resultstest.Value(resultstest.Setting(experiment, dataset, "resnet50"), "ts", metric, value)
	r.Status, r.Note = status, results.Because(dataset)
	return r
}

// A cell has a band if both of its ends have a value.
func TestBandsOfCellsHaveBothEnds(t *testing.T) {
	for _, c := range []struct {
		lo, hi results.Status
		want   bool
	}{{results.OK, results.OK, true}, {results.OK, results.Fail, false}, {results.Skip, results.OK, false}, {"", results.OK, false}, {results.OK, "", false}, {"", "", false}} {
		records := []results.Record{measuredRecord("standard", "cifar10", "ece", results.OK, .02)}
		for metric, status := range map[string]results.Status{"ece_null_lo": c.lo, "ece_null_hi": c.hi} {
			if status != "" {
				records = append(records, measuredRecord("standard", "cifar10", metric, status, .01))
			}
		}
		r, list := reproductionOf(t, []string{"standard,ece,cifar10,,,resnet50,TS,2.00,,"}, records...)
		if cell := r.cell(list[0]); cell.State != OK || cell.Here != 200 || cell.HasBand != c.want {
			t.Errorf("ends %q and %q: %+v", c.lo, c.hi, cell)
		}
	}
}

// A mean needs the values of all its members; its reason is that of the first that has none,
// where that has a record.
func TestMeansOfCellsNeedAllMembers(t *testing.T) {
	lines := []string{"medical,ece,average,,,resnet50,TS,2.00,,", "medical-full,ece,ham10000,,,resnet50,TS,2.00,,", "medical-full,ece,pathmnist,,,resnet50,TS,2.00,,"}
	for _, c := range []struct {
		first, second results.Status
		state         State
		reason        string
	}{
		{results.OK, results.OK, OK, ""}, {results.OK, results.Fail, Missing, "no value in 1 of 2 (fail: pathmnist)"}, {results.Skip, results.Fail, Missing, "no record"},
		{results.Skip, results.OK, Missing, "no value in 1 of 2 (skip: ham10000)"}, {"", results.OK, Missing, "no value in 1 of 2 (no record)"},
	} {
		var records []results.Record
		for dataset, status := range map[string]results.Status{"ham10000": c.first, "pathmnist": c.second} {
			if status != "" {
				records = append(records, measuredRecord("medical", dataset, "ece", status, .03))
			}
		}
		r, list := reproductionOf(t, lines, records...)
		if cell := r.cell(list[0]); cell.State != c.state || cell.Reason != c.reason || c.state == OK && cell.Here != 300 {
			t.Errorf("%q and %q: %+v", c.first, c.second, cell)
		}
	}
}

// Methods after one that is not ranked are ranked.
func TestRankingPassesOverWhatIsNotRanked(t *testing.T) {
	cell := func(label string, value paper.Points) Cell {
		return Cell{Number: paper.Number{Label: label, Value: value}, State: OK, Source: measured, Here: value}
	}
	r := rank([]Cell{cell("HFE", 1), cell("TS", 2), cell("QaTS", 3)})
	if !slices.Equal(r.Compared, []string{"TS", "QaTS"}) || !slices.Equal(r.PaperBest, []string{"TS"}) || r.HerePlace != 2 {
		t.Errorf("%+v", r)
	}
}

// Rows say why they have no numbers, and rankings without QaTS give no place.
func TestTextOfRows(t *testing.T) {
	var b strings.Builder
	w := bufio.NewWriter(&b)
	failed := Cell{Number: paper.Number{Label: "TS"}, State: State(results.Fail), Reason: "broken"}
	(&Comparison{Rows: []Row{{Setting: paper.Setting{Table: "standard", Dataset: "cifar10", Backbone: "resnet50"}, Cells: []Cell{failed}}}}).textTable(w, paper.Tables()[0], 100)
	w.Flush()
	if !strings.Contains(b.String(), "fail: broken") {
		t.Errorf("a table with a failed number: %s", b.String())
	}
	b.Reset()
	missing := func(label, reason string) Cell {
		return Cell{Number: paper.Number{Label: label}, State: Missing, Reason: reason}
	}
	rows := Row{Cells: []Cell{missing("IR", "no record"), missing("TS", "first"), missing("GC", "second")}}.rows()
	if text := rows[0].Cells[0].Text; len(rows) != 1 || !strings.Contains(text, "TS: first") || strings.Contains(text, "second") {
		t.Errorf("a row that was not run: %+v", rows)
	}
	row := Row{Cells: []Cell{{}, {StandIn: "28 pixels"}, {StandIn: "other"}}}
	if got := row.standIn(); got != "28 pixels" {
		t.Errorf("stand-in %q", got)
	}
	r := Ranking{Verdict: Agrees, PaperBest: []string{"TS"}, HereBest: []string{"TS"}}
	if strings.Contains(r.String(), "place") {
		t.Error(r.String())
	}
	if r.PaperPlace, r.HerePlace = 2, 3; !strings.Contains(r.String(), "place of QaTS: 2 in the paper, 3 here") {
		t.Error(r.String())
	}
	b.Reset()
	(&Comparison{Summaries: []Summary{{Table: "standard", Metric: "ece", Source: standIn, Found: 3, Numbers: 9}}}).textSummaries(w, 100)
	w.Flush()
	if !strings.Contains(b.String(), "other networks of the paper's architectures") || !strings.Contains(b.String(), "3 of 9") || !strings.Contains(b.String(), "Measured: no numbers.") {
		t.Errorf("summaries: %s", b.String())
	}
}

// A similar data set stands for the paper's set, in the ablation for the sets of its
// experiment, and takes part in means of its set alone.
func TestSimilarSetsTakeThePlaceOfTheirOwn(t *testing.T) {
	lines := []string{
		"standard,ece,cifar100,,,resnet50,QaTS,2.00,,", "medical,ece,average,,,resnet50,QaTS,2.00,,",
		"medical-full,ece,ham10000,,,resnet50,QaTS,2.00,,", "medical-full,ece,pathmnist,,,resnet50,QaTS,2.00,,", "medical-full,ece,average,,,resnet50,QaTS,2.00,,",
		"ablation,ece,cifar10,,,resnet50,QaTS,2.00,,", "ablation,ece,imagenet-lt,,,resnet50,QaTS,2.00,,", "ablation,ece,cifar100,,,resnet50,QaTS,2.00,,",
		"longtail,ece,imagenet-lt,,,resnet50,QaTS,2.00,,", "standard,ece,cifar10,,,resnet50,QaTS,2.00,,",
	}
	r, _ := reproductionOf(t, lines)
	like := map[string]string{"skin": "ham10000", "mine": "cifar100", "lungs": "pathmnist"}
	home, err := homes(r.publication, like)
	if err != nil || home["cifar100"] != "standard" || home["ham10000"] != "medical" || home["imagenet-lt"] != "longtail" || home[paper.Average] != "" {
		t.Fatalf("homes %v (%v)", home, err)
	}
	record := func(dataset, backbone string, value float64) results.Record {
		return resultstest.Value(resultstest.Setting("", dataset, backbone), "qats", "ece", value)
	}
	a := &analogues{publication: r.publication, like: like, home: home, found: map[results.Place]results.Record{}, losses: map[network]bool{}}
	a.collect([]results.Record{record("unlike", "net", .9), record("mine", "net", .01), record("mine", "net", .9), record("skin", "net", .02), record("skin", "other", .04), record("lungs", "other", .06)})
	for _, row := range r.publication.Rows {
		of := row.Table == "ablation" && row.Dataset != "imagenet-lt" || row.Dataset == "cifar100"
		if got := a.standsFor("mine", row); got != of {
			t.Errorf("mine stands for %s of %s: %v", row.Dataset, row.Table, got)
		}
		if got := a.standsFor("skin", row); got != (row.Dataset == "ham10000") {
			t.Errorf("skin stands for %s of %s: %v", row.Dataset, row.Table, got)
		}
		if row.Table != "medical" {
			continue
		}
		if !a.averaged(row, "skin") || a.averaged(row, "mine") {
			t.Errorf("means of %s: skin %v, mine %v", row.Table, a.averaged(row, "skin"), a.averaged(row, "mine"))
		}
		s := row.Setting
		for backbone, want := range map[string]float64{"net": .02, "other": .05} {
			s.Backbone = backbone
			if got, ok := a.value(row, s, "qats"); !ok || got != want {
				t.Errorf("mean on %s: %v, %v", backbone, got, ok)
			}
		}
		s.Backbone = "third"
		if got, ok := a.value(row, s, "qats"); ok {
			t.Errorf("mean without networks: %v", got)
		}
	}
	b := a.book(nil)
	for _, s := range []paper.Setting{{Table: "standard", Metric: "ece", Dataset: "mine", Backbone: "net"}, {Table: "medical-full", Metric: "ece", Dataset: "skin", Backbone: "net"}, {Table: "medical", Metric: "ece", Dataset: paper.Average, Backbone: "other"}} {
		if !slices.ContainsFunc(b.rows, func(r row) bool { return r.Setting == s && r.has("QaTS") }) {
			t.Errorf("no number of %+v", s)
		}
	}
}
