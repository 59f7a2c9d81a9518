package all

import (
	"bytes"
	"context"
	"math"
	"strings"
	"testing"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/calibtest"
	"github.com/qats-bench/qats/calib/internal/testset"
	"github.com/qats-bench/qats/calib/isotonic"
)

func TestLoadedModelHasTheSameBits(t *testing.T) {
	set := testset.Drawn(300, 4, 2, 1)
	for _, e := range []calib.Entry{calib.UncalEntry, calib.TSEntry, isotonic.IREntry, isotonic.IRTopEntry, isotonic.IROVAEntry} {
		f, err := calib.FitInput(context.Background(), e.Method, calib.Input{Cal: set.View(e.Method.Contract().Cal)})
		if err != nil {
			t.Fatal(err)
		}
		var first, second bytes.Buffer
		model := &calib.Model{Method: e.Name, Version: e.Version, Classes: 4, Fitted: *f}
		if err := model.Save(&first); err != nil {
			t.Fatal(err)
		}
		loaded, err := calib.LoadModel(bytes.NewReader(first.Bytes()), Registry())
		if err != nil {
			t.Fatalf("%s: %v in\n%s", e.Name, err, &first)
		}
		if err := loaded.Save(&second); err != nil {
			t.Fatal(err)
		}
		if first.String() != second.String() {
			t.Errorf("%s: saved\n%sthen\n%s", e.Name, &first, &second)
		}
		if !testset.Near(calibtest.Apply(loaded.Map, set.Logits).Data, calibtest.Apply(f.Map, set.Logits).Data, 0) {
			t.Errorf("%s: the loaded map gives other bits", e.Name)
		}
	}
}

const modelTS = `{"qats": 1, "method": "ts", "version": 4, "options": {}, "classes": 3,
 "params": {"T": 2.5}, "report": {"nll": 1, "gradient": 0, "iterations": 3, "passes": 4}}
`

func TestLoadModelRejects(t *testing.T) {
	if m, err := calib.LoadModel(strings.NewReader(modelTS), Registry()); err != nil || m.Parameters()[0].Value != 2.5 || m.Report.Passes != 4 {
		t.Fatalf("the model that the cases start from: %+v, %v", m, err)
	}
	knots := func(params string) func(string) string {
		return func(s string) string {
			return strings.NewReplacer(`"ts", "version": 4`, `"ir", "version": 4`, `{"T": 2.5}`, params).Replace(s)
		}
	}
	swap := func(old, new string) func(string) string {
		return func(s string) string { return strings.Replace(s, old, new, 1) }
	}
	for _, c := range []struct {
		change func(string) string
		want   string // part of the error
	}{
		{func(string) string { return "" }, "the file ends"},
		{func(s string) string { return s[:40] }, "the file ends"},
		{func(s string) string { return s + "{}" }, "text after the end"},
		{func(string) string { return "[1]" }, "a JSON array, want an object"},
		{func(string) string { return "null" }, `"qats" is 0`},
		{func(string) string { return "T = 2" }, "line 1: invalid character"},
		{swap(`"T": 2.5`, `"T": NaN`), "line 2: invalid character 'N'"},
		{swap(`"qats": 1`, `"qats": 2`), `"qats" is 2, want format 1`},
		{swap(`"qats": 1`, `"cats": 1`), `unknown field "cats"`},
		{swap(`"ts"`, `"tss"`), `unknown method "tss" (known: uncal, ts, `},
		{swap(`"version": 4`, `"version": 7`), "fitted by version 7 of ts, but this is version 4: fit it again"},
		{swap(`"version": 4`, `"version": "1"`), "version is a JSON string"},
		{swap(`"classes": 3`, `"classes": -1`), "classes is -1"},
		{swap(`"classes": 3`, `"classes": 2.5`), "classes is a JSON number 2.5"},
		{swap(`"options": {}`, `"options": 1`), "options is a JSON number"},
		{swap(`"params": {"T": 2.5},`, ``), "no params"},
		{swap(`, "report": {"nll": 1, "gradient": 0, "iterations": 3, "passes": 4}`, ``), "no report"},
		{swap(`"nll": 1`, `"nll": 1, "nil": 1`), `unknown field "nil"`},
		{swap(`{"T": 2.5}`, `{}`), "params of ts: temperature T = 0"},
		{swap(`{"T": 2.5}`, `null`), "params of ts: temperature T = 0"},
		{swap(`{"T": 2.5}`, `[]`), "params of ts: a JSON array, want an object"},
		{swap(`{"T": 2.5}`, `{"t": 2.5}`), "params of ts: T is missing, null or misspelt"},
		{swap(`{"T": 2.5}`, `{"T": 2.5, "a": 1}`), `params of ts: unknown field "a"`},
		{swap(`2.5`, `0`), "params of ts: temperature T = 0"},
		{swap(`2.5`, `-1`), "params of ts: temperature T = -1"},
		{swap(`2.5`, `"2.5"`), "params of ts: T is a JSON string"},
		{swap(`2.5`, `1e999`), "T is a JSON number 1e999"},
		{knots(`{"x": [], "y": []}`), "params of ir: no knots"},
		{knots(`{"x": [0.1, 0.2], "y": [0.3]}`), "2 knots x but 1 values y"},
		{knots(`{"x": [0.1, 0.2], "y": [0.3, 0.2]}`), "y[1] = 0.2 is below y[0] = 0.3"},
		{knots(`{"x": [0.2, 0.1], "y": [0.3, 0.4]}`), "x[1] = 0.1 is not above x[0] = 0.2"},
		{knots(`{"x": [null, 0.1], "y": [0.3, 0.4]}`), "params of ir: x[0] is missing, null or misspelt"},
		{knots(`{"x": [0, 1e302], "y": [0.3, 0.4]}`), "x[1] = 1e+302 is outside [0, 1.07e+301]"},
		{func(s string) string {
			return strings.Replace(knots(`{"classes": [{"x": [0], "y": [1]}]}`)(s), `"ir", "version": 4`, `"irova", "version": 5`, 1)
		}, "classes is 3 but params of irova are for 1"},
		{func(s string) string {
			return strings.Replace(knots(`{"classes": []}`)(s), `"ir", "version": 4`, `"irova", "version": 5`, 1)
		}, "params of irova: no classes"},
	} {
		text := c.change(modelTS)
		m, err := calib.LoadModel(strings.NewReader(text), Registry())
		switch {
		case err == nil:
			t.Errorf("accepted %s as %+v", text, m)
		case !strings.Contains(err.Error(), c.want):
			t.Errorf("error %q, want %q, of\n%s", err, c.want, text)
		case strings.Contains(err.Error(), "\n"):
			t.Errorf("error of several lines: %q", err)
		}
	}
}

