package calib_test

import (
	"testing"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/features"
)

// A draft shares no option with other drafts, nor with the methods made of it, not even
// an optional number, which is a pointer.
func TestDraftsShareNoOption(t *testing.T) {
	draft := features.FeatClipEntry.New()
	set := func(name string, v any) {
		for _, o := range draft.Options() {
			if o.Name == name {
				if err := o.Set(v); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	set("guard", 0.25)
	first, err := draft.Method()
	if err != nil {
		t.Fatal(err)
	}
	set("guard", 0.5)
	second, err := draft.Method()
	if err != nil {
		t.Fatal(err)
	}
	fresh, err := features.FeatClipEntry.New().Method()
	if err != nil {
		t.Fatal(err)
	}
	guard := func(m calib.Method) float64 { return *m.(features.FeatureClipping).Guard }
	if a, b := guard(first), guard(second); a != 0.25 || b != 0.5 {
		t.Errorf("guards %v and %v, want 0.25 and 0.5", a, b)
	}
	if a := guard(fresh); a != 0.99 {
		t.Errorf("a new draft has the guard %v, want 0.99", a)
	}
	if set := features.FeatClipEntry.Method.(features.FeatureClipping).Guard; set != nil {
		t.Errorf("the entry has the guard %v, which it does not set", *set)
	}
}

// A default outside the range is named beside it.
func TestRangesOfNumbersNameOtherDefaults(t *testing.T) {
	for _, c := range []struct {
		def  float64
		want string
	}{{1, "1 to 3"}, {3, "1 to 3"}, {2, "1 to 3"}, {0, "1 to 3, or 0"}, {4, "1 to 3, or 4"}} {
		var field float64
		if got := calib.FloatOption("x", &field, c.def, 1, 3, "help").Range; got != c.want {
			t.Errorf("default %v: %q, want %q", c.def, got, c.want)
		}
	}
}

// An optional number without a default has no value until it is set.
func TestOptionalNumbersMayHaveNoDefault(t *testing.T) {
	var field *int
	o := calib.OptionalInt("x", &field, nil, 0, 9, "help")
	if o.Value() != nil || o.Default != nil {
		t.Errorf("value %v, default %v", o.Value(), o.Default)
	}
	if err := o.Set(0); err != nil || o.Value() != 0 || *field != 0 {
		t.Errorf("value %v after 0 (%v)", o.Value(), err)
	}
}

// A method whose optional number is set may be copied and fitted by several goroutines:
// defaults of one copy write nothing that another one reads.
func TestDefaultsWriteNoSharedNumber(t *testing.T) {
	for name, c := range map[string]func(number *float64) (*float64, error){
		"gc": func(number *float64) (*float64, error) {
			m, err := calib.WithDefaults(features.GroupCalibration{WeightDecay: number})
			return m.WeightDecay, err
		},
		"featclip": func(number *float64) (*float64, error) {
			m, err := calib.WithDefaults(features.FeatureClipping{Guard: number})
			return m.Guard, err
		},
	} {
		number := new(0.5)
		got, err := c(number)
		if err != nil || got == number || *got != 0.5 {
			t.Errorf("%s: %v, the same number: %v (%v)", name, *got, got == number, err)
		}
	}
}
