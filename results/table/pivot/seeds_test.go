package pivot

import (
	"math"
	"strings"
	"testing"

	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/crosstab"
	"github.com/qats-bench/qats/results/resultstest"
)

// TestTrainingsOfANetworkCountOnceInAnAverage, and the rows say how many there are.
func TestTrainingsOfANetworkCountOnceInAnAverage(t *testing.T) {
	var records []results.Record
	add := func(dataset, backbone string, v results.Variant, x float64) {
		records = append(records, resultstest.Value(resultstest.Varied(resultstest.Setting("e", dataset, backbone), v), "ts", "ece", x))
	}
	add("a", "plain", results.Variant{}, .10)
	add("a", "several", results.Seed(0), .01)
	add("a", "several", results.Seed(1), .02)
	add("a", "several", results.Seed(2), .03) // mean .02
	for _, c := range []struct {
		spec   crosstab.Spec
		values []float64
		labels string
		legend string
	}{
		{crosstab.Spec{Name: "t", Metric: "ece", Rows: []string{"dataset", "backbone"}, Average: []string{"variant"}}, []float64{.10, .02}, "plain (1 setting), several (3 seeds)",
			"the number of settings, or of the seeds of one, is given with each row. Several trainings of a network, which differ in the seed, are one setting"},
		{crosstab.Spec{Name: "t", Metric: "ece", Rows: []string{"dataset"}, Average: []string{"backbone", "variant"}}, []float64{.06}, "",
			"Each number is the mean of 2 settings (over backbone, variant). Several trainings"},
		{crosstab.Spec{Name: "t", Metric: "ece", Rows: []string{"dataset", "backbone", "variant"}, Mean: true}, []float64{.10, .01, .02, .03, .06}, "2 settings", ""},
	} {
		p, err := Of(records, c.spec)
		if err != nil {
			t.Fatal(err)
		}
		var labels []string
		for i, r := range p.Rows {
			if x := r.Cells[0].Value; math.Abs(x-c.values[i]) > 1e-15 {
				t.Errorf("%v, row %d: %v, want %v", c.spec.Rows, i, x, c.values[i])
			}
			if list := p.labels(r); len(list) > 1 {
				labels = append(labels, list[1])
			}
		}
		legend := ""
		for _, s := range p.legend() {
			legend += s.Text
		}
		if len(p.Rows) != len(c.values) || !strings.HasSuffix(strings.Join(labels, ", "), c.labels) || !strings.Contains(legend, c.legend) {
			t.Errorf("%v: %d rows, labels %q, legend %q", c.spec.Rows, len(p.Rows), labels, legend)
		}
	}
	if n := CountSettings(records, notOfPaper); n.Measured != 2 {
		t.Errorf("%+v", n)
	}
}

// trained returns the records of two networks: a with three seeds, in two data sets, and b, as it is.
func trained() []results.Record {
	var records []results.Record
	for i, dataset := range []string{"d", "e"} {
		for seed, x := range []float64{.02, .04, .09} { // mean .05, standard deviation sqrt(13)/100
			at := resultstest.Varied(resultstest.Setting("e", dataset, "a"), results.Seed(seed))
			records = append(records, resultstest.Value(at, "ts", "ece", x+float64(i)/10), resultstest.Value(at, "qats", "ece", x/2+float64(i)/10))
		}
		b := resultstest.Setting("e", dataset, "b")
		records = append(records, resultstest.Value(b, "ts", "ece", .03), resultstest.Value(b, "qats", "ece", .02))
	}
	return records
}

