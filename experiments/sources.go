package experiments

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/qats-bench/qats/data"
)

// folders are the sources that a spec may name by a word, with their folders
// under the project root.
var folders = map[string]string{
	"arrays": "data/arrays", // brought by the user, ignored by git
	"bundle": "data/bundle", // committed
}

// sources opens the sources of a spec in order, behind the folders that the
// user put in front. A named folder that is absent serves nothing; an absent
// folder of the user's is a mistake.
func (s *Spec) sources(front []string, digests *data.Digests) ([]data.Source, error) {
	var list []data.Source
	for _, dir := range front {
		switch info, err := os.Stat(dir); {
		case err != nil:
			return nil, fmt.Errorf("data folder: %w", err)
		case !info.IsDir():
			return nil, fmt.Errorf("data folder: %s is not a folder", dir)
		}
		folder, err := data.OpenFolder(dir, s.Layout, digests)
		if err != nil {
			return nil, err
		}
		list = append(list, folder)
	}
	root := projectRoot(s.File)
	for _, name := range s.Data {
		dir, ok := folders[name]
		if !ok {
			dir = name
		}
		dir = filepath.Join(root, dir)
		if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		folder, err := data.OpenFolder(dir, s.Layout, digests)
		if err != nil {
			return nil, err
		}
		list = append(list, folder)
	}
	return list, nil
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
	seen map[string]digest
}

type digest struct {
	text string
	err  error
}

func (d *planDigests) of(ctx context.Context, src data.Source, ref data.Ref, parts data.Parts) (string, error) {
	id := fmt.Sprintf("%p %v %d", src, ref, parts)
	if known, ok := d.seen[id]; ok {
		return known.text, known.err
	}
	text, err := src.Digest(ctx, ref, parts)
	d.seen[id] = digest{text, err}
	return text, err
}
