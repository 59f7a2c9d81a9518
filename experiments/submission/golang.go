package submission

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// buildGo builds the package of an entry into work/entry, beside the tree: in a module of its own, whose main function
// calls calib/served. It has the project's dependencies, and no others. Nothing of the package runs.
func buildGo(ctx context.Context, code Source, work string) error {
	variable, err := entryVariable(code)
	if err != nil {
		return err
	}
	root, err := Checkout()
	if err != nil {
		return err
	}
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return err
	}
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		return err
	}
	_, rest, _ := bytes.Cut(mod, []byte("\n"))
	main := Source{
		"go.mod":  fmt.Appendf(nil, "module entry\n%s\nrequire %s v0.0.0\nreplace %[2]s => %q\n", rest, module, root),
		"go.sum":  sum,
		"main.go": fmt.Appendf(nil, "package main\n\nimport (\n\t%q\n\n\tmine \"entry/mine\"\n)\n\nfunc main() { served.Main(mine.%s) }\n", module+"/calib/served", variable),
	}
	for file, text := range code {
		main["mine/"+file] = text
	}
	dir := filepath.Join(work, "build")
	if err := main.write(dir); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "go", "build", "-mod=mod", "-trimpath", "-buildvcs=false", "-o", filepath.Join("..", "entry"+executable()), ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=", "CGO_ENABLED=0", "GOWORK=off", "GOOS=", "GOARCH=")
	if said, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w", errors.New(firstFault(string(said), err)))
	}
	return nil
}

// firstFault returns the first mistake that the compiler names, or its error.
func firstFault(said string, err error) string {
	for line := range strings.Lines(said) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			return strings.TrimPrefix(line, "mine/")
		}
	}
	return err.Error()
}

// entryVariable returns the exported variable of a package that is a calib.Entry: its value is a call of calib.NewEntry,
// or its type is written.
func entryVariable(code Source) (string, error) {
	var found []string
	for _, file := range code.files() {
		if !strings.HasSuffix(file, ".go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, code[file], parser.SkipObjectResolution)
		if err != nil {
			return "", err
		}
		if f.Name.Name == "main" {
			return "", fmt.Errorf("%s: package main; an entry is a package that can be imported, give it another name", file)
		}
		for _, d := range f.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.VAR {
				continue
			}
			for _, s := range g.Specs {
				v := s.(*ast.ValueSpec)
				for i, name := range v.Names {
					if name.IsExported() && (isEntry(v.Type) || i < len(v.Values) && makesEntry(v.Values[i])) {
						found = append(found, name.Name)
					}
				}
			}
		}
	}
	if len(found) != 1 {
		return "", fmt.Errorf("%s: %d exported variables of the type calib.Entry, want one, as in var Entry = calib.NewEntry[Mine, mineMap](calib.Entry{...})", code.files()[0], len(found))
	}
	return found[0], nil
}

func isEntry(e ast.Expr) bool {
	s, ok := e.(*ast.SelectorExpr)
	return ok && s.Sel.Name == "Entry"
}

func makesEntry(e ast.Expr) bool {
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return false
	}
	of := call.Fun
	switch x := of.(type) {
	case *ast.IndexListExpr:
		of = x.X
	case *ast.IndexExpr:
		of = x.X
	}
	s, ok := of.(*ast.SelectorExpr)
	return ok && s.Sel.Name == "NewEntry"
}
