package spec

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/qats-bench/qats/data/problem"
)

// maxMistakes bounds how many mistakes of one file are listed.
const maxMistakes = 10

// A reader reads one YAML file. It collects mistakes, and remembers where each value
// stands: what decode has filled in is looked up by a pointer to it.
type reader struct {
	file     string
	mistakes []mistake
	places   map[any]place // by pointer to a field, or to an item of a list
	keys     map[reflect.Type][]Key
	known    Registry
}

// mistake is a message about a place in the file.
type mistake struct {
	line, column int
	text         string
}

// place is where a value stands.
type place struct {
	*yaml.Node
	mistakes int // in the value
}

func newReader(file string) *reader {
	return &reader{file: file, places: map[any]place{}, keys: map[reflect.Type][]Key{}}
}

// errorf records a mistake at a node, or at the value that a pointer names.
func (r *reader) errorf(at any, format string, args ...any) {
	n, ok := at.(*yaml.Node)
	if !ok {
		n = r.places[at].Node
	}
	r.errorAt(n.Line, n.Column, format, args...)
}

func (r *reader) errorAt(line, column int, format string, args ...any) {
	r.mistakes = append(r.mistakes, mistake{line, column, fmt.Sprintf(format, args...)})
}

// given reports whether the file has a value for a field.
func (r *reader) given(field any) bool { return r.places[field].Node != nil }

// sound reports whether the file has a value for a field, without a mistake.
func (r *reader) sound(field any) bool { return r.given(field) && r.places[field].mistakes == 0 }

// onlyIn reports whether all mistakes so far are in the values of these fields.
func (r *reader) onlyIn(fields ...any) bool {
	n := len(r.mistakes)
	for _, f := range fields {
		n -= r.places[f].mistakes
	}
	return n == 0
}

// err joins the mistakes in the order of the file.
func (r *reader) err() error {
	slices.SortStableFunc(r.mistakes, func(a, b mistake) int {
		return cmp.Or(cmp.Compare(a.line, b.line), cmp.Compare(a.column, b.column))
	})
	var list []error
	for i, m := range r.mistakes {
		if i == maxMistakes {
			list = append(list, fmt.Errorf("%s: %d more mistakes", r.file, len(r.mistakes)-i))
			break
		}
		list = append(list, &problem.Problem{Place: fmt.Sprintf("%s:%d:%d", r.file, m.line, m.column), Cause: m.text})
	}
	return errors.Join(list...)
}

// root parses src, which must hold exactly one document that is a mapping.
func (r *reader) root(src []byte) *yaml.Node {
	dec := yaml.NewDecoder(bytes.NewReader(src))
	var doc, second yaml.Node
	err := dec.Decode(&doc)
	switch {
	case errors.Is(err, io.EOF) || err == nil && len(doc.Content) == 0:
		r.errorAt(1, 1, "the file is empty; a spec needs at least name, methods and settings")
		return nil
	case err != nil:
		r.syntax(src, err)
		return nil
	}
	switch err := dec.Decode(&second); {
	case err == nil:
		r.errorf(&second, "the file has a second document; a spec is one document")
		return nil
	case !errors.Is(err, io.EOF):
		r.syntax(src, err)
		return nil
	}
	return doc.Content[0]
}

var yamlLine = regexp.MustCompile(`^yaml: line (\d+): `)

// unquoted is the name of a group without quotes, which YAML does not allow.
var unquoted = regexp.MustCompile(`(?:^|[\s\[,:-])(@[\w-]+)`)

// syntax records an error of package yaml. A tab in the indentation and an unquoted @, which
// package yaml calls a character that cannot start any token, are named.
func (r *reader) syntax(src []byte, err error) {
	msg := err.Error()
	m := yamlLine.FindStringSubmatch(msg)
	if m == nil {
		r.errorAt(1, 1, "%s", strings.TrimPrefix(msg, "yaml: "))
		return
	}
	lines := strings.Split(string(src), "\n")
	at, _ := strconv.Atoi(m[1]) // digits, by yamlLine
	for _, n := range []int{at, at + 1, at - 1} {
		if n < 1 || n > len(lines) {
			continue
		}
		indent := lines[n-1][:len(lines[n-1])-len(strings.TrimLeft(lines[n-1], " \t"))]
		if tab := strings.IndexByte(indent, '\t'); tab >= 0 {
			r.errorAt(n, tab+1, "a tab in the indentation; YAML allows spaces only: replace the tab by spaces")
			return
		}
		if name := unquoted.FindStringSubmatchIndex(lines[n-1]); name != nil && strings.Contains(msg, "cannot start any token") {
			r.errorAt(n, name[2]+1, "YAML needs quotes around the name of a group: write %q", lines[n-1][name[2]:name[3]])
			return
		}
	}
	r.errorAt(at, 1, "%s", msg[len(m[0]):])
}

// resolve follows an alias to the node that it names.
func resolve(n *yaml.Node) *yaml.Node {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}
