package folder

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/formats"
	"github.com/qats-bench/qats/data/npy"
	"github.com/qats-bench/qats/data/problem"
	"github.com/qats-bench/qats/internal/inputfile"
)

// Folder is the Source of a folder of arrays that follow a layout, with an
// optional manifest. It holds no array: Open reads headers, the Reader reads rows.
// It is safe for concurrent use.
type Folder struct {
	fsys     fs.FS
	root     string // as the user gave it, for errors
	abs      string // path of the root; "" if it is not of the operating system
	layout   Layout
	manifest Manifest
	above    string   // the file of the manifest, if it is that of a folder above
	between  []string // the folders from that one to the root
	digests  *Digests
	limit    int64       // of a member of an archive
	ignore   data.Ignore // in place of that of the manifest
	kind     data.Kind   // in place of that of the manifest
	classes  int         // in place of those of the manifest

	chosen sync.Map // Ref -> Files, of sets whose logits were found (see files)
	named  sync.Map // Ref -> otherNames, of sets that have no arrays named logits and labels
	counts sync.Map // countKey -> rowCounts, of labels that were read
}

// countKey names a version of a file of labels, with what is ignored of how many classes.
type countKey struct {
	labels, weights, ignore string
	stamp
	weighed stamp // of the weights
	classes int
}

// rowCounts are the rows of a file of labels, and those that are kept of them.
type rowCounts struct{ all, kept int }

// Open returns the source of the arrays below root and reads its manifest,
// whose layout, if it states one, is used in place of the given one.
// Digests are remembered in digests or, if it is nil, for the lifetime of the
// folder. Symbolic links are followed, so large arrays may be stored elsewhere; a
// layout cannot name a path outside of root.
func Open(root string, layout Layout, digests *Digests) (*Folder, error) {
	info, err := os.Stat(root)
	if err == nil && !info.IsDir() {
		err = errors.New("not a folder")
	}
	if err != nil {
		return nil, problem.At(root, inputfile.Cause(err))
	}
	f, err := New(os.DirFS(root), root, layout, digests)
	if err != nil {
		return nil, err
	}
	if f.manifest.isEmpty() {
		if err := f.readAbove(""); err != nil {
			return nil, err
		}
	}
	f.abs, err = filepath.Abs(root)
	return f, err
}

// readAbove reads the manifest of a folder above, at most the folder top, where the folder has none.
func (f *Folder) readAbove(top string) error {
	m, file, between, err := manifestAbove(f.root, top, mostAbove)
	if err != nil || m == nil {
		return err
	}
	files, prefix := map[string]ManifestFile{}, strings.Join(between, "/")+"/"
	for name, x := range m.Files {
		if own, ok := strings.CutPrefix(name, prefix); ok {
			files[own] = x
		}
	}
	f.manifest, f.above, f.between = Manifest{Sets: m.Sets, Files: files, Sources: m.Sources}, file, between
	return nil
}

// Below restricts the search for a manifest above the folder: it is at most in the folder top, such as
// that of the spec that names the folder. It is called before the folder is used.
func (f *Folder) Below(top string) error {
	if f.above == "" {
		return nil
	}
	f.manifest, f.above, f.between = Manifest{}, "", nil
	return f.readAbove(top)
}

// ManifestAbove returns the path of the manifest that describes the sets of src, if it is that of a
// folder above; "" if it is not.
func ManifestAbove(src data.Source) string {
	for f := range data.Beneath[*Folder](src, data.Ref{}, data.Logits) {
		return f.above
	}
	return ""
}

// namesOf returns the names that the set at ref may have in the manifest: for one of a folder above, the
// folders from there to its arrays, and its split.
func (f *Folder) namesOf(ref data.Ref) setNamesIn {
	if f.above == "" {
		return setNamesIn{ref.Segments()}
	}
	files, err := f.files(ref)
	if err != nil {
		return setNamesIn{ref.Segments()}
	}
	l := f.at(files.Logits)
	file := strings.TrimPrefix(l.Path, "./")
	folders := slices.Clone(f.between)
	if dir := path.Dir(file); dir != "." {
		folders = append(folders, strings.Split(dir, "/")...)
	}
	if l.Member != "" {
		folders = append(folders, data.Forms().Stem(file))
	}
	split := ref.Split
	if ref.Corruption != "" { // it is of test images, and no folder says so
		split = ""
	}
	root := ""
	if abs, err := filepath.Abs(filepath.Dir(f.above)); err == nil {
		root = filepath.Base(abs)
	}
	return namesBelow(root, folders, split)
}

