package pivot

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/calib/report"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/crosstab"
	"github.com/qats-bench/qats/results/paper"
	"github.com/qats-bench/qats/results/resultstest"
	"github.com/qats-bench/qats/results/table"
)

var update = flag.Bool("update", false, "rewrite the files in testdata")

// record is a measured value of a setting of "standard".
func record(dataset, backbone, method, metric string, value float64) results.Record {
	return resultstest.Value(resultstest.Setting("standard", dataset, backbone), method, metric, value)
}

// unconverged warns of a gradient.
func unconverged(gradient float64) results.Note {
	return results.Warn(report.Warning{Text: "did not converge: gradient {value}", Value: gradient})
}

func skip(dataset, backbone, method, metric, why string) results.Record {
	return resultstest.Skip(resultstest.Setting("standard", dataset, backbone), method, metric, why)
}

// network returns the records of a network: values per method, with
// argmax_change above zero for featclip alone.
func network(dataset, backbone string, methods []string, values ...float64) []results.Record {
	var list []results.Record
	for i, m := range methods {
		list = append(list, record(dataset, backbone, m, "ece", values[i]))
		change := 0.0
		if m == "featclip" {
			change = 0.0123
		}
		list = append(list, record(dataset, backbone, m, "argmax_change", change))
	}
	return list
}

func simulated(list []results.Record) []results.Record {
	return resultstest.From("simulated", list...)
}

func corrupted(corruption string, list []results.Record) []results.Record {
	return resultstest.Each(list, func(r *results.Record) { r.Setting = resultstest.Shifted(r.Setting, corruption, 5) })
}

var methods = []string{"uncal", "ts", "featclip", "qats"}

// standard has ties, a warning, a skip, a fail and simulated rows.
func standard() []results.Record {
	list := network("cifar10", "resnet50", methods, 0.0171, 0.0123, 0.0055, 0.0031)
	list = append(list, network("cifar10", "vit-s16", methods, 0.0180, 0.0045, 0.00451, 0.0051)...) // TS and FeatClip print 0.45
	list = append(list, network("cifar10", "my_net", methods, 0.0544, 0.0544, 0.0544, 0.0544)...)
	list = append(list, simulated(network("cifar100", "resnet50", methods, 0.1079, 0.0943, 0.0257, 0.0226))...)
	list = append(list, network("cifar100", "vit-b16", methods[:2], 0.0762, 0.0532)...)
	list = append(list,
		skip("cifar100", "vit-b16", "featclip", "ece", "no features: 100% of \"cal\" & test"),
		skip("cifar100", "vit-b16", "qats", "ece", "panic: index 7"),
	)
	list[len(list)-1].Status = results.Fail
	for i := range list {
		if list[i].Method == "ts" && list[i].Metric == "ece" && list[i].Backbone != "my_net" {
			list[i].Note = results.Notes{{Kind: results.Arrays, Text: "arrays of others"}, unconverged(float64(15+10*(i/8)) / 1e7)}
		}
	}
	return list
}

func standardSpec() crosstab.Spec {
	return crosstab.Spec{
		Name: "standard", Caption: "Calibration error on standard benchmarks", Metric: "ece",
		Rows: []string{"dataset", "backbone"}, Better: metrics.Lower, Percent: true, Highlight: "qats",
	}
}

// shift has 2 corruptions x 2 severities and an unranked method.
func shift() ([]results.Record, crosstab.Spec) {
	var list []results.Record
	for s := 1; s <= 2; s++ {
		for c, corruption := range []string{"fog", "snow"} {
			for m, method := range []string{"hfe-target", "ts", "qats"} {
				at := resultstest.Shifted(resultstest.Setting("shift", "cifar100-c", "vit-b16"), corruption, s)
				list = append(list, resultstest.Value(at, method, "ece", float64(10*s+4*c+m)/1000))
			}
		}
	}
	return list, crosstab.Spec{
		Name: "shift", Metric: "ece", Rows: []string{"severity"}, Average: []string{"corruption"}, Mean: true,
		Better: metrics.Lower, Percent: true, Unranked: []string{"hfe-target"}, Highlight: "qats",
		Labels: resultstest.Labels(map[string]string{"qats": "QaTS_new"}),
	}
}

