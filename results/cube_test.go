package results

import (
	"math"
	"reflect"
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
	const atA, atB, atAC = 0, 1, 2
	for _, x := range []struct {
		place  int
		method string
		want   float64
		status Status // empty without a row
	}{{atA, "ts", .1, OK}, {atA, "qats", .2, OK}, {atB, "ts", .4, OK}, {atB, "qats", 0, ""}, {atA, "ir-top", 0, Skip}, {atA, "other", 0, ""}} {
		got := Record{}
		if r := c.Records(x.method, "ece")[x.place]; r != nil {
			got = *r
		}
		if math.Abs(got.Value-x.want) > 1e-12 || got.Status != x.status {
			t.Errorf("%s of %s: %v, %q, want %v, %q", x.method, c.Settings()[x.place].Name(), got.Value, got.Status, x.want, x.status)
		}
	}
	if p := c.Pairs("ts", "qats", "ece")[atA]; p == nil || p.Method != "ts" || p.Difference != -.1 || p.Lo != -.3 || p.Hi != -.05 {
		t.Errorf("the pair turned around: %+v", p)
	}
	if p := c.Pairs("qats", "ts", "ece")[atA]; p == nil || !reflect.DeepEqual(*p, pairs[0]) {
		t.Errorf("the pair: %+v", p)
	}
	if p := c.Pairs("ts", "qats", "ece"); p[atB] != nil || p[atAC] != nil {
		t.Error("a pair that is not there")
	}
	all := []int{atA, atB, atAC}
	if !c.Without(all, "ir-top", "ece") || c.Without(all, "ts", "ece") {
		t.Error("ir-top alone has no value by its nature")
	}
	if got := c.Source(atB, "ece"); got != "measured" {
		t.Errorf("source %q", got)
	}
	if complete, lost := c.Complete([]string{"ts", "qats"}, []string{"ece"}); !slices.Equal(complete, []Setting{a}) || lost != 2 {
		t.Errorf("complete %v, lost %d", complete, lost)
	}
	if got := c.Valued("ece"); got != 3 {
		t.Errorf("%d settings with a value", got)
	}
	trials := c.Trials(all, BySamples)
	if want := []Trial{{"a", [][]int{{atA}, {atAC}}}, {"b", [][]int{{atB}}}}; !reflect.DeepEqual(trials, want) {
		t.Errorf("blocks %v, want %v", trials, want)
	}
	if got := c.Trials([]int{atB, atAC}, ByDataset); len(got) != 2 || got[0].Name != "b" || got[1].Name != "a-c" {
		t.Errorf("blocks of a part: %v", got)
	}
	// a and a-c are two data sets of one block; the settings of a weigh as much as the one of a-c.
	values := []float64{.1, .3, .4}
	if got := (Trial{"a", [][]int{{0, 1}, {2}}}).Mean(func(i int) float64 { return values[i] }); math.Abs(got-.3) > 1e-12 {
		t.Errorf("mean over data sets %v, want 0.3", got)
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