// A table that says nothing of variants has the mean and the standard deviation of the seeds of a network in each of its
// forms, and no deviation of other numbers.
func TestNumbersOverSeedsHaveTheirDeviation(t *testing.T) {
	p, err := Of(trained(), crosstab.Spec{Name: "t", Metric: "ece", Percent: true, Better: metrics.Lower, Rows: []string{"dataset", "backbone"}, Mean: true})
	if err != nil {
		t.Fatal(err)
	}
	c := p.Rows[0].Cells[0]
	if math.Abs(c.Value-.05) > 1e-15 || math.Abs(c.Deviation-math.Sqrt(13)/100) > 1e-15 || c.Spread != "3.61" {
		t.Errorf("%+v", c)
	}
	for _, i := range []int{1, 3, 4} { // of b, and the mean over the rows
		if c := p.Rows[i].Cells[0]; c.Spread != "" {
			t.Errorf("row %d: %+v", i, c)
		}
	}
	var text, tex, csv strings.Builder
	for _, err := range []error{p.Text(&text), p.Table().Typeset(&tex), p.Table().CSV(&csv)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for what, has := range map[string]bool{
		"a text":   strings.Contains(text.String(), "_5.00_+-3.61") && strings.Contains(text.String(), "*2.50*+-1.80"),
		"LaTeX":    strings.Contains(tex.String(), `\underline{5.00}\,$\pm$\,3.61 & \phantom{0}\textbf{2.50}\,$\pm$\,1.80`) && strings.Contains(tex.String(), `\underline{3.00}\hphantom{\,$\pm$\,0000}`),
		"CSV":      strings.HasPrefix(csv.String(), "dataset,backbone,ts,ts_sd,qats,qats_sd,source\nd,a,0.05,0.0360555128,0.025,0.0180277564,measured\nd,b,0.03,,0.02,,measured\n"),
		"a legend": strings.Contains(strings.Join(strings.Fields(text.String()), " "), "After +-: the standard deviation over the seeds of a network (n - 1 in its denominator)."),
	} {
		if !has {
			t.Errorf("not in %s:\n%s%s%s", what, text.String(), tex.String(), csv.String())
		}
	}
}

// Where every number is of as many seeds, the legend says it once; methods may make the rows.
func TestTheLegendHasTheNumberOfSeeds(t *testing.T) {
	p, err := Of(trained(), crosstab.Spec{Name: "t", Metric: "ece", Rows: []string{"method"}, Columns: "dataset", Only: results.Filter{"backbone": {"a"}}})
	if err != nil {
		t.Fatal(err)
	}
	legend := ""
	for _, s := range p.legend() {
		legend += s.Text + " "
	}
	if !strings.Contains(legend, "Each number is the mean over the 3 seeds of a network. After") || p.Rows[0].Cells[1].Spread == "" {
		t.Errorf("%s; %+v", legend, p.Rows[0].Cells)
	}
}

// An average over data sets has no deviation, and rows by variant show each seed. Splits are no trainings: their average has
// none, and a table that does not name variants leaves them out.
func TestOtherMeansHaveNoDeviation(t *testing.T) {
	records := trained()
	for split := range 3 {
		at := resultstest.Varied(resultstest.Setting("e", "d", "b"), results.Variant{Split: split + 1})
		records = append(records, resultstest.Value(at, "ts", "ece", .01*float64(split)), resultstest.Value(at, "qats", "ece", .02))
	}
	for _, c := range []struct {
		spec      crosstab.Spec
		rows      int
		uncounted int
	}{
		{crosstab.Spec{Rows: []string{"backbone"}, Average: []string{"dataset"}}, 2, 3},
		{crosstab.Spec{Rows: []string{"dataset", "backbone", "variant"}}, 11, 0},
		{crosstab.Spec{Rows: []string{"dataset"}, Average: []string{"variant"}, Only: results.Filter{"backbone": {"b"}}}, 2, 0},
		{crosstab.Spec{Rows: []string{"dataset"}, Only: results.Filter{"backbone": {"b"}}}, 2, 3},
	} {
		c.spec.Name, c.spec.Metric = "t", "ece"
		p, err := Of(records, c.spec)
		if err != nil {
			t.Fatal(err)
		}
		if len(p.Rows) != c.rows || p.Uncounted != c.uncounted {
			t.Errorf("%+v: %d rows, %d left out", c.spec, len(p.Rows), p.Uncounted)
		}
		if p.any(func(c Cell) bool { return c.Spread != "" }) {
			t.Errorf("%+v: a number has a deviation", c.spec)
		}
	}
}

// A network as it is and its trainings are not joined: the table has to say which it shows.
func TestTrainingsAreNotJoinedWithOtherSets(t *testing.T) {
	records := append(trained(), resultstest.Value(resultstest.Setting("e", "d", "a"), "ts", "ece", .1))
	_, err := Of(records, crosstab.Spec{Name: "t", Metric: "ece", Rows: []string{"dataset", "backbone"}})
	if err == nil || !strings.Contains(err.Error(), `differ in column variant: "seed=0"`) {
		t.Error(err)
	}
}

// The difference from the baseline of several seeds is the mean, with the means of the ends, and there is none where that of a
// seed is missing. The band of a mean is not known.
func TestBelowTheMeanOfSeeds(t *testing.T) {
	var pairs []results.Pair
	for seed, d := range []float64{-.01, -.03, -.08} {
		at := resultstest.Varied(resultstest.Setting("e", "d", "a"), results.Seed(seed))
		pairs = append(pairs, resultstest.Pair(at, "qats", "ts", "ece", d, d-.01, d+.01))
	}
	records := trained()
	for _, r := range trained() {
		for _, end := range []string{"_null_lo", "_null_hi"} {
			r.Metric = "ece" + end
			records = append(records, r)
		}
	}
	spec := crosstab.Spec{Name: "t", Metric: "ece", Percent: true, Rows: []string{"dataset", "backbone"}, Interval: true, ConsistencyBand: true}
	below := func(pairs []results.Pair) []string {
		p, err := Of(records, spec)
		if err != nil {
			t.Fatal(err)
		}
		p.Pair(pairs)
		return []string{p.Rows[0].Cells[1].below(), p.Rows[1].Cells[1].below()}
	}
	if got := below(pairs); got[0] != "-4.00 [-5.00, -3.00]" || got[1] != "[2.0, 2.0]" {
		t.Errorf("%q", got)
	}
	if got := below(pairs[:2]); got[0] != "" {
		t.Errorf("without the pair of a seed: %q", got)
	}
}
