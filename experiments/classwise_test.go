package experiments

import (
	"math"
	"testing"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/internal/kernel/softmax"
	"github.com/qats-bench/qats/results"
)

// TestClassBinsAreFilledWhileStreaming through maps of all kinds. A spec without a
// metric of class bins shares the fits but not the sample scores.
func TestClassBinsAreFilledWhileStreaming(t *testing.T) {
	w := newWorld(t)
	const methods = "name: t\nmethods: [uncal, ts, irova]\nsettings: [{dataset: d, backbone: a}]\nbaseline: none\n"
	spec := methods + "metrics: [ece, ece_classwise]\n"
	unit := w.plan(spec, false).Units[0]
	out, _ := w.run(spec, RunOptions{Workers: 1})
	got := map[string]float64{}
	for _, r := range out.Rows.Records {
		if r.Status != results.OK {
			t.Errorf("%s %s: %s", r.Method, r.Metric, r.Note)
		}
		if r.Metric == "ece_classwise_sum" {
			got[r.Method] = r.Value
		}
	}
	set, err := data.Load(t.Context(), unit.test, unit.Setting.Test(), data.Logits|data.Labels)
	if err != nil {
		t.Fatal(err)
	}
	k := set.Logits.Cols
	gap, prob := make([]float64, 15*k), make([]float64, k)
	for i := range set.Logits.Rows {
		for j, v := range softmax.Probs(prob, set.Logits.Row(i), 1) {
			b := 15*j + min(max(int(math.Ceil(15*v))-1, 0), 14)
			gap[b] += v
			if j == int(set.Labels[i]) {
				gap[b]--
			}
		}
	}
	want := 0.0
	for _, g := range gap {
		want += math.Abs(g) / float64(set.Logits.Rows)
	}
	if !(math.Abs(got["uncal"]-want) <= 1e-12) || len(got) != 3 || got["ts"] == got["uncal"] {
		t.Errorf("class-wise ECE %v, uncal should be %v", got, want)
	}

	again, _ := w.run(methods+"metrics: [ece]\n", RunOptions{Workers: 1})
	if again.Fitted != 0 || again.Scored != 3 {
		t.Errorf("without class bins: %d fits, %d scored", again.Fitted, again.Scored)
	}
	with, without := unit.Cells[0].samples, w.plan(methods+"metrics: [ece]\n", false).Units[0].Cells[0].samples
	if with == without {
		t.Error("sample scores with and without class bins share a key")
	}
}
