package experiments

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/qats-bench/qats"
	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/all"
	"github.com/qats-bench/qats/data/keyed"
	"github.com/qats-bench/qats/data/problem"
	"github.com/qats-bench/qats/experiments/spec"
	"github.com/qats-bench/qats/internal/called"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results/paper"
)

// Registry returns everything that specs may name: the registered calibrators,
// the external methods and the metrics.
func Registry() spec.Registry {
	return spec.Registry{
		Methods:  all.Registry(),
		External: []calib.Entry{programEntry(), servedEntry(), precomputedEntry()},
		Metrics:  metrics.Registry(),
		Like:     paper.Datasets(),

		MethodGroups: methodGroups(),
		MetricGroups: metricGroups(),
	}
}

// builtinFolders are the folders of the specs that the program carries, below the
// root of the project. A name that two folders have is that of the first one.
var builtinFolders = []string{"experiments", "experiments/paper", "experiments/protocol/v2", "experiments/protocol/v1"}

// BuiltinSpecs returns the names of the specs that the program carries, sorted: the
// file companion.yaml has the name companion.
func BuiltinSpecs() []string {
	var names []string
	for _, dir := range builtinFolders {
		files, _ := fs.Glob(qats.Files, dir+"/*.yaml") // the pattern is valid
		for _, file := range files {
			names = append(names, strings.TrimSuffix(path.Base(file), ".yaml"))
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// ReadSpec reads a spec. The name is that of a file or, if there is no such file, of
// a spec of the project: companion or experiments/companion.yaml. A spec of the
// project is read from the working folder if that is the root of the project, and
// from the program otherwise.
func ReadSpec(name string) (*spec.Spec, error) {
	if info, err := os.Stat(name); err == nil && !info.IsDir() || err != nil && !errors.Is(err, fs.ErrNotExist) {
		return spec.Read(name, Registry())
	}
	file := builtinFile(name)
	switch {
	case file == "" && isFolder(name):
		return nil, fmt.Errorf("%s is a folder and no spec; "+called.Command()+" init %s writes a spec for the arrays in it", name, name)
	case file == "" && strings.ContainsAny(name, `/\.`):
		s, err := spec.Read(name, Registry())
		if errors.Is(err, fs.ErrNotExist) {
			err = &problem.Problem{Place: name, Cause: "no such file or directory", Fix: called.Command() + " init DIR writes a spec for the arrays in DIR"}
		}
		return s, err
	case file == "":
		return nil, &problem.Problem{Place: name, Cause: "there is no such file, and the program has no spec of this name" + keyed.Suggest(name, BuiltinSpecs())}
	}
	here := filepath.FromSlash(file)
	if _, err := os.Stat(here); err == nil {
		return spec.Read(here, Registry())
	}
	src, err := fs.ReadFile(qats.Files, file)
	if err != nil {
		return nil, err
	}
	s, err := spec.Parse(file, src, Registry())
	if err == nil {
		s.Builtin = true
	}
	return s, err
}

// builtinFile returns the path below the root of the project of the spec of this
// name or path; "" if the program carries none.
func builtinFile(name string) string {
	for _, dir := range builtinFolders {
		for _, file := range []string{filepath.ToSlash(name), path.Join(dir, strings.ToLower(name)+".yaml")} {
			if path.Dir(file) != dir {
				continue
			}
			if _, err := fs.Stat(qats.Files, file); err == nil {
				return file
			}
		}
	}
	return ""
}

// ReadSpecs reads several specs as ReadSpec does. Their names must differ.
func ReadSpecs(names []string) ([]*spec.Spec, error) {
	var specs []*spec.Spec
	fileOf := map[string]string{}
	for _, name := range names {
		s, err := ReadSpec(name)
		if err != nil {
			return nil, err
		}
		if earlier, ok := fileOf[s.Name]; ok {
			return nil, fmt.Errorf("%s: name %q is also the name of %s", name, s.Name, earlier)
		}
		fileOf[s.Name] = name
		specs = append(specs, s)
	}
	return specs, nil
}
