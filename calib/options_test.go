package calib

import (
	"fmt"
	"testing"
)

// setInts returns a function that sets whole-number options by name, as a spec does.
func setInts(values map[string]int) func([]Option) error {
	return func(all []Option) error {
		set := 0
		for _, o := range all {
			if v, ok := values[o.Name]; ok {
				set++
				if err := o.Set(v); err != nil {
					return fmt.Errorf("%s: %w", o.Name, err)
				}
			}
		}
		if set < len(values) {
			return fmt.Errorf("unknown options among %v", values)
		}
		return nil
	}
}

// SetInts is setInts for tests outside the package.
var SetInts = setInts

// A default outside the range is named beside it.
func TestRangesOfNumbersNameOtherDefaults(t *testing.T) {
	for _, c := range []struct {
		def  float64
		want string
	}{{1, "1 to 3"}, {3, "1 to 3"}, {2, "1 to 3"}, {0, "1 to 3, or 0"}, {4, "1 to 3, or 4"}} {
		var field float64
		if got := FloatOption("x", &field, c.def, 1, 3, "help").Range; got != c.want {
			t.Errorf("default %v: %q, want %q", c.def, got, c.want)
		}
	}
}

// An optional number without a default has no value until it is set.
func TestOptionalNumbersMayHaveNoDefault(t *testing.T) {
	var field *int
	o := OptionalInt("x", &field, nil, 0, 9, "help")
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
			m, err := WithDefaults(GroupCalibration{WeightDecay: number})
			return m.WeightDecay, err
		},
		"featclip": func(number *float64) (*float64, error) {
			m, err := WithDefaults(FeatureClipping{Guard: number})
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
