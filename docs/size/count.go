package main

import (
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// size is what a root folder has.
type size struct {
	code     int // lines with code, without tests
	comments int // lines with comments alone, without tests
	tests    int // lines with code of tests
	files    int // without tests
	names    int // exported, without those of programs and tests
}

func (s *size) add(o size) {
	s.code += o.code
	s.comments += o.comments
	s.tests += o.tests
	s.files += o.files
	s.names += o.names
}

// sizesOf counts the Go files below dir.
func sizesOf(dir string) (map[string]size, error) {
	all := map[string]size{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		root := rootOf(filepath.ToSlash(rel))
		s := all[root]
		code, comments := linesOf(text)
		if strings.HasSuffix(path, "_test.go") {
			s.tests += code
		} else {
			s.code += code
			s.comments += comments
			s.files++
			s.names += exportedOf(text)
		}
		all[root] = s
		return nil
	})
	return all, err
}

// linesOf counts the lines of a file that have code, and those that have comments alone.
func linesOf(text []byte) (code, comments int) {
	files := token.NewFileSet()
	file := files.AddFile("", files.Base(), len(text))
	var s scanner.Scanner
	s.Init(file, text, nil, scanner.ScanComments)
	isCode, isComment := map[int]bool{}, map[int]bool{}
	for {
		pos, tok, literal := s.Scan()
		if tok == token.EOF {
			break
		}
		if tok == token.SEMICOLON && literal == "\n" {
			continue
		}
		of := isCode
		if tok == token.COMMENT {
			of = isComment
		}
		first := file.Line(pos)
		for i := range 1 + strings.Count(strings.TrimSuffix(literal, "\n"), "\n") {
			of[first+i] = true
		}
	}
	for line := range isComment {
		if !isCode[line] {
			comments++
		}
	}
	return len(isCode), comments
}

// exportedOf counts the exported names of a file: functions, types, methods of exported types, variables and constants.
func exportedOf(text []byte) int {
	file, err := parser.ParseFile(token.NewFileSet(), "", text, parser.SkipObjectResolution)
	if err != nil || file.Name.Name == "main" {
		return 0
	}
	if !ast.FileExports(file) {
		return 0
	}
	n := 0
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil || ast.IsExported(receiverOf(d.Recv.List[0].Type)) {
				n++
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					n++
				case *ast.ValueSpec:
					n += len(spec.Names)
				}
			}
		}
	}
	return n
}

// receiverOf returns the name of the type of a receiver.
func receiverOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiverOf(e.X)
	case *ast.IndexExpr:
		return receiverOf(e.X)
	case *ast.IndexListExpr:
		return receiverOf(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}
