// Package asm is shared by the generators of the project's vector code. Each folder
// below holds one generator; `make generate` runs them all.
package asm

import (
	"bytes"
	"fmt"
	"log"
	"os"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
)

// Main is the command of a generator of package pkg: it writes the functions that
// emit builds to the file named by its argument.
func Main(pkg string, emit func(*build.Context)) {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatalf("usage: %s FILE", pkg)
	}
	c := build.NewContext()
	c.ConstraintExpr("amd64,!purego")
	emit(c)
	if err := write(c, pkg, os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

// write compiles the functions built in c and writes them to file as assembly of
// package pkg. The bytes depend on nothing but c. Declarations are written by hand,
// with the types of the package; vet compares the two.
func write(c *build.Context, pkg, file string) error {
	f, err := c.Result()
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	header := printer.Config{Name: "avo", Argv: []string{"make", "generate"}, Pkg: pkg}
	var text bytes.Buffer
	compile := pass.Concat(pass.Compile, &pass.Output{Writer: nopClose{&text}, Printer: printer.NewGoAsm(header)})
	if err := compile.Execute(f); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return os.WriteFile(file, text.Bytes(), 0o644)
}

type nopClose struct{ *bytes.Buffer }

func (nopClose) Close() error { return nil }
