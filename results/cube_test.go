package results

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/metrics"
)

// cubeRows are values of ece: a network in two experiments, two trainings of another one, a draw
// and a rescaled copy, which do not count.
func cubeRows() (records []Record, pairs []Pair) {
	add := func(experiment, dataset string, v Variant, method string, value float64) {
		s := Setting{Experiment: experiment, Dataset: dataset, Backbone: "x", Loss: "ce", Variant: v}
		r := Record{Setting: s, Method: method, Metric: "ece", Value: value, N: 9, Source: "measured", Status: OK}
		if math.IsNaN(value) {
			r.Value, r.N, r.Status, r.Note = 0, 0, Skip, Notes{{Kind: NoVector}}
		}
		records = append(records, r)
	}
	for _, e := range []string{"one", "two"} {
		add(e, "a", Variant{}, "ts", .1)
	}
	add("two", "a", Variant{}, "qats", .2)
	for seed, value := range []float64{.3, .5} {
		add("one", "b", Seed(seed), "ts", value)
	}
	add("one", "a", Variant{Rescale: 2}, "ts", .9)
	add("one", "a", Variant{Split: 1}, "ts", .8)
	add("one", "a-c", Variant{}, "ts", .4)
	add("one", "a", Variant{}, "ir-top", math.NaN())
	return records, []Pair{{Setting: records[0].Setting, Method: "qats", Against: "ts", Metric: "ece", Difference: .1, Lo: .05, Hi: .3, N: 9, Source: "measured", Interval: metrics.Normal}}
}

func TestCubeSaysWhichValueACellHas(t *testing.T) {
	records, pairs := cubeRows()
	c, err := NewCube(records, pairs, View{})
	if err != nil {
		t.Fatal(err)
	}
	a, b, ac := Setting{Dataset: "a", Backbone: "x", Loss: "ce"}, Setting{Dataset: "b", Backbone: "x", Loss: "ce"}, Setting{Dataset: "a-c", Backbone: "x", Loss: "ce"}
	if got := c.Settings(); !slices.Equal(got, []Setting{a, b, ac}) {
		t.Errorf("settings %v", got)
	}
	if got := c.Methods(); !slices.Equal(got, []string{"ts", "qats", "ir-top"}) {
		t.Errorf("methods %v", got)
	}
	for _, x := range []struct {
		s      Setting
		method string
		want   float64
		why    string
	}{{a, "ts", .1, ""}, {a, "qats", .2, ""}, {b, "ts", .4, ""}, {b, "qats", 0, "was not run"}, {a, "ir-top", 0, "top-label method: no class vector"}} {
		if got, ok, why := c.Value(x.s, x.method, "ece"); math.Abs(got-x.want) > 1e-12 || ok != (x.why == "") || why != x.why {
			t.Errorf("%s of %s: %v, %v, %q, want %v, %q", x.method, x.s.Name(), got, ok, why, x.want, x.why)
		}
	}
	if p, ok := c.Pair(a, "ts", "qats", "ece"); !ok || p.Difference != -.1 || p.Lo != -.3 || p.Hi != -.05 {
		t.Errorf("the pair turned around: %+v, %v", p, ok)
	}
	if _, ok := c.Pair(b, "ts", "qats", "ece"); ok {
		t.Error("a pair that is not there")
	}
	if !c.Without(c.Settings(), "ir-top", "ece") || c.Without(c.Settings(), "ts", "ece") {
		t.Error("ir-top alone has no value by its nature")
	}
	if got := c.Source(b, "ece"); got != "measured" {
		t.Errorf("source %q", got)
	}
	names, members := c.Blocks(c.Settings(), BySamples)
	if !slices.Equal(names, []string{"a", "b"}) || !slices.Equal(members["a"], []Setting{a, ac}) {
		t.Errorf("blocks %v, %v", names, members)
	}
	value := func(s Setting) float64 {
		x, _, _ := c.Value(s, "ts", "ece")
		return x
	}
	// a and a-c are two data sets of one block; b weighs as much as both.
	if got := OverDatasets([]Setting{a, ac, ac}, value); math.Abs(got-.25) > 1e-12 {
		t.Errorf("mean over data sets %v, want 0.25", got)
	}
}

func TestViewsOfVariants(t *testing.T) {
	records, _ := cubeRows()
	for name, c := range map[string]struct {
		view View
		want []string
	}{
		"a variant asked for by name": {View{Variants: []string{"rescale=2"}}, []string{"a/x/rescale=2"}},
		"single trainings":            {View{Single: func(s Setting) bool { return s.Variant.Training > 0 }}, []string{"b/x/seed=0", "b/x/seed=1"}},
		"another metric":              {View{Metrics: []string{"nll"}}, nil},
	} {
		cube, err := NewCube(records, nil, c.view)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, s := range cube.Settings() {
			got = append(got, s.Name())
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// Two experiments with different values of one cell are an error, as it is not known which holds.
func TestCubeRefusesTwoValuesOfACell(t *testing.T) {
	records, _ := cubeRows()
	records[1].Value = .15
	_, err := NewCube(records, nil, View{})
	if err == nil || !strings.Contains(err.Error(), "ece of ts on a/x is 0.1 in experiment one and 0.15 in two") {
		t.Error(err)
	}
	if _, err := NewCube(records, nil, View{Metrics: []string{"nll"}}); err != nil {
		t.Errorf("of another metric: %v", err)
	}
}

// A mean over settings weighs several trainings of a network as one.
func TestMeanOverSettingsWeighsTrainingsAsOne(t *testing.T) {
	records, _ := cubeRows()
	of := []Record{records[0], records[3], records[4]} // .1; .3 and .5
	if got := MeanOverSettings(of); math.Abs(got-.25) > 1e-12 {
		t.Errorf("%v, want 0.25", got)
	}
}