// stated returns what the manifest says of the set at ref.
func (f *Folder) stated(ref data.Ref) ManifestSet { return f.manifest.merged(f.namesOf(ref)) }

// LimitMembers sets the most bytes that a member of an archive may unpack to. It is
// called before the folder is used.
func (f *Folder) LimitMembers(bytes int64) { f.limit = bytes }

// IgnoreLabels states the labels of rows to leave out of all sets, in place of the manifest.
// It is called before the folder is used.
func (f *Folder) IgnoreLabels(list data.Ignore) { f.ignore = list }

// StateKind states what the logits of all sets are, in place of the manifest. It is called before the
// folder is used.
func (f *Folder) StateKind(kind data.Kind) { f.kind = kind }

// StateClasses states the number of classes of sets with a confidence alone, in place of the manifest. It is called
// before the folder is used.
func (f *Folder) StateClasses(n int) { f.classes = n }

// NumClasses returns the number of classes that is stated for the set at ref; 0 if none is.
func (f *Folder) NumClasses(ref data.Ref) int {
	if f.classes > 0 {
		return f.classes
	}
	return f.stated(ref).Classes.Len()
}

// Ignored returns the labels of rows to leave out of the set at ref, as they are stated.
func (f *Folder) Ignored(ref data.Ref) data.Ignore {
	if len(f.ignore) > 0 {
		return f.ignore
	}
	return f.stated(ref).Ignore
}

// New returns the source of the arrays in fsys, whose root errors call name.
// It is Open for any file system, except that digests are not remembered.
func New(fsys fs.FS, name string, layout Layout, digests *Digests) (*Folder, error) {
	m, err := readManifest(fsys, name)
	if err != nil {
		return nil, err
	}
	if digests == nil {
		digests = &Digests{}
	}
	if m.Layout != "" { // checked by the reader
		layout = Layout{m.Layout}
	}
	return &Folder{fsys: fsys, root: name, layout: layout, manifest: m, digests: digests}, nil
}

// at returns the location of a path below the root.
func (f *Folder) at(name string) formats.Location {
	l := data.Forms().Locate(f.fsys, name)
	l.Name = path.Join(filepath.ToSlash(f.root), name)
	l.Limit = f.limit
	return l
}

// files returns the files of the set at ref: of the alternatives of the layout the first
// one whose logits exist or, where none has, whose labels exist, or else the first. The
// head and the OOD rows are looked for in the same way, each on its own. A choice of logits
// that exist is kept, since a plan asks for the files of a set once for each method.
func (f *Folder) files(ref data.Ref) (data.Files, error) {
	if kept, ok := f.chosen.Load(ref); ok {
		return kept.(data.Files), nil
	}
	places := f.layout.places(ref)
	chosen, err := places[0].layout.filesNamed(ref, places[0].split)
	if err != nil {
		return data.Files{}, err
	}
	// first returns the first place with a file of the array, or -1. Paths are made as they are
	// needed: most sets are at the first place, and a folder may have thousands.
	first := func(name arrayName) (int, error) {
		tried := make(map[place]bool, len(places)) // the head and the OOD rows have one path for all splits
		for i, p := range places {
			if name.head {
				p.split = name.split
			}
			if tried[p] {
				continue
			}
			tried[p] = true
			path, err := p.layout.pathOf(ref, p.split, name)
			if err != nil {
				return 0, err
			}
			if !f.missing(path) {
				return i, nil
			}
		}
		return -1, nil
	}
	from := places[0] // of the arrays of the rows
	at, err := first(logitsName)
	found := at >= 0
	if !found && err == nil {
		at, err = first(labelsName)
	}
	if at > 0 && err == nil {
		from = places[at]
		chosen, err = from.layout.filesNamed(ref, from.split)
	}
	if err == nil {
		err = f.beside(ref, from, &chosen)
	}
	for _, network := range []struct {
		paths []*string
		names []arrayName // the first is looked for
	}{
		{[]*string{&chosen.HeadWeight, &chosen.HeadBias}, []arrayName{headWeightName, headBiasName}},
		{[]*string{&chosen.OOD}, []arrayName{oodName}},
	} {
		i := -1
		if err == nil {
			i, err = first(network.names[0])
		}
		for j := 0; i >= 0 && err == nil && j < len(network.names); j++ {
			*network.paths[j], err = places[i].layout.pathOf(ref, places[i].split, network.names[j])
		}
	}
	if err != nil {
		return data.Files{}, err
	}
	if !found || f.missing(chosen.Labels) {
		if found {
			places = places[at : at+1]
		}
		if other := f.otherNames(ref, places); other.Logits != "" {
			if other.err != nil {
				return chosen, other.err
			}
			chosen.Logits, chosen.Labels, found = other.Logits, other.Labels, true
			if chosen.Predicted = other.Predicted; other.Kind == data.KindConfidence {
				chosen.Kind = other.Kind
			}
		}
	}
	if found {
		f.chosen.Store(ref, chosen)
	}
	return chosen, nil
}

