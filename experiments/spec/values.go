package spec

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"gopkg.in/yaml.v3"
)

// The functions below return readers of one key: they check the value and
// store it in dst.

// text reads a single value.
func (r *reader) text(dst *string, what string) func(*yaml.Node) {
	return func(n *yaml.Node) { *dst, _ = r.scalar(n, what) }
}

// maxText is the length of the longest title or label, in bytes.
const maxText = 1000

// line returns a text that is shown to people: a title, a label. Line breaks, which YAML
// may have in a long text, are spaces.
func (r *reader) line(n *yaml.Node, what string) (string, bool) {
	s, ok := r.scalar(n, what)
	s = strings.Join(strings.Fields(s), " ")
	switch {
	case len(s) > maxText:
		r.errorf(n, "%s has %d bytes: at most %d", what, len(s), maxText)
	case strings.ContainsFunc(s, unicode.IsControl):
		r.errorf(n, "%s %q has a control character: leave it out", what, s)
	default:
		return s, ok
	}
	return "", false
}

// oneLine reads a line.
func (r *reader) oneLine(dst *string, what string) func(*yaml.Node) {
	return func(n *yaml.Node) { *dst, _ = r.line(n, what) }
}

// texts reads one value or a list of them.
func (r *reader) texts(dst *[]string, what string) func(*yaml.Node) {
	return listOf(r, dst, "", func(one *string) func(*yaml.Node) { return r.text(one, what) })
}

// listOf reads one value or a list of them by the reader of one. A list named what, if
// that is not "", must have items.
func listOf[T any](r *reader, dst *[]T, what string, one func(dst *T) func(*yaml.Node)) func(*yaml.Node) {
	return func(n *yaml.Node) {
		*dst = nil
		r.list(n, func(item *yaml.Node) {
			var v T
			one(&v)(item)
			*dst = append(*dst, v)
		})
		if what != "" {
			r.notEmpty(n, what, len(*dst))
		}
	}
}

// boolean reads true or false.
func (r *reader) boolean(dst *bool, what string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		if s := resolve(n); s.Tag != "!!bool" || s.Decode(dst) != nil {
			r.errorf(n, "%s must be true or false", what)
		}
	}
}

// whole reads a whole number from least to most; want is the demand in messages.
func (r *reader) whole(dst *int, what string, least, most int, want string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		s, ok := r.scalar(n, what)
		if !ok {
			return
		}
		v, err := strconv.Atoi(s)
		if err != nil || v < least || v > most {
			r.errorf(n, "%s %q: %s", what, s, want)
			return
		}
		*dst = v
	}
}

// integer reads a whole number of at least 0.
func (r *reader) integer(dst *int, what string) func(*yaml.Node) {
	return r.whole(dst, what, 0, math.MaxInt, "must be a whole number of at least 0")
}

// number reads a finite number.
func (r *reader) number(dst *float64, what string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		s, ok := r.scalar(n, what)
		if !ok {
			return
		}
		v, err := strconv.ParseFloat(s, 64)
		if err != nil || math.IsInf(v, 0) || math.IsNaN(v) {
			r.errorf(n, "%s %q: must be a number", what, s)
			return
		}
		*dst = v
	}
}

// choice reads one of the known names; unknown is the message about another one.
func (r *reader) choice(dst *string, what string, known []string, unknown string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		s, ok := r.scalar(n, what)
		match, found := Match(s, known)
		if ok && !found {
			r.errorf(n, unknown+"%s", s, Suggest(s, known))
		}
		*dst = match
	}
}

// choices reads one or several of the known names.
func (r *reader) choices(dst *[]string, what string, known []string, unknown string) func(*yaml.Node) {
	return listOf(r, dst, "", func(one *string) func(*yaml.Node) { return r.choice(one, what, known, unknown) })
}

// IsID reports whether s can be a name in a spec.
func IsID(s string) bool { return idPattern.MatchString(s) }

var idPattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._+-]*$`)

// id checks a name that becomes a folder and a column of results.csv.
func (r *reader) id(n *yaml.Node, what, s string) bool {
	if !idPattern.MatchString(s) {
		r.errorf(n, "%s %q: use letters, digits and . _ + - only, beginning with a letter or digit", what, s)
		return false
	}
	return true
}

// oneID reads one id.
func (r *reader) oneID(dst *string, what string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		if s, ok := r.scalar(n, what); ok && r.id(n, what, s) {
			*dst = s
		}
	}
}

// ids reads one id or a list of different ones.
func (r *reader) ids(dst *[]string, what string) func(*yaml.Node) {
	return listOf(r, dst, what, func(one *string) func(*yaml.Node) {
		return func(item *yaml.Node) {
			if r.oneID(one, what)(item); *one != "" && slices.Contains(*dst, *one) {
				r.errorf(item, "%s %q is listed twice", what, *one)
			}
		}
	})
}
