package experiments

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/qats-bench/qats"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/derive"
	"github.com/qats-bench/qats/data/folder"
	"github.com/qats-bench/qats/data/keyed"
	"github.com/qats-bench/qats/data/simulate"
	"github.com/qats-bench/qats/experiments/spec"
	"github.com/qats-bench/qats/internal/inputfile"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/paper"
)

// folders are the sources that a spec may name by a word, with their folders
// below the root of the project.
var folders = map[string]string{
	"arrays":     "data/arrays",     // the user's own arrays, ignored by git
	bundle:       Bundle,            // a module of its own; places says where it may lie
	"calarena":   "data/calarena",   // imported from CalArena, ignored by git
	"real":       "data/real",       // fetched from public repositories, ignored by git
	"wild":       "data/wild",       // the same, of data sets that no other source has
	"confidence": "data/confidence", // the same, of predictions with a confidence alone
}

// Bundle is the folder of the arrays that come with the project, below its root. It is a
// module of its own, whose tags are data/bundle/BundleVersion.
const Bundle = "data/bundle"

// BundleVersion is the version of the bundle that the specs of the program are for.
const BundleVersion = "v0.1.0"

// bundle is the word for it.
const bundle = "bundle"

// simulated is the word for the source of virtual networks.
const simulated = "simulate"

// scored are the arrays that scoring reads for any method.
const scored = data.Logits | data.Labels

// NoArrays is why a setting without arrays has no number.
func NoArrays() results.Note {
	return results.Note{Kind: results.NoSource, Lack: results.Lack{Arrays: scored.String()}}
}

// openSources opens the sources of specs. A folder or declaration that several
// specs name is one source, so that they share its digests and solutions.
type openSources struct {
	options PlanOptions
	opened  map[string]data.Source
	missing map[*spec.Spec][]string // folders that a spec names by a word and that do not exist
	roots   []string                // absolute paths of the sources
}

// sources returns the sources of a spec in order, after the folders that the user put in
// front. An absent folder that the user gave is an error. So is an absent folder
// that the spec names by its path; a folder that it names by a word may be absent.
func (o *openSources) sources(s *spec.Spec) ([]data.Source, error) {
	var list []data.Source
	openFolder := func(path string) (data.Source, error) {
		f, err := folder.Open(path, s.Layout, o.options.Digests)
		if err != nil {
			return nil, err
		}
		f.LimitMembers(o.options.Memory)
		f.IgnoreLabels(s.Ignore)
		if filepath.Ext(s.File) == ".yaml" || filepath.Ext(s.File) == ".yml" {
			err = f.Below(filepath.Dir(s.File))
		}
		return f, err
	}
	for _, dir := range o.options.Data {
		src, err := o.open(dir, s, openFolder)
		if err != nil {
			return nil, fmt.Errorf("data folder: %w", err)
		}
		list = append(list, src)
	}
	root := projectRoot(s.File)
	for _, name := range s.Data {
		dir, open := name, openFolder
		known, isWord := folders[name]
		switch {
		case isWord:
			dir = known
		case name == simulated:
			dir, open = spec.NetworksFile, openNetworks
		}
		path := filepath.Join(root, filepath.FromSlash(dir))
		if name == bundle || s.Builtin && !isWord && name != simulated {
			path = cmp.Or(findOfProject(s, dir), path)
		}
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) && name != simulated {
			switch {
			case isWord:
				o.missing[s] = append(o.missing[s], path)
				continue
			case s.Builtin:
				return nil, missingArrays(s, dir)
			}
			words := append(slices.Sorted(maps.Keys(folders)), simulated)
			return nil, fmt.Errorf("%s: data %q: there is no folder %s%s", s.File, name, path, keyed.Suggest(name, words))
		}
		src, err := o.open(path, s, open)
		if err != nil {
			return nil, err
		}
		list = append(list, src)
	}
	return list, nil
}

// open opens a source once for each layout and each list of ignored labels.
func (o *openSources) open(path string, s *spec.Spec, open func(path string) (data.Source, error)) (data.Source, error) {
	key := path + "\n" + s.Layout.String() + "\n" + s.Ignore.String()
	if src, ok := o.opened[key]; ok {
		return src, nil
	}
	src, err := open(path)
	if err != nil {
		return nil, err
	}
	if o.options.First > 0 {
		src = derive.First(src, o.options.First)
	}
	o.opened[key] = src
	if filepath.IsAbs(path) {
		o.roots = append(o.roots, path)
	}
	return src, nil
}

// openNetworks opens the virtual networks declared in a file, or those that the
// program carries. A file of their constants may stand beside it.
func openNetworks(path string) (data.Source, error) {
	networks, err := readNetworks(path)
	if err != nil {
		return nil, err
	}
	known := func() ([]simulate.Solved, error) {
		return simulate.KnownWith(filepath.Join(filepath.Dir(path), filepath.Base(simulate.ConstantsFile)))
	}
	return simulate.New(networks.Lookup, known), nil
}

