package page

import (
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/qats-bench/qats/results/compare"
)

// paretoOfValues returns the chart of methods with values, in per cent, and times.
func paretoOfValues(names []string, against string, values, seconds []float64, front []int) string {
	c := &compare.Comparison{Percent: true}
	p := &compare.Pareto{Quality: c, Methods: names, Seconds: seconds, Front: front}
	for _, v := range values {
		p.Values = append(p.Values, v/100)
	}
	return string(paretoChart(compare.View{Comparison: c}, p, Options{Against: against}, "axis"))
}

// TestNamesCoverNoMarkAndNoLine of a Pareto chart with room, wherever the marks are.
func TestNamesCoverNoMarkAndNoLine(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	number := func(s string) float64 { x, _ := strconv.ParseFloat(s, 64); return x }
	for range 300 {
		names := []string{"m", "method", "another", "calibrator", "b"}
		var values, seconds []float64
		for range names {
			values, seconds = append(values, 10+r.Float64()), append(seconds, math.Pow(10, r.Float64()))
		}
		var front []int
		for i := range names {
			if !slices.ContainsFunc([]int{0, 1, 2, 3, 4}, func(j int) bool { return values[j] < values[i] && seconds[j] < seconds[i] }) {
				front = append(front, i)
			}
		}
		slices.SortFunc(front, func(i, j int) int { return int(math.Copysign(1, seconds[i]-seconds[j])) })
		text := paretoOfValues(names, "calibrator", values, seconds, front)
		least, most, low, high := slices.Min(values), slices.Max(values), math.Log10(slices.Min(seconds))-.15, math.Log10(slices.Max(seconds))+.25
		room := .06 * (most - least)
		x := func(i int) float64 { return 52 + 340*(math.Log10(seconds[i])-low)/(high-low) }
		y := func(i int) float64 { return 12 + 240*(most+room-values[i])/(most-least+2*room) }
		var taken []box
		for i := range names {
			taken = append(taken, box{x(i) - 4.9, y(i) - 4.9, x(i) + 4.9, y(i) + 4.9})
		}
		for k, j := range front[1:] {
			i := front[k] // a step: to the right, then down
			taken = append(taken, box{x(i) - .9, y(i) - .9, x(j) + .9, y(i) + .9}, box{x(j) - .9, y(i) - .9, x(j) + .9, y(j) + .9})
		}
		for _, m := range regexp.MustCompile(`<text class="(label|label own)" text-anchor="(\w+)" x="([0-9.]+)" y="([0-9.]+)">(\w+)<`).FindAllStringSubmatch(text, -1) {
			w := textWidth(m[5], labelSize, m[1] != "label") - .2
			left := number(m[3]) + .1 - map[string]float64{"start": 0, "middle": .5, "end": 1}[m[2]]*w
			at := box{left, number(m[4]) - 9.9, left + w, number(m[4]) + 2.9}
			if i := slices.IndexFunc(taken, at.meets); i >= 0 {
				t.Fatalf("%s at %v covers %v in\n%s", m[5], at, taken[i], text)
			}
			taken = append(taken, at)
		}
		if len(taken) != 2*len(names)+2*len(front)-2 {
			t.Fatalf("%d names and marks", len(taken))
		}
	}
}

// TestTicksOfTheParetoChartAreOfItsRange, not of its distance from zero.
func TestTicksOfTheParetoChartAreOfItsRange(t *testing.T) {
	text := paretoOfValues([]string{"a", "b"}, "a", []float64{100, 101}, []float64{1, 2}, []int{0})
	if got := ticks(text); !slices.Equal(got[:6], []string{"100", "100.2", "100.4", "100.6", "100.8", "101"}) {
		t.Errorf("ticks %q", got)
	}
}

// TestANameIsPlacedByItsWidthInPrint: cut to the room of a name, and bold for the method
// that the others are compared with.
func TestANameIsPlacedByItsWidthInPrint(t *testing.T) {
	name := strings.Repeat("x", 18) // 136 px, bold 153 px and so cut to 133 px
	for s, want := range map[float64]string{6.3: "start", 7.2: "end"} {
		text := paretoOfValues([]string{"a", name, "c"}, name, []float64{10, 11, 12}, []float64{1, s, 10}, []int{0})
		if !strings.Contains(text, fmt.Sprintf(`<text class="label own" text-anchor="%s"`, want)) {
			t.Errorf("at %v s: %s", s, text)
		}
	}
	text := paretoOfValues([]string{"a", name, "c"}, "a", []float64{10, 11, 12}, []float64{1, 6.85, 10}, []int{0})
	if !strings.Contains(text, `<text class="label" text-anchor="end"`) {
		t.Errorf("not bold and whole: %s", text)
	}
}

// TestANameMayTouchTheBorder of the area. Without any place it is beside the mark.
func TestANameMayTouchTheBorder(t *testing.T) {
	for _, c := range []struct {
		area, want box
		anchor     string
	}{
		{box{0, 0, 136, 200}, box{107, 93.5, 136, 106.5}, "start"},
		{box{0, 93.5, 200, 200}, box{107, 93.5, 136, 106.5}, "start"},
		{box{0, 0, 200, 106.5}, box{107, 93.5, 136, 106.5}, "start"},
		{box{64, 0, 130, 200}, box{64, 93.5, 93, 106.5}, "end"},
		{box{}, box{107, 93.5, 136, 106.5}, "start"},
	} {
		if at, anchor, away := placeOf(100, 100, 29, c.area, nil); at != c.want || anchor != c.anchor || away {
			t.Errorf("in %v: %v %s %v", c.area, at, anchor, away)
		}
	}
}

// TestEqualMethodsHaveStrengthsAndAnAxis.
func TestEqualMethodsHaveStrengthsAndAnAxis(t *testing.T) {
	f := rankings()
	for i := range f.Records {
		f.Records[i].Value = .1
	}
	list, _ := comparisonsOf(f, f.complete(Options{Against: "m2", Metrics: []string{"ece"}}))
	text := string(list[0].Strengths)
	if got := ticks(text); strings.Contains(text, "NaN") || !slices.Equal(got, []string{"0", "0.02"}) || !strings.Contains(text, `cx="140"`) {
		t.Errorf("ticks %q in %s", got, text)
	}
}