// test is a table with a name.
type test struct {
	name    string
	records []results.Record
	spec    crosstab.Spec
}

// layouts are tables of each form.
func layouts() []test {
	tests := []test{{"standard", standard(), standardSpec()}}

	list, spec := shift()
	tests = append(tests, test{"shift", list, spec})

	// Severity 2 lacks a corruption for one method.
	list, spec = shift()
	spec.Name = "holes"
	tests = append(tests, test{"holes", slices.DeleteFunc(list, func(r results.Record) bool {
		return r.Method == "ts" && r.Severity == 2 && r.Corruption == "snow"
	}), spec})

	// Severity 1 has more corruptions than severity 2.
	list, spec = shift()
	spec.Name, spec.Highlight = "uneven", ""
	tests = append(tests, test{"uneven", slices.DeleteFunc(list, func(r results.Record) bool {
		return r.Severity == 2 && r.Corruption == "snow"
	}), spec})

	// Higher is better, four decimals, the order of columns given, one of them
	// without records, one row column.
	list = nil
	for _, r := range standard() {
		if r.Dataset == "cifar10" && r.Metric == "ece" {
			r.Metric, r.Note = "auroc", nil
			list = append(list, r)
		}
	}
	tests = append(tests, test{"order", list, crosstab.Spec{
		Name: "order", Caption: "Order of columns & 100% na\u00efve \u2264", Metric: "auroc", Rows: []string{"backbone"}, Better: metrics.Higher,
		Only: map[string][]string{"method": {"qats", "gc-split", "ts"}, "backbone": {"vit-s16", "my_net", "resnet50"}},
	}})

	list = network("cifar10", "resnet50", []string{"ts", "qats"}, 0.0123, 0.0031)
	for _, r := range list {
		if r.Metric == "ece" {
			list = append(list, resultstest.Value(r.Setting, r.Method, "ece_null_lo", 0.002), resultstest.Value(r.Setting, r.Method, "ece_null_hi", 0.0059))
		}
	}
	list = append(list, network("cifar10", "vit-s16", []string{"ts", "qats"}, 0.0123, 0.0131)...)
	tests = append(tests, test{"null", list, crosstab.Spec{
		Name: "null", Metric: "ece", Rows: []string{"dataset", "backbone"}, Better: metrics.Lower, Percent: true, Highlight: "qats", ConsistencyBand: true,
	}})

	// Losses as columns, one method: the dagger goes to the cells.
	list = nil
	for i, loss := range []string{"ce", "focal"} {
		rows := network("cifar10", "resnet50", []string{"featclip"}, 0.02-0.01*float64(i))
		rows[0].Loss, rows[1].Loss = loss, loss
		rows[1].Value *= float64(i)
		list = append(list, rows...)
	}
	tests = append(tests, test{"losses", simulated(list), crosstab.Spec{
		Name: "losses", Metric: "ece", Rows: []string{"backbone"}, Columns: "loss", Better: metrics.Lower, Percent: true,
	}})

	// Methods as rows: one sees the target domain, one changes predictions, one
	// has no records, and one lacks a number.
	list, spec = shift()
	spec.Name, spec.Rows, spec.Columns, spec.Average = "methods", []string{"severity", "method"}, "corruption", nil
	spec.Target, spec.Only = []string{"hfe-target"}, map[string][]string{"method": {"ts", "hfe-target", "gc-split", "qats", "featclip"}}
	spec.Labels = resultstest.Labels(map[string]string{"hfe-target": "HFE"})
	for i := range list {
		change := list[i]
		if change.Metric, change.Value = "argmax_change", 0; change.Method == "ts" {
			list[i].Method, change.Method, change.Value = "featclip", "featclip", 0.01
		}
		list = append(list, change)
	}
	for i := range list {
		if list[i].Method == "qats" && list[i].Severity == 2 && list[i].Corruption == "snow" {
			list[i].Value, list[i].N, list[i].Status, list[i].Note = 0, 0, results.Skip, results.Because("no logits")
		}
	}
	tests = append(tests, test{"methods", list, spec})

	// Columns that average different numbers of settings.
	list = network("cifar100", "vit-b16", []string{"uncal", "qats"}, 0.1079, 0.0226)
	for i, c := range []string{"fog", "snow"} {
		list = append(list, simulated(corrupted(c, network("cifar100-c", "vit-b16", []string{"uncal", "qats"}, 0.30+0.02*float64(i), 0.11-0.02*float64(i))))...)
	}
	tests = append(tests, test{"ablation", list, crosstab.Spec{
		Name: "ablation", Metric: "ece", Rows: []string{"method"}, Columns: "dataset", Average: []string{"corruption"},
		Better: metrics.Lower, Percent: true, Labels: resultstest.Labels(map[string]string{"qats": "Linear (QaTS)"}),
	}})

	// More columns than an upright page holds.
	list = nil
	for i, c := range []string{"brightness", "contrast", "defocus_blur", "elastic_transform", "fog", "frost", "gaussian_noise",
		"glass_blur", "impulse_noise", "jpeg_compression", "motion_blur", "pixelate", "shot_noise", "snow", "zoom_blur"} {
		list = append(list, simulated(corrupted(c, network("cifar100-c", "vit-b16", []string{"tta-ts", "qats"}, 0.30+0.01*float64(i), 0.31)))...)
	}
	tests = append(tests, test{"wide", list, crosstab.Spec{
		Name: "wide", Metric: "ece", Rows: []string{"severity", "method"}, Columns: "corruption", Mean: true, Highlight: "qats",
		Better: metrics.Lower, Percent: true, Labels: resultstest.Labels(map[string]string{"tta-ts": "AdaTS"}),
	}})

	return tests
}

