package experiments

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/results"
)

// odds returns rows of two classes whose log odds are .7 too high and twice too large.
func odds(seed uint64, n int) *data.Set {
	rng := rand.New(rand.NewPCG(seed, 4))
	set := &data.Set{Logits: data.NewMatrix(n, 2), Labels: make([]int32, n)}
	for i := range n {
		z := rng.NormFloat64()
		set.Logits.Row(i)[1] = float32(2*z + .7)
		if rng.Float64() < 1/(1+math.Exp(-z)) {
			set.Labels[i] = 1
		}
	}
	return set
}

// The metrics of the positive class are of the class that a setting names, and so are its intervals. Keys of
// settings without it, and of metrics that do not read it, are what they were.
func TestSettingsNameThePositiveClass(t *testing.T) {
	w := newWorld(t)
	w.write("two/n/cal", odds(1, 400))
	w.write("two/n/test", odds(2, 500))
	const begin = "name: t\nmethods: [uncal, ts, ir-top]\nbaseline: uncal\n"
	const measured = begin + "metrics: [nll, ece_positive, oe, slope, intercept]\nintervals: [intercept]\n"
	at := func(positive string) string { return "settings: [{dataset: two, backbone: n" + positive + "}]\n" }
	run := func(spec string) (values map[string]float64, difference float64, notes string) {
		out, _ := w.run(spec, RunOptions{Workers: 1})
		values = map[string]float64{}
		for _, r := range out.Rows.Records {
			switch {
			case r.Status == results.OK:
				values[r.Method+" "+r.Metric] = r.Value
			case r.Method != "ir-top" || !r.Note.Has(results.NoVector):
				t.Errorf("%s of %s: %s", r.Metric, r.Method, r.Note)
			}
		}
		for _, p := range out.Rows.Pairs {
			if p.Method == "ts" && p.Metric == "intercept" {
				difference = p.Difference
			}
		}
		return values, difference, out.Rows.Settings[0].Notes.String()
	}
	second, d1, n1 := run(measured + at(""))
	first, d0, n0 := run(measured + at(", positive: 0"))
	if named, _, _ := run(measured + at(", positive: 1")); named["uncal oe"] != second["uncal oe"] {
		t.Errorf("class 1 is positive without a name, too: %v, %v", named, second)
	}
	var expected, observed float64
	set := odds(2, 500)
	for i, y := range set.Labels {
		expected += 1 / (1 + math.Exp(float64(set.Logits.Row(i)[1])))
		observed += float64(1 - y)
	}
	for name, c := range map[string]struct{ got, want float64 }{
		"observed / expected of class 0": {first["uncal oe"], observed / expected},
		"the intercept":                  {first["uncal intercept"], -second["uncal intercept"]},
		"its difference":                 {d0, -d1},
		"the slope":                      {first["ts slope"], second["ts slope"]},
		"NLL":                            {first["ts nll"], second["ts nll"]},
	} {
		if !(math.Abs(c.got-c.want) < 1e-6) || c.want == 0 {
			t.Errorf("%s is %v, want %v", name, c.got, c.want)
		}
	}
	if !strings.Contains(n0, "the positive class is 0") || strings.Contains(n1, "positive") {
		t.Errorf("notes %q and %q", n0, n1)
	}
	cell := func(spec string) Cell { return w.plan(spec, false).Units[0].Cells[1] }
	a, b := cell(measured+at("")), cell(measured+at(", positive: 0"))
	if a.samples != b.samples || a.scores == b.scores || a.pair == b.pair {
		t.Error("two positive classes share a key of scores or of pairs, or not the rows")
	}
	if cell(begin+"metrics: [nll]\n"+at("")).scores != cell(begin+"metrics: [nll]\n"+at(", positive: 0")).scores {
		t.Error("NLL has another key")
	}
}
