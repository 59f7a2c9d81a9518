package metrics

import (
	"slices"
	"strings"
	"testing"
)

// Every metric is in one group beside @default and @all, and every group has metrics.
func TestGroupsCoverTheRegistry(t *testing.T) {
	grouped := map[string]string{}
	for _, g := range Groups() {
		if !strings.HasPrefix(g.Name, "@") || g.Summary == "" || len(g.Members) == 0 {
			t.Errorf("%+v: want a name that begins with @, a summary and members", g)
		}
		for _, m := range g.Members {
			if g.Name == "@default" || g.Name == "@all" {
				continue
			}
			if earlier := grouped[m]; earlier != "" {
				t.Errorf("%s is in %s and in %s", m, earlier, g.Name)
			}
			grouped[m] = g.Name
		}
	}
	for _, e := range Registry() {
		if grouped[e.Name] != string(e.Group) || e.Group == "" {
			t.Errorf("%s is in the group %q; its entry says %q", e.Name, grouped[e.Name], e.Group)
		}
	}
}

// The five scores that qats score prints are in the files of every run, with their bands, and
// with the changed predictions that mark a method in tables.
func TestDefaultMetrics(t *testing.T) {
	want := []string{"accuracy", "ece", "ece_null", "aece", "aece_null", "nll", "brier", "argmax_change"}
	if got := Groups()[0].Members; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	for _, e := range Paired() {
		if !slices.Contains(want, e.Name) {
			t.Errorf("pairs compare by %s, which a run has by request only", e.Name)
		}
	}
}
