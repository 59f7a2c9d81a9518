package folder

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/npy"
	"github.com/qats-bench/qats/internal/inputfile"
)

// FromManifest is what the manifest of a folder above arrays says of them that changes how they are read.
type FromManifest struct {
	File   string      // the manifest
	Kind   data.Kind   // of the logits, unless it is KindLogits, as which arrays are read anyway
	Ignore data.Ignore // labels of rows that are left out; empty if none are taken
}

// String says what was taken and from what, without the name of the file.
func (f FromManifest) String() string { return f.Words() + ", says the manifest above them" }

// Words says what was taken.
func (f FromManifest) Words() string {
	var parts []string
	if f.Kind != data.AnyKind {
		parts = append(parts, fmt.Sprintf("the arrays are %s", f.Kind))
	}
	if len(f.Ignore) > 0 {
		parts = append(parts, fmt.Sprintf("labels %s have no class", f.Ignore))
	}
	return strings.Join(parts, ", and ")
}

// unusual returns a kind, or AnyKind for that which arrays have without a manifest.
func unusual(k data.Kind) data.Kind {
	if k == data.KindLogits {
		return data.AnyKind
	}
	return k
}

// says reports whether the manifest changes how the arrays are read.
func (f FromManifest) says() bool { return f.Kind != data.AnyKind || len(f.Ignore) > 0 }

// WithManifest returns files with the kind and the ignored labels that a manifest states of them,
// where they have none, and what was taken from which manifest. The manifest is that of the folder of
// the logits (ignored labels: that of the labels), or that of the nearest folder above: see the package
// comment.
func WithManifest(f data.Files) (data.Files, []FromManifest, error) {
	var took []FromManifest
	take := func(t FromManifest) {
		i := slices.IndexFunc(took, func(o FromManifest) bool { return o.File == t.File })
		switch {
		case !t.says():
		case i < 0:
			took = append(took, t)
		default:
			took[i].Kind, took[i].Ignore = cmp.Or(took[i].Kind, t.Kind), slices.Concat(took[i].Ignore, t.Ignore)
		}
	}
	scores := cmp.Or(f.Logits, f.OOD)
	if f.Kind == data.AnyKind && scores != "" {
		n, err := near(scores)
		if err != nil {
			return f, nil, err
		}
		f.Kind = n.Kind
		take(FromManifest{File: n.file, Kind: unusual(f.Kind)})
	}
	if f.Kind == data.KindConfidence && f.Classes == 0 && scores != "" {
		n, err := near(scores)
		if err != nil {
			return f, nil, err
		}
		f.Classes = n.Classes.Len()
	}
	if len(f.Ignore) == 0 && f.Labels != "" {
		n, err := near(f.Labels)
		if err != nil {
			return f, nil, err
		}
		f.Ignore = n.Ignore
		take(FromManifest{File: n.file, Ignore: f.Ignore})
	}
	return f, took, nil
}

// TakenAbove returns what the manifest of a folder above says of the set at ref of src; ok is false if
// its sets are described by no such manifest, or if the manifest does not change how they are read.
func TakenAbove(src data.Source, ref data.Ref) (taken FromManifest, ok bool) {
	for f, in := range data.Beneath[*Folder](src, ref, data.Logits) {
		if taken := f.takenAbove(in.Ref); taken.says() {
			return taken, true
		}
	}
	return FromManifest{}, false
}

// takenAbove is TakenAbove of a folder.
func (f *Folder) takenAbove(ref data.Ref) FromManifest {
	taken := FromManifest{File: f.above}
	if f.above == "" {
		return taken
	}
	stated := f.stated(ref)
	if f.kind == data.AnyKind {
		taken.Kind = unusual(stated.Kind)
	}
	if len(f.ignore) == 0 {
		taken.Ignore = stated.Ignore
	}
	return taken
}

// nearest is what a manifest says of the set of a file of arrays.
type nearest struct {
	ManifestSet
	file string // of the manifest; "" if there is none
}

// near returns what is said of a file of arrays by the manifest of its folder or, if that has none with the key sets, that of
// the nearest folder above. A folder of a split is one with the folder that it is in.
func near(file string) (n nearest, err error) {
	l := data.Forms().Locate(inputfile.System{}, file)
	own := filepath.Dir(l.Path)
	abs, err := filepath.Abs(own)
	if l.Path == npy.StreamName || err != nil {
		return n, nil
	}
	m, path, err := manifestIn(own)
	if m == nil && err == nil {
		levels := mostAbove
		if data.IsSplit(filepath.Base(abs)) {
			levels++
		}
		m, path, _, err = manifestAbove(own, "", levels)
	}
	if m == nil || err != nil {
		return n, err
	}
	n.file = path
	root, err := filepath.Abs(filepath.Dir(path))
	if err != nil {
		return n, nil
	}
	var folders []string
	if between, err := filepath.Rel(root, abs); err == nil && between != "." {
		folders = strings.Split(filepath.ToSlash(between), "/")
	}
	if l.Member != "" {
		folders = append(folders, data.Forms().Stem(l.Path))
	}
	split, _ := data.RoleOf(data.ArrayOf(file))
	if last := len(folders) - 1; split == "" && last >= 0 {
		split = data.SplitOf(folders[last])
	}
	n.ManifestSet = m.merged(namesBelow(filepath.Base(root), folders, split))
	return n, nil
}

// setNamesIn are the names that a set may have in a manifest, in segments.
type setNamesIn [][]string

// namesBelow returns the names of the set in some folders below the one named root, which has the
// manifest. Where these name no data set, it may be called after root, as qats init has it.
func namesBelow(root string, folders []string, split data.Split) setNamesIn {
	folders = slices.Clone(folders)
	if last := len(folders) - 1; split != "" && last >= 0 && data.IsSplit(folders[last]) {
		folders = folders[:last]
	}
	var names setNamesIn
	add := func(name ...string) {
		if split != "" {
			name = append(name, string(split))
		}
		names = append(names, name)
	}
	add(slices.Clone(folders)...)
	switch len(folders) {
	case 0:
		add(root, unnamedNetwork)
	case 1:
		add(root, folders[0])
	}
	return names
}

// unnamedNetwork is the backbone of a network whose place names none.
const unnamedNetwork = "network"

// match reports whether a pattern matches one of the names.
func (n setNamesIn) match(pattern string) bool {
	p := strings.Split(pattern, "/")
	return slices.ContainsFunc(n, func(name []string) bool { return matches(p, name) })
}