// TestPrintedTables compares tables of each form with the golden files.
func TestPrintedTables(t *testing.T) {
	for _, test := range layouts() {
		t.Run(test.name, func(t *testing.T) {
			test.spec.SettingLabels = paper.Names()
			if test.spec.Labels == nil {
				test.spec.Labels = resultstest.Labels()
			}
			made, err := Of(test.records, test.spec)
			if err != nil {
				t.Fatal(err)
			}
			var text, latex bytes.Buffer
			if err := made.Text(&text); err != nil {
				t.Fatal(err)
			}
			if err := made.Table().LaTeX(&latex); err != nil {
				t.Fatal(err)
			}
			golden(t, test.name+".txt", text.Bytes())
			golden(t, test.name+".tex", latex.Bytes())
			if i := bytes.IndexFunc(latex.Bytes(), func(r rune) bool { return r != '\n' && (r < ' ' || r > '~') }); i >= 0 {
				t.Errorf("not ASCII: %q", latex.Bytes()[i:i+1])
			}
		})
	}
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs (rewrite with -update):\n%s", path, got)
	}
}

// TestMistakesAreNamed: a spec with a mistake, and records that must not share a
// cell or a ranking, are errors that say which.
func TestMistakesAreNamed(t *testing.T) {
	edit := func(i int, change func(*results.Record)) []results.Record {
		list := standard()
		change(&list[i])
		return list
	}
	spec := func(change func(*crosstab.Spec)) crosstab.Spec {
		s := standardSpec()
		change(&s)
		return s
	}
	shifted, shiftSpec := shift()
	twoLosses := standard()
	twoLosses = append(twoLosses, twoLosses[2])
	twoLosses[len(twoLosses)-1].Loss = "focal"
	twoLosses[len(twoLosses)-1].Value = 0.5
	notAveraged := shiftSpec
	notAveraged.Average = nil
	for _, test := range []struct {
		name    string
		records []results.Record
		spec    crosstab.Spec
		want    string
	}{
		{"two losses in a cell", twoLosses, standardSpec(),
			`table standard: two records in one cell differ in column loss: "ce" (standard/cifar10/resnet50/ce/ts, value 0.0123) and "focal" (standard/cifar10/resnet50/focal/ts, value 0.5); make it a row, average over it, or keep one of them`},
		{"two losses in a row", edit(2, func(r *results.Record) { r.Loss = "focal" }), standardSpec(),
			`table standard: two records in one row differ in column loss: "ce" (standard/cifar10/resnet50/ce/uncal, value 0.0171) and "focal" (standard/cifar10/resnet50/focal/ts, value 0.0123)`},
		{"corruptions not averaged", shifted, notAveraged,
			`table shift: two records in one cell differ in column corruption: "fog" (shift/cifar100-c/vit-b16/ce/fog/1/hfe-target, value 0.01) and "snow"`},
		{"the same cell twice", append(standard(), standard()[0]), standardSpec(),
			`table standard: two records of standard/cifar10/resnet50/ce/uncal/ece, with values 0.0171 and 0.0171`},
		{"both sources of a cell", append(standard(), simulated(standard()[:1])...), standardSpec(),
			`table standard: two records of standard/cifar10/resnet50/ce/uncal/ece differ in column source: measured and simulated`},
		{"ranking mixes", edit(2, func(r *results.Record) { r.Source = "simulated" }), standardSpec(),
			`table standard: a ranking would mix measured (standard/cifar10/resnet50/ce/uncal) with simulated (standard/cifar10/resnet50/ce/ts)`},
		{"nothing", standard(), spec(func(s *crosstab.Spec) { s.Metric = "nll" }), `table standard: none of 38 records has metric nll and passes the filter`},
		{"no metric", nil, spec(func(s *crosstab.Spec) { s.Metric = "" }), `table standard: no metric`},
		{"no rows", nil, spec(func(s *crosstab.Spec) { s.Rows = nil }), `table standard: no rows; name one of experiment, dataset`},
		{"unknown row", nil, spec(func(s *crosstab.Spec) { s.Rows = []string{"network"} }), `table standard: rows: "network" is none of`},
		{"row is column", nil, spec(func(s *crosstab.Spec) { s.Rows = []string{"method"} }), `table standard: columns: method is already in rows`},
		{"average of a row", nil, spec(func(s *crosstab.Spec) { s.Average = []string{"dataset"} }), `table standard: average: dataset is already in rows`},
		{"unknown filter", nil, spec(func(s *crosstab.Spec) { s.Only = map[string][]string{"metric": {"ece"}} }), `table standard: only: "metric" is none of`},
		{"empty filter", nil, spec(func(s *crosstab.Spec) { s.Only = map[string][]string{"loss": {}} }), `table standard: only: no value of loss is kept`},
		{"filter twice", nil, spec(func(s *crosstab.Spec) { s.Only = map[string][]string{"loss": {"ce", "ce"}} }), `table standard: only: loss "ce" is listed twice`},
		{"direction", nil, spec(func(s *crosstab.Spec) { s.Better = "less" }), `table standard: better: "less" is neither lower, higher nor target`},
		{"neutral gap", nil, spec(func(s *crosstab.Spec) { s.Better = metrics.Neutral }), `table standard: highlight: ece has no better direction, so there is no gap to show`},
		{"highlight", standard(), spec(func(s *crosstab.Spec) { s.Highlight = "qast" }), `table standard: highlight: "qast" is not a ranked column; name one of uncal, ts, featclip, qats`},
		{"band of an average", nil, spec(func(s *crosstab.Spec) { s.ConsistencyBand, s.Average = true, []string{"loss"} }), `table standard: consistency band and average: the band of an average`},
	} {
		_, err := Of(test.records, test.spec)
		if err == nil || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%s: got %v\nwant %s", test.name, err, test.want)
		}
	}

	// A neutral metric has no ranking to mix.
	mixedRow := edit(2, func(r *results.Record) { r.Source = "simulated" })
	if _, err := Of(mixedRow, spec(func(s *crosstab.Spec) { s.Better, s.Highlight = metrics.Neutral, "" })); err != nil {
		t.Errorf("neutral: %v", err)
	}
}

