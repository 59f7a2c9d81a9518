// Package facts reads what the doc comment of a method or a metric says about it: the
// list at the end of the comment. Its items are, in this order,
//
//   - Formula: the map and its objective, in the symbols of docs/methods.md
//   - Reference: author and year
//   - Compared with: code that it was compared with, the authors' if they published any
//   - Agreement: what was compared, on which sets, and how closely it agreed
//   - Departures: where it departs from the reference, and why
//
// The list of a metric begins with the item "Metric", its name in specs, since a metric
// has no type, and its facts stand at a function or at the variable of its entry.
//
// "none" and "not compared" are answers, silence is not. Tests write the facts of all
// comments to a Go file, since the program runs without its sources.
package facts

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/doc"
	"go/doc/comment"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// keys begin the items of the list, and fields are their names in Go.
var (
	keys   = []string{"Formula", "Reference", "Compared with", "Agreement", "Departures"}
	fields = []string{"Formula", "Reference", "Code", "Agreement", "Departs"}
)

// Sheet has the texts of the items in the order of the list.
type Sheet []string

// Read returns the facts of the declarations of the package in dir, by the names of the
// metrics, or of the declarations. It fails if a comment has some of the items only, or has
// them in another order.
func Read(dir string) (map[string]Sheet, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	p, err := doc.NewFromFiles(fset, files, dir, doc.AllDecls)
	if err != nil {
		return nil, err
	}
	comments := map[string]string{}
	for _, t := range p.Types {
		comments[t.Name] = t.Doc
		for _, f := range t.Funcs {
			comments[f.Name] = f.Doc
		}
		for _, v := range t.Vars {
			comments[v.Names[0]] = v.Doc
		}
	}
	for _, f := range p.Funcs {
		comments[f.Name] = f.Doc
	}
	for _, v := range p.Vars {
		comments[v.Names[0]] = v.Doc
	}
	sheets := map[string]Sheet{}
	for name, text := range comments {
		metric, sheet, err := parse(p.Parser().Parse(text))
		if metric != "" {
			name = metric
		}
		if err == nil && sheets[name] != nil {
			err = fmt.Errorf("another comment has the facts of %s", metric)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: the doc comment of %s: %w", dir, name, err)
		}
		if sheet != nil {
			sheets[name] = sheet
		}
	}
	return sheets, nil
}

// parse returns the facts of a comment, nil if it has none, and the name of the metric.
func parse(d *comment.Doc) (metric string, sheet Sheet, err error) {
	for i, block := range d.Content {
		list, ok := block.(*comment.List)
		if !ok {
			continue
		}
		items := list.Items
		if name, ok := strings.CutPrefix(item(items[0]), "Metric: "); ok {
			metric, items = name, items[1:]
		} else if !strings.HasPrefix(item(items[0]), keys[0]+": ") {
			continue
		}
		if i != len(d.Content)-1 {
			return metric, nil, errors.New("the list of facts is not at its end")
		}
		for at, it := range items {
			key, text, _ := strings.Cut(item(it), ": ")
			if at >= len(keys) || key != keys[at] || text == "" {
				return metric, nil, fmt.Errorf("item %d of the list of facts is %q: want the items %s, each with a text", at+1, key, strings.Join(keys, ", "))
			}
			sheet = append(sheet, text)
		}
		if len(sheet) < len(keys) {
			return metric, nil, fmt.Errorf("the list of facts has no item %s", keys[len(sheet)])
		}
	}
	return metric, sheet, nil
}

// item returns the text of an item of a list in one line.
func item(it *comment.ListItem) string {
	var words []string
	for _, block := range it.Content {
		if p, ok := block.(*comment.Paragraph); ok {
			words = append(words, strings.Fields(plain(p.Text))...)
		}
	}
	return strings.Join(words, " ")
}

func plain(list []comment.Text) string {
	var b strings.Builder
	for _, t := range list {
		switch t := t.(type) {
		case comment.Plain:
			b.WriteString(string(t))
		case comment.Italic:
			b.WriteString(string(t))
		case *comment.Link:
			b.WriteString(plain(t.Text))
		case *comment.DocLink:
			b.WriteString(plain(t.Text))
		}
	}
	return b.String()
}

// Source returns a Go file of the package that declares the map factsOf: the
// sheet of each entry, a value of the struct type, by the name of the entry.
func Source(pkg, imports, structType string, sheets map[string]Sheet) ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "// Code generated from doc comments by go test . -run Facts -update; DO NOT EDIT.\n\npackage %s\n\n", pkg)
	if imports != "" {
		fmt.Fprintf(&b, "import %q\n\n", imports)
	}
	fmt.Fprintf(&b, "// factsOf has the list at the end of the doc comment of each entry, by its name.\nvar factsOf = map[string]%s{\n", structType)
	names := make([]string, 0, len(sheets))
	for name := range sheets {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		fmt.Fprintf(&b, "%q: {\n", name)
		for i, text := range sheets[name] {
			fmt.Fprintf(&b, "%s: %q,\n", fields[i], text)
		}
		b.WriteString("},\n")
	}
	b.WriteString("}\n")
	return format.Source(b.Bytes())
}

// Current compares the file with its source. With update it writes the file first.
func Current(file string, source []byte, update bool) error {
	if update {
		if err := os.WriteFile(file, source, 0o666); err != nil {
			return err
		}
	}
	kept, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if !bytes.Equal(kept, source) {
		return fmt.Errorf("%s differs from the doc comments: go test . -run Facts -update", file)
	}
	return nil
}
