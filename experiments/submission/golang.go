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
	"slices"
	"strconv"
	"strings"
)

// buildGo builds the package of an entry into work/entry, beside the tree: in a module of its own, whose main function
// calls calib/served. It imports the project and the standard library alone, and nothing is downloaded. Nothing of the
// package runs.
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
	cmd := exec.CommandContext(ctx, "go", "build", "-mod=readonly", "-trimpath", "-buildvcs=false", "-o", filepath.Join("..", "entry"+executable()), ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=", "CGO_ENABLED=0", "GOWORK=off", "GOOS=", "GOARCH=", "GOPROXY=off", "GOTOOLCHAIN=local")
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
	files := token.NewFileSet()
	for _, file := range code.files() {
		if !strings.HasSuffix(file, ".go") {
			continue
		}
		f, err := parser.ParseFile(files, file, code[file], parser.SkipObjectResolution)
		if err != nil {
			return "", err
		}
		for _, s := range f.Imports {
			path, err := strconv.Unquote(s.Path.Value)
			if err != nil {
				return "", fmt.Errorf("%s: import %s: %w", file, s.Path.Value, err)
			}
			if !importable(path) {
				return "", fmt.Errorf("%s:%d: import %q: an entry imports the standard library and this project alone, and neither C, unsafe nor plugin", file, files.Position(s.Pos()).Line, path)
			}
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

// importable reports whether an entry may import a package: of the standard library, whose paths begin with a word
// without a dot, or of this project.
func importable(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	if slices.Contains([]string{"C", "unsafe", "plugin"}, path) {
		return false
	}
	return !strings.Contains(first, ".") && first != "entry" || path == module || strings.HasPrefix(path, module+"/")
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