// TestNoAverageOfMeasuredAndSimulated: a mean over measured and simulated numbers
// is not made, and its cell says so. The rest of the table is as usual.
func TestNoAverageOfMeasuredAndSimulated(t *testing.T) {
	list, spec := shift()
	for i := range list {
		if list[i].Severity == 2 && list[i].Corruption == "snow" {
			list[i].Source = "simulated"
		}
	}
	across, err := Of(list, spec)
	if err != nil {
		t.Fatal(err)
	}
	spec.Rows, spec.Columns, spec.Average, spec.Highlight = []string{"severity", "method"}, "corruption", nil, ""
	down, err := Of(list, spec)
	if err != nil {
		t.Fatal(err)
	}
	text := func(made *Pivot, i, j int) string {
		c := made.Rows[i].Cells[j]
		for _, n := range c.Notes {
			c.Text += " " + made.Notes[n].Text
		}
		return c.Text
	}
	for _, test := range []struct{ what, got, want string }{
		{"severity 1", text(across, 0, 0), "1.30"},
		{"severity 2", text(across, 1, 0), " no average: measured and simulated are not mixed (1 and 1)"},
		{"average", text(across, 2, 0), " no average: measured and simulated are not mixed (1 and 1)"},
		{"fog 2", text(down, 3, 0), "2.00"},
		{"average of severity 1", text(down, 0, 2), "1.20"},
		{"average of severity 2", text(down, 3, 2), " no average: measured and simulated are not mixed (1 and 1)"},
	} {
		if test.got != test.want {
			t.Errorf("%s: %q, want %q", test.what, test.got, test.want)
		}
	}
	if across.Measured != 3 || across.Simulated != 0 || down.Measured != 9 || down.Simulated != 3 {
		t.Errorf("%s %s", across.Origin(), down.Origin())
	}
	var csv strings.Builder
	if err := down.Table().CSV(&csv); err != nil {
		t.Fatal(err)
	}
	var sources []string
	for line := range strings.Lines(csv.String()) {
		sources = append(sources, strings.TrimSpace(line[strings.LastIndex(line, ",")+1:]))
	}
	if want := []string{"source", "measured", "measured", "measured", "measured+simulated", "measured+simulated", "measured+simulated"}; !slices.Equal(sources, want) {
		t.Errorf("sources of rows in CSV %q, want %q", sources, want)
	}
}

