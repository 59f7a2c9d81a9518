package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/qats-bench/qats/experiments"
	"github.com/qats-bench/qats/experiments/spec"
)

// The commission: what the person that the project is made for asked for by name. None
// of it may be replaced by code of our own or dropped.
var (
	commissionedLibraries = []string{
		"gonum.org/v1/gonum",
		"gonum.org/v1/plot",
		"github.com/sbinet/npyio",
		"golang.org/x/sync/errgroup",
		"gopkg.in/yaml.v3",
	}
	commissionedVersions = []string{"github.com/sbinet/npyio v0.9.0"} // older and later ones corrupt files silently
	commissionedTop      = []string{
		"go.mod", "go.sum", "cmd", "experiments", "calib", "metrics", "plots", "data", "results", "Makefile", "README.md",
	}
	commissionedTargets = []string{"reproduce", "test"}
)

// TestTheProgramUsesWhatWasCommissioned: each library is imported by a package of ours
// that the program is built from, not by a library of a library, a test or a tool.
func TestTheProgramUsesWhatWasCommissioned(t *testing.T) {
	used, err := librariesOf(os.DirFS(filepath.Join("..", "..")), "cmd/qats")
	if err != nil {
		t.Fatal(err)
	}
	for _, library := range notUsed(used) {
		t.Errorf("no package of the program imports %s, which was commissioned", library)
	}
}

// notUsed returns the commissioned libraries of which no package is among those used.
func notUsed(used []string) (missing []string) {
	for _, library := range commissionedLibraries {
		if !slices.ContainsFunc(used, func(p string) bool { return p == library || strings.HasPrefix(p, library+"/") }) {
			missing = append(missing, library)
		}
	}
	return missing
}

// librariesOf returns the packages outside this module and the standard library that the
// packages of the program import, starting from the package in the folder start. An
// import for its side effects alone does not count as use.
func librariesOf(root fs.FS, start string) (libraries []string, err error) {
	folders := []string{start}
	for i := 0; i < len(folders); i++ {
		files, err := fs.Glob(root, path.Join(folders[i], "*.go"))
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			text, err := fs.ReadFile(root, file)
			if err != nil {
				return nil, err
			}
			parsed, err := parser.ParseFile(token.NewFileSet(), file, text, parser.ImportsOnly)
			if err != nil {
				return nil, err
			}
			for _, spec := range parsed.Imports {
				imported, _ := strconv.Unquote(spec.Path.Value)
				own, ours := strings.CutPrefix(imported+"/", module)
				first, _, _ := strings.Cut(imported, "/")
				switch folder := path.Clean(own); {
				case ours && !slices.Contains(folders, folder):
					folders = append(folders, folder)
				case !ours && strings.Contains(first, ".") && (spec.Name == nil || spec.Name.Name != "_"):
					libraries = append(libraries, imported)
				}
			}
		}
	}
	return libraries, nil
}

// TestAReplacedLibraryIsNoticed: a program that has its own pool in place of errgroup, and
// imports errgroup in a test, in a package that it does not use and for side effects.
func TestAReplacedLibraryIsNoticed(t *testing.T) {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	root := fstest.MapFS{
		"cmd/qats/main.go": file(`package main
import (
	"github.com/qats-bench/qats/internal/pool"
	_ "golang.org/x/sync/errgroup"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot"
	"github.com/sbinet/npyio"
	"gopkg.in/yaml.v3"
)`),
		"cmd/qats/main_test.go":    file("package main\nimport \"golang.org/x/sync/errgroup\""),
		"internal/pool/pool.go":    file("package pool\nimport \"sync\""),
		"internal/unused/other.go": file("package unused\nimport \"golang.org/x/sync/errgroup\""),
	}
	used, err := librariesOf(root, "cmd/qats")
	if err != nil {
		t.Fatal(err)
	}
	if got := notUsed(used); !slices.Equal(got, []string{"golang.org/x/sync/errgroup"}) {
		t.Errorf("not used: %v", got)
	}
	root["internal/pool/pool.go"] = file("package pool\nimport \"golang.org/x/sync/errgroup\"")
	if used, err = librariesOf(root, "cmd/qats"); err != nil || notUsed(used) != nil {
		t.Errorf("in the pool again, not used: %v, %v", notUsed(used), err)
	}
}

func TestTheTopLevelIsAsCommissioned(t *testing.T) {
	root := filepath.Join("..", "..")
	for _, name := range commissionedTop {
		if _, err := os.Stat(filepath.Join(root, name)); err != nil {
			t.Errorf("the top level has no %s, which was commissioned", name)
		}
	}
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	for _, version := range commissionedVersions {
		if !strings.Contains(read("go.mod"), version+"\n") {
			t.Errorf("go.mod does not require %s", version)
		}
	}
	for _, target := range commissionedTargets {
		if !strings.Contains(read("Makefile"), "\n"+target+":") {
			t.Errorf("the Makefile has no target %s", target)
		}
		if !strings.Contains(read("README.md"), "make "+target) {
			t.Errorf("README.md does not name make %s", target)
		}
	}
}

// TestSpecsEnumerateThePapersSettings: the five specs of the paper enumerate its 162
// settings (TestPaperSettings compares them with the published ones).
func TestSpecsEnumerateThePapersSettings(t *testing.T) {
	settings := 0
	for _, name := range []string{"standard", "longtail", "shift", "medical", "tasks"} {
		s, err := spec.Read(filepath.Join("..", "..", "experiments", "paper", name+".yaml"), experiments.Registry())
		if err != nil {
			t.Fatal(err)
		}
		settings += len(s.Settings)
	}
	if settings != 162 {
		t.Errorf("the paper's specs enumerate %d settings, want 162", settings)
	}
}
