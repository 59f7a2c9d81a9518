package experiments

import (
	"strings"
	"testing"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/softmax"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results"
)

// TestVectorMetricsSeeAllProbabilities of maps of all kinds; a top-label method has
// none. A spec without such a metric shares the fits but not the sample scores. The
// store keeps what the metrics read.
func TestVectorMetricsSeeAllProbabilities(t *testing.T) {
	w := newWorld(t)
	const methods = "name: t\nmethods: [uncal, ts, irova, ir-top]\nsettings: [{dataset: d, backbone: a}]\nbaseline: none\n"
	spec := methods + "metrics: [nll, decomposition_ts, lp_variational]\n"
	unit := w.plan(spec, false).Units[0]
	out, _ := w.run(spec, RunOptions{Workers: 1})
	got := map[string]float64{}
	for _, r := range out.Rows.Records {
		switch {
		case r.Method == "ir-top" && r.Metric != "nll":
			if r.Status != results.Skip || !r.Note.Has(results.NoVector) {
				t.Errorf("%s %s: %s %s", r.Method, r.Metric, r.Status, r.Note)
			}
		case r.Status != results.OK && r.Method != "ir-top":
			t.Errorf("%s %s: %s", r.Method, r.Metric, r.Note)
		default:
			got[r.Method+" "+r.Metric] = r.Value
		}
	}
	set, err := data.Load(t.Context(), unit.test, unit.Setting.Test(), data.Logits|data.Labels)
	if err != nil {
		t.Fatal(err)
	}
	probs := data.NewProbs(set.Logits.Rows, set.Logits.Cols)
	for i := range probs.Rows {
		softmax.Probs(probs.Row(i), set.Logits.Row(i), 1)
	}
	samples, err := metrics.FromLogits(set)
	if err != nil {
		t.Fatal(err)
	}
	if samples, err = samples.CrossFit(t.Context(), probs, unit.seed); err != nil {
		t.Fatal(err)
	}
	nll, _, err := metrics.DecomposeTS(samples)
	if err != nil {
		t.Fatal(err)
	}
	if got["uncal nll_refinement"] != nll.Refinement || got["uncal l1_vector"] == got["irova l1_vector"] || got["uncal l1_vector"] == 0 {
		t.Errorf("refinement of uncal is %v, want %v; %v", got["uncal nll_refinement"], nll.Refinement, got)
	}
	for _, m := range []string{"uncal", "ts", "irova"} {
		if d := got[m+" nll_calibration"] + got[m+" nll_refinement"] - got[m+" nll"]; d > 1e-12 || d < -1e-12 {
			t.Errorf("%s: the parts and NLL differ by %g", m, d)
		}
	}

	more, _ := w.run(spec[:strings.LastIndex(spec, "]")]+", brier]\n", RunOptions{Workers: 1})
	if more.Fitted != 0 {
		t.Errorf("another metric: %d fits", more.Fitted)
	}
	for _, r := range more.Rows.Records {
		if v, ok := got[r.Method+" "+r.Metric]; ok && r.Value != v {
			t.Errorf("from the store: %s of %s is %v, want %v", r.Metric, r.Method, r.Value, v)
		}
	}
	with, without := unit.Cells[0].samples, w.plan(methods+"metrics: [nll]\n", false).Units[0].Cells[0].samples
	if with == without {
		t.Error("sample scores with and without vectors share a key")
	}
}