// TestMarksRankPrintedNumbers compares the marks of random tables with many ties
// with a naive ranking of the printed numbers.
func TestMarksRankPrintedNumbers(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for range 300 {
		names := []string{"a", "b", "c", "d", "aside"}
		better := []metrics.Direction{metrics.Lower, metrics.Higher}[r.IntN(2)]
		var list []results.Record
		values := map[string]float64{}
		for _, m := range names {
			if r.IntN(6) == 0 {
				list = append(list, skip("x", "y", m, "ece", "why"))
				continue
			}
			values[m] = float64(r.IntN(5))/100 + r.Float64()*1e-4
			list = append(list, record("x", "y", m, "ece", values[m]))
		}
		made, err := Of(list, crosstab.Spec{Metric: "ece", Rows: []string{"dataset"}, Better: better, Percent: true,
			Highlight: "c", Unranked: []string{"aside"}})
		if err != nil {
			t.Fatal(err)
		}
		// In hundredths of a per cent; smaller is better.
		score := map[string]int{}
		for m, v := range values {
			var whole, part int
			fmt.Sscanf(fmt.Sprintf("%.2f", 100*v), "%d.%d", &whole, &part)
			score[m] = 100*whole + part
			if better == metrics.Higher {
				score[m] = -score[m]
			}
		}
		delete(score, "aside")
		for j, c := range made.Columns {
			cell := made.Rows[0].Cells[j]
			want, gap := table.Plain, ""
			own, there := score[c.ID]
			if there && len(score) > 1 {
				less := map[int]bool{} // distinct scores that beat this one
				others := []int{}
				for m, s := range score {
					if s < own {
						less[s] = true
					}
					if m != c.ID {
						others = append(others, s)
					}
				}
				want = map[int]table.Mark{0: table.Best, 1: table.Second}[len(less)]
				if slices.Min(others) == own && slices.Max(others) == own {
					want = table.Plain // all are equal
				}
				if c.ID == "c" {
					d := own - slices.Min(others)
					if cell.GapBetter != (d < 0) {
						t.Errorf("%v %s: gap %d called better: %v", values, better, d, cell.GapBetter)
					}
					if better == metrics.Higher {
						d = -d
					}
					if gap = fmt.Sprintf("%+.2f", float64(d)/100); d == 0 {
						gap = ""
					}
				}
			}
			if cell.Mark != want || cell.Gap != gap {
				t.Errorf("%v %s, column %s: mark %v, gap %q; want %v, %q", values, better, c.ID, cell.Mark, cell.Gap, want, gap)
			}
		}
	}
}

