package spec

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// maxErrors bounds how many mistakes of one file are listed.
const maxErrors = 10

// reader walks the nodes of one YAML file and collects mistakes with their
// positions. The decoder of package yaml would lose the columns, and would
// accept unknown keys, second documents and empty files in silence.
type reader struct {
	file string
	errs []error
}

// errorf records a mistake at n.
func (r *reader) errorf(n *yaml.Node, format string, args ...any) {
	r.errs = append(r.errs, fmt.Errorf("%s:%d:%d: %s", r.file, n.Line, n.Column, fmt.Sprintf(format, args...)))
}

// err joins the mistakes in the order in which they were found.
func (r *reader) err() error {
	if len(r.errs) > maxErrors {
		more := len(r.errs) - maxErrors
		return errors.Join(append(r.errs[:maxErrors:maxErrors], fmt.Errorf("%s: %d more mistakes", r.file, more))...)
	}
	return errors.Join(r.errs...)
}

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
		r.errs = append(r.errs, r.syntax(src, err))
		return nil
	}
	switch err := dec.Decode(&second); {
	case err == nil:
		r.errorf(&second, "the file has a second document; a spec is one document")
		return nil
	case !errors.Is(err, io.EOF):
		r.errs = append(r.errs, r.syntax(src, err))
		return nil
	}
	return doc.Content[0]
}

var yamlLine = regexp.MustCompile(`^yaml: line (\d+): `)

// syntax brings an error of package yaml into the form file:line:column. A tab in the
// indentation, which package yaml calls a character that cannot start any token, is
// named.
func (r *reader) syntax(src []byte, err error) error {
	msg := err.Error()
	m := yamlLine.FindStringSubmatch(msg)
	if m == nil {
		return fmt.Errorf("%s:1:1: %s", r.file, strings.TrimPrefix(msg, "yaml: "))
	}
	lines := strings.Split(string(src), "\n")
	at, _ := strconv.Atoi(m[1]) // digits, by yamlLine
	for _, n := range []int{at, at + 1, at - 1} {
		if n < 1 || n > len(lines) {
			continue
		}
		indent := lines[n-1][:len(lines[n-1])-len(strings.TrimLeft(lines[n-1], " \t"))]
		if tab := strings.IndexByte(indent, '\t'); tab >= 0 {
			return fmt.Errorf("%s:%d:%d: a tab in the indentation; YAML allows spaces only: replace the tab by spaces", r.file, n, tab+1)
		}
	}
	return fmt.Errorf("%s:%s:1: %s", r.file, m[1], msg[len(m[0]):])
}

// resolve follows an alias to the node that it names.
func resolve(n *yaml.Node) *yaml.Node {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}

// keys reads a mapping by the keys of its kind of object.
func (r *reader) keys(n *yaml.Node, what string, keys []Key) {
	fields := map[string]func(*yaml.Node){}
	for _, k := range keys {
		fields[k.Name] = k.read
	}
	r.object(n, what, fields)
}

// object reads a mapping: each value goes to the function of its key. An
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
			r.errorf(key, "key %q is given twice (first at line %d)", key.Value, first.Line)
		case !ok:
			r.errorf(key, "unknown key %q in %s%s", key.Value, what, Suggest(key.Value, slices.Sorted(maps.Keys(fields))))
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

// notEmpty records that a list without a mistake has no items.
func (r *reader) notEmpty(n *yaml.Node, what string, items int) {
	if items == 0 && len(r.errs) == 0 {
		r.errorf(n, "%s: the list is empty", what)
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
