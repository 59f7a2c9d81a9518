package spec_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/experiments/spec"
)

// A group stands for its methods, in its place. A method that the spec lists itself keeps its
// options and its place, and two groups have a common method once.
func TestGroupsStandForTheirMembers(t *testing.T) {
	for methods, want := range map[string]string{
		`"@recommended"`:                                       "uncal ts ets ir platt-logits quadratic svs hts qats",
		`["@recommended", sms]`:                                "uncal ts ets ir platt-logits quadratic svs hts qats sms",
		`[qats, "@top-label", ts]`:                             "qats ir-top hb-top scaling-binning-top spline platt-top beta-top ts-top qats-top procal ts",
		`["@Top_Label", "@ood", "@target", hfe]`:               "ir-top hb-top scaling-binning-top spline platt-top beta-top ts-top qats-top procal hfe-target label-shift qats-transductive hfe",
		`["@ood", {name: mine, method: hfe, options: {m: 2}}]`: "hfe mine",
		`["@qats", {name: qats-pw, options: {segments: 7}}]`:   "qats qats-free qats-pw-free qats-transductive qats-reading qats-pw",
	} {
		s := parse(t, "name: t\nmethods: "+methods+"\nsettings: {dataset: d, backbone: b}\n")
		if got := strings.Join(s.MethodNames(), " "); got != want {
			t.Errorf("%s: %s\nwant %s", methods, got, want)
		}
	}
	s := parse(t, "name: t\nmethods: [\"@qats\", {name: qats-pw, options: {segments: 7}}]\nsettings: {dataset: d, backbone: b}\n")
	if m := s.Methods[len(s.Methods)-1]; m.Options != "segments: 7\n" {
		t.Errorf("%s has the options %q", m.Name, m.Options)
	}
	list, err := spec.NewMethods(known, []string{"TS", "@recommended", "ts"})
	if err != nil || len(list) != 9 || list[0].Name != "ts" || list[1].Name != "uncal" {
		t.Errorf("%d methods, %v", len(list), err)
	}
	all := parse(t, "name: t\nmethods: \"@all\"\nsettings: {dataset: d, backbone: b}\n")
	if len(all.Methods) != len(known.Methods) {
		t.Errorf("%d methods of %d", len(all.Methods), len(known.Methods))
	}
}

// Metrics have groups too. A metric of a group that the spec cannot have is left out: phi
// compares with uncal.
func TestGroupsOfMetrics(t *testing.T) {
	const defaults = "accuracy ece ece_null aece aece_null nll brier argmax_change"
	for text, want := range map[string]string{
		"methods: [uncal]":                                           defaults,
		"methods: [uncal]\nmetrics: \"@default\"":                    defaults,
		"methods: [uncal]\nmetrics: [auroc, \"@ranking\", \"@all\"]": "auroc aurc corp_dsc augrc accuracy",
		"methods: [uncal]\nmetrics: [\"@proper\"]":                   "nll brier brier_top nll_top phi decomposition decomposition_ts",
		"methods: [ts]\nmetrics: [\"@proper\"]":                      "nll brier brier_top nll_top decomposition decomposition_ts",
	} {
		s := parse(t, "name: t\n"+text+"\nsettings: {dataset: d, backbone: b}\n")
		var names []string
		for _, e := range s.Metrics {
			names = append(names, e.Name)
		}
		if got := strings.Join(names, " "); !strings.HasPrefix(got, want) || len(names) < 20 && got != want {
			t.Errorf("%s: %s\nwant %s", text, got, want)
		}
	}
}

// A view shows those methods of a group that its spec has.
func TestGroupsInViews(t *testing.T) {
	s := parse(t, `name: t
methods: [uncal, ts, qats, qats-free, {name: ours, method: qats-pw}]
settings: {dataset: d, backbone: b}
tables: [{metric: ece, methods: [ts, "@qats", ours]}]
figures: [{kind: reliability, methods: ["@paper"]}]
`)
	if got := s.Tables[0].Only["method"]; !slices.Equal(got, []string{"ts", "qats", "qats-free", "ours"}) {
		t.Errorf("table: %v", got)
	}
	if got := s.Figures[0].Methods; !slices.Equal(got, []string{"uncal", "ts", "qats"}) {
		t.Errorf("figure: %v", got)
	}
}
