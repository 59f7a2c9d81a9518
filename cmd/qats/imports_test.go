package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/qats-bench/qats/"

// homes are the packages that may import each library outside the standard library.
// Tests are exempt.
var homes = []struct {
	library string
	in      []string
	why     string
}{
	{"gopkg.in/yaml.v3", []string{"data/keyed", "experiments/spec", "experiments/submission", "data", "data/folder", "results/paper/claims", "docs/tables"}, "specs and manifests by one decoder, cards of entries, the list of the paper's claims, and for the documents that of published predictions are read in one place each; options reach methods decoded"},
	{"github.com/sbinet/npyio", []string{"data/npy"}, "npyio trusts headers; only the code that checks them first may call it"},
	{"golang.org/x/sync/errgroup", []string{"internal/pool", "experiments", "studies/coverage", "studies/advice/rules"}, "the goroutines that matter to results are in the pool of tasks, in that of cells, and in those of a study's test sets and draws"},
	{"golang.org/x/sync", []string{"data/folder", "experiments"}, "a file is hashed once, and the memory of a run is shared out in one place"},
	{"gonum.org/v1/plot", []string{"plots"}, "figures are drawn in one place"},
	{"codeberg.org/go-pdf/fpdf", []string{"plots"}, "embeds the part of the font that a PDF uses, and makes PDF files reproducible"},
	{"golang.org/x/image", []string{"plots"}, "outlines of characters, so that SVG files need no font of the reader"},
	{"gonum.org/v1/gonum", []string{"calib/internal/fit", "calib/linear", "calib/network", "calib/splines", "experiments", "metrics", "results/compare", "results/compare/significance", "studies/advice/rules"}, "optimisation and matrix products of methods; cosine transforms, statistics and the distributions of tests"},
	{"github.com/spf13/cobra", []string{"cmd/qats"}, "flags in, package calls out"},
	{"github.com/spf13/pflag", []string{"cmd/qats"}, "cobra's flags"},
	{"github.com/schollz/progressbar", []string{"cmd/qats"}, "libraries print nothing"},
	{"golang.org/x/sys/cpu", []string{"internal/kernel/cpu"}, "one place detects the processor's instructions"},
	{"github.com/mmcloughlin/avo", []string{"internal/kernel/gen", "internal/kernel/gen/softmax", "internal/kernel/gen/linear"}, "generators of vector code are a module of their own"},
	{"golang.org/x/term", []string{"cmd/qats"}, "libraries print nothing"},
	{"golang.org/x/text/unicode/norm", []string{"experiments/submission"}, "labels of entries that look alike are found in one place"},
}

// rule limits what the packages of the project import of each other. A pattern is a package,
// or a package and all below it, "results/...".
type rule struct {
	of    string   // pattern of the importing packages
	only  []string // patterns of the packages that they may import; nil for no limit
	never []string // patterns of those that they may not
	but   []string // patterns of packages that the rule does not bind
	why   string
}

