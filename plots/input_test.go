package plots

import (
	"math"
	"strings"
	"testing"

	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/figure"
	"github.com/qats-bench/qats/results/resultstest"
)

// TestRowsOfBinsAreChecked: figures of one cell reject rows that they cannot draw,
// and name the row.
func TestRowsOfBinsAreChecked(t *testing.T) {
	only := func(binning string) []results.Bin {
		var out []results.Bin
		for _, b := range testBins("ts") {
			if b.Binning == binning {
				out = append(out, b)
			}
		}
		return out
	}
	one := func(change func(*results.Bin)) []results.Bin {
		bins := testBins("ts")
		change(&bins[9])
		change(&bins[24])
		return bins
	}
	for name, c := range map[string]struct {
		in   Input
		want string
	}{
		"nothing":        {Input{}, "no rows of bins.csv"},
		"no methods":     {Input{Bins: testBins("ts"), Methods: []string{}}, "no methods to show"},
		"absent method":  {Input{Bins: testBins("ts"), Methods: []string{"ts", "gc"}}, `no rows of method "gc" in cifar10/resnet50`},
		"method twice":   {Input{Bins: testBins("ts"), Methods: []string{"ts", "ts"}}, `"ts" is listed twice`},
		"two cells":      {Input{Bins: one(func(b *results.Bin) { b.Backbone = "vit-s16" })}, "rows of two cells, cifar10/resnet50 and cifar10/vit-s16"},
		"two rows":       {Input{Bins: append(testBins("ts"), testBins("ts")...)}, "bin 0: two rows"},
		"NaN accuracy":   {Input{Bins: one(func(b *results.Bin) { b.Acc = math.NaN() })}, "bin 9: column acc: NaN"},
		"NaN confidence": {Input{Bins: one(func(b *results.Bin) { b.Conf = math.NaN() })}, "bin 9: column conf: NaN"},
		"Inf":            {Input{Bins: one(func(b *results.Bin) { b.Conf = math.Inf(1) })}, "bin 9: column conf: +Inf"},
		"per cent":       {Input{Bins: one(func(b *results.Bin) { b.Acc = 97 })}, "bin 9: column acc: 97 is outside [0, 1]"},
		"negative n":     {Input{Bins: one(func(b *results.Bin) { b.N = -1 })}, "bin 9: column n: -1 is negative"},
		"NaN edge":       {Input{Bins: one(func(b *results.Bin) { b.Hi = math.NaN() })}, "bin 9: column hi: NaN"},
		"swapped edges":  {Input{Bins: one(func(b *results.Bin) { b.Lo, b.Hi = 0.9, 0.1 })}, "bin 9: column hi: 0.1 is below lo, 0.9"},
		"all empty":      {Input{Bins: resultstest.Each(testBins("ts"), func(b *results.Bin) { b.N, b.Conf, b.Acc = 0, 0, 0 })}, "bin is empty"},
		"no source":      {Input{Bins: one(func(b *results.Bin) { b.Source = "" })}, `column source: "" is neither`},
		"mixed sources": {Input{Bins: append(testBins("ts"), resultstest.Each(testBins("gc"), func(b *results.Bin) { b.Source = simulated })...)},
			`bin 0: simulated rows beside measured ones`},
		"mixed within": {Input{Bins: one(func(b *results.Bin) { b.Source = simulated })}, "simulated rows beside measured ones"},
	} {
		for _, e := range Registry() {
			if !e.PerSetting {
				continue
			}
			f, err := e.Draw(c.in)
			if err == nil || f != nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s, %s: error %v, want %q", e.Name, name, err, c.want)
			} else if !strings.HasPrefix(err.Error(), e.Name+" figure: ") {
				t.Errorf("%s, %s: %v does not name the figure", e.Name, name, err)
			}
		}
	}
	if _, err := Reliability(Input{Bins: only("mass15")}); err == nil || !strings.Contains(err.Error(), `method "ts" has no width15 bins, only mass15`) {
		t.Error(err)
	}
	if _, err := QuantileGap(Input{Bins: only("width15")}); err == nil || !strings.Contains(err.Error(), `method "ts" has no mass15 bins, only width15`) {
		t.Error(err)
	}
}

// TestOrderAndOtherMethodsDoNotMatter: the figure of a cell depends neither on the
// order of rows nor on methods that it does not show, whatever their source and cell.
func TestOrderAndOtherMethodsDoNotMatter(t *testing.T) {
	all := append(testBins("uncal", "qats"), resultstest.Each(testBins("gc"), func(b *results.Bin) { b.Source, b.Backbone = simulated, "vit-s16" })...)
	back := make([]results.Bin, len(all))
	for i, b := range all {
		back[len(all)-1-i] = b
	}
	for _, e := range Registry() {
		if !e.PerSetting {
			continue
		}
		want := encode(t, mustDraw(t, e.Kind, Input{Bins: testBins("uncal", "qats")}), SVG)
		got := encode(t, mustDraw(t, e.Kind, Input{Bins: back, Methods: []string{"uncal", "qats"}}), SVG)
		if string(got) != string(want) {
			t.Errorf("%s depends on the order of rows or on methods not shown", e.Name)
		}
	}
}

// TestPanelPrintsTheECE of the bins that it shows.
func TestPanelPrintsTheECE(t *testing.T) {
	bin := func(b, n int, conf, acc float64) results.Bin {
		return resultstest.Bin(testCell, "ts", "width15", b, float64(b)/15, float64(b+1)/15, n, conf, acc)
	}
	in := Input{Bins: []results.Bin{bin(14, 60, 0.95, 0.90), bin(8, 0, 0, 0), bin(6, 40, 0.45, 0.60)}}
	tab, err := in.oneCell("width15")
	if err != nil {
		t.Fatal(err)
	}
	// 0.6 x 0.05 + 0.4 x 0.15
	if got := tab.rows[0].series["ts"].ece(); !(math.Abs(got-0.09) <= 1e-15) {
		t.Errorf("ECE %v, want 0.09", got)
	}
	svg := string(encode(t, mustDraw(t, figure.Reliability, in), SVG))
	if !strings.Contains(svg, `aria-label="ECE 9.00 %, n = 100"`) {
		t.Error("the panel does not print ECE 9.00 %, n = 100")
	}
}

// TestBinsStandAtTheMiddleOfTheirRows, also where bins have different sizes.
func TestBinsStandAtTheMiddleOfTheirRows(t *testing.T) {
	s := series{method: method{"ts", "TS"}, n: 10, bins: []results.Bin{
		{N: 1, Conf: 0.5, Acc: 0.25}, {N: 4, Conf: 0.75, Acc: 0.75}, {N: 5, Conf: 0.875, Acc: 1},
	}}
	v := gapCourse(s)
	for i, want := range [][2]float64{{0.05, -25}, {0.3, 0}, {0.75, 12.5}} {
		if v[i].x != want[0] || v[i].y != want[1] {
			t.Errorf("point %d: (%v, %v), want %v", i, v[i].x, v[i].y, want)
		}
	}
}

// TestCellName: the loss is left out where it is ce.
func TestCellName(t *testing.T) {
	c := testCell
	c.Loss, c.Corruption, c.Severity = "focal", "fog", 5
	if got := (Input{Names: testNames}).cellName(c); got != "CIFAR-10 / resnet50 / Focal / fog 5" {
		t.Error(got)
	}
}
