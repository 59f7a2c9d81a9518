package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/qats-bench/qats/results/table/latextest"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// childArgs is an environment variable. A test binary that finds it set runs no tests but
// the program, with the arguments in it, one a line: see child.
const childArgs = "QATS_TEST_CHILD"

func TestMain(m *testing.M) {
	if args := os.Getenv(childArgs); args != "" { // before testscript.Main, whose folder stays if a process ends early
		os.Exit(interruptible(strings.Split(args, "\n"), os.Stdout, os.Stderr))
	}
	testscript.Main(suite{m}, map[string]func(){
		"qats":      program,
		"qatsbench": program, // as the Python package calls it
	})
}

func program() { os.Exit(run(context.Background(), os.Args[1:], os.Stdout, os.Stderr)) }

// suite removes what the tests share after the last of them.
type suite struct{ *testing.M }

func (s suite) Run() int {
	os.Unsetenv("COLUMNS") // of the terminal of whoever runs the tests
	status := s.M.Run()
	os.RemoveAll(sharedResults)
	return status
}

// sharedResults is the folder of exampleResults; empty until a test asks for it.
var sharedResults string

// exampleResults returns the output folder of an undisturbed run of the example. The
// tests share it: a test that changes files makes a copy.
func exampleResults(t *testing.T) string {
	t.Helper()
	if err := runExample(); err != nil {
		t.Fatal(err)
	}
	return sharedResults
}

var runExample = sync.OnceValue(func() (err error) {
	if sharedResults, err = os.MkdirTemp("", "qats-example-"); err != nil {
		return err
	}
	var stderr strings.Builder
	spec := filepath.Join("..", "..", "experiments", "example.yaml")
	if status := run(context.Background(), []string{"run", spec, "--out", sharedResults}, io.Discard, &stderr); status != exitOK {
		return fmt.Errorf("status %d: %s", status, stderr.String())
	}
	return nil
})

// TestScripts runs testdata/script: the command line as users see it.
// $PROJECT is the root of the project, whose data/example the scripts read; $FILES
// are published files of invented numbers; $LONG is a long name.
func TestScripts(t *testing.T) {
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:           filepath.Join("testdata", "script"),
		UpdateScripts: *update,
		Setup: func(env *testscript.Env) error {
			env.Setenv("PROJECT", root)
			env.Setenv("LONG", strings.Repeat("a", 250)) // 255 bytes are the most of a file name
			env.Setenv("CAL", filepath.Join(root, "data", "example", "example", "unsure-overscaled", "cal"))
			env.Setenv("TEST", filepath.Join(root, "data", "example", "example", "unsure-overscaled", "test"))
			return nil
		},
		Condition: func(condition string) (bool, error) {
			switch condition {
			case "latex":
				return latextest.Find() != "", nil
			case "bundle": // a module of its own, which the module of the project in the module cache lacks
				_, err := os.Stat(filepath.Join(root, "data", "bundle"))
				return err == nil, nil
			}
			return false, fmt.Errorf("unknown condition %q", condition)
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"status":  status,
			"array":   array,
			"archive": archive,
			"answer":  answer,
			"has":     has,
			"cut":     cut,
			"alter":   alter,
		},
	})
}

// has FILE LINES: the file has each line of LINES, whatever its spaces and line breaks, and they follow
// on each other. Words between them are free.
func has(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: has FILE LINES")
	}
	flat := func(text string) string { return " " + strings.Join(strings.Fields(text), " ") + " " }
	rest := flat(ts.ReadFile(args[0]))
	for line := range strings.Lines(ts.ReadFile(args[1])) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		_, after, ok := strings.Cut(rest, flat(line))
		if !ok {
			ts.Fatalf("%s does not go on with\n%s\nafter the lines before it; it has\n%s", args[0], line, rest)
		}
		rest = " " + after
	}
}

// cut FILE NEW: the first half of a file.
func cut(ts *testscript.TestScript, _ bool, args []string) {
	b := ts.ReadFile(args[0])
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(b[:len(b)/2]), 0o666))
}

// alter FILE NEW: a file with another byte in the middle.
func alter(ts *testscript.TestScript, _ bool, args []string) {
	b := []byte(ts.ReadFile(args[0]))
	b[len(b)/2] ^= 1
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), b, 0o666))
}

// status N COMMAND...: the command exits with status N.
func status(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status N COMMAND...")
	}
	err := ts.Exec(args[1], args[2:]...)
	got := "0"
	if err != nil {
		got = err.Error()
	}
	want := args[0]
	if want != "0" {
		want = "exit status " + want
	}
	if got != want {
		ts.Fatalf("%v: %s, want %s", args[1:], got, want)
	}
}