// A model that was saved when bounds and warnings were text can be applied.
func TestOlderModelsLoad(t *testing.T) {
	const report = `"passes": 4`
	for _, c := range []struct {
		report, warnings string
		older            bool
	}{
		{report, "", false},
		{report + `, "at_bound": ["t_1 >= t_2", "b <= 20"]`, "at a bound: t_1 >= t_2; at a bound: b <= 20", true},
		{report + `, "at_bound": ["T <= 1000"], "warnings": ["T = 1000: no minimum"]`, "at a bound: T <= 1000; T = 1000: no minimum", true},
		{report + `, "at_bound": [{"parameter": "T", "side": "upper", "limit": 1000}], "warnings": [{"kind": "not-converged", "steps": 3, "value": 0.5}]`, "not converged: gradient 0.5 after 3 steps", false},
	} {
		m, err := calib.LoadModel(strings.NewReader(strings.Replace(modelTS, report, c.report, 1)), Registry())
		if err != nil {
			t.Errorf("%s: %v", c.report, err)
			continue
		}
		if r := m.Report; m.Older != c.older || r.Warnings.String() != c.warnings || r.NLL != 1 || r.Iterations != 3 || r.Passes != 4 || m.Parameters()[0].Value != 2.5 {
			t.Errorf("%s: %+v", c.report, m)
		}
	}
	mixed := strings.Replace(modelTS, report, report+`, "at_bound": ["T <= 1000"], "warnings": [{"text": "a"}]`, 1)
	if _, err := calib.LoadModel(strings.NewReader(mixed), Registry()); err == nil || !strings.Contains(err.Error(), "report.at_bound is a JSON string") {
		t.Errorf("text beside values: %v", err)
	}
}

// A model from any file is rejected, or writes rows that sum to 1 without a panic.
func FuzzLoadModel(f *testing.F) {
	f.Add(modelTS)
	f.Add(strings.NewReplacer(`"ts", "version": 4`, `"ir", "version": 4`, `{"T": 2.5}`, `{"x": [0.1, 0.2], "y": [0.3, 0.5]}`).Replace(modelTS))
	f.Add(strings.NewReplacer(`"ts", "version": 4`, `"ir", "version": 4`, `{"T": 2.5}`, `{"divisor": 1024, "x": [0.1, 0.2], "y": [0.3, 0.5]}`).Replace(modelTS))
	f.Add(strings.NewReplacer(`"ts", "version": 4`, `"ec", "version": 2`, `{"T": 2.5}`, `{"divisor": 0.0009765625, "T": 2.5}`).Replace(modelTS))
	f.Add(strings.NewReplacer(`"ts", "version": 4`, `"ir-top", "version": 5`, `{"T": 2.5}`, `{"x": [0.1, 1], "y": [0, 1]}`).Replace(modelTS))
	f.Add(strings.NewReplacer(`"ts", "version": 4`, `"ir-top", "version": 6`, `{"T": 2.5}`, `{"divisor": 4, "mass": 0.1, "x": [0.1, 1], "y": [0, 1]}`).Replace(modelTS))
	f.Add(strings.NewReplacer(`"ts", "version": 4`, `"irova", "version": 5`, `{"T": 2.5}`,
		`{"classes": [{"x": [0], "y": [1]}, {"x": null, "y": null}, {"x": [0, 1], "y": [0, 0.5]}]}`).Replace(modelTS))
	for _, ecdf := range []string{`"AAAAAAAA8D8AAAAAAAAAQA=="`, `[1, 2]`} {
		f.Add(strings.NewReplacer(`"ts"`, `"qats"`, `{"T": 2.5}`, `{"a": 0.5, "b": 1, "ecdf": `+ecdf+`}`).Replace(modelTS))
	}
	set := testset.Drawn(20, 3, 1, 1)
	f.Fuzz(func(t *testing.T, text string) {
		m, err := calib.LoadModel(strings.NewReader(text), Registry())
		if err != nil || m.Classes != 3 {
			return
		}
		q := calibtest.Apply(m.Map, set.Logits)
		for i := range q.Rows {
			sum := 0.0
			for _, v := range q.Row(i) {
				sum += v
			}
			if !(math.Abs(sum-1) <= 1e-12) {
				t.Fatalf("row %d sums to %v", i, sum)
			}
		}
	})
}

// A model of 0 classes serves any number of them.
func TestModelsOfAnyNumberOfClassesLoad(t *testing.T) {
	m, err := calib.LoadModel(strings.NewReader(strings.Replace(modelTS, `"classes": 3`, `"classes": 0`, 1)), Registry())
	if err != nil || m.Classes != 0 {
		t.Errorf("%+v (%v)", m, err)
	}
}
