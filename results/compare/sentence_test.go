package compare

import (
	"fmt"
	"testing"

	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/resultstest"
)

// sentenceOf compares methods with qats over n data sets. values returns the value
// of a method on a data set by each of the metrics; qats has .1.
func sentenceOf(t *testing.T, n int, metrics, methods []string, values func(method string, i int) float64) string {
	t.Helper()
	var records []results.Record
	for i := range n {
		c := cell(fmt.Sprintf("d%02d", i), "x")
		for _, metric := range metrics {
			records = append(records, resultstest.Value(c, "qats", metric, .1))
			for _, m := range methods {
				records = append(records, resultstest.Value(c, m, metric, values(m, i)))
			}
		}
	}
	v := judged(t, records, nil, Options{Metric: metrics[0], Against: "qats"})
	v.Labels = resultstest.Labels(map[string]string{"mine": "Mine"})
	return v.Sentence()
}

func TestSentenceSaysWhatOneMethodShows(t *testing.T) {
	mixed := func(_ string, i int) float64 { return .1 + []float64{-.02, .01, .015, -.005}[i%4] }
	lower := func(_ string, i int) float64 { return .09 - .001*float64(i) }
	near := func(_ string, i int) float64 { return .1 + .0001*[]float64{-16, 12, 17, -11}[i%4] }
	slightly := func(_ string, i int) float64 { return .0995 - .00002*float64(i) }
	higher := func(_ string, i int) float64 { return .11 + .001*float64(i) }
	for _, c := range []struct {
		n      int
		values func(string, int) float64
		want   string
	}{
		{8, mixed, "Mine against QaTS, 8 data sets: NLL 0.0000 [-0.0125, +0.0125], p = 1.00: no difference shown. ECE 0.00 points [-1.25, +1.25] (descriptive)."},
		{8, lower, "Mine against QaTS, 8 data sets: NLL -0.0135 [-0.0160, -0.0110], p = .008: Mine is better. ECE -1.35 points [-1.60, -1.10] (descriptive)."},
		{8, higher, "Mine against QaTS, 8 data sets: NLL +0.0135 [+0.0110, +0.0160], p = .008: Mine is worse. ECE +1.35 points [+1.10, +1.60] (descriptive)."},
		{12, near, "Mine against QaTS, 12 data sets: NLL +0.0001 [-0.0014, +0.0015], p = .51: no difference shown. ECE +0.01 points [-0.14, +0.15] (descriptive), alike within 0.25 points."},
		{12, slightly, "Mine against QaTS, 12 data sets: NLL -0.0006 [-0.0007, -0.0006], p < .001: Mine is better. ECE -0.06 points [-0.07, -0.06] (descriptive), alike within 0.1 points."},
		{3, lower, "Mine against QaTS: 3 independent data sets cannot show a difference."},
		{1, lower, "Mine against QaTS: 1 independent data set cannot show a difference."},
	} {
		if got := sentenceOf(t, c.n, []string{"ece", "nll"}, []string{"mine"}, c.values); got != c.want {
			t.Errorf("%s\nwant %s", got, c.want)
		}
	}
}

func TestSentenceNamesWhatIsShownOfSeveralMethods(t *testing.T) {
	got := sentenceOf(t, 10, []string{"nll"}, []string{"mine", "ts", "ir"}, func(m string, i int) float64 {
		return map[string]float64{"mine": .05, "ts": .2, "ir": .1 + .01*float64(i%2*2-1)}[m] + .001*float64(i)
	})
	want := "Over 10 data sets, of 3 methods Mine is best: better than QaTS by NLL; worse: TS by NLL."
	if got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// TestTheLeaderIsNotAheadOfNoCalibration: the answer says so where the uncalibrated network leads,
// with one setting (means) and with several (ranks).
func TestTheLeaderIsNotAheadOfNoCalibration(t *testing.T) {
	for _, c := range []struct {
		uncal  float64
		blocks int
		want   string
	}{
		{.2, 1, "has the lowest mean ECE over 1 setting"},
		{.2, 3, "ranks best of 3 methods by ECE"},
		{.05, 1, "is the best calibrator by ECE, but the uncalibrated network is better"},
		{.05, 3, "is the best calibrator by ECE, but the uncalibrated network is better"},
	} {
		var records []results.Record
		for i := range c.blocks {
			at := cell(fmt.Sprint("d", i), "x")
			records = append(records, record(at, Uncalibrated, c.uncal), record(at, "ts", .12), record(at, "qats", .1))
		}
		v := View{Comparison: comparison(t, records, nil, Options{Metric: "ece", Against: "ts"}), Labels: labels}
		if method, why := v.Leader(); method != "qats" || why != c.want {
			t.Errorf("%s %s, want qats %s", method, why, c.want)
		}
	}
}

// TestMethodsOfTheSamePrintedRankAreLevel: a method that shares the best mean rank does not lead alone.
func TestMethodsOfTheSamePrintedRankAreLevel(t *testing.T) {
	v := View{Comparison: &Comparison{MetricLabel: "ECE", Ranking: Ranking{Methods: []string{"qats", "mine", "ts"}, Ranks: []float64{2, 2.001, 2.01}}}, Labels: map[string]string{"mine": "Mine"}}
	if method, why := v.Leader(); method != "qats" || why != "ranks best of 3 methods by ECE, level with Mine" {
		t.Errorf("%s %s", method, why)
	}
	if got := v.level(2); len(got) > 0 {
		t.Errorf("level with TS: %v", got)
	}
}
