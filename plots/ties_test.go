package plots

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/qats-bench/qats/results/compare"

	"github.com/qats-bench/qats/results/figure"
)

// inRank returns n methods with the ranks 1 to n.
func inRank(n int) (methods []string, ranks []float64) {
	for i := range n {
		methods, ranks = append(methods, fmt.Sprintf("m%d", i)), append(ranks, float64(i+1))
	}
	return methods, ranks
}

// numbersOf returns the texts of a figure that are numbers.
func numbersOf(t *testing.T, f *Figure) (list []string) {
	t.Helper()
	for _, w := range words(t, f) {
		if _, err := strconv.ParseFloat(w.text, 64); err == nil {
			list = append(list, w.text)
		}
	}
	if svg := string(encode(t, f, SVG)); strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") {
		t.Errorf("a coordinate is no number: %s", f.Caption)
	}
	return list
}

// TestTicksOfRanksAreWholeAndFew: every rank has a tick, or one in each step of ranks.
func TestTicksOfRanksAreWholeAndFew(t *testing.T) {
	for n, want := range map[int]string{3: "1 2 3", 13: "1 2 3 4 5 6 7 8 9 10 11 12 13", 20: "1 3 5 7 9 11 13 15 17 19", 40: "1 5 9 13 17 21 25 29 33 37"} {
		methods, ranks := inRank(n)
		f, err := RankBinsOf(&compare.Agreement{Methods: methods, Ranks: [][]float64{ranks, ranks}, Tau: [][]float64{{1, 1}, {1, 1}}}, "ece", []int{5, 15}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(numbersOf(t, f), " "); got != "5 15 "+want {
			t.Errorf("%d methods: ticks %s", n, got)
		}
	}
}

// TestEqualRanksHaveAnAxis: where all methods tie with a whole rank, the axis goes to the
// next rank.
func TestEqualRanksHaveAnAxis(t *testing.T) {
	methods, _ := inRank(3)
	same := []float64{2, 2, 2}
	f, err := RankBinsOf(&compare.Agreement{Methods: methods, Ranks: [][]float64{same, same}, Tau: [][]float64{{1, 1}, {1, 1}}}, "ece", []int{5, 15}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := numbersOf(t, f); !slices.Equal(got, []string{"5", "15", "2", "3"}) {
		t.Errorf("ticks %q", got)
	}
}

// TestEqualMethodsHaveAxes: where all methods have the same values and times, each figure
// of their ranking has an axis with ticks.
func TestEqualMethodsHaveAxes(t *testing.T) {
	for _, c := range []struct {
		kind  figure.Kind
		least int
	}{{figure.CriticalDifference, 3}, {figure.WinRates, 2}, {figure.Strengths, 2}, {figure.Pareto, 2}} {
		in := sample(c.kind, "ts", "ir", "qats")
		for i := range in.Records {
			in.Records[i].Value = .1
		}
		f, err := Draw(c.kind, in)
		if err != nil {
			t.Fatal(err)
		}
		if got := numbersOf(t, f); len(got) < c.least {
			t.Errorf("%s: ticks %q", c.kind.Name, got)
		}
	}
}