// beside sets the names of the weights, groups and folds that there are at a place. A member of an archive with several
// columns is another array, such as the weights of a layer.
func (f *Folder) beside(ref data.Ref, at place, files *data.Files) error {
	for _, x := range []struct {
		name arrayName
		path *string
	}{{weightsName, &files.Weights}, {groupsName, &files.Groups}, {foldsName, &files.Folds}} {
		path, err := at.layout.pathOf(ref, at.split, x.name)
		if err != nil {
			return err
		}
		if f.missing(path) {
			continue
		}
		if l := f.at(path); l.Member != "" {
			if h, err := l.Describe(); err == nil && len(h.Shape) > 1 && h.Shape[len(h.Shape)-1] != 1 {
				continue
			}
		}
		*x.path = path
	}
	return nil
}

// otherNames are the scores and labels of a set under other names than logits and labels.
type otherNames struct {
	Logits, Labels string    // empty if there are none
	Predicted      string    // of a confidence alone; may be empty
	Kind           data.Kind // that the name of the scores states
	err            error     // what makes them unclear
}

// otherNames looks in places for the arrays of the set at ref under the names that Choose knows. It
// looks once.
func (f *Folder) otherNames(ref data.Ref, places []place) otherNames {
	if known, ok := f.named.Load(ref); ok {
		return known.(otherNames)
	}
	var found otherNames
	for _, p := range places {
		set := ref
		if set.Split = p.split; ref.Corruption != "" {
			set.Split = ""
		}
		const mark = "\x01" // in no name
		pattern, err := p.layout.path(set, mark)
		if err != nil {
			break
		}
		before, after, _ := strings.Cut(pattern, mark)
		arrays := f.like(before, after, func(name string) bool { return data.IsScores(name) || data.IsLabels(name) || data.IsOutcomes(name) })
		if sets, err := data.Choose(arrays); err == nil && len(sets) == 1 && sets[0].Split == "" {
			s, _, err := sets[0].Decide(path.Join(filepath.ToSlash(f.root), path.Dir(before)), func(name string) (*npy.Array, error) { return f.at(before + name + after).Array() })
			found = otherNames{Logits: before + s.Logits + after, Labels: before + s.Labels + after, Kind: s.Kind, err: err}
			if s.Predicted != "" {
				found.Predicted = before + s.Predicted + after
			}
			break
		}
	}
	f.named.Store(ref, found)
	return found
}

// like returns the arrays whose paths begin and end in this way, by what is between, which is known.
func (f *Folder) like(before, after string, known func(name string) bool) (arrays []npy.Named) {
	if file, member, ok := strings.Cut(before, "#"); ok {
		all, err := f.at(file).Arrays()
		if err != nil {
			return nil
		}
		for _, a := range all {
			if name, ok := between(a.Name, member, after); ok && known(name) {
				a.Name = name
				arrays = append(arrays, a)
			}
		}
		return arrays
	}
	dir, base := path.Split(before)
	entries, err := fs.ReadDir(f.fsys, path.Clean(dir))
	if err != nil {
		return nil
	}
	for _, e := range entries {
		name, ok := between(e.Name(), base, after)
		if !ok || !known(name) {
			continue
		}
		a := npy.Named{Name: name}
		if h, err := f.at(dir + e.Name()).Describe(); err == nil {
			a.DType, a.Shape = h.DType, h.Shape
		}
		arrays = append(arrays, a)
	}
	return arrays
}

// between returns what is between the beginning and the end of a name.
func between(name, before, after string) (string, bool) {
	rest, ok := strings.CutPrefix(name, before)
	if !ok {
		return "", false
	}
	rest, ok = strings.CutSuffix(rest, after)
	return rest, ok && rest != ""
}

// Has returns the parts whose files exist; the head needs both of its files. A file
// that cannot be read counts as present, and Open returns the error. A set that the
// layout cannot name has no parts.
func (f *Folder) Has(ref data.Ref) data.Parts {
	files, err := f.files(ref)
	switch {
	case err != nil && files.Logits != "":
		return data.Logits | data.Labels
	case err != nil:
		return 0
	}
	parts := files.Parts()
	for _, x := range files.List(parts) {
		if f.missing(x.Path) {
			parts &^= x.Part
		}
	}
	return parts
}

