package calib

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Option is one option of a method: a field of its struct under the name that
// specs and the command line use.
type Option struct {
	Name    string
	Help    string // one line
	Range   string // the values that are accepted, as "1 to 100"
	Default any    // as Value returns it

	field       any      // *int, **int, *float64, **float64, *string or *[]string
	least, most float64  // of a number
	words       []string // of a choice; nil for any text
}

// MarshalJSON writes the option with its type, so that a program can offer and check it. least
// and most are missing where there is no limit; a value that equals the default is accepted
// also outside of them.
func (o Option) MarshalJSON() ([]byte, error) {
	object := struct {
		Name     string   `json:"name"`
		Type     string   `json:"type"` // int, float, text, choice or list
		Help     string   `json:"help"`
		Range    string   `json:"range"`
		Least    *float64 `json:"least,omitempty"`
		Most     *float64 `json:"most,omitempty"`
		Choices  []string `json:"choices,omitempty"`
		Optional bool     `json:"optional"` // 0 is a value, and null stands for the default
		Default  any      `json:"default"`
	}{Name: o.Name, Help: o.Help, Range: o.Range, Choices: o.words, Default: o.Default}
	switch o.field.(type) {
	case *int, **int:
		object.Type = "int"
	case *float64, **float64:
		object.Type = "float"
	case *[]string:
		object.Type = "list"
	default:
		object.Type = "text"
		if o.words != nil {
			object.Type = "choice"
		}
	}
	switch o.field.(type) {
	case **int, **float64:
		object.Optional = true
	}
	if object.Type == "int" || object.Type == "float" {
		object.Least = &o.least
		if o.most != math.MaxInt && !math.IsInf(o.most, 1) {
			object.Most = &o.most
		}
	}
	return json.Marshal(object)
}

// Value returns an int, a float64, a string, a list of strings, or nil for an option
// that is not set.
func (o Option) Value() any {
	switch f := o.field.(type) {
	case *int:
		return *f
	case **int:
		if *f != nil {
			return **f
		}
	case *float64:
		return *f
	case **float64:
		if *f != nil {
			return **f
		}
	case *string:
		return *f
	case *[]string:
		return append([]string{}, *f...) // a list also if it is empty
	}
	return nil
}

// Set sets the field to v, as YAML has it: int, float64, string, []any. It
// returns an error for another type and for a value outside the range.
func (o Option) Set(v any) (err error) {
	switch f := o.field.(type) {
	case *int:
		*f, err = o.whole(v)
	case **int:
		var n int
		n, err = o.whole(v)
		*f = &n
	case *float64:
		*f, err = o.number(v)
	case **float64:
		var x float64
		x, err = o.number(v)
		*f = &x
	case *string:
		*f, err = o.text(v)
	case *[]string:
		*f, err = list(v)
	}
	return err
}

// fill replaces a field that is not set by the default and checks the range. An optional
// number is written anew: another copy of the method may use the old one.
func (o Option) fill() error {
	v := o.Value()
	switch o.field.(type) {
	case *[]string:
		return nil
	case *int, *float64, *string:
		if v == 0 || v == 0. || v == "" {
			v = o.Default
		}
	case **int, **float64:
		if v == nil {
			v = o.Default
		}
		if v == nil {
			return nil
		}
	}
	return o.Set(v)
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
	return Option{Name: name, Help: help, Range: limits, Default: def, field: field, least: float64(least), most: float64(most)}
}

// OptionalInt is an IntOption whose 0 is a value of its own: the field is a
// pointer, and nil means the default. A def of nil stands for a default that the
// method derives from the data.
func OptionalInt(name string, field **int, def *int, least, most int, help string) Option {
	o := IntOption(name, nil, 0, least, most, help)
	o.field, o.Default = field, nil
	if def != nil {
		o.Default = *def
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
	return Option{Name: name, Help: help, Range: limits, Default: def, field: field, least: least, most: most}
}

// OptionalFloat is a FloatOption whose 0 is a value of its own: the field is a
// pointer, and nil means the default.
func OptionalFloat(name string, field **float64, def, least, most float64, help string) Option {
	o := FloatOption(name, nil, def, least, most, help)
	o.field = field
	return o
}

// ChoiceOption is an option that holds one of some words. The first is the
// default, which the empty string means.
func ChoiceOption(name string, field *string, words []string, help string) Option {
	return Option{Name: name, Help: help, Range: strings.Join(words, " or "), Default: words[0], field: field, words: words}
}

// TextOption is an option that holds a text. The empty string means the default,
// which may be empty.
func TextOption(name string, field *string, def, help string) Option {
	return Option{Name: name, Help: help, Range: "a text", Default: def, field: field}
}

// ListOption is an option that holds a list of texts, empty by default.
func ListOption(name string, field *[]string, help string) Option {
	return Option{Name: name, Help: help, Range: "a list of texts", field: field}
}

// whole returns v as an int in the range.
func (o Option) whole(v any) (int, error) {
	n, ok := v.(int)
	if x, float := v.(float64); float && x == math.Trunc(x) && math.Abs(x) <= 1<<31 {
		n, ok = int(x), true
	}
	switch {
	case !ok:
		return 0, fmt.Errorf("%q: want a whole number", fmt.Sprint(v))
	case !(float64(n) >= o.least && float64(n) <= o.most):
		return n, fmt.Errorf("%v: want %s", n, o.Range)
	}
	return n, nil
}

// number returns v as a float64 that is in the range or the default.
func (o Option) number(v any) (float64, error) {
	x, ok := v.(float64)
	if n, whole := v.(int); whole {
		x, ok = float64(n), true
	}
	switch {
	case !ok:
		return 0, fmt.Errorf("%q: want a number", fmt.Sprint(v))
	case !(x >= o.least && x <= o.most) && x != o.Default:
		return x, fmt.Errorf("%v: want %s", x, o.Range)
	}
	return x, nil
}

// text returns v as a text: one of the words, if there are any.
func (o Option) text(v any) (string, error) {
	word, ok := v.(string)
	switch v.(type) {
	case int, float64, bool: // YAML reads a text without quotes as one of these
		if o.words == nil {
			return fmt.Sprint(v), nil
		}
	}
	switch {
	case o.words == nil && !ok:
		return "", errors.New("want a text")
	case o.words != nil && !ok:
		return "", fmt.Errorf("%v: want %s", v, o.Range)
	case o.words != nil && !slices.Contains(o.words, word):
		return word, fmt.Errorf("%q: want %s", word, o.Range)
	}
	return word, nil
}

// list returns v as a list of texts.
func list(v any) ([]string, error) {
	items, ok := v.([]any)
	if !ok {
		return nil, errors.New("want a list, as [a, b]")
	}
	texts := make([]string, len(items))
	for i, item := range items {
		texts[i] = fmt.Sprint(item)
	}
	return texts, nil
}
