package plots

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/compare"
	"github.com/qats-bench/qats/results/figure"
)

// TestParetoComparesOnCommonSettings: a setting on which one method has no fit time
// counts neither for the times nor for the errors, as if it were absent.
func TestParetoComparesOnCommonSettings(t *testing.T) {
	methods := []string{"uncal", "ts", "qats"}
	lacking := sample(figure.Pareto, methods...)
	absent := sample(figure.Pareto, methods...)
	lost := absent.Records[0].Setting
	for i, r := range lacking.Records {
		if r.Setting == lost && r.Metric == "ece" {
			lacking.Records[i].Value = .9
		}
		if r.Setting == lost && r.Metric == results.TimeMetric && r.Method == "qats" {
			lacking.Records[i].Status, lacking.Records[i].Note = results.Skip, results.Notes{{Kind: results.NoTime}}
		}
	}
	absent.Records = slices.DeleteFunc(absent.Records, func(r results.Record) bool { return r.Setting == lost })
	got, _, err := lacking.timed()
	if err != nil {
		t.Fatal(err)
	}
	f, err := Pareto(lacking)
	if err != nil {
		t.Fatal(err)
	}
	want, _, err := absent.timed()
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got.Values, want.Values) || !slices.Equal(got.Seconds, want.Seconds) {
		t.Errorf("means %v and %v, want %v and %v", got.Values, got.Seconds, want.Values, want.Seconds)
	}
	if note := "Left out, because a method has no fit time: 1 setting."; !slices.Contains(f.Notes, note) {
		t.Errorf("notes %q, want %q", f.Notes, note)
	}
}

// TestNamesCoverNoMarkAndNoLine of a Pareto figure with room, wherever the marks are.
func TestNamesCoverNoMarkAndNoLine(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		p := &compare.Pareto{Methods: []string{"m", "method", "another", "calibrator", "b"}}
		for range p.Methods {
			p.Values, p.Seconds = append(p.Values, .1+.01*r.Float64()), append(p.Seconds, math.Pow(10, r.Float64()))
		}
		checkNames(t, p)
	}
}

// TestNamesOfTheParetoFigureCoverNothing: as long as there is room, also where many marks
// stand close to each other.
func TestNamesOfTheParetoFigureCoverNothing(t *testing.T) {
	p := &compare.Pareto{Methods: []string{"least", "most"}, Values: []float64{0, .5}, Seconds: []float64{1, 1e6}}
	for i := range 20 {
		p.Methods = append(p.Methods, fmt.Sprintf("name %02d", i))
		p.Values = append(p.Values, .25+.014*float64(i/6))
		p.Seconds = append(p.Seconds, math.Pow(10, 2.5+.11*float64(i%6)))
	}
	checkNames(t, p)
}

// checkNames draws methods and compares the place of each name with the marks, the line
// and the other names.
func checkNames(t *testing.T, p *compare.Pareto) {
	t.Helper()
	beaten := func(i int) bool {
		for j := range p.Methods {
			if p.Values[j] < p.Values[i] && p.Seconds[j] < p.Seconds[i] {
				return true
			}
		}
		return false
	}
	for i := range p.Methods {
		if !beaten(i) {
			p.Front = append(p.Front, i)
		}
	}
	slices.SortFunc(p.Front, func(i, j int) int { return cmp.Compare(p.Seconds[i], p.Seconds[j]) })
	p.Quality = &compare.Comparison{MetricLabel: "ECE", Percent: true}
	f, err := ParetoOf(p, nil)
	if err != nil {
		t.Fatal(err)
	}
	// The axes: 6 % beyond the values, and a little more than the times.
	least, most := slices.Min(p.Values), slices.Max(p.Values)
	low, high := math.Log10(slices.Min(p.Seconds))-.15, math.Log10(slices.Max(p.Seconds))+.25
	room := 6 * (most - least)
	left := onePanel(draw.Canvas{}, span{ticks: ticks(100*least-room, 100*most+room, 6)}, 0, 0, 0).Min.X
	width, bottom := pageWidth-left-rightMargin-30, f.Height-headingHeight-paretoHeight
	at := make([]vg.Point, len(p.Methods))
	taken := map[string]vg.Rectangle{}
	around := func(name string, a, b vg.Point, by vg.Length) {
		taken[name] = vg.Rectangle{Min: vg.Point{X: min(a.X, b.X) - by, Y: min(a.Y, b.Y) - by}, Max: vg.Point{X: max(a.X, b.X) + by, Y: max(a.Y, b.Y) + by}}
	}
	for i, m := range p.Methods {
		at[i] = vg.Point{X: left + width*vg.Length((math.Log10(p.Seconds[i])-low)/(high-low)),
			Y: bottom + paretoHeight*vg.Length(((p.Values[i]-least)/(most-least)+.06)/1.12)}
		around("the mark of "+m, at[i], at[i], 2.7)
	}
	for k, j := range p.Front[1:] { // a step: to the right, then down
		i := p.Front[k]
		corner := vg.Point{X: at[j].X, Y: at[i].Y}
		around(fmt.Sprint("the line from ", i), at[i], corner, .4)
		around(fmt.Sprint("the line to ", j), corner, at[j], .4)
	}
	names := 0
	for _, w := range words(t, f) {
		if !slices.Contains(p.Methods, w.text) {
			continue
		}
		names++
		for what, other := range taken {
			if w.Min.X < other.Max.X && other.Min.X < w.Max.X && w.Min.Y < other.Max.Y && other.Min.Y < w.Max.Y {
				t.Errorf("%s at %v covers %s at %v", w.text, w.Rectangle, what, other)
			}
		}
		taken["the name "+w.text] = w.Rectangle
	}
	if names != len(p.Methods) {
		t.Errorf("%d names of %d methods", names, len(p.Methods))
	}
}
