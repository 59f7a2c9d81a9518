package calib

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/calib/internal/fit"
	"github.com/qats-bench/qats/calib/internal/testset"
)

func TestLoadedModelHasTheSameBits(t *testing.T) {
	set := testset.Drawn(300, 4, 2, 1)
	for _, e := range []Entry{uncalEntry, tsEntry, irEntry, irTopEntry, irOVAEntry} {
		f, err := e.Method.Fit(context.Background(), Input{Cal: set.View(e.Method.Contract().Cal)})
		if err != nil {
			t.Fatal(err)
		}
		var first, second bytes.Buffer
		model := &Model{Method: e.Name, Version: e.Version, Classes: 4, Fitted: *f}
		if err := model.Save(&first); err != nil {
			t.Fatal(err)
		}
		loaded, err := LoadModel(bytes.NewReader(first.Bytes()), Registry())
		if err != nil {
			t.Fatalf("%s: %v in\n%s", e.Name, err, &first)
		}
		if err := loaded.Save(&second); err != nil {
			t.Fatal(err)
		}
		if first.String() != second.String() {
			t.Errorf("%s: saved\n%sthen\n%s", e.Name, &first, &second)
		}
		if !testset.Near(applied(loaded.Map, set.Logits).Data, applied(f.Map, set.Logits).Data, 0) {
			t.Errorf("%s: the loaded map gives other bits", e.Name)
		}
	}
}

func TestSaveRejectsNaN(t *testing.T) {
	for _, m := range []Model{
		{Method: "ts", Fitted: Fitted{Map: temperatureMap{math.NaN()}}},
		{Method: "ts", Fitted: Fitted{Map: temperatureMap{1}, Report: Report{NLL: math.Inf(1)}}},
		{Method: "ts", Fitted: Fitted{Map: temperatureMap{1}}, Options: map[string]any{"x": math.NaN()}},
	} {
		if err := m.Save(&bytes.Buffer{}); err == nil {
			t.Errorf("saved %+v", m)
		}
	}
}

const modelTS = `{"qats": 1, "method": "ts", "version": 2, "options": {}, "classes": 3,
 "params": {"T": 2.5}, "report": {"nll": 1, "gradient": 0, "iterations": 3, "passes": 4}}
`

