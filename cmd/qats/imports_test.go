package main

import (
	"go/parser"
	"go/token"
	"io/fs"
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
	{"gopkg.in/yaml.v3", []string{"experiments/spec", "data"}, "specs and manifests are read in one place each; options reach methods decoded"},
	{"github.com/sbinet/npyio", []string{"data"}, "npyio trusts headers; only the code that checks them first may call it"},
	{"golang.org/x/sync/errgroup", []string{"internal/pool", "experiments"}, "the goroutines that matter to results are in the pool of tasks and in that of cells"},
	{"golang.org/x/sync", []string{"data", "experiments"}, "a file is hashed once, and the memory of a run is shared out in one place"},
	{"gonum.org/v1/plot", []string{"plots"}, "figures are drawn in one place"},
	{"codeberg.org/go-pdf/fpdf", []string{"plots"}, "embeds the part of the font that a PDF uses, and makes PDF files reproducible"},
	{"golang.org/x/image", []string{"plots"}, "outlines of characters, so that SVG files need no font of the reader"},
	{"gonum.org/v1/gonum", []string{"calib", "calib/internal/fit", "calib/internal/linearmap", "calib/internal/vae", "experiments", "metrics", "results/compare", "results/compare/significance"}, "optimisation and matrix products of methods; cosine transforms, statistics and the distributions of tests"},
	{"github.com/spf13/cobra", []string{"cmd/qats"}, "flags in, package calls out"},
	{"github.com/schollz/progressbar", []string{"cmd/qats"}, "libraries print nothing"},
	{"golang.org/x/sys/cpu", []string{"internal/kernel/cpu", "internal/kernel/half"}, "one place for each kind of code detects the processor's instructions"},
	{"golang.org/x/sys/unix", []string{"calib/external"}, "one place starts processes of others, and ends what they leave"},
	{"github.com/mmcloughlin/avo", []string{"internal/kernel/gen", "internal/kernel/gen/softmax", "internal/kernel/gen/linear", "internal/kernel/gen/half"}, "generators of vector code are a module of their own"},
	{"golang.org/x/term", []string{"cmd/qats"}, "libraries print nothing"},
}

