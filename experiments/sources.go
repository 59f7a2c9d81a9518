package experiments

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/simulate"
)

// folders are the sources that a spec may name by a word, with their folders
// under the project root.
var folders = map[string]string{
	"arrays": "data/arrays", // brought by the user, ignored by git
	"bundle": "data/bundle", // committed
}

// simulated is the word for the source of virtual networks.
const simulated = "simulate"

// openSources opens the sources of specs. A folder or declaration that several
// specs name is one source, so that its digests and solutions are shared.
type openSources struct {
	options PlanOptions
	opened  map[string]data.Source
}

// of returns the sources of a spec in order, behind the folders that the user
// put in front. A named folder that is absent serves nothing; an absent folder
// of the user's is a mistake.
func (o *openSources) of(s *Spec) ([]data.Source, error) {
	var list []data.Source
	for _, dir := range o.options.Data {
		src, err := o.open(dir, func() (data.Source, error) { return data.OpenFolder(dir, s.Layout, o.options.Digests) }, s)
		if err != nil {
			return nil, fmt.Errorf("data folder: %w", err)
		}
		list = append(list, src)
	}
	root := projectRoot(s.File)
	for _, name := range s.Data {
		dir, open := name, func(path string) (data.Source, error) { return data.OpenFolder(path, s.Layout, o.options.Digests) }
		if known, ok := folders[name]; ok {
			dir = known
		}
		if name == simulated {
			dir, open = NetworksFile, openNetworks
		}
		path := filepath.Join(root, filepath.FromSlash(dir))
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) && name != simulated {
			if _, known := folders[name]; !known {
				return nil, fmt.Errorf("%s: data %q: there is no folder %s%s", s.File, name, path, suggest(name, append(keys(folders), simulated)))
			}
			continue
		}
		src, err := o.open(path, func() (data.Source, error) { return open(path) }, s)
		if err != nil {
			return nil, err
		}
		list = append(list, src)
	}
	return list, nil
}

// open opens a source once for each layout.
func (o *openSources) open(path string, open func() (data.Source, error), s *Spec) (data.Source, error) {
	key := path + "\n" + s.Layout.String()
	if src, ok := o.opened[key]; ok {
		return src, nil
	}
	src, err := open()
	if err != nil {
		return nil, err
	}
	if o.options.First > 0 {
		src = data.First(src, o.options.First)
	}
	o.opened[key] = src
	return src, nil
}

// openNetworks opens the virtual networks declared in a file.
func openNetworks(path string) (data.Source, error) {
	src, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	all, err := parseNetworks(path, src)
	if err != nil {
		return nil, err
	}
	return simulate.New(all.lookup), nil
}

// projectRoot is the folder that sources are relative to: the nearest one
// above the spec that holds a folder data, or else the working folder.
func projectRoot(spec string) string {
	dir := filepath.Dir(spec)
	if abs, err := filepath.Abs(dir); err == nil {
		for up, at := dir, abs; ; up, at = filepath.Join(up, ".."), filepath.Dir(at) {
			if info, err := os.Stat(filepath.Join(at, "data")); err == nil && info.IsDir() {
				return up
			}
			if at == filepath.Dir(at) {
				break
			}
		}
	}
	return "."
}

// source returns the first source that has the test set of a setting, nil
// where none has.
func source(sources []data.Source, s *Setting) data.Source {
	for _, src := range sources {
		if src.Has(s.Test())&scored == scored {
			return src
		}
	}
	return nil
}

// scored are the arrays that scoring reads, whatever the method.
const scored = data.Logits | data.Labels

// digests remembers the digests asked for during one plan, so that a set
// shared by many cells is looked up once.
type planDigests struct {
	mu   sync.Mutex
	seen map[string]*digest
}

type digest struct {
	once sync.Once
	text string
	err  error
}

func (d *planDigests) of(ctx context.Context, src data.Source, ref data.Ref, parts data.Parts) (string, error) {
	id := fmt.Sprintf("%p %v %d", src, ref, parts)
	d.mu.Lock()
	known := d.seen[id]
	if known == nil {
		known = &digest{}
		d.seen[id] = known
	}
	d.mu.Unlock()
	known.once.Do(func() { known.text, known.err = src.Digest(ctx, ref, parts) })
	return known.text, known.err
}
