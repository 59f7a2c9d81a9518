package calib

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/qats-bench/qats/calib/internal/fit"
)

// Option is one option of a method: a field of its struct under the name that
// specs and the command line use.
type Option struct {
	Name    string     `json:"name"`
	Help    string     `json:"help"`    // one line
	Range   string     `json:"range"`   // the values that are accepted, as "1 to 100"
	Default any        `json:"default"` // as Value returns it
	Value   func() any `json:"-"`       // int, float64, string, a list of strings, or nil for an option that is not set

	// Set sets the field to v, as YAML has it: int, float64, string, []any. It
	// returns an error for another type and for a value outside the range.
	Set func(v any) error `json:"-"`

	// fill replaces a zero field by the default and checks the range.
	fill func() error
}

// Configurable is a method with options. Options returns them with references
// to the fields of its receiver, a pointer, in the order in which they are
// printed and enter cache keys.
type Configurable interface {
	Options() []Option
}

// WithDefaults returns m with the defaults of its options in place of zero
// values. A value outside the range of its option is an error. Fit of a method
// with options calls it first.
func WithDefaults[M any](m M) (M, error) {
	for _, o := range options(&m) {
		if err := o.fill(); err != nil {
			return m, fmt.Errorf("%s: %w", o.Name, err)
		}
	}
	return m, nil
}

// Ready returns m with its defaults, after a check of the labelled calibration set.
func Ready[M any](m M, in Input) (M, error) {
	m, err := WithDefaults(m)
	if err == nil {
		err = fit.CheckLabelled(in.Cal)
	}
	return m, err
}

// options returns the options of a method, given a pointer to it.
func options(method any) []Option {
	if c, ok := method.(Configurable); ok {
		return c.Options()
	}
	return nil
}

// IntOption is an option that holds a whole number from least to most; if most
// is math.MaxInt there is no upper limit. A field of 0 means the default.
func IntOption(name string, field *int, def, least, most int, help string) Option {
	limits := fmt.Sprintf("%d to %d", least, most)
	if most == math.MaxInt {
		limits = fmt.Sprintf("%d or more", least)
	}
	valid := func(v int) bool { return v >= least && v <= most }
	return numberOption(name, field, def, limits, help, wholeNumber, valid)
}

// numberOption is an option that holds a number that parse returns and valid accepts.
func numberOption[T int | float64](name string, field *T, def T, limits, help string, parse func(any) (T, error), valid func(T) bool) Option {
	check := func(v T) error {
		if !valid(v) {
			return fmt.Errorf("%v: want %s", v, limits)
		}
		return nil
	}
	return Option{
		Name: name, Help: help, Range: limits, Default: def, Value: func() any { return *field },
		Set: func(v any) error {
			number, err := parse(v)
			if err == nil {
				*field, err = number, check(number)
			}
			return err
		},
		fill: func() error {
			*field = cmp.Or(*field, def)
			return check(*field)
		},
	}
}

// OptionalInt is an IntOption whose 0 is a value of its own: the field is a
// pointer, and nil means the default. A def of nil stands for a default that the
// method derives from the data.
func OptionalInt(name string, field **int, def *int, least, most int, help string) Option {
	var value int
	return optional(IntOption(name, &value, 0, least, most, help), &value, field, def)
}

// optional makes the option o of value the option of a pointer. A nil pointer means def.
func optional[T int | float64](o Option, value *T, field **T, def *T) Option {
	set := o.Set
	o.Default = nil
	if def != nil {
		o.Default = *def
	}
	o.Value = func() any {
		if *field == nil {
			return nil
		}
		return **field
	}
	o.Set = func(v any) error {
		err := set(v)
		*field = value
		return err
	}
	o.fill = func() error {
		if *field == nil {
			*field = def
			return nil
		}
		return o.Set(**field) // not the number of another copy of the method, which may be in use
	}
	return o
}

// FloatOption is an option that holds a number from least to most. A field of 0
// means the default. A default of 0 is accepted even if it is outside the range. A
// least of math.SmallestNonzeroFloat64 means any number above 0.
func FloatOption(name string, field *float64, def, least, most float64, help string) Option {
	limits := fmt.Sprintf("%g to %g", least, most)
	if least == math.SmallestNonzeroFloat64 {
		limits = fmt.Sprintf("above 0, at most %g", most)
	}
	if !(def >= least && def <= most) {
		limits += fmt.Sprintf(", or %g", def)
	}
	valid := func(v float64) bool { return v >= least && v <= most || v == def }
	return numberOption(name, field, def, limits, help, number, valid)
}

// OptionalFloat is a FloatOption whose 0 is a value of its own: the field is a
// pointer, and nil means the default.
func OptionalFloat(name string, field **float64, def, least, most float64, help string) Option {
	var value float64
	return optional(FloatOption(name, &value, def, least, most, help), &value, field, &def)
}

// ChoiceOption is an option that holds one of some words. The first is the
// default, which the empty string means.
func ChoiceOption(name string, field *string, words []string, help string) Option {
	limits := strings.Join(words, " or ")
	check := func(v string) error {
		if !slices.Contains(words, v) {
			return fmt.Errorf("%q: want %s", v, limits)
		}
		return nil
	}
	return Option{
		Name: name, Help: help, Range: limits, Default: words[0], Value: func() any { return *field },
		Set: func(v any) error {
			word, ok := v.(string)
			if !ok {
				return fmt.Errorf("%v: want %s", v, limits)
			}
			*field = word
			return check(word)
		},
		fill: func() error {
			*field = cmp.Or(*field, words[0])
			return check(*field)
		},
	}
}

// TextOption is an option that holds a text. The empty string means the default,
// which may be empty.
func TextOption(name string, field *string, def, help string) Option {
	return Option{
		Name: name, Help: help, Range: "a text", Default: def, Value: func() any { return *field },
		Set: func(v any) error {
			switch v.(type) {
			case string, int, float64, bool: // YAML reads a text without quotes as one of these
				*field = fmt.Sprint(v)
				return nil
			}
			return errors.New("want a text")
		},
		fill: func() error {
			*field = cmp.Or(*field, def)
			return nil
		},
	}
}

// ListOption is an option that holds a list of texts, empty by default.
func ListOption(name string, field *[]string, help string) Option {
	return Option{
		Name: name, Help: help, Range: "a list of texts", Value: func() any { return *field },
		Set: func(v any) error {
			items, ok := v.([]any)
			if !ok {
				return errors.New("want a list, as [a, b]")
			}
			list := make([]string, len(items))
			for i, item := range items {
				list[i] = fmt.Sprint(item)
			}
			*field = list
			return nil
		},
		fill: func() error { return nil },
	}
}

// wholeNumber returns v as an int.
func wholeNumber(v any) (int, error) {
	switch v := v.(type) {
	case int:
		return v, nil
	case float64:
		if v == math.Trunc(v) && math.Abs(v) <= 1<<31 {
			return int(v), nil
		}
	}
	return 0, fmt.Errorf("%q: want a whole number", fmt.Sprint(v))
}

// number returns v as a float64.
func number(v any) (float64, error) {
	switch v := v.(type) {
	case int:
		return float64(v), nil
	case float64:
		return v, nil
	}
	return 0, fmt.Errorf("%q: want a number", fmt.Sprint(v))
}