// layers are the packages of the project that each package may import: data flows
// one way, from arrays to numbers to views.
var layers = map[string][]string{
	"internal/leftover":           {},
	"internal/inputfile":          {},
	"internal/atomicfile":         {"internal/leftover"},
	"internal/cputime":            {},
	"internal/terminal":           {},
	"internal/pool":               {"internal/cputime"},
	"internal/kernel/cpu":         {},
	"internal/kernel/cpu/cputest": {},
	"internal/kernel/finite":      {},
	"internal/kernel/half":        {},
	"internal/kernel/linear":      {"internal/kernel/cpu"},
	"internal/kernel/softmax":     {"internal/kernel/cpu"},
	"internal/kernel/gen/softmax": {"internal/kernel/gen"},
	"internal/kernel/gen/linear":  {"internal/kernel/gen"},
	"internal/kernel/gen/half":    {"internal/kernel/gen"},
	"data/internal/pickle":        {"data"},
	"data/internal/hdf5":          {"data"},
	"data":                        {"internal/atomicfile", "internal/inputfile", "internal/kernel/finite", "internal/kernel/half", "internal/pool"},
	"data/public":                 {"data", "data/internal/hdf5", "data/internal/pickle", "internal/inputfile"},
	"data/fetch":                  {"internal/atomicfile", "internal/inputfile"},
	"data/simulate":               {"data", "internal/kernel/linear", "internal/kernel/softmax"},
	"data/simulate/example":       {"data", "data/simulate"},
	"calib/internal/testset":      {"data", "internal/kernel/softmax"},
	"calib/internal/fit":          {"data", "internal/cputime", "internal/kernel/linear", "internal/kernel/softmax", "internal/pool"},
	"calib/internal/histograms":   {"internal/kernel/softmax"},
	"calib/internal/simplex":      {"calib/internal/fit", "data", "internal/kernel/linear", "internal/kernel/softmax"},
	"calib/internal/smoothing":    {"calib/internal/fit", "internal/kernel/softmax"},
	"calib/internal/isotonic":     {"calib/internal/fit", "data", "internal/kernel/softmax", "internal/stretch"},
	"calib/internal/network":      {"calib/internal/fit", "data", "internal/kernel/softmax"},
	"calib/internal/vae":          {"calib/internal/fit", "internal/kernel/softmax"},
	"calib/internal/linearmap":    {"calib/internal/fit", "data", "internal/kernel/linear", "internal/kernel/softmax"},
	"calib/internal/mixture":      {"calib/internal/fit", "data", "internal/kernel/linear", "internal/kernel/softmax", "internal/pool"},
	"calib/internal/clip":         {"calib/internal/fit", "data", "internal/kernel/linear", "internal/kernel/softmax"},
	"calib/internal/neighbours":   {"calib/internal/fit", "data", "internal/kernel/linear", "internal/pool"},
	"calib/internal/bounded":      {"calib/internal/fit", "calib/internal/network", "data", "internal/kernel/softmax", "internal/pool"},
	"calib/internal/density":      {"calib/internal/fit", "internal/kernel/softmax"},
	"calib": {"calib/internal/bounded", "calib/internal/clip", "calib/internal/density", "calib/internal/fit", "calib/internal/histograms",
		"calib/internal/isotonic", "calib/internal/linearmap", "calib/internal/mixture", "calib/internal/neighbours",
		"calib/internal/network", "calib/internal/simplex", "calib/internal/smoothing", "calib/internal/vae", "data", "internal/kernel/linear",
		"internal/kernel/softmax", "internal/stretch"},
	"calib/calibtest":          {"calib", "data", "internal/kernel/softmax"},
	"calib/external":           {"data", "internal/cputime", "internal/leftover", "internal/kernel/softmax", "internal/inputfile"},
	"internal/exact":           {},
	"internal/stretch":         {},
	"metrics/scoring":          {"data", "internal/exact", "internal/kernel/softmax", "internal/stretch"},
	"metrics/coverage":         {"data", "internal/kernel/softmax", "internal/pool", "metrics/scoring", "metrics"},
	"metrics":                  {"data", "internal/exact", "internal/kernel/softmax", "metrics/scoring", "internal/stretch"},
	"results":                  {"internal/atomicfile", "internal/inputfile", "metrics", "results/internal/csvfile"},
	"results/internal/csvfile": {"internal/atomicfile", "internal/inputfile"},
	"results/table":            {"internal/terminal", "metrics", "results"},
	"results/table/pivot":      {"internal/terminal", "metrics", "results", "results/table"},
	"results/paper":            {"results/internal/csvfile"},
	"results/paper/audit":      {"results/paper", "results/table"},
	"results/paper/claims":     {"results", "results/compare/significance", "results/paper", "results/table"},
	"results/speed/measure":    {"calib", "data", "internal/kernel/softmax", "metrics/scoring", "metrics"},
	"results/page": {"internal/atomicfile", "metrics", "plots", "results", "results/compare", "results/compare/significance",
		"results/paper", "results/paper/claims", "results/table"},
	"results/compare":     {"metrics", "results", "results/compare/significance", "results/table"},
	"plots":               {"internal/atomicfile", "metrics", "results", "results/compare", "results/table"},
	"experiments/spec":    {"calib", "data", "data/simulate", "internal/inputfile", "metrics", "plots", "results", "results/paper", "results/table", "results/table/pivot"},
	"experiments/inspect": {"", "calib", "data", "data/simulate", "experiments", "experiments/spec", "internal/inputfile", "metrics/scoring", "metrics", "results"},
	"experiments": {"", "calib", "calib/external", "data", "data/simulate", "experiments/spec", "internal/atomicfile", "internal/cputime", "internal/inputfile", "internal/kernel/cpu", "internal/kernel/softmax", "internal/pool",
		"metrics/scoring", "internal/terminal", "metrics", "plots", "results", "results/compare", "results/page", "results/paper", "results/table", "results/table/pivot"},

	"results/compare/significance": {},

	"experiments/external/temperature": {"data"},
}

// TestImportsPointOneWay: packages import only what layers allows, and each library
// has one home.
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
			if problem := judge(path.Dir(filepath.ToSlash(rel)), imported); problem != "" {
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
		own = strings.TrimSuffix(own, "/")
		if pkg == "cmd/qats" || slices.Contains(layers[pkg], own) {
			return ""
		}
		return "not among the packages that " + pkg + " may import; data flows one way"
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

// TestJudgeRejects imports that break the rules.
func TestJudgeRejects(t *testing.T) {
	for _, c := range []struct{ pkg, imported string }{
		{"metrics", "gopkg.in/yaml.v3"},
		{"calib", module + "metrics"},
		{"results", module + "experiments"},
		{"experiments/spec", module + "experiments"},
		{"data", "example.com/new"},
		{"util", module + "data"},
	} {
		if judge(c.pkg, c.imported) == "" {
			t.Errorf("%s may import %s", c.pkg, c.imported)
		}
	}
}
