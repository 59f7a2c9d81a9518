package keyed

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

// A Reader reads one YAML file. It collects mistakes, and remembers where each value
// stands: what Decode has filled in is looked up by a pointer to it.
type Reader struct {
	File  string // its name in messages
	Nulls bool   // a key without a value says nothing; else it is a mistake

	mistakes []mistake
	places   map[any]place // by pointer to a field, or to an item of a list
	keys     map[reflect.Type][]Key
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

// New returns a reader of a file.
func New(file string) *Reader {
	return &Reader{File: file, places: map[any]place{}, keys: map[reflect.Type][]Key{}}
}

// Errorf records a mistake at a node, or at the value that a pointer names.
func (r *Reader) Errorf(at any, format string, args ...any) {
	n, ok := at.(*yaml.Node)
	if !ok {
		n = r.places[at].Node
	}
	r.ErrorAt(n.Line, n.Column, format, args...)
}

// ErrorAt records a mistake at a line and a column.
func (r *Reader) ErrorAt(line, column int, format string, args ...any) {
	r.mistakes = append(r.mistakes, mistake{line, column, fmt.Sprintf(format, args...)})
}

// At returns where the value of a field stands; nil if the file has none.
func (r *Reader) At(field any) *yaml.Node { return r.places[field].Node }

// Mistakes returns the number of mistakes so far.
func (r *Reader) Mistakes() int { return len(r.mistakes) }

// Given reports whether the file has a value for a field.
func (r *Reader) Given(field any) bool { return r.places[field].Node != nil }

// Sound reports whether the file has a value for a field, without a mistake.
func (r *Reader) Sound(field any) bool { return r.Given(field) && r.places[field].mistakes == 0 }

// OnlyIn reports whether all mistakes so far are in the values of these fields.
func (r *Reader) OnlyIn(fields ...any) bool {
	n := len(r.mistakes)
	for _, f := range fields {
		n -= r.places[f].mistakes
	}
	return n == 0
}

// Err joins the mistakes in the order of the file.
func (r *Reader) Err() error {
	var list []error
	for i, m := range r.inOrder() {
		if i == maxMistakes {
			list = append(list, fmt.Errorf("%s: %d more mistakes", r.File, len(r.mistakes)-i))
			break
		}
		list = append(list, r.problem(m))
	}
	return errors.Join(list...)
}

// First returns the first mistake of the file, or nil.
func (r *Reader) First() error {
	if len(r.mistakes) == 0 {
		return nil
	}
	return r.problem(r.inOrder()[0])
}

// inOrder returns the mistakes in the order of the file.
func (r *Reader) inOrder() []mistake {
	slices.SortStableFunc(r.mistakes, func(a, b mistake) int {
		return cmp.Or(cmp.Compare(a.line, b.line), cmp.Compare(a.column, b.column))
	})
	return r.mistakes
}

func (r *Reader) problem(m mistake) error {
	return &problem.Problem{Place: fmt.Sprintf("%s:%d:%d", r.File, m.line, m.column), Cause: m.text}
}

// Root parses src, which must hold exactly one document. what names such a file, and empty is the message of one that
// holds none.
func (r *Reader) Root(src []byte, what, empty string) *yaml.Node {
	dec := yaml.NewDecoder(bytes.NewReader(src))
	var doc, second yaml.Node
	err := dec.Decode(&doc)
	switch {
	case errors.Is(err, io.EOF) || err == nil && len(doc.Content) == 0:
		r.ErrorAt(1, 1, "%s", empty)
		return nil
	case err != nil:
		r.syntax(src, err)
		return nil
	}
	switch err := dec.Decode(&second); {
	case err == nil:
		r.Errorf(&second, "the file has a second document; %s is one document", what)
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
func (r *Reader) syntax(src []byte, err error) {
	msg := err.Error()
	m := yamlLine.FindStringSubmatch(msg)
	if m == nil {
		r.ErrorAt(1, 1, "%s", strings.TrimPrefix(msg, "yaml: "))
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
			r.ErrorAt(n, tab+1, "a tab in the indentation; YAML allows spaces only: replace the tab by spaces")
			return
		}
		if name := unquoted.FindStringSubmatchIndex(lines[n-1]); name != nil && strings.Contains(msg, "cannot start any token") {
			r.ErrorAt(n, name[2]+1, "YAML needs quotes around the name of a group: write %q", lines[n-1][name[2]:name[3]])
			return
		}
	}
	r.ErrorAt(at, 1, "%s", msg[len(m[0]):])
}

// Resolve follows an alias to the node that it names.
func Resolve(n *yaml.Node) *yaml.Node {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}
