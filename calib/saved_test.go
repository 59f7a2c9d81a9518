package calib

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/calib/internal/testset"
)

// TestParametersAreThoseOfTheModel: the numbers of a saved fit are found under the
// names of its formula, and what is too long to be read is left out.
func TestParametersAreThoseOfTheModel(t *testing.T) {
	for _, c := range []struct {
		params string
		want   []Parameter
	}{
		{`{"T": 2.5}`, []Parameter{{"T", 2.5}}},
		{`{"b": 1, "a": 0.25, "ecdf": "AAAA"}`, []Parameter{{"b", 1}, {"a", .25}}},
		{`{"knots": [1, 2, 3], "ecdf": null}`, []Parameter{{"t_1", 1}, {"t_2", 2}, {"t_3", 3}}},
		{`{"correct": {"mean": -1, "std": 2}, "theta1": 0}`, []Parameter{{"correct.mean", -1}, {"correct.std", 2}, {"theta1", 0}}},
		{`{"w": [[1, 2], [3, 4]], "b": [1, 2]}`, []Parameter{{"b_1", 1}, {"b_2", 2}}},
		{`{"weights": [` + strings.Repeat("1, ", 16) + `1], "hidden": 16}`, nil},
		{`{"v": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14], "b": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14], "c": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]}`, nil},
		{`{}`, nil},
		{`null`, nil},
	} {
		got, err := Parameters([]byte(`{"qats": 1, "params": ` + c.params + `}`))
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, %v, want %v", c.params, got, err, c.want)
		}
	}
	for _, text := range []string{"", "[", `{"params": {"T": }}`} {
		if _, err := Parameters([]byte(text)); err == nil {
			t.Errorf("%q is no model, but there is no error", text)
		}
	}
}

// TestParametersOfFits: the parameters that the page shows are those of the fitted
// maps.
func TestParametersOfFits(t *testing.T) {
	set := testset.Simulated(400, 4, 3, 1.5, 1)
	f, err := Fit(context.Background(), QaTS{}, set)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := (&Model{Method: "qats", Version: 1, Classes: 4, Fitted: *f}).Save(&b); err != nil {
		t.Fatal(err)
	}
	got, err := Parameters(b.Bytes())
	m := f.Map.(qatsMap)
	if want := []Parameter{{"a", m.A}, {"b", m.B}}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
}
