package pivot

import (
	"math"
	"strings"
	"testing"

	"github.com/qats-bench/qats/results"
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
		spec   Spec
		values []float64
		labels string
		legend string
	}{
		{Spec{Name: "t", Metric: "ece", Rows: []string{"dataset", "backbone"}, Average: []string{"variant"}}, []float64{.10, .02}, "plain (1 setting), several (3 seeds)",
			"the number of settings, or of the seeds of one, is given with each row. Several trainings of a network, which differ in the seed, are one setting"},
		{Spec{Name: "t", Metric: "ece", Rows: []string{"dataset"}, Average: []string{"backbone", "variant"}}, []float64{.06}, "",
			"Each number is the mean of 2 settings (over backbone, variant). Several trainings"},
		{Spec{Name: "t", Metric: "ece", Rows: []string{"dataset", "backbone", "variant"}, Mean: true}, []float64{.10, .01, .02, .03, .06}, "2 settings", ""},
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
