package claims

import (
	"bytes"
	"encoding/json"
	"flag"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/compare/significance"
	"github.com/qats-bench/qats/results/paper"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func published(t *testing.T) []paper.Number {
	t.Helper()
	list, err := paper.Read()
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// small returns the comparison with a results.csv written by hand.
func small(t *testing.T) *Comparison {
	t.Helper()
	records, err := results.ReadResults(filepath.Join("testdata", "results.csv"))
	if err != nil {
		t.Fatal(err)
	}
	return compare(published(t), &results.Rows{Records: records})
}

func (c *Comparison) row(t *testing.T, table, dataset, backbone string) Row {
	t.Helper()
	for _, r := range c.Rows {
		if r.Table == table && r.Dataset == dataset && r.Backbone == backbone {
			return r
		}
	}
	t.Fatalf("no row %s %s %s", table, dataset, backbone)
	return Row{}
}

func (r Row) cell(label string) Cell {
	return r.Cells[slices.IndexFunc(r.Cells, func(c Cell) bool { return c.Label == label })]
}

func TestCellsAreReproduced(t *testing.T) {
	d := small(t)
	numbers := 0
	for _, s := range d.Rows {
		numbers += len(s.Cells)
	}
	if numbers != 1584 {
		t.Errorf("%d cells, want 1584", numbers)
	}
	for _, c := range []struct {
		table, dataset, backbone, label string
		state                           State
		here, difference                paper.Points
		source, reason                  string
	}{
		{"tasks", "voc2012", "deeplabv3-r50", "TS", OK, 301, -68, "measured", ""},
		{"tasks", "20newsgroups", "bert-b", "QaTS", OK, 360, -20, "simulated", ""},
		{"standard", "cifar10", "resnet50", "GC", Skip, 0, 0, "", "no features in test"},
		{"standard", "cifar10", "resnet50", "FeatClip", Fail, 0, 0, "", "panic: index out of range"},
		{"standard", "cifar10", "resnet50", "IR", Missing, 0, 0, "", "no record"},
		{"standard", "cifar10", "vit-b16", "QaTS", Missing, 0, 0, "", "no record"}, // another experiment and loss have one
		{"standard-aece", "cifar10", "resnet50", "QaTS", Missing, 0, 0, "", "no record"},
		{"medical", "average", "resnet50", "Uncal", OK, 600, -153, "measured", ""},
		{"medical-full", "average", "resnet50", "Uncal", OK, 600, -153, "measured", ""},
		{"medical", "average", "resnet50", "TS", Missing, 0, 0, "", "no value in 1 of 11 (no record)"},
		{"medical", "average", "resnet50", "QaTS", Mixed, 0, 0, "", "10 measured and 1 simulated values have no mean"},
	} {
		got := d.row(t, c.table, c.dataset, c.backbone).cell(c.label)
		if got.State != c.state || got.Here != c.here || got.Source != c.source || got.Reason != c.reason {
			t.Errorf("%s %s %s %s: got %+v", c.table, c.dataset, c.backbone, c.label, got)
		}
		if c.state == OK && got.Difference() != c.difference {
			t.Errorf("%s %s %s: difference %s, want %s", c.table, c.dataset, c.label, got.Difference(), c.difference)
		}
	}
	if c := d.row(t, "tasks", "voc2012", "deeplabv3-r50").cell("QaTS"); !c.HasBand || c.BandLo != 21 || c.BandHi != 54 {
		t.Errorf("band [%s, %s]", c.BandLo, c.BandHi)
	}
}

func TestRankingsAndTheirCounts(t *testing.T) {
	d := small(t)
	none := []string{}
	for _, c := range []struct {
		table, dataset, backbone string
		want                     Ranking
	}{
		{"tasks", "voc2012", "deeplabv3-r50", Ranking{Differs, []string{"QaTS"}, []string{"IR"}, 1, 2,
			[]string{"Uncal", "TS", "IR", "AdaTS", "GC", "FeatClip", "QaTS"}, none}},
		{"tasks", "20newsgroups", "bert-b", Ranking{Simulated, []string{"QaTS"}, none, 0, 0,
			[]string{"Uncal", "TS", "IR", "AdaTS", "GC", "FeatClip", "QaTS"}, none}},
		{"standard", "cifar10", "resnet50", Ranking{Agrees, []string{"QaTS"}, []string{"QaTS"}, 1, 1,
			[]string{"Uncal", "TS", "QaTS"}, []string{"IR", "AdaTS", "GC", "FeatClip"}}},
		{"standard", "cifar10", "resnet18", Ranking{Both, []string{"QaTS"}, none, 0, 0,
			[]string{"TS", "QaTS"}, []string{"Uncal", "IR", "AdaTS", "GC", "FeatClip"}}},
		{"standard", "cifar10", "densenet121", Ranking{NoWinner, []string{"QaTS"}, []string{"IR"}, 0, 0,
			[]string{"TS", "IR"}, []string{"Uncal", "AdaTS", "GC", "FeatClip", "QaTS"}}},
		{"standard", "cifar10", "vit-s16", Ranking{TooFew, []string{"IR"}, none, 0, 0,
			[]string{"IR"}, []string{"Uncal", "TS", "AdaTS", "GC", "FeatClip", "QaTS"}}},
		{"standard", "cifar10", "vit-b16", Ranking{NotRun, []string{"QaTS"}, none, 0, 0,
			none, []string{"Uncal", "TS", "IR", "AdaTS", "GC", "FeatClip", "QaTS"}}},
	} {
		if got := d.row(t, c.table, c.dataset, c.backbone).Ranking; !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s %s:\ngot  %+v\nwant %+v", c.dataset, c.backbone, got, c.want)
		}
	}
	for _, s := range d.Summaries {
		got := []int{s.Found, s.Complete, s.CompleteWins, s.Partial, s.PartialWins, s.Open}
		var want []int
		switch {
		case s.Table == "tasks" && s.Source == "measured":
			want = []int{7, 1, 0, 0, 0, 0}
		case s.Table == "tasks":
			want = []int{7, 0, 0, 0, 0, 0}
		case s.Table == "standard" && s.Source == "measured":
			want = []int{7, 0, 0, 1, 1, 3}
		default:
			continue
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s, %s: got %v, want %v", s.Table, s.Source, got, want)
		}
	}
}

// Kendall's tau-b in cases with a closed form.
func TestTauInClosedForm(t *testing.T) {
	row := func(printed, here []paper.Points) []Cell {
		var cells []Cell
		for i := range printed {
			cells = append(cells, Cell{Number: paper.Number{Label: "TS", Value: printed[i]}, State: OK, Here: here[i]})
		}
		return cells
	}
	for _, c := range []struct {
		printed, here []paper.Points
		want          float64
	}{
		{[]paper.Points{1, 2, 3, 4}, []paper.Points{5, 6, 7, 9}, 1},
		{[]paper.Points{1, 2, 3, 4}, []paper.Points{4, 3, 2, 1}, -1},
		{[]paper.Points{1, 2, 2, 3}, []paper.Points{1, 3, 2, 3}, 0.8}, // C 4, D 0, one tie on each side
		{[]paper.Points{1, 2, 3}, []paper.Points{1, 3, 2}, 1.0 / 3},
	} {
		var p significance.Orders
		p.Add(rankedNumbers(row(c.printed, c.here)))
		if got, ok := p.Tau(); !ok || !(math.Abs(got-c.want) <= 1e-15) {
			t.Errorf("%v, %v: tau %v, want %v", c.printed, c.here, got, c.want)
		}
	}
	var p significance.Orders
	p.Add(rankedNumbers(row([]paper.Points{1, 2}, []paper.Points{3, 3})))
	if _, ok := p.Tau(); ok {
		t.Error("tau of a tie")
	}
	cells := row([]paper.Points{1, 2}, []paper.Points{1, 2})
	cells[0].Label = "HFE"
	cells = append(cells, Cell{Number: paper.Number{Label: "IR", Value: 1}, State: Missing})
	if a, b := rankedNumbers(cells); len(a) != 1 || len(b) != 1 {
		t.Error("a method that is not ranked or not run makes pairs")
	}
}

func check(t *testing.T, name string, print func(io.Writer) error) []byte {
	t.Helper()
	var got bytes.Buffer
	if err := print(&got); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Bytes(), want) {
		t.Errorf("%s differs; go test -update rewrites it", path)
	}
	return got.Bytes()
}