func TestLoadModelRejects(t *testing.T) {
	if m, err := LoadModel(strings.NewReader(modelTS), Registry()); err != nil || m.Map.(temperatureMap).T != 2.5 || m.Report.Passes != 4 {
		t.Fatalf("the model that the cases start from: %+v, %v", m, err)
	}
	knots := func(params string) func(string) string {
		return func(s string) string {
			return strings.NewReplacer(`"ts", "version": 2`, `"ir", "version": 3`, `{"T": 2.5}`, params).Replace(s)
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
		{swap(`"version": 2`, `"version": 7`), "fitted by version 7 of ts, but this is version 2: fit it again"},
		{swap(`"version": 2`, `"version": "1"`), "version is a JSON string"},
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
			return strings.Replace(knots(`{"classes": [{"x": [0], "y": [1]}]}`)(s), `"ir", "version": 3`, `"irova", "version": 4`, 1)
		}, "classes is 3 but params of irova are for 1"},
		{func(s string) string {
			return strings.Replace(knots(`{"classes": []}`)(s), `"ir", "version": 3`, `"irova", "version": 4`, 1)
		}, "params of irova: no classes"},
	} {
		text := c.change(modelTS)
		m, err := LoadModel(strings.NewReader(text), Registry())
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

// A model from any file is rejected, or writes rows that sum to 1 without a panic.
func FuzzLoadModel(f *testing.F) {
	f.Add(modelTS)
	f.Add(strings.NewReplacer(`"ts"`, `"ir"`, `{"T": 2.5}`, `{"x": [0.1, 0.2], "y": [0.3, 0.5]}`).Replace(modelTS))
	f.Add(strings.NewReplacer(`"ts"`, `"ir-top"`, `{"T": 2.5}`, `{"x": [0.1, 1], "y": [0, 1]}`).Replace(modelTS))
	f.Add(strings.NewReplacer(`"ts", "version": 2`, `"irova", "version": 3`, `{"T": 2.5}`,
		`{"classes": [{"x": [0], "y": [1]}, {"x": null, "y": null}, {"x": [0, 1], "y": [0, 0.5]}]}`).Replace(modelTS))
	for _, ecdf := range []string{`"AAAAAAAA8D8AAAAAAAAAQA=="`, `[1, 2]`} {
		f.Add(strings.NewReplacer(`"ts"`, `"qats"`, `{"T": 2.5}`, `{"a": 0.5, "b": 1, "ecdf": `+ecdf+`}`).Replace(modelTS))
	}
	set := testset.Drawn(20, 3, 1, 1)
	f.Fuzz(func(t *testing.T, text string) {
		m, err := LoadModel(strings.NewReader(text), Registry())
		if err != nil || m.Classes != 3 {
			return
		}
		q := applied(m.Map, set.Logits)
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

// An ecdf that is written in parts is one JSON string, the base64 of its bytes, and is
// read back with the same bits.
func TestRanksAreSavedExactly(t *testing.T) {
	for _, n := range []int{1, 2, 3, (3 << 10) - 1, (3 << 10), (3 << 10) + 1, 2*(3<<10) + 5} {
		e := make(fit.ECDF, n)
		raw := make([]byte, 0, 8*n)
		for i := range e {
			e[i] = math.Exp(float64(i-n) / 40)
			raw = binary.LittleEndian.AppendUint64(raw, math.Float64bits(e[i]))
		}
		for method, m := range map[string]Map{
			"qats": qatsMap{A: 0.5, B: 1, ECDF: e}, "qats-pw": knotsMap{Knots: []float64{2, 1}, ECDF: e},
		} {
			entry, _ := Lookup(method)
			var text bytes.Buffer
			if err := (&Model{Method: method, Version: entry.Version, Classes: 3, Fitted: Fitted{Map: m}}).Save(&text); err != nil {
				t.Fatal(err)
			}
			want, err := json.Marshal(m)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Contains(text.Bytes(), want) || !bytes.HasSuffix(want, []byte(`"ecdf":"`+base64.StdEncoding.EncodeToString(raw)+`"}`)) {
				t.Errorf("%s with %d ranks: %.200s", method, n, &text)
			}
			back, err := LoadModel(&text, Registry())
			if err != nil || !reflect.DeepEqual(back.Map, m) {
				t.Errorf("%s with %d ranks reads back otherwise: %v", method, n, err)
			}
		}
	}
	bad := Model{Method: "qats", Fitted: Fitted{Map: qatsMap{A: 1, B: 1, ECDF: fit.ECDF{math.NaN()}}}}
	if bad.Save(&bytes.Buffer{}) == nil {
		t.Error("saved a rank that is no number")
	}
}

// Ranks are read from base64, as numpy writes it (base64.b64encode of
// numpy.array([1, 2], "<f8")), or from numbers, and anything else is rejected.
func TestRanksAreReadFromBase64OrNumbers(t *testing.T) {
	model := func(ecdf string) string {
		return strings.NewReplacer(`"ts"`, `"qats"`, `{"T": 2.5}`, `{"a": 0.5, "b": 1, `+ecdf+`}`).Replace(modelTS)
	}
	for _, ecdf := range []string{`"ecdf": "AAAAAAAA8D8AAAAAAAAAQA=="`, `"ecdf": [1, 2]`} {
		m, err := LoadModel(strings.NewReader(model(ecdf)), Registry())
		if err != nil || !slices.Equal(m.Map.(qatsMap).ECDF, []float64{1, 2}) {
			t.Errorf("%s: %+v, %v", ecdf, m, err)
		}
	}
	const neither = "params of qats: ecdf: want float64 numbers in base64"
	for ecdf, want := range map[string]string{
		`"ecdf": "AAAAAAAA8D8AAAAAAAAAQA="`:        neither, // cut
		`"ecdf": "AAAAAAAA8D8AAAAAAAAAQB=="`:       neither, // bits beyond the last byte
		`"ecdf": "AAAAAAAA8D8A"`:                   neither, // 9 bytes
		`"ecdf": "AAAAAAAA8D8*"`:                   neither,
		`"ecdf": ["1"]`:                            neither,
		`"ecdf": [null, 1]`:                        neither,
		`"ecdf": [1e999]`:                          neither,
		`"ecdf": null`:                             neither,
		`"ecdf": {}`:                               neither,
		`"ecdf": ""`:                               "ecdf: empty",
		`"c": 1`:                                   `unknown field "c"`,
		`"ecdf": "AAAAAAAAAEAAAAAAAADwPw=="`:       "ecdf[1] = 1: want ascending", // 2, 1
		`"ecdf": "AAAAAAAA+H8="`:                   "ecdf[0] = NaN",
		`"ECDF": "AAAAAAAA8D8AAAAAAAAAQA=="`:       "ECDF is misspelt",
		`"ecdf": [1, 2], "ecdF": [1]`:              "ecdF is misspelt",
		`"A": 0.5, "ecdf": [1], "a": null, "b": 1`: "",
		`"ecdf": [1, 2]}, "report": {"nll": 1}, "params": {"a": 1`: "b = 0",
	} {
		_, err := LoadModel(strings.NewReader(model(ecdf)), Registry())
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", ecdf, err, want)
		}
	}
}

// The place of the first difference is named, also if one list is the beginning of the
// other.
func TestDifferencesOfModelsHaveTheirPlace(t *testing.T) {
	list := func(n ...any) any { return map[string]any{"a": n} }
	for _, c := range []struct {
		got, want any
		at        string
	}{
		{list(1.0, 2.0), list(1.0, 2.0), ""}, {list(1.0, 2.0), list(1.0, 3.0), "a[1]"}, {list(1.0), list(1.0, 2.0), "a"}, {list(1.0, 2.0), list(1.0), "a"},
		{map[string]any{"a": 1.0}, list(1.0), "a"}, {1.0, list(1.0), "the object"},
	} {
		if at := difference("", c.got, c.want); at != c.at {
			t.Errorf("%v and %v differ at %q, want %q", c.got, c.want, at, c.at)
		}
	}
}

// A model of 0 classes serves any number of them.
func TestModelsOfAnyNumberOfClassesLoad(t *testing.T) {
	m, err := LoadModel(strings.NewReader(strings.Replace(modelTS, `"classes": 3`, `"classes": 0`, 1)), Registry())
	if err != nil || m.Classes != 0 {
		t.Errorf("%+v (%v)", m, err)
	}
}