// rules let data flow one way, from arrays to numbers to views.
var rules = []rule{
	{of: "internal/...", only: []string{"internal/..."},
		why: "the leaves: what every package may use knows none of them"},
	{of: "data/...", only: []string{"data/...", "internal/..."},
		why: "arrays and layouts know neither methods nor metrics"},
	{of: "calib/...", only: []string{"calib/...", "data/...", "internal/..."},
		why: "a method fits its objective and cannot see the metrics that judge it"},
	{of: "metrics/...", only: []string{"metrics/...", "data/...", "internal/..."},
		why: "a metric judges probabilities, whatever method made them"},
	{of: "results/...", only: []string{"results/...", "metrics/...", "internal/...", "calib/report"},
		why: "the CSV files are the border: what reads them needs neither arrays nor methods, but the values of a report, and draws nothing"},
	{of: "studies/...", never: []string{"internal/...", "cmd/..."},
		why: "a study measures what users have: a module of its own, with exported names only"},
	{of: "...", never: []string{"studies/..."}, but: []string{"studies/..."},
		why: "the tool needs no study"},
	{of: "plots/...", only: []string{"plots/...", "results/...", "metrics/...", "internal/..."},
		why: "a figure shows rows of the CSV files and nothing else"},
	{of: "experiments/...", never: []string{"cmd/..."},
		why: "flags and words are those of one program"},
	{of: "calib/internal/...", only: []string{"calib/report", "calib/internal/fit", "data/...", "internal/..."}, but: []string{"calib/internal/method"},
		why: "solvers know no method, so that several methods can share one"},
	{of: "calib/internal/method", only: []string{"calib", "calib/report", "calib/internal/fit", "data/...", "internal/..."},
		why: "what families share knows no family"},
	{of: "calib/report", only: []string{},
		why: "reports and warnings are values that solvers, methods and readers of results share"},
	{of: "calib", only: []string{"calib/report", "calib/internal/fit", "data/...", "internal/..."},
		why: "what a method is depends on no family of methods, and on no list of them"},
	{of: "calib/...", never: []string{"calib/all"},
		why: "the list of methods is for programs; a method knows no list that it is in"},
	{of: "calib/all", never: []string{"calib/calibtest", "calib/external"},
		why: "the list of methods needs neither what checks them nor programs of others"},
	{of: "calib/external/...", never: []string{"calib"},
		why: "a program as a calibrator is one method beside the others"},
	{of: "data", only: []string{"data/npy", "data/formats", "data/problem", "internal/..."},
		why: "sets are the same wherever they come from: simulated, fetched or imported"},
	{of: "data/keyed", only: []string{"data/problem", "internal/..."},
		why: "a decoder of keys knows no file that it reads"},
	{of: "data/folder", only: []string{"data", "data/keyed", "data/npy", "data/formats", "data/problem", "internal/..."},
		why: "a folder serves sets, whatever is derived from them"},
	{of: "data/derive", only: []string{"data", "data/npy", "data/problem"},
		why: "rows are derived from any source: of a folder, simulated, or derived already"},
	{of: "data/npy", only: []string{"data/problem", "internal/..."},
		why: "an array of numbers knows no set that it is a part of"},
	{of: "data/formats", only: []string{"data/npy", "data/problem", "internal/..."},
		why: "a form of files knows arrays, and no set that they are a part of"},
	{of: "data/problem", only: []string{},
		why: "an error of an input is a value that every reader can return"},
	{of: "results", never: []string{"results/table/...", "results/compare/...", "results/paper/..."},
		why: "records know no view of them"},
	{of: "results/crosstab", only: []string{"results", "metrics"},
		why: "what a table is asked for is declared without making it"},
	{of: "results/figure", only: []string{"results"},
		why: "what a figure is asked for is declared without drawing it"},
	{of: "results/table/...", never: []string{"results/compare/...", "results/paper/..."},
		why: "a table is printed the same whatever it holds"},
	{of: "...", never: []string{"results/paper/..."},
		but: []string{"results/paper/...", "cmd/qats", "experiments", "experiments/report"},
		why: "one room knows the paper: others have names, claims and reference numbers as values"},
	{of: "results/compare/significance", only: []string{},
		why: "statistical tests are functions of numbers"},
	{of: "experiments/spec/...", never: []string{"experiments", "experiments/look", "experiments/inspect", "experiments/trial", "experiments/arrays", "experiments/report/...", "plots/...", "results/compare/..."},
		why: "reading a spec runs, compares and draws nothing"},
	{of: "experiments", never: []string{"experiments/look", "experiments/inspect", "experiments/trial", "experiments/arrays", "experiments/cluster", "experiments/report/...", "plots", "results/compare/..."},
		why: "a run needs no look at the arrays before it, and none at its files"},
	{of: "experiments/submission", never: []string{"experiments/look", "experiments/inspect", "experiments/trial", "experiments/arrays", "experiments/cluster", "experiments/report/...", "plots"},
		why: "an entry is read, run and compared; views show it"},
	{of: "experiments/look", never: []string{"experiments/inspect", "experiments/trial", "experiments/arrays", "experiments/report/...", "plots", "results/compare/..."},
		why: "arrays are found before they are inspected and tried"},
	{of: "experiments/engine", only: []string{"calib/...", "data", "internal/...", "metrics/...", "results"},
		why: "numbers are made of arrays and methods, whichever command asks for them"},
	{of: "experiments/arrays", never: []string{"experiments", "experiments/spec/..."},
		why: "a fit of files needs neither plans nor specs"},
	{of: "experiments/report", never: []string{"experiments", "experiments/look", "experiments/inspect", "experiments/trial", "experiments/arrays", "experiments/cluster", "data/..."},
		why: "views are made from the files of a run, whoever wrote them"},
	{of: "experiments/report/page/...", only: []string{"experiments/report/page/...", "plots", "results/...", "metrics/...", "internal/..."},
		why: "the page is a function of the files of a run"},
	{of: "experiments/external/...", only: []string{"data", "data/npy"},
		why: "an example for programs of others, which have the files and nothing else"},
	{of: ".", only: []string{},
		why: "the embedded files of the project"},
}