func TestTextAndJSONAreGolden(t *testing.T) {
	const width = 100
	text := check(t, "diff.txt", func(w io.Writer) error { return small(t).Text(w, width) })
	for i, line := range strings.Split(string(text), "\n") {
		if utf8.RuneCountInString(line) > width || strings.TrimRight(line, " ") != line {
			t.Errorf("line %d is wide or ends in a space: %q", i+1, line)
		}
	}
	// The whole JSON is long; the golden file has two tables.
	records, err := results.ReadResults(filepath.Join("testdata", "results.csv"))
	if err != nil {
		t.Fatal(err)
	}
	some := slices.DeleteFunc(published(t), func(p paper.Number) bool {
		return p.Table != "tasks" && p.Table != "medical" && p.Dataset != "cifar10"
	})
	lines := check(t, "diff.jsonl", compare(some, &results.Rows{Records: records}).JSON)
	kinds := map[string]int{}
	for d := json.NewDecoder(bytes.NewReader(lines)); d.More(); {
		var object struct{ Kind string }
		if err := d.Decode(&object); err != nil {
			t.Fatal(err)
		}
		kinds[object.Kind]++
	}
	if kinds["cell"] != len(some) || kinds["claim"] != len(claims()) || kinds["ranking"] != 17 || kinds["summary"] != 24 {
		t.Errorf("objects: %v", kinds)
	}
}

// The same records in another order give the same bytes.
func TestOrderOfRecordsDoesNotMatter(t *testing.T) {
	records, err := results.ReadResults(filepath.Join("testdata", "results.csv"))
	if err != nil {
		t.Fatal(err)
	}
	var a, b bytes.Buffer
	if err := compare(published(t), &results.Rows{Records: records}).JSON(&a); err != nil {
		t.Fatal(err)
	}
	slices.Reverse(records)
	if err := compare(published(t), &results.Rows{Records: records}).JSON(&b); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(a.Bytes(), b.Bytes()) {
		t.Error("the order of the records changes the output")
	}
}
