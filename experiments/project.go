package experiments

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/qats-bench/qats/experiments/spec"
	"github.com/qats-bench/qats/results"
)

// module is the path of the project's module.
const module = "github.com/qats-bench/qats"

// projectRoot is the folder that sources are relative to: the nearest folder
// above the spec that has a folder data in it, or else the working folder.
func projectRoot(file string) string {
	dir := filepath.Dir(file)
	if abs, err := filepath.Abs(dir); err == nil {
		for up, at := dir, abs; ; up, at = filepath.Join(up, ".."), filepath.Dir(at) {
			if isFolder(filepath.Join(at, "data")) {
				return up
			}
			if at == filepath.Dir(at) {
				break
			}
		}
	}
	return "."
}

// projectRoots returns the folders in which the arrays of the project may lie: the
// checkout of the spec, the module in Go's cache that the program was installed
// from, and the folder of the program or the one above, as in an unpacked archive
// and in a checkout.
func projectRoots(s *spec.Spec) []string {
	roots := []string{projectRoot(s.File)}
	if dir := moduleFolder(); dir != "" {
		roots = append(roots, dir)
	}
	if program, err := os.Executable(); err == nil {
		if real, err := filepath.EvalSymlinks(program); err == nil {
			program = real
		}
		dir := filepath.Dir(program)
		roots = append(roots, dir, filepath.Dir(dir))
	}
	return roots
}

// findOfProject returns the first folder dir, a path below the root of the
// project, that exists; "" if there is none.
func findOfProject(s *spec.Spec, dir string) string {
	for _, root := range projectRoots(s) {
		if path := filepath.Join(root, filepath.FromSlash(dir)); isFolder(path) {
			return path
		}
	}
	return ""
}

// bundleMissing reports whether the spec names the arrays that come with the
// project and they are nowhere.
func bundleMissing(s *spec.Spec) bool {
	return slices.Contains(s.Data, bundle) && findOfProject(s, Bundle) == ""
}

// missingArrays is the error of a spec none of whose settings has arrays because a
// folder of the project was not found.
func missingArrays(s *spec.Spec, dir string) error {
	tried := results.Distinct(projectRoots(s), func(root string) string { return filepath.Join(root, filepath.FromSlash(dir)) })
	return fmt.Errorf("%s: its arrays are in %s of the project, which was not found as %s. Get it by git clone https://%s and name it, as in --data qats/%s",
		s.File, dir, strings.Join(tried, ", "), module, dir)
}

// moduleFolder returns the folder of the module in the module cache that the
// program was built from, "" if the build does not say so. go install makes such
// programs.
func moduleFolder() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Path != module || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return ""
	}
	return filepath.Join(moduleCache(), filepath.FromSlash(module)+"@"+info.Main.Version)
}

// moduleCache returns the folder of Go's module cache, as the go command finds it
// from the environment.
func moduleCache() string {
	if dir := os.Getenv("GOMODCACHE"); dir != "" {
		return dir
	}
	path := filepath.SplitList(os.Getenv("GOPATH"))
	if len(path) == 0 || path[0] == "" {
		home, _ := os.UserHomeDir() // without a home there is no such folder
		path = []string{filepath.Join(home, "go")}
	}
	return filepath.Join(path[0], "pkg", "mod")
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