// TestImportsPointOneWay: packages keep the rules, and each library has its homes.
func TestImportsPointOneWay(t *testing.T) {
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && d.Name() != ".." || d.Name() == "out") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return nil
		}
		rel, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range parsed.Imports {
			imported, _ := strconv.Unquote(spec.Path.Value)
			pkg := path.Dir(filepath.ToSlash(rel))
			if problem := judge(pkg, imported); problem != "" {
				t.Errorf("%s imports %s: %s", filepath.ToSlash(rel), imported, problem)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// judge returns why an import is not allowed, or "" if it is.
func judge(pkg, imported string) string {
	if own, ok := strings.CutPrefix(imported+"/", module); ok {
		own = path.Clean(own)
		if strings.HasSuffix(own, "test") && pkg != "calib/internal/testset" { // which helps tests, too
			return "packages that help tests, as httptest does, are no part of a program"
		}
		for _, r := range rules {
			if r.breaks(pkg, own) {
				return r.why
			}
		}
		return ""
	}
	if first, _, _ := strings.Cut(imported, "/"); !strings.Contains(first, ".") {
		return ""
	}
	for _, h := range homes {
		if imported == h.library || strings.HasPrefix(imported, h.library+"/") {
			if slices.Contains(h.in, pkg) {
				return ""
			}
			return "its home is " + strings.Join(h.in, " and ") + ": " + h.why
		}
	}
	return "a library without a home; add one in this test, with the reason"
}

// breaks reports whether the rule forbids an import within the project.
func (r rule) breaks(pkg, imported string) bool {
	binds := under(r.of, pkg) && !slices.ContainsFunc(r.but, func(p string) bool { return under(p, pkg) })
	if !binds {
		return false
	}
	in := func(patterns []string) bool {
		return slices.ContainsFunc(patterns, func(p string) bool { return under(p, imported) && imported != pkg })
	}
	return r.only != nil && !in(r.only) || in(r.never)
}

// under reports whether a package matches a pattern; "..." is all packages.
func under(pattern, pkg string) bool {
	if pattern == "..." {
		return true
	}
	if root, tree := strings.CutSuffix(pattern, "/..."); tree {
		return pkg == root || strings.HasPrefix(pkg, root+"/")
	}
	return pkg == pattern
}

// TestARunNeedsNoView: what a run, a spec and the engine import, directly or through others, draws, compares and reports
// nothing, and makes no table: of tables and figures a spec has the declarations (results/crosstab, results/figure).
func TestARunNeedsNoView(t *testing.T) {
	for _, pkg := range []string{"experiments", "experiments/spec", "experiments/engine"} {
		out, err := exec.Command("go", "list", "-deps", "../../"+pkg).Output()
		if err != nil {
			t.Fatal(err)
		}
		listed := strings.Fields(string(out))
		if !slices.Contains(listed, module+"results") {
			t.Fatalf("go list -deps of %s has %d packages, and not results", pkg, len(listed))
		}
		for _, p := range listed {
			p, own := strings.CutPrefix(p, module)
			if !own {
				continue
			}
			for _, view := range []string{"experiments/report/...", "results/compare/...", "results/table/...", "plots/..."} {
				if under(view, p) {
					t.Errorf("%s needs %s", pkg, p)
				}
			}
		}
	}
}

// TestRulesRejectWhatTheyName: every rule forbids one of these imports.
func TestRulesRejectWhatTheyName(t *testing.T) {
	broken := make([]bool, len(rules))
	for _, c := range []struct{ pkg, imported string }{
		{"internal/pool", "data"},
		{"data/simulate", "metrics"},
		{"calib", "metrics"},
		{"metrics", "calib"},
		{"results", "experiments"},
		{"results/compare", "plots"},
		{"plots", "experiments/spec"},
		{"studies/certain", "internal/pool"},
		{"docs/tables", "studies/certain"},
		{"experiments", "cmd/qats"},
		{"calib/internal/fit", "calib"},
		{"calib/internal/method", "calib/linear"},
		{"calib/report", "calib"},
		{"calib", "calib/external"},
		{"calib/binning", "calib/all"},
		{"calib/all", "calib/calibtest"},
		{"calib/external", "calib"},
		{"data", "data/simulate"},
		{"data", "data/folder"},
		{"data/folder", "data/derive"},
		{"data/keyed", "data/folder"},
		{"data/derive", "data/folder"},
		{"results", "results/table"},
		{"results/crosstab", "results/table"},
		{"results/figure", "plots"},
		{"results/table", "results/compare"},
		{"results/compare", "results/paper"},
		{"experiments/report/page", "results/paper/claims"},
		{"experiments/spec", "results/paper"},
		{"results/table/pivot", "results/paper/audit"},
		{"plots", "results/paper"},
		{"results/compare/significance", "results"},
		{"experiments/spec", "experiments"},
		{"experiments", "experiments/inspect"},
		{"data/npy", "data/formats"},
		{"data/formats", "data"},
		{"data/problem", "data"},
		{"experiments/look", "experiments/trial"},
		{"experiments/engine", "experiments/spec"},
		{"experiments/arrays", "experiments"},
		{"experiments/submission", "plots"},
		{"experiments/report", "experiments"},
		{"experiments/report/page", "experiments"},
		{"experiments/external/temperature", "calib"},
		{".", "data"},
	} {
		if judge(c.pkg, module+c.imported) == "" {
			t.Errorf("%s may import %s", c.pkg, c.imported)
		}
		for i, r := range rules {
			broken[i] = broken[i] || r.breaks(c.pkg, c.imported)
		}
	}
	for i, r := range rules {
		if !broken[i] {
			t.Errorf("no import breaks the rule of %q: %s", r.of, r.why)
		}
	}
}

// TestHelpersOfTestsAreForTests: no rule lets other code import them.
func TestHelpersOfTestsAreForTests(t *testing.T) {
	for _, imported := range []string{"results/resultstest", "results/table/latextest", "calib/calibtest", "internal/kernel/cpu/cputest"} {
		if _, err := os.Stat(filepath.Join("..", "..", filepath.FromSlash(imported))); err != nil {
			t.Error(err)
		}
		for _, pkg := range []string{"results/compare", "cmd/qats", "calib/calibtest"} {
			if judge(pkg, module+imported) == "" {
				t.Errorf("%s may import %s", pkg, imported)
			}
		}
	}
}

// TestLibrariesStayAtHome: imports of libraries that the homes forbid.
func TestLibrariesStayAtHome(t *testing.T) {
	for _, c := range []struct{ pkg, imported string }{
		{"metrics", "gopkg.in/yaml.v3"},
		{"data", "example.com/new"},
	} {
		if judge(c.pkg, c.imported) == "" {
			t.Errorf("%s may import %s", c.pkg, c.imported)
		}
	}
}
