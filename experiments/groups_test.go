package experiments

import (
	"github.com/qats-bench/qats/results"
	"slices"
	"strings"
	"testing"

	"github.com/qats-bench/qats/calib/all"
	"github.com/qats-bench/qats/experiments/spec"
	"github.com/qats-bench/qats/metrics"
)

// membersOf returns the members of a group, which must exist.
func membersOf(t *testing.T, groups []spec.Group, name string) []string {
	t.Helper()
	g, err := spec.MatchGroup(groups, name)
	if err != nil {
		t.Fatal(err)
	}
	return g.Members()
}

func TestGroupsOfMethodsAreOfTheRegistry(t *testing.T) {
	var names []string
	for _, e := range all.Registry() {
		names = append(names, e.Name)
	}
	grouped := map[string]bool{}
	seen := map[string]bool{}
	for _, g := range methodGroups() {
		members := g.Members()
		if !strings.HasPrefix(g.Name, "@") || seen[g.Name] || g.Summary == "" || len(members) == 0 {
			t.Errorf("group %s with %v: it needs a name of its own that begins with @, a summary and methods", g.Name, members)
		}
		seen[g.Name] = true
		last := -1
		for _, m := range members {
			i := slices.Index(names, m)
			if i <= last {
				t.Errorf("%s: %s is not registered, or not in the order of the registry", g.Name, m)
			}
			last = i
			if g.Name != "@all" {
				grouped[m] = true
			}
		}
	}
	for _, m := range names {
		if floor := slices.Contains([]string{results.BaseRate, results.BaseRateTop}, m); grouped[m] == floor {
			t.Errorf("%s is a floor: %v; it is in a group beside @all: %v", m, floor, grouped[m])
		}
	}
	for _, m := range []string{results.BaseRate, results.BaseRateTop} {
		if !slices.Contains(names, m) {
			t.Errorf("%s is a floor and not registered", m)
		}
	}
	if all := membersOf(t, methodGroups(), "@all"); !slices.Equal(all, names) {
		t.Errorf("@all has %v, the registry %v", all, names)
	}
}

// A name that is listed by hand and is not registered would be left out in silence.
func TestGroupsHaveEveryListedMethod(t *testing.T) {
	for name, want := range map[string]int{"@recommended": 9, "@recommended-2": 7, "@paper": 11, "@qats": 6, "@historical": 12} {
		if members := membersOf(t, methodGroups(), name); len(members) != want {
			t.Errorf("%s has %v, want %d methods", name, members, want)
		}
	}
}

func TestGroupsFollowContracts(t *testing.T) {
	for group, c := range map[string]struct{ in, out string }{
		"@recommended":   {"svs", "spline"}, // spline has no NLL
		"@recommended-2": {"beta", "quadratic"},
		"@fast":          {"qats", "hfe"},
		"@logits":        {"h-calibration", "label-shift"},
		"@keeps-top1":    {"spline", "vs"},
		"@changes-top1":  {"featclip", "ts"},
		"@top-label":     {"ir-top", "ir"},
		"@features":      {"featclip", "ts"},
		"@ood":           {"hfe", "hfe-target"},
		"@target":        {"label-shift", "hfe"},
	} {
		members := membersOf(t, methodGroups(), group)
		if !slices.Contains(members, c.in) || slices.Contains(members, c.out) {
			t.Errorf("%s has %v: want %s, and not %s", group, members, c.in, c.out)
		}
	}
}

// Every metric is in one group beside @default and @all, and every group has metrics.
func TestGroupsOfMetricsCoverTheRegistry(t *testing.T) {
	grouped := map[string]string{}
	for _, g := range metricGroups() {
		members := g.Members()
		if !strings.HasPrefix(g.Name, "@") || g.Summary == "" || len(members) == 0 {
			t.Errorf("%s with %v: want a name that begins with @, a summary and members", g.Name, members)
		}
		for _, m := range members {
			if g.Name == "@default" || g.Name == "@all" {
				continue
			}
			if earlier := grouped[m]; earlier != "" {
				t.Errorf("%s is in %s and in %s", m, earlier, g.Name)
			}
			grouped[m] = g.Name
		}
	}
	for _, e := range metrics.Registry() {
		if grouped[e.Name] != string(e.Group) || e.Group == "" {
			t.Errorf("%s is in the group %q; its entry says %q", e.Name, grouped[e.Name], e.Group)
		}
	}
}

// The five scores that qats score prints are in the files of every run, with their bands, and
// with the changed predictions that mark a method in tables.
func TestDefaultMetrics(t *testing.T) {
	want := []string{"accuracy", "ece", "ece_null", "aece", "aece_null", "nll", "brier", "argmax_change"}
	if got := metricGroups()[0].Members(); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	for _, e := range metrics.Paired() {
		if !slices.Contains(want, e.Name) {
			t.Errorf("pairs compare by %s, which a run has by request only", e.Name)
		}
	}
}
