package compare

import (
	"fmt"
	"strings"
	"testing"

	"github.com/qats-bench/qats/results"
)

// ledBy compares methods with ts on settings, which have n networks of each data set. The
// verdict on a method is a win, a tie or a loss by the letters of its name, in turn.
func ledBy(t *testing.T, datasets, n int, methods ...string) View {
	t.Helper()
	var records []results.Record
	var pairs []results.Pair
	for i := range datasets * n {
		c := cell(fmt.Sprint("d", i/n), fmt.Sprint("x", i%n))
		records = append(records, record(c, "ts", .1))
		for _, m := range methods {
			d := map[byte]float64{'w': -.02, 't': .001, 'l': .03}[m[i%len(m)]]
			width := .005
			records, pairs = append(records, record(c, m, .1+d)), append(pairs, pair(c, m, "ts", d, d-width, d+width))
		}
	}
	return View{Comparison: comparison(t, records, pairs, Options{Metric: "ece", Against: "ts"}), Labels: labels}
}

// TestTheSentenceLeadsWithWhatTheDataShow: of one method verdicts where no test over blocks can show a
// difference, the test where it can; of several methods the one that leads.
func TestTheSentenceLeadsWithWhatTheDataShow(t *testing.T) {
	for _, c := range []struct {
		v    View
		want string
	}{
		{ledBy(t, 1, 1, "w"), "w against TS, ECE: better on d0/x0 (-2.00 points [-2.50, -1.50])."},
		{ledBy(t, 1, 2, "wt"), "wt against TS, ECE: better on d0/x0 (-2.00 points [-2.50, -1.50]) and not shown to differ on d0/x1 (+0.10 points [-0.40, +0.60]). 1 independent block cannot show a difference over data sets."},
		{ledBy(t, 1, 1, "w", "t", "l"), "w has the lowest mean ECE over 1 setting. Against TS it is better on d0/x0 (-2.00 points [-2.50, -1.50])."},
		{ledBy(t, 4, 3, "wtt"), "wtt against TS, ECE: better in 4, worse in 0, no difference in 8 of 12 settings. 4 independent blocks cannot show a difference over data sets."},
		{ledBy(t, 4, 3, "lll", "wtt", "wwl", "wwt", "ttt"), "wwt ranks best of 6 methods by ECE. Against TS it is better in 8, worse in 0, no difference in 4 of 12 settings. 4 independent blocks cannot show a difference over data sets."},
		{ledBy(t, 6, 1, "w", "t"), "w ranks best of 3 methods by ECE. Against TS it is better in 6, worse in 0, no difference in 0 of 6 settings. 6 independent blocks are too few to test 2 methods: that takes 7 blocks, or at most 1 method, named beforehand."},
		{ledBy(t, 6, 1, "w"), "w against TS, ECE, 6 data sets: -2.00 points [-2.00, -2.00], p = .031: w is better. On single settings: better in 6, worse in 0, no difference in 0 of 6 settings."},
	} {
		if got := c.v.Sentence(); got != c.want {
			t.Errorf("%s\nwant %s", got, c.want)
		}
	}
}

// TestARowBeginsWithItsLabelAndCountsItsVerdicts: win, tie and loss are neighbours. Without
// a ranking the best mean is first, few settings have their verdicts, and there is no p.
func TestARowBeginsWithItsLabelAndCountsItsVerdicts(t *testing.T) {
	for _, c := range []struct {
		v    View
		want string
	}{
		{ledBy(t, 1, 1, "l", "t", "w"), `
Method  #   mean  difference  win  tie  loss  win*  loss*  smallest  settings  blocks
-------------------------------------------------------------------------------------
w       1   8.00       -2.00    1    0     0     1      0      7.07         1       1
TS      2  10.00                                                            1       1
t       3  10.10       +0.10    0    1     0     0      0      7.07         1       1
l       4  13.00       +3.00    0    0     1     0      1      7.07         1       1

Method  on d0/x0
------------------------------------------------
w       better -2.00 [-2.50, -1.50]
TS
t       no difference shown +0.10 [-0.40, +0.60]
l       worse +3.00 [+2.50, +3.50]
`}, {ledBy(t, 2, 2, "lt", "w"), `
Method  #  rank   mean  difference  win  tie  loss  win*  loss*  smallest  settings  blocks
-------------------------------------------------------------------------------------------
w       1  1.00   8.00       -2.00    4    0     0     0      0      7.07         4       2
TS      2  2.00  10.00                                                            4       2
lt      3  3.00  11.55       +1.55    0    2     2     0      0      7.07         4       2
`}} {
		var b strings.Builder
		if err := c.v.MethodTable().Text(&b, width); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), c.want) {
			t.Errorf("%s\nwant %s", b.String(), c.want)
		}
	}
}

// TestNoTestIsDescribedThatIsNotShown: with few blocks neither the legend nor a compact table
// speaks of shifts and p.
func TestNoTestIsDescribedThatIsNotShown(t *testing.T) {
	for datasets, shown := range map[int]bool{5: false, 6: true} {
		v := ledBy(t, datasets, 1, "w")
		legend := strings.Join(v.legend(), " ")
		compact := v.CompactTable()
		for _, has := range []bool{strings.Contains(legend, "Hodges-Lehmann"), strings.Contains(compact.Caption, "Wilcoxon"), len(compact.Columns) == 5} {
			if has != shown {
				t.Errorf("%d data sets: %q, %q, %v", datasets, legend, compact.Caption, compact.Columns)
			}
		}
	}
}