// TestOrderOfRecordsDoesNotMatter where the spec gives the order of rows and
// columns.
func TestOrderOfRecordsDoesNotMatter(t *testing.T) {
	spec := standardSpec()
	spec.Only = map[string][]string{"method": methods, "dataset": {"cifar10", "cifar100"}, "backbone": {"resnet50", "vit-s16", "vit-b16", "my_net"}}
	text := func(list []results.Record) string {
		made, err := Of(list, spec)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		made.Text(&b)
		return b.String()
	}
	list := standard()
	for i := range list { // the footnote shows the first of several
		for j := range list[i].Note {
			list[i].Note[j].Warning.Value = 0
		}
	}
	want := text(list)
	r := rand.New(rand.NewPCG(1, 1))
	for range 20 {
		r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		if got := text(list); got != want {
			t.Fatalf("got\n%s\nwant\n%s", got, want)
		}
	}
}

// TestColumnsAlignUnderAnyLabel: labels with characters of several bytes keep the
// columns of a text table straight.
func TestColumnsAlignUnderAnyLabel(t *testing.T) {
	spec := standardSpec()
	spec.Labels = resultstest.Labels(map[string]string{"cifar10": "M\u00fcnchen \u03c4", "ts": "T\u00e4\u00df"})
	made, err := Of(network("cifar10", "resnet50", methods, .1, .2, .3, .4), spec)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	made.Text(&b)
	lines := strings.Split(b.String(), "\n")
	head, row := []rune(lines[3]), []rune(lines[5])
	for _, pair := range [][2]string{{"T\u00e4\u00df", "20.00"}, {"FeatClip#", "30.00"}} {
		at := func(line []rune, s string) int {
			return len([]rune(string(line)[:strings.Index(string(line), s)])) + len([]rune(s))
		}
		if at(head, pair[0]) != at(row, pair[1]) {
			t.Errorf("%s ends at %d, %s at %d:\n%s", pair[0], at(head, pair[0]), pair[1], at(row, pair[1]), &b)
		}
	}
}

// wide is a table of 15 rows and 7 methods with skips, warnings and simulated rows.
func wide() ([]results.Record, crosstab.Spec) {
	seven := []string{"uncal", "ts", "ir", "tta-ts", "gc-split", "featclip", "qats"}
	r := rand.New(rand.NewPCG(3, 3))
	var list []results.Record
	for _, d := range []string{"cifar10", "cifar100", "imagenet"} {
		for _, b := range []string{"resnet50", "resnet18", "densenet121", "vit-s16", "vit-b16"} {
			values := make([]float64, 7)
			for i := range values {
				values[i] = float64(r.IntN(1200)+20) / 1e4 / float64(1+i/2)
			}
			rows := network(d, b, seven, values...)
			if d == "imagenet" {
				rows = simulated(rows)
			}
			list = append(list, rows...)
		}
	}
	bound := results.Warn(report.Warning{Kind: report.AtBound, Bound: report.AtLeast("b", 0, 1e-3)})
	list[2].Note = results.Notes{unconverged(1.2e-6)}
	list[30].Note = results.Notes{unconverged(3.2e-6), bound}
	list[12].Note = results.Notes{bound}
	list[36] = skip("cifar10", "densenet121", "gc-split", "ece", "no features in cifar10/densenet121")
	spec := standardSpec()
	spec.Only = map[string][]string{"method": append(seven, "hfe-target")}
	spec.Unranked = []string{"hfe-target"}
	return list, spec
}