// sourceOf returns the first source that has the test set of a setting, or nil.
func sourceOf(s *spec.Setting, sources []data.Source) data.Source {
	for _, src := range sources {
		if src.Has(s.Test())&scored == scored {
			return src
		}
	}
	return nil
}

// DataName returns the name by which a spec in file names the folder dir in its key
// data; ok is false if dir is not below the root of its project, so that only --data
// can name it.
func DataName(file, dir string) (name string, ok bool) {
	root, err1 := filepath.Abs(projectRoot(file))
	abs, err2 := filepath.Abs(dir)
	if err1 != nil || err2 != nil {
		return "", false
	}
	name, err := filepath.Rel(root, abs)
	if err != nil || !filepath.IsLocal(name) {
		return "", false
	}
	if _, isWord := folders[name]; isWord || name == simulated {
		name = "./" + name
	}
	return filepath.ToSlash(name), true
}

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

// places returns the folders where dir, a path below the root of the project, is looked for:
// in the checkout of the spec, where Go and Python keep what they loaded, and beside the
// program and one folder above, as in an unpacked archive and in a checkout.
func places(s *spec.Spec, dir string) []string {
	below := func(root string) string { return filepath.Join(root, filepath.FromSlash(dir)) }
	all := []string{below(projectRoot(s.File))}
	if dir == Bundle {
		all = append(all, LoadedBundles()...)
	} else if cached := moduleFolder(dir); cached != "" {
		all = append(all, cached)
	}
	if program, err := os.Executable(); err == nil {
		if real, err := filepath.EvalSymlinks(program); err == nil {
			program = real
		}
		beside := filepath.Dir(program)
		all = append(all, below(beside), below(filepath.Dir(beside)))
	}
	return all
}

// LoadedBundles returns the folders in which the bundle is kept for the user, whether it is
// there or not: Go's module cache, and the folder of python -m qatsbench.datasets fetch bundle.
func LoadedBundles() []string {
	kept := []string{moduleFolder(Bundle)}
	if fetched := fetchedBundle(); fetched != "" {
		kept = append(kept, fetched)
	}
	return kept
}

// findOfProject returns the first folder dir, a path below the root of the
// project, that exists; "" if there is none.
func findOfProject(s *spec.Spec, dir string) string {
	for _, path := range places(s, dir) {
		if isFolder(path) {
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
	remedy := fmt.Sprintf("git clone https://%s and name it, as in --data qats/%s", module, dir)
	if dir == Bundle {
		remedy = fmt.Sprintf("go mod download %s/%s@%s, or by python -m qatsbench.datasets fetch bundle", module, Bundle, BundleVersion)
	}
	tried := lists.Distinct(places(s, dir), func(path string) string { return path })
	return fmt.Errorf("%s: its arrays are in %s of the project, which was not found as %s. Get it by %s", s.File, dir, strings.Join(tried, ", "), remedy)
}

// moduleFolder returns the folder in the module cache where dir, a path below the root of
// the project, is kept: the bundle is a module, and all else is in the module that the
// program was built from. It is "" if the build does not say which one that is; go install
// makes programs that do.
func moduleFolder(dir string) string {
	if dir == Bundle {
		return filepath.Join(moduleCache(), filepath.FromSlash(module+"/"+Bundle)+"@"+BundleVersion)
	}
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Path != module || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return ""
	}
	return filepath.Join(moduleCache(), filepath.FromSlash(module)+"@"+info.Main.Version, filepath.FromSlash(dir))
}

// fetchedBundle returns the folder into which the Python package fetches the bundle, as its
// qatsbench/datasets/bundle.py has it; "" if the system names no folder for caches.
func fetchedBundle() string {
	cache := os.Getenv("QATS_CACHE")
	if cache == "" {
		dir, err := os.UserCacheDir()
		if err != nil {
			return ""
		}
		cache = filepath.Join(dir, "qatsbench")
	}
	return filepath.Join(cache, "bundle@"+BundleVersion)
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

// readNetworks returns the declaration of virtual networks in a file or, if there
// is none, the one that the program carries.
func readNetworks(file string) (*spec.Networks, error) {
	src, err := inputfile.Read(file)
	if errors.Is(err, fs.ErrNotExist) {
		file = spec.NetworksFile
		src, err = fs.ReadFile(qats.Files, file)
	}
	if err != nil {
		return nil, err
	}
	uncal, err := paper.UncalibratedECE()
	if err != nil {
		return nil, err
	}
	return spec.ParseNetworks(file, src, uncal)
}
