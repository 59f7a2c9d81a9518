package calib

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/calib/internal/fit"
)

func TestSaveRejectsNaN(t *testing.T) {
	for _, m := range []Model{
		{Method: "ts", Fitted: Fitted{Map: Temperature{math.NaN()}}},
		{Method: "ts", Fitted: Fitted{Map: Temperature{1}, Report: Report{NLL: math.Inf(1)}}},
		{Method: "ts", Fitted: Fitted{Map: Temperature{1}}, Options: map[string]any{"x": math.NaN()}},
	} {
		if err := m.Save(&bytes.Buffer{}); err == nil {
			t.Errorf("saved %+v", m)
		}
	}
}

const modelTS = `{"qats": 1, "method": "ts", "version": 4, "options": {}, "classes": 3,
 "params": {"T": 2.5}, "report": {"nll": 1, "gradient": 0, "iterations": 3, "passes": 4}}
`

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
			"qats": qatsMap{fit.Line{A: 0.5, B: 1, ECDF: e}},
		} {
			entry, _ := lookup(method)
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
			back, err := LoadModel(&text, entries())
			if err != nil || !reflect.DeepEqual(back.Map, m) {
				t.Errorf("%s with %d ranks reads back otherwise: %v", method, n, err)
			}
		}
	}
	bad := Model{Method: "qats", Fitted: Fitted{Map: qatsMap{fit.Line{A: 1, B: 1, ECDF: fit.ECDF{math.NaN()}}}}}
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
		m, err := LoadModel(strings.NewReader(model(ecdf)), entries())
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
		_, err := LoadModel(strings.NewReader(model(ecdf)), entries())
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
