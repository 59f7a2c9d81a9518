package spec

import (
	"testing"

	"github.com/qats-bench/qats/calib/all"
	"github.com/qats-bench/qats/data/keyed"
	"github.com/qats-bench/qats/metrics"
)

// TestNamesMatchWithoutCase, and a name as it is registered comes first.
func TestNamesMatchWithoutCase(t *testing.T) {
	known := []string{"ts", "ece_null", "mine", "Mine", "QaTS-PW2"}
	for got, want := range map[string]string{
		"ts": "ts", "TS": "ts", "ECE_NULL": "ece_null", "ece-null": "ece_null", "qats_pw2": "QaTS-PW2",
		"mine": "mine", "Mine": "Mine", "MINE": "", "t": "", "": "",
	} {
		if match, ok := keyed.Match(got, known); match != want || ok != (want != "") {
			t.Errorf("%s: %q, %v, want %q", got, match, ok, want)
		}
	}
}

// TestUnknownNamesHaveSuggestions for slips of the pen, and for other names of the
// same thing.
func TestUnknownNamesHaveSuggestions(t *testing.T) {
	for got, want := range map[string]string{
		"qast":                "qats",
		"qat":                 "qats",
		"QATZ":                "qats",
		"temperature_scaling": "ts",
		"Temperature Scaling": "ts",
		"isotonic":            "ir",
		"dirichlets":          "dirichlet",
	} {
		_, err := MatchMethod(all.Registry(), nil, got)
		if err == nil || err.Error() != `unknown method "`+got+`" (did you mean `+want+`?)` {
			t.Errorf("%v, want %s", err, want)
		}
	}
	for got, want := range map[string]string{"acuracy": "accuracy", "acc": "accuracy", "EEC": "ece", "auc": "auroc"} {
		_, err := MatchMetric(metrics.Registry(), nil, got)
		if err == nil || err.Error() != `unknown metric "`+got+`" (did you mean `+want+`?)` {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestAliasesStandForOneNameEach, and none is the name of another method or metric.
func TestAliasesStandForOneNameEach(t *testing.T) {
	seen := map[string]string{}
	for _, e := range all.Registry() {
		seen[keyed.Plain(e.Name)] = e.Name
	}
	for _, e := range all.Registry() {
		for _, a := range e.Aliases {
			if other := seen[keyed.Plain(a)]; other != "" {
				t.Errorf("%s is an alias of %s and names %s", a, e.Name, other)
			}
			seen[keyed.Plain(a)] = e.Name
		}
	}
	seen = map[string]string{}
	for _, e := range metrics.Registry() {
		seen[keyed.Plain(e.Name)] = e.Name
	}
	for _, e := range metrics.Registry() {
		for _, a := range e.Aliases {
			if other := seen[keyed.Plain(a)]; other != "" {
				t.Errorf("%s is an alias of %s and names %s", a, e.Name, other)
			}
			seen[keyed.Plain(a)] = e.Name
		}
	}
}

// TestSpecNamesMatchWithoutCase wherever a spec names a method or a metric, and the
// rows have the registered names.
func TestSpecNamesMatchWithoutCase(t *testing.T) {
	known := Registry{Methods: all.Registry(), Metrics: metrics.Registry()}
	s, err := Parse("s.yaml", []byte(`name: s
methods: [TS, QaTS, {name: Mine, method: IR}, {name: HB, label: Bins}]
metrics: [ECE, ece-null]
baseline: Ts
settings: {dataset: a, backbone: b}
tables: [{metric: Ece, methods: [ts, MINE], highlight: mine}]
figures: [{kind: Reliability, methods: [TS]}, {kind: rank-bins, metric: ECE}]
`), known)
	if err != nil {
		t.Fatal(err)
	}
	if got := s.MethodNames(); len(got) != 4 || got[0] != "ts" || got[1] != "qats" || got[2] != "Mine" || got[3] != "hb" {
		t.Errorf("methods %q", got)
	}
	if s.Metrics[1].Name != "ece_null" || s.Baseline != "ts" || s.Tables[0].Metric != "ece" || s.Tables[0].Highlight != "Mine" ||
		s.Figures[0].Kind.Name != "reliability" || s.Figures[0].Methods[0] != "ts" || s.Figures[1].Metrics[0] != "ece" {
		t.Errorf("%+v", s)
	}
	if _, err := Parse("s.yaml", []byte("name: s\nmethods: [TS, ts]\nsettings: {dataset: a, backbone: b}\n"), known); err == nil {
		t.Error("a method twice")
	}
}
