package calib_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// internalUses returns the names of internal packages that a part of a declaration uses.
func internalUses(f *ast.File, part ast.Node) (found []string) {
	internal := map[string]bool{}
	for _, spec := range f.Imports {
		if path := strings.Trim(spec.Path.Value, `"`); strings.Contains(path, "/internal/") {
			internal[path[strings.LastIndex(path, "/")+1:]] = true
		}
	}
	ast.Inspect(part, func(n ast.Node) bool {
		if field, ok := n.(*ast.Field); ok && len(field.Names) > 0 && !field.Names[0].IsExported() {
			_, parameters := part.(*ast.FuncType)
			return parameters // a field or method that is not exported is nobody's business
		}
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok && internal[x.Name] {
				found = append(found, x.Name+"."+s.Sel.Name)
			}
		}
		return true
	})
	return found
}

// A type of an internal package in an exported declaration could not be written down outside.
func TestExportedNamesHaveNoInternalType(t *testing.T) {
	for _, dir := range []string{".", "onevsrest", "report", "calibtest"} {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files (%v)", dir, len(files), err)
		}
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			check := func(what string, part ast.Node) {
				for _, use := range internalUses(f, part) {
					t.Errorf("%s: exported %s has %s", name, what, use)
				}
			}
			for _, d := range f.Decls {
				switch d := d.(type) {
				case *ast.FuncDecl:
					if d.Name.IsExported() && exportedReceiver(d) {
						check(d.Name.Name, d.Type)
					}
				case *ast.GenDecl:
					for _, s := range d.Specs {
						if s, ok := s.(*ast.TypeSpec); ok && s.Name.IsExported() {
							check(s.Name.Name, s.Type)
						}
					}
				}
			}
		}
	}
}

// exportedReceiver reports whether a function has no receiver, or one of an exported type.
func exportedReceiver(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return true
	}
	exported := false
	ast.Inspect(d.Recv.List[0].Type, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && id.IsExported() {
			exported = true
		}
		return true
	})
	return exported
}
