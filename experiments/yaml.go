package experiments

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"sort"
	"strconv"
	"strings"

	"github.com/agnivade/levenshtein"
	"gopkg.in/yaml.v3"
)

// maxErrors bounds how many mistakes of one file are listed.
const maxErrors = 10

// reader walks the nodes of one YAML file and collects mistakes with their
// positions. It stands where yaml's own decoding would lose columns and let
// unknown keys, second documents and empty files pass.
type reader struct {
	file        string
	figureKinds []string // that a spec may name
	errs        []error
}

// errorf records a mistake at n.
func (r *reader) errorf(n *yaml.Node, format string, args ...any) {
	r.errs = append(r.errs, fmt.Errorf("%s:%d:%d: %s", r.file, n.Line, n.Column, fmt.Sprintf(format, args...)))
}

// err joins the mistakes, first ones first.
func (r *reader) err() error {
	if len(r.errs) > maxErrors {
		more := len(r.errs) - maxErrors
		return errors.Join(append(r.errs[:maxErrors:maxErrors], fmt.Errorf("%s: %d more mistakes", r.file, more))...)
	}
	return errors.Join(r.errs...)
}

var yamlLine = regexp.MustCompile(`^yaml: line (\d+): `)

// root parses src, which must hold exactly one document that is a mapping.
func (r *reader) root(src []byte) *yaml.Node {
	dec := yaml.NewDecoder(bytes.NewReader(src))
	var doc, second yaml.Node
	err := dec.Decode(&doc)
	switch {
	case errors.Is(err, io.EOF) || err == nil && len(doc.Content) == 0:
		r.errs = append(r.errs, fmt.Errorf("%s:1:1: the file is empty; a spec needs at least name, methods and settings", r.file))
		return nil
	case err != nil:
		r.errs = append(r.errs, r.syntax(err))
		return nil
	}
	switch err := dec.Decode(&second); {
	case err == nil:
		r.errorf(&second, "a second document; a spec is one document")
		return nil
	case !errors.Is(err, io.EOF):
		r.errs = append(r.errs, r.syntax(err))
		return nil
	}
	return doc.Content[0]
}

// syntax gives yaml's own errors the form of ours.
func (r *reader) syntax(err error) error {
	msg := err.Error()
	if m := yamlLine.FindStringSubmatch(msg); m != nil {
		return fmt.Errorf("%s:%s:1: %s", r.file, m[1], msg[len(m[0]):])
	}
	return fmt.Errorf("%s:1:1: %s", r.file, strings.TrimPrefix(msg, "yaml: "))
}

// resolve follows an alias to the node it stands for.
func resolve(n *yaml.Node) *yaml.Node {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}

// object reads a mapping: each value goes to the function under its key. An
// unknown, repeated or merged key is a mistake.
func (r *reader) object(n *yaml.Node, what string, fields map[string]func(*yaml.Node)) {
	m := resolve(n)
	if m.Kind != yaml.MappingNode {
		r.errorf(n, "%s must be a mapping (key: value)", what)
		return
	}
	seen := map[string]*yaml.Node{}
	for i := 0; i+1 < len(m.Content); i += 2 {
		key, value := m.Content[i], m.Content[i+1]
		read, ok := fields[key.Value]
		switch first := seen[key.Value]; {
		case first != nil:
			r.errorf(key, "key %q stands twice (first at line %d)", key.Value, first.Line)
		case !ok:
			r.errorf(key, "unknown key %q in %s%s", key.Value, what, suggest(key.Value, keys(fields)))
		default:
			read(value)
		}
		seen[key.Value] = key
	}
}

// list calls read for each item of a sequence, or once for a single value.
func (r *reader) list(n *yaml.Node, read func(*yaml.Node)) {
	s := resolve(n)
	if s.Kind != yaml.SequenceNode {
		read(n)
		return
	}
	for _, item := range s.Content {
		read(item)
	}
}

// scalar returns the text of a single value that is not null.
func (r *reader) scalar(n *yaml.Node, what string) (string, bool) {
	s := resolve(n)
	if s.Kind != yaml.ScalarNode || s.Tag == "!!null" {
		r.errorf(n, "%s must be a single value", what)
		return "", false
	}
	return s.Value, true
}

// text stores a single value.
func (r *reader) text(dst *string, what string) func(*yaml.Node) {
	return func(n *yaml.Node) { *dst, _ = r.scalar(n, what) }
}

