package folder

import (
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/formats"
)

// Search says where a source looked for a set that it does not have, and what is
// there: names are paths as errors print them.
type Search struct {
	Tried   []string // the files that would hold the logits; .safetensors may stand for .npz; none if the layout has no place for the set
	Dir     string   // the last folder on the way to the first of them that exists
	Missing string   // the entry that is missing in Dir
	Entries []string // the entries of Dir, sorted; folders end in "/"
	Note    string   // what else is known; may be empty
}

// SearchOf returns where src looked for the set at ref; ok is false for a source
// without files.
func SearchOf(src data.Source, ref data.Ref) (s Search, ok bool) {
	for f, in := range data.Beneath[*Folder](src, ref, data.Logits) {
		return f.search(in.Ref), true
	}
	return Search{}, false
}

// withoutEnding returns a path without the ending of its form.
func withoutEnding(name string) string {
	_, ending := data.Forms().Match(name)
	return strings.TrimSuffix(name, ending)
}

func (f *Folder) search(ref data.Ref) Search {
	all, err := f.layout.alternatives(ref)
	if err != nil {
		return Search{Note: err.Error()}
	}
	var s Search
	for _, x := range all {
		l := f.at(x.Logits)
		if len(all) > 1 {
			l.Name = strings.TrimSuffix(l.Name, "#"+l.Member)
		}
		same := func(name string) bool { return withoutEnding(name) == withoutEnding(l.Name) }
		if !slices.ContainsFunc(s.Tried, same) {
			s.Tried = append(s.Tried, l.Name)
		}
	}
	logits := data.Forms().Locate(f.fsys, all[0].Logits).Path
	dir, missing := path.Dir(logits), path.Base(logits)
	for dir != "." {
		if info, err := fs.Stat(f.fsys, dir); err == nil && info.IsDir() {
			break
		}
		dir, missing = path.Dir(dir), path.Base(dir)
	}
	s.Dir, s.Missing = path.Join(filepath.ToSlash(f.root), dir), missing
	entries, err := fs.ReadDir(f.fsys, dir)
	if err != nil {
		s.Note = err.Error()
	}
	for _, e := range entries {
		name := e.Name()
		switch {
		case strings.HasPrefix(name, "."):
			continue
		case e.IsDir():
			name += "/"
		case formats.IsTorch(name):
			s.Note = formats.TorchProblem(path.Join(s.Dir, name)).Error()
		}
		s.Entries = append(s.Entries, name)
	}
	if files, err := f.files(ref); err == nil && !f.missing(files.Logits) && f.missing(files.Labels) {
		s.Note = f.at(files.Logits).Name + " is there, " + path.Base(files.Labels) + " is not"
	}
	return s
}