// TestWordsOfTheField: corruptions and losses have words; data sets, networks and methods have labels, or
// their ids.
func TestWordsOfTheField(t *testing.T) {
	for _, test := range [][3]string{
		{"dataset", "cifar10", "cifar10"}, {"backbone", "vit-b16", "vit-b16"}, {"loss", "ls-0.05", "LS-0.05"},
		{"corruption", "glass_blur", "glass blur"}, {"severity", "", "-"}, {"severity", "3", "3"}, {"method", "qats", "qats"},
	} {
		if got := results.Name(test[0], test[1]); got != test[2] {
			t.Errorf("results.Name(%s, %s) = %q, want %q", test[0], test[1], got, test[2])
		}
	}
}

// TestPairedIntervals: each number has its difference from the baseline below it, where
// pairs.csv has one of the same setting, method and metric.
func TestPairedIntervals(t *testing.T) {
	records := network("cifar10", "resnet50", methods, 0.0171, 0.0123, 0.0055, 0.0031)
	spec := standardSpec()
	spec.Interval = true
	at, other := records[0].Setting, resultstest.Setting("standard", "cifar100", "resnet50")
	pairs := []results.Pair{
		resultstest.Pair(at, "qats", "ts", "ece", -0.0092, -0.01, -0.00001), resultstest.Pair(at, "uncal", "ts", "ece", 0.0048, 0.001, 0.009),
		resultstest.Pair(at, "featclip", "ts", "aece", 1, 1, 1), resultstest.Pair(other, "featclip", "ts", "ece", 1, 1, 1),
	}
	made, err := Of(records, spec)
	if err != nil {
		t.Fatal(err)
	}
	without := legendOf(t, made)
	if want := "Differences from the baseline are not known (pairs.csv has none in ece of measured rows)."; !strings.Contains(without, want) {
		t.Errorf("no %q in\n%s", want, without)
	}
	made.Pair(pairs)
	want := map[string]string{"qats": "-0.92 [-1.00, 0.00]", "uncal": "+0.48 [+0.10, +0.90]"}
	for j, c := range made.Columns {
		if got := made.Rows[0].Cells[j].Paired; got != want[c.ID] {
			t.Errorf("%s: %q, want %q", c.ID, got, want[c.ID])
		}
	}
	with := legendOf(t, made)
	for _, s := range []string{"-0.92 [-1.00, 0.00]", "the difference from ts on the same rows, with a 95 % interval (percentile bootstrap) of the difference of the mean values that test sets of this size report, not of the population."} {
		if !strings.Contains(with, s) {
			t.Errorf("no %q in\n%s", s, with)
		}
	}
	pairs = resultstest.Each(pairs, func(p *results.Pair) { p.Source = "simulated" })
	if made, err = Of(records, spec); err != nil {
		t.Fatal(err)
	}
	made.Pair(pairs)
	if text := legendOf(t, made); text != without {
		t.Errorf("intervals of simulated rows:\n%s", text)
	}
	spec.Average = []string{"dataset"}
	spec.Rows = []string{"backbone"}
	if _, err := Of(records, spec); err == nil || !strings.Contains(err.Error(), "no intervals of averages") {
		t.Errorf("with an average: %v", err)
	}
}

// legendOf returns the table as text in one line.
func legendOf(t *testing.T, made *Pivot) string {
	t.Helper()
	var b strings.Builder
	if err := made.Text(&b); err != nil {
		t.Fatal(err)
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// TestWithoutBands: the table is the one that is made without bands, and the original keeps its own.
func TestWithoutBands(t *testing.T) {
	for _, test := range layouts() {
		if !test.spec.ConsistencyBand {
			continue
		}
		banded, err := Of(test.records, test.spec)
		if err != nil {
			t.Fatal(err)
		}
		before := strings.Join(textLines(t, banded), "\n")
		test.spec.ConsistencyBand = false
		bare, err := Of(test.records, test.spec)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := textLines(t, banded.WithoutBands()), textLines(t, bare); !slices.Equal(got, want) {
			t.Errorf("%s: got\n%s\nwant\n%s", test.name, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		if after := strings.Join(textLines(t, banded), "\n"); after != before || after == strings.Join(textLines(t, bare), "\n") {
			t.Errorf("%s: the original is now\n%s", test.name, after)
		}
	}
}
