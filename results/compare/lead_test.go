package compare

import (
	"fmt"
	"strings"
	"testing"

	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/resultstest"
)

// ledBy compares methods with ts by ECE, on the rows of ledRows.
func ledBy(t *testing.T, datasets, n int, methods ...string) View {
	t.Helper()
	records, pairs := ledRows(datasets, n, methods...)
	return judged(t, records, pairs, Options{Metric: "ece", Against: "ts"})
}

// ledRows returns the rows of ts and other methods on settings, which have n networks of each data set. The
// verdict on a method is a win, a tie or a loss by the letters of its name, in turn, by ECE and by NLL.
func ledRows(datasets, n int, methods ...string) (records []results.Record, pairs []results.Pair) {
	for i := range datasets * n {
		c := cell(fmt.Sprint("d", i/n), fmt.Sprint("x", i%n))
		for _, metric := range []string{"ece", "nll"} {
			records = append(records, resultstest.Value(c, "ts", metric, .1))
			for _, m := range methods {
				d := map[byte]float64{'w': -.02, 't': .001, 'l': .03}[m[i%len(m)]]
				const width = .005
				records = append(records, resultstest.Value(c, m, metric, .1+d))
				pairs = append(pairs, resultstest.Pair(c, m, "ts", metric, d, d-width, d+width))
			}
		}
	}
	return records, pairs
}

// TestTheSentenceLeadsWithWhatTheDataShow: of one method verdicts where no test over blocks can show a
// difference, the test where it can; of several methods that none is shown to be better, and what single settings show.
// A method that leads a ranking by ECE is not named for it.
func TestTheSentenceLeadsWithWhatTheDataShow(t *testing.T) {
	for _, c := range []struct {
		v    View
		want string
	}{
		{ledBy(t, 1, 1, "w"), "w against TS: NLL better on d0/x0 (-0.0200 [-0.0250, -0.0150])."},
		{ledBy(t, 1, 2, "wt"), "wt against TS: NLL better on d0/x0 (-0.0200 [-0.0250, -0.0150]) and not shown to differ on d0/x1 (+0.0010 [-0.0040, +0.0060]). 1 independent data set cannot show a difference."},
		{ledBy(t, 1, 1, "w", "t", "l"), "No method is shown to be better than TS: 1 independent data set cannot show a difference. On the test rows of d0/x0, better: w by NLL; worse: l by NLL."},
		{ledBy(t, 4, 3, "wtt"), "wtt against TS: NLL better in 4, worse in 0, no difference in 8 of 12 settings. 4 independent data sets cannot show a difference."},
		{ledBy(t, 4, 3, "lll", "wtt", "wwl", "wwt", "ttt"), "No method is shown to be better than TS: 4 independent data sets cannot show a difference. On single settings, by NLL: wwt better in 8 and worse in 0 of 12; wtt better in 4 and worse in 0 of 12; wwl better in 8 and worse in 4 of 12."},
		{ledBy(t, 6, 1, "w", "t"), "No method is shown to be better than TS: 6 independent data sets are too few to test 2 methods by NLL, which takes 7 independent data sets. On single settings, by NLL: w better in 6 and worse in 0 of 6."},
		{ledBy(t, 6, 1, "w"), "w against TS, 6 data sets: NLL -0.0200 [-0.0200, -0.0200], p = .031: w is better. ECE -2.00 points [-2.00, -2.00] (descriptive). On single settings, by NLL: better in 6, worse in 0, no difference in 0 of 6."},
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
// speaks of shifts and p, and of a calibration error they never speak of p.
func TestNoTestIsDescribedThatIsNotShown(t *testing.T) {
	for datasets, shown := range map[int]bool{5: false, 6: true} {
		v := ledBy(t, datasets, 1, "w")
		legend := strings.Join(v.legend(), " ")
		compact := v.CompactTable()
		for _, has := range []bool{strings.Contains(legend, "Hodges-Lehmann"), strings.Contains(compact.Caption, "descriptive"), compact.Columns[2].Head == "Shift [95 %]"} {
			if has != shown || strings.Contains(compact.Caption, "Wilcoxon") || len(compact.Columns) != 4 {
				t.Errorf("%d data sets: %q, %q, %v", datasets, legend, compact.Caption, compact.Columns)
			}
		}
		records, pairs := ledRows(datasets, 1, "w")
		v = judged(t, records, pairs, Options{Metric: "nll", Against: "ts"})
		legend, compact = strings.Join(v.legend(), " "), v.CompactTable()
		for _, has := range []bool{strings.Contains(legend, "over the methods of the table times both scores"), strings.Contains(compact.Caption, "Wilcoxon"), len(compact.Columns) == 5} {
			if has != shown || strings.Contains(compact.Caption, "descriptive") {
				t.Errorf("%d data sets: %q, %q, %v", datasets, legend, compact.Caption, compact.Columns)
			}
		}
	}
}