// texts stores one value or a list of them.
func (r *reader) texts(dst *[]string, what string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		*dst = nil
		r.list(n, func(item *yaml.Node) {
			if s, ok := r.scalar(item, what); ok {
				*dst = append(*dst, s)
			}
		})
	}
}

// boolean stores true or false.
func (r *reader) boolean(dst *bool, what string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		s := resolve(n)
		if s.Tag != "!!bool" {
			r.errorf(n, "%s must be true or false", what)
			return
		}
		*dst = s.Value == "true" || s.Value == "True" || s.Value == "TRUE"
	}
}

var idPattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._+-]*$`)

// id checks a name that becomes a folder and a column of results.csv.
func (r *reader) id(n *yaml.Node, what, s string) bool {
	if !idPattern.MatchString(s) {
		r.errorf(n, "%s %q: use letters, digits and . _ + - only, beginning with a letter or digit", what, s)
		return false
	}
	return true
}

// ids stores one id or a list of them, each once.
func (r *reader) ids(dst *[]string, what string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		*dst = nil
		r.list(n, func(item *yaml.Node) {
			if s, ok := r.scalar(item, what); ok && r.id(item, what, s) {
				for _, earlier := range *dst {
					if earlier == s {
						r.errorf(item, "%s %q stands twice in the list", what, s)
						return
					}
				}
				*dst = append(*dst, s)
			}
		})
		r.notEmpty(n, what, len(*dst))
	}
}

// severities stores one severity or a list of them, 1 to 5 as in the
// corruption benchmarks (Hendrycks and Dietterich 2019).
func (r *reader) severities(dst *[]int) func(*yaml.Node) {
	return func(n *yaml.Node) {
		*dst = nil
		r.list(n, func(item *yaml.Node) {
			s, ok := r.scalar(item, "severity")
			if !ok {
				return
			}
			v, err := strconv.Atoi(s)
			if err != nil || v < 1 || v > 5 {
				r.errorf(item, "severity %q: severities are 1 to 5; leave the key out for clean images", s)
				return
			}
			*dst = append(*dst, v)
		})
		r.notEmpty(n, "severity", len(*dst))
	}
}

// notEmpty records that a list of n items, none of them a mistake, is empty.
func (r *reader) notEmpty(n *yaml.Node, what string, items int) {
	if items == 0 && len(r.errs) == 0 {
		r.errorf(n, "%s: the list is empty", what)
	}
}

// rescales stores one factor on the test logits or a list of them. They are
// bounded so that float32 logits keep their digits.
func (r *reader) rescales(dst *[]float64) func(*yaml.Node) {
	return func(n *yaml.Node) {
		*dst = nil
		r.list(n, func(item *yaml.Node) {
			var c float64
			before := len(r.errs)
			r.number(&c, "rescale")(item)
			if len(r.errs) == before && !(c >= 1e-6 && c <= 1e6) {
				r.errorf(item, "rescale %g: a factor is 1e-6 to 1e6", c)
			}
			*dst = append(*dst, c)
		})
		r.notEmpty(n, "rescale", len(*dst))
	}
}

// MaxSplits bounds the draws of one setting.
const MaxSplits = 1000

// splits stores how many times both sets are redrawn from their union.
func (r *reader) splits(dst *int) func(*yaml.Node) {
	return func(n *yaml.Node) {
		s, ok := r.scalar(n, "splits")
		if !ok {
			return
		}
		v, err := strconv.Atoi(s)
		if err != nil || v < 1 || v > MaxSplits {
			r.errorf(n, "splits %q: a number of draws from 1 to %d", s, MaxSplits)
			return
		}
		*dst = v
	}
}

// keys returns the sorted keys of fields.
func keys[V any](fields map[string]V) []string {
	names := make([]string, 0, len(fields))
	for name := range fields {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// suggest returns ` (did you mean x?)` for the nearest of known, or the list
// of what is known where none is near.
func suggest(got string, known []string) string {
	best, distance := "", 1+max(1, len(got)/3)
	for _, name := range known {
		if d := levenshtein.ComputeDistance(got, name); d < distance {
			best, distance = name, d
		}
	}
	if best != "" {
		return fmt.Sprintf(" (did you mean %s?)", best)
	}
	return fmt.Sprintf(" (known: %s)", strings.Join(known, ", "))
}
