package spec

import (
	"reflect"
	"testing"

	"github.com/qats-bench/qats/calib/all"
)

func method(t *testing.T, registered, name, label string) *Method {
	t.Helper()
	e, ok := all.Lookup(registered)
	if !ok {
		t.Fatalf("no method %s", registered)
	}
	return &Method{Name: name, Label: label, Entry: e, Method: e.Method}
}

// TestVariantsHaveTheirNameBesideTheLabel, unless the label has it or names their method.
func TestVariantsHaveTheirNameBesideTheLabel(t *testing.T) {
	for _, c := range []struct{ name, label, want string }{
		{"qats", "Mine", "Mine"},
		{"v", "m = 25", "m = 25 (v)"},
		{"v", "qats, m = 25", "qats, m = 25"},
		{"freq_mine", "Freq-Mine (2)", "Freq-Mine (2)"},
	} {
		if got := method(t, "qats", c.name, c.label).Info("e"); got.Label != c.want {
			t.Errorf("%s, %s: %q", c.name, c.label, got.Label)
		}
	}
}

// TestMethodInfoSaysWhatAMethodSees: of each registered method as its contract does.
func TestMethodInfoSaysWhatAMethodSees(t *testing.T) {
	for _, c := range []struct {
		method string
		sees   []string
		ranked bool
	}{
		{"ts", nil, true},
		{"hfe", []string{"ood"}, true},
		{"hfe-target", []string{"target"}, false},
	} {
		got := method(t, c.method, c.method, "").Info("e")
		if !reflect.DeepEqual(got.Sees, c.sees) || got.Ranked() != c.ranked {
			t.Errorf("%s: %v, ranked %v", c.method, got.Sees, got.Ranked())
		}
	}
	for _, e := range all.Registry() {
		got := (&Method{Name: e.Name, Entry: e, Method: e.Method}).Info("e")
		if contract := e.Method.Contract(); got.Ranked() != (contract.Target == 0) {
			t.Errorf("%s: %+v", e.Name, got)
		}
	}
}
