package experiments

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/simulate"
	"github.com/qats-bench/qats/experiments/spec"
)

// folders are the sources that a spec may name by a word, with their folders
// below the root of the project.
var folders = map[string]string{
	"arrays":   "data/arrays",   // the user's own arrays, ignored by git
	bundle:     Bundle,          // committed; findOfProject says where it may lie
	"calarena": "data/calarena", // imported from CalArena, ignored by git
}

// Bundle is the folder of the arrays that come with the project, below its root.
const Bundle = "data/bundle"

// bundle is the word for it.
const bundle = "bundle"

// simulated is the word for the source of virtual networks.
const simulated = "simulate"

// scored are the arrays that scoring reads for any method.
const scored = data.Logits | data.Labels

// openSources opens the sources of specs. A folder or declaration that several
// specs name is one source, so that they share its digests and solutions.
type openSources struct {
	options PlanOptions
	opened  map[string]data.Source
	missing map[*spec.Spec][]string // folders that a spec names by a word and that do not exist
	roots   []string                // absolute paths of the sources
}

// of returns the sources of a spec in order, after the folders that the user put in
// front. An absent folder that the user gave is an error. So is an absent folder
// that the spec names by its path; a folder that it names by a word may be absent.
func (o *openSources) of(s *spec.Spec) ([]data.Source, error) {
	var list []data.Source
	openFolder := func(path string) (data.Source, error) {
		f, err := data.OpenFolder(path, s.Layout, o.options.Digests)
		if err == nil {
			f.LimitMembers(o.options.Memory)
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
			return nil, fmt.Errorf("%s: data %q: there is no folder %s%s", s.File, name, path, spec.Suggest(name, words))
		}
		src, err := o.open(path, s, open)
		if err != nil {
			return nil, err
		}
		list = append(list, src)
	}
	return list, nil
}

// open opens a source once for each layout.
func (o *openSources) open(path string, s *spec.Spec, open func(path string) (data.Source, error)) (data.Source, error) {
	key := path + "\n" + s.Layout.String()
	if src, ok := o.opened[key]; ok {
		return src, nil
	}
	src, err := open(path)
	if err != nil {
		return nil, err
	}
	if o.options.First > 0 {
		src = data.First(src, o.options.First)
	}
	o.opened[key] = src
	if filepath.IsAbs(path) {
		o.roots = append(o.roots, path)
	}
	return src, nil
}

// openNetworks opens the virtual networks declared in a file, or those that the
// program carries.
func openNetworks(path string) (data.Source, error) {
	networks, err := readNetworks(path)
	if err != nil {
		return nil, err
	}
	return simulate.New(networks.Lookup), nil
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

// digests returns the digest of parts of a set for a plan, "" for no parts.
type digests func(src data.Source, ref data.Ref, parts data.Parts) (string, error)

// digests returns the digests for one plan. Its cells share their sets, and each set of
// a source is asked for once: otherwise every cell would look up the same files again,
// which is slow on a network. Sources are pointers; a redrawn or scaled source is another
// one for each setting. A look first reads the headers of the arrays.
func (o PlanOptions) digests(ctx context.Context) digests {
	type set struct {
		source data.Source
		ref    data.Ref
		parts  data.Parts
	}
	var asked sync.Map // functions of type func() (string, error), by set
	return func(src data.Source, ref data.Ref, parts data.Parts) (string, error) {
		if o.NoDigests || parts == 0 {
			return "", nil
		}
		digest, _ := asked.LoadOrStore(set{src, ref, parts}, sync.OnceValues(func() (string, error) {
			if o.Look {
				if _, err := data.Headers(ctx, src, ref, parts); err != nil {
					return "", err
				}
			}
			return src.Digest(ctx, ref, parts)
		}))
		return digest.(func() (string, error))()
	}
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