func (f *Folder) missing(name string) bool {
	l := data.Forms().Locate(f.fsys, name) // without the name of a message
	if _, err := fs.Stat(l.FS, l.Path); err != nil {
		return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENAMETOOLONG) // no file can have such a name
	}
	if l.Member == "" {
		return false
	}
	return f.at(name).LacksMember()
}

// Describe returns the manifest's description of the set; measured logits by
// default. Where it states no kind, the name of scores under another name than logits does.
func (f *Folder) Describe(ref data.Ref) data.Provenance {
	p := f.stated(ref).provenance()
	p.DatasetLabel, p.BackboneLabel = f.manifest.Labels[ref.Dataset], f.manifest.Labels[ref.Backbone]
	if f.kind != data.AnyKind {
		p.Kind = f.kind
		return p
	}
	if p.Kind == data.AnyKind {
		if files, err := f.files(ref); err == nil {
			if other, ok := f.named.Load(ref); ok && other.(otherNames).Logits == files.Logits {
				p.Kind = other.(otherNames).Kind
			}
		}
	}
	return p
}

// Digest returns a line "logits sha256:..." for each array of parts, two for the
// head: the digest of the bytes of the .npy file or of the unpacked member. Another line
// names the labels that are ignored, where they leave out rows.
func (f *Folder) Digest(ctx context.Context, ref data.Ref, parts data.Parts) (string, error) {
	files, err := f.files(ref)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	var unknown *NotHashed // of a look, which lists all such files
	for _, x := range files.List(parts) {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		sum, err := f.sum(x.Path)
		if errors.As(err, &unknown) {
			continue
		}
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "%s sha256:%s\n", x.Role, sum)
	}
	if unknown != nil {
		return "", unknown
	}
	if kind := f.Describe(ref).Kind; kind == data.KindProbs && parts&(data.Logits|data.Augmented|data.OOD) != 0 {
		fmt.Fprintf(&b, "kind %s, version 2\n", kind) // other numbers from the same bytes
	} else if kind == data.KindConfidence && parts&data.ByRow != 0 {
		fmt.Fprintf(&b, "kind %s, version 1, classes %d\n", kind, f.NumClasses(ref))
	}
	left, err := f.leftOut(ctx, ref, parts)
	return b.String() + left, err
}

// leftOut returns the line of Digest on the rows that are left out; "" if there are none, or if
// the arrays cannot be opened, which is the error of Open.
func (f *Folder) leftOut(ctx context.Context, ref data.Ref, parts data.Parts) (string, error) {
	files, err := f.all(ref)
	if err != nil || parts&data.ByRow == 0 || files.Labels == "" {
		return "", err
	}
	files.Beside = data.Beside{} // their digests are among those of the arrays
	rows, err := f.countRows(ctx, ref, files)
	if err != nil || rows.kept == rows.all {
		return "", err
	}
	sum, err := f.sum(files.Labels)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%d rows left out, version 1, by the labels %s of sha256:%s\n", rows.all-rows.kept, files.Ignore.Labels(1), sum), nil
}

// IgnoredOf returns the labels of rows that src leaves out of the set at ref, as they are
// stated: by those of the sets that it is computed from which state some.
func IgnoredOf(src data.Source, ref data.Ref) data.Ignore {
	for f, in := range data.Beneath[*Folder](src, ref, data.Labels) {
		if list := f.Ignored(in.Ref); len(list) > 0 {
			return list
		}
	}
	return nil
}

// countRows counts the rows of the set at ref by its labels; none if they cannot be read. It
// reads a version of the labels once. The error is that of ctx.
func (f *Folder) countRows(ctx context.Context, ref data.Ref, files data.Files) (rowCounts, error) {
	now, err := stampAt(f.at(files.Labels))
	if err != nil {
		return rowCounts{}, nil
	}
	key := countKey{labels: files.Labels, weights: files.Weights, stamp: now, ignore: files.Ignore.String()}
	if files.Weights != "" {
		if key.weighed, err = stampAt(f.at(files.Weights)); err != nil {
			return rowCounts{}, nil
		}
	}
	if len(files.Ignore) == 0 {
		if h, err := f.at(files.Logits).Describe(); err == nil && len(h.Shape) > 0 {
			key.classes = h.Shape[len(h.Shape)-1]
		}
	}
	if rows, ok := f.counts.Load(key); ok {
		return rows.(rowCounts), nil
	}
	r, err := f.openFiles(ctx, files, data.Labels)
	if err != nil {
		return rowCounts{}, ctx.Err()
	}
	defer r.Close()
	rows := rowCounts{data.FileRows(r), r.Rows()}
	f.counts.Store(key, rows)
	return rows, nil
}

