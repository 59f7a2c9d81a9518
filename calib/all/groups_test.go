package all

import (
	"slices"
	"strings"
	"testing"
)

func TestGroupsAreOfTheRegistry(t *testing.T) {
	var names []string
	for _, e := range Registry() {
		names = append(names, e.Name)
	}
	grouped := map[string]bool{}
	seen := map[string]bool{}
	for _, g := range Groups() {
		if !strings.HasPrefix(g.Name, "@") || seen[g.Name] || g.Summary == "" || len(g.Members) == 0 {
			t.Errorf("group %+v: it needs a name of its own that begins with @, a summary and methods", g)
		}
		seen[g.Name] = true
		last := -1
		for _, m := range g.Members {
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
		if !grouped[m] {
			t.Errorf("%s is in no group but @all", m)
		}
	}
	if g, ok := LookupGroup("@all"); !ok || !slices.Equal(g.Members, names) {
		t.Errorf("@all has %v, the registry %v", g.Members, names)
	}
}

// A name that is listed by hand and is not registered would be left out in silence.
func TestGroupsHaveEveryListedMethod(t *testing.T) {
	for name, want := range map[string]int{"@recommended": 9, "@paper": 11, "@qats": 6, "@historical": 12} {
		if g, _ := LookupGroup(name); len(g.Members) != want {
			t.Errorf("%s has %v, want %d methods", name, g.Members, want)
		}
	}
}

func TestGroupsFollowContracts(t *testing.T) {
	for group, c := range map[string]struct{ in, out string }{
		"@recommended":  {"svs", "spline"}, // spline has no NLL
		"@fast":         {"qats", "hfe"},
		"@logits":       {"h-calibration", "label-shift"},
		"@keeps-top1":   {"spline", "vs"},
		"@changes-top1": {"featclip", "ts"},
		"@top-label":    {"ir-top", "ir"},
		"@features":     {"featclip", "ts"},
		"@ood":          {"hfe", "hfe-target"},
		"@target":       {"label-shift", "hfe"},
	} {
		g, _ := LookupGroup(group)
		if !slices.Contains(g.Members, c.in) || slices.Contains(g.Members, c.out) {
			t.Errorf("%s has %v: want %s, and not %s", group, g.Members, c.in, c.out)
		}
	}
}