// all returns the files of the set at ref, with what is known of them. Labels that do not
// exist have no name.
func (f *Folder) all(ref data.Ref) (data.Files, error) {
	files, err := f.files(ref)
	if err != nil {
		return files, err
	}
	files.Kind, files.Ignore = f.Describe(ref).Kind, f.Ignored(ref)
	if files.Kind == data.KindConfidence {
		files.Classes = f.NumClasses(ref)
	}
	return files, nil
}

func (f *Folder) sum(name string) (string, error) { return f.digests.hash(f.at(name), f.id(name)) }

// id is the name of an array in the digests: its absolute path, or nothing where it
// is not of the operating system.
func (f *Folder) id(name string) string {
	if f.abs == "" {
		return ""
	}
	return filepath.Join(f.abs, filepath.FromSlash(name))
}

// Open opens the arrays of parts. It checks their shapes against each other and,
// where the manifest states shapes and digests, against the manifest.
func (f *Folder) Open(ctx context.Context, ref data.Ref, parts data.Parts) (data.Reader, error) {
	files, err := f.all(ref)
	if err != nil {
		return nil, err
	}
	return f.openFiles(ctx, files, parts)
}

// openFiles opens the files of parts.
func (f *Folder) openFiles(ctx context.Context, files data.Files, parts data.Parts) (data.Reader, error) {
	if parts&data.Labels == 0 && f.missing(files.Labels) {
		files.Labels, files.Beside = "", data.Beside{}
	}
	return files.OpenWith(parts, func(x data.ArrayFile) (*npy.Array, error) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		return f.open(x.Path)
	})
}

// Inputs is empty: the sets are the folder's own.
func (f *Folder) Inputs(data.Ref, data.Parts) []data.Input { return nil }

// Shape reads the header of the logits, and the labels where they may leave out rows. Of an
// archive it unpacks no more than that.
func (f *Folder) Shape(ctx context.Context, ref data.Ref) (rows, classes int, err error) {
	files, err := f.all(ref)
	if err != nil {
		return 0, 0, err
	}
	h, err := f.at(files.Logits).Describe()
	if err == nil && len(h.Shape) != 2 && len(h.Shape) != 1 {
		err = &problem.Problem{Place: files.Logits, Cause: "shape " + npy.Tuple(h.Shape), Fix: "want n x k"}
	}
	if err != nil {
		return 0, 0, err
	}
	rows, classes = h.Shape[0], 2 // of a binary set, or Open returns the error
	if len(h.Shape) == 2 && h.Shape[1] != 1 {
		classes = h.Shape[1]
	}
	if files.Kind == data.KindConfidence {
		classes = files.Classes
	}
	if counted, err := f.countRows(ctx, ref, files); err != nil {
		return 0, 0, err
	} else if counted.all > 0 { // of labels that cannot be read all rows count
		rows = counted.kept
	}
	return rows, classes, nil
}

func (f *Folder) open(name string) (*npy.Array, error) {
	a, err := f.at(name).Array()
	if err != nil {
		return nil, err
	}
	err = f.digests.check(f.id(name), stampOf(a.Info()), a.Name())
	if err == nil {
		err = f.verify(a, name)
	}
	if err != nil {
		a.Close()
		return nil, err
	}
	return a, nil
}

// verify compares a file with its entry in the manifest, if it has one.
func (f *Folder) verify(a *npy.Array, name string) error {
	if err := f.verifyShape(a, name); err != nil {
		return err
	}
	want := f.manifest.Files[name]
	if want.SHA256 == "" {
		return nil
	}
	sum, err := f.sum(name)
	if err != nil {
		return err
	}
	if sum != want.SHA256 {
		return &problem.Problem{Place: a.Name(), Cause: fmt.Sprintf("sha256 %s; %s says %s", sum, data.ManifestName, want.SHA256)}
	}
	return nil
}

// verifyShape compares the shape of a file with its entry in the manifest, if it has
// one.
func (f *Folder) verifyShape(a *npy.Array, name string) error {
	if want := f.manifest.Files[name]; want.Shape != nil && !slices.Equal(want.Shape, a.Shape()) {
		return &problem.Problem{Place: a.Name(), Cause: fmt.Sprintf("shape %s; %s says %s", npy.Tuple(a.Shape()), data.ManifestName, npy.Tuple(want.Shape))}
	}
	return nil
}
