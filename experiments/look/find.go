package look

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/qats-bench/qats"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/folder"
	"github.com/qats-bench/qats/data/formats"
	"github.com/qats-bench/qats/data/keyed"
	"github.com/qats-bench/qats/data/npy"
	"github.com/qats-bench/qats/data/problem"
	"github.com/qats-bench/qats/experiments"
	"github.com/qats-bench/qats/internal/called"
	"github.com/qats-bench/qats/internal/inputfile"
	"github.com/qats-bench/qats/internal/lists"
)

// Experiment is the name of a trial in the files of results.
const Experiment = "try"

// Unnamed is the backbone of a network whose place names none.
const Unnamed = "network"

// Stated is what a command says of the arrays, in place of a manifest.
type Stated struct {
	Kind   data.Kind   // of the logits
	Ignore data.Ignore // labels of rows that are left out

	Predicted string // file of the predicted classes, of a confidence alone; empty for none
	Classes   int    // of a confidence alone; 0 if they are not known

	Beside []data.Beside // weights, groups and folds of the calibration set and of the test set; none where they have none

	named  data.Kind // that the name of the logits says, where neither a command nor a manifest states one
	beside data.Beside
}

// Find returns what the arguments of a trial name: logits and labels of one set or of two, a
// folder, or an archive of all arrays, which may be the stream of fsys. fsys is the file system of
// the operating system or a data.InputFS.
func Find(ctx context.Context, fsys fs.FS, args []string, stated Stated) (*Given, error) {
	switch len(args) {
	case 1:
		return findOne(ctx, fsys, args[0], stated)
	case 2, 4:
		if forms := data.Forms(); forms.Is(args[0], formats.Rows) && forms.Is(args[1], formats.Rows) {
			return nil, fmt.Errorf("a table has scores and labels together: put %s and %s into one, with a column split (cal, test); or python3 -m qatsbench.datasets import csv CAL TEST makes arrays of them", args[0], args[1])
		}
	default:
		return nil, fmt.Errorf("a trial takes the logits and labels of one set, or those of the calibration set and of the test set; these are %d files", len(args))
	}
	if sets := len(args) / 2; len(stated.Beside) > sets {
		return nil, fmt.Errorf("weights, groups or folds of %d sets are named, and these are the arrays of %d", len(stated.Beside), sets)
	}
	var took []string
	place := func(logits, labels string) (Place, error) {
		stated, at := stated, slices.Index(args, logits)/2
		stated.beside = data.Beside{}
		if at < len(stated.Beside) {
			stated.beside = stated.Beside[at]
		}
		p, err := stated.place(fsys, logits, labels, &took)
		return p, cmp.Or(err, exchanged(fsys, logits, labels))
	}
	cal, err := place(args[0], args[1])
	if err != nil {
		return nil, err
	}
	g := New(nameOfFile(args[0]), Unnamed, cal)
	g.Origin = folder.OriginOf(pathOf(args[0]))
	if len(args) == 4 {
		test, err := place(args[2], args[3])
		if err != nil {
			return nil, err
		}
		if args[0] == args[2] {
			return nil, fmt.Errorf("%s is named as the calibration set and as the test set; with one set, name it once, and it judges the methods by cross-fitting", args[0])
		}
		g.Test = &test
	}
	g.Took = append(g.Took, took...)
	return g, nil
}

// place returns the place of two files, as the command states them or, where it states nothing, a manifest
// above them. What was taken from a manifest is appended to took, once.
func (s Stated) place(fsys fs.FS, logits, labels string, took *[]string) (Place, error) {
	files, taken, err := folder.WithManifest(data.Files{Logits: logits, Labels: labels, Predicted: s.Predicted, Classes: s.Classes, Kind: cmp.Or(s.Kind, s.alone()), Ignore: s.Ignore, Beside: s.beside, FS: fsys})
	for _, t := range taken {
		takeLine(took, t)
	}
	files.Kind = cmp.Or(files.Kind, s.named)
	p := placeOf(files)
	if s.Kind == data.AnyKind && files.Kind == data.KindLogits && s.named != data.KindLogits {
		p.Files.Kind = data.AnyKind // the command that saves the model reads the same manifest
	}
	return p, err
}

// alone returns data.KindConfidence where the names of arrays say it, which decides how labels are read.
func (s Stated) alone() data.Kind {
	if s.named == data.KindConfidence {
		return s.named
	}
	return data.AnyKind
}

// takeLine appends what was taken from a manifest to lines that have it not.
func takeLine(took *[]string, t folder.FromManifest) {
	if line := t.File + ": " + t.String(); !slices.Contains(*took, line) {
		*took = append(*took, line)
	}
}

// exchanged returns an error if the first file has one axis and the second has several
// columns: labels before logits.
func exchanged(fsys fs.FS, logits, labels string) error {
	shape := func(path string) []int {
		a, err := data.OpenArray(fsys, path)
		if err != nil {
			return nil // reading it gives the same error
		}
		defer a.Close()
		return a.Shape()
	}
	if a, b := shape(logits), shape(labels); len(a) == 1 && len(b) == 2 && b[1] > 1 {
		return fmt.Errorf("%s has one axis and %s has %d columns: name the logits first, then the labels", logits, labels, b[1])
	}
	return nil
}

// pathOf returns the file of FILE#MEMBER.
func pathOf(name string) string {
	file, _, _ := strings.Cut(name, "#")
	return file
}

// nameOfFile names a network by the folder of its logits, above that of the split.
func nameOfFile(logits string) string {
	dir := filepath.Dir(pathOf(logits))
	if abs, err := filepath.Abs(dir); err == nil && data.IsSplit(filepath.Base(abs)) {
		dir = filepath.Join(dir, "..")
	}
	return NameOf(dir)
}

// findOne returns what a folder or an archive has.
func findOne(ctx context.Context, fsys fs.FS, name string, stated Stated) (*Given, error) {
	if name == npy.StreamName {
		return findArchive(fsys, name, stated)
	}
	info, err := os.Stat(name)
	switch form, _ := data.Forms().Match(name); {
	case err == nil && info.IsDir():
		return findFolder(ctx, name, stated)
	case err != nil && !strings.Contains(name, "#"):
		return nil, fmt.Errorf("%s: there is no such file or folder", name)
	case err == nil && form != nil && form.Content() != formats.One:
		return findArchive(fsys, name, stated)
	case formats.IsTorch(name):
		return nil, formats.TorchProblem(name)
	}
	return nil, fmt.Errorf("%s: name its labels too, as in: "+called.Command()+" try %s labels.npy", name, name)
}

// findFolder returns the calibration set and the test set of the only network of a folder,
// or its only set.
func findFolder(ctx context.Context, dir string, stated Stated) (*Given, error) {
	if g, err := findNetwork(ctx, dir, stated); g != nil || err != nil {
		return g, err
	}
	s, err := NewStarter(dir)
	if err != nil {
		return nil, err
	}
	clean := lists.Where(s.Sets, func(r data.Ref) bool { return r.Corruption == "" })
	if len(clean) == 0 {
		if err := s.Check(); err != nil {
			return nil, err
		}
		return nil, fmt.Errorf("%s: all sets are of corrupted images; name the folder of a network with its clean sets", dir)
	}
	networks := lists.Distinct(clean, network)
	if len(networks) > 1 {
		names := lists.Values(networks, data.Ref.String)
		return nil, fmt.Errorf("%s has %d networks (%s), and a trial is of one: name its folder, or compare all of them by the spec that "+called.Command()+" init %s writes",
			dir, len(networks), experiments.Few(names, 3), dir)
	}
	src, err := folder.Open(dir, s.Layout, nil)
	if err != nil {
		return nil, err
	}
	return fromFolder(ctx, src, clean, stated, true)
}

// maxHere is the most entries of a folder that Here looks at.
const maxHere = 100

// Here returns an argument with which a trial takes arrays that lie in a folder: the folder
// itself, or the first folder, archive or table in it that has the sets of a network; "" if
// there is none. It looks no deeper, since the folder may be a large one.
func Here(ctx context.Context, dir string) string {
	if g, err := findNetwork(ctx, dir, Stated{}); g != nil && err == nil {
		return dir
	}
	entries, _ := os.ReadDir(dir) // a folder that cannot be read has nothing to name
	for _, e := range entries[:min(len(entries), maxHere)] {
		name := filepath.Join(dir, e.Name())
		switch {
		case strings.HasPrefix(e.Name(), "."):
		case e.IsDir():
			if g, err := findNetwork(ctx, name, Stated{}); g != nil && err == nil {
				return name
			}
		case e.Type().IsRegular():
			if g, err := findOne(ctx, inputfile.System{}, name, Stated{}); g != nil && err == nil {
				return name
			}
		}
	}
	return ""
}

// findNetwork returns the sets of a folder that is the folder of a network, in which there may
// be others, such as those of other losses, or the set of a folder that has the arrays of one;
// nil if it is neither.
func findNetwork(ctx context.Context, dir string, stated Stated) (*Given, error) {
	layout, err := folder.ParseLayout("{split}/{array}.npy")
	if err != nil {
		return nil, err
	}
	src, err := folder.Open(dir, layout, nil)
	if err != nil {
		return nil, err
	}
	ref := data.Ref{Dataset: NameOf(dir), Backbone: Unnamed, Split: data.Cal}
	test := ref
	test.Split = data.Test
	sets := lists.Where([]data.Ref{ref, test}, func(r data.Ref) bool { return src.Has(r)&data.Logits != 0 })
	if len(sets) == 0 {
		arrays := folder.NamedFiles(dir)
		sets, err := data.Choose(arrays)
		file := func(name string) string { return filepath.Join(dir, name+formats.ArrayEnding) }
		scores := lists.Where(arrays, func(a npy.Named) bool { return data.IsScores(a.Name) })
		labels := lists.Where(arrays, func(a npy.Named) bool { return data.IsLabels(a.Name) })
		switch {
		case err != nil && slices.ContainsFunc(arrays, func(a npy.Named) bool { split, _ := data.RoleOf(a.Name); return split != "" }):
			return nil, nil // the sets of a folder have names of splits
		case err != nil:
			return nil, &problem.Problem{Place: dir, Cause: err.Error(), Fix: "name the two files: " + called.Command() + " try SCORES LABELS"}
		case len(sets) == 0 && len(scores) == 1 && len(labels) == 1: // of other shapes; reading them says which are wanted
			return Find(ctx, inputfile.System{}, []string{file(scores[0].Name), file(labels[0].Name)}, stated)
		case len(sets) == 0 && slices.ContainsFunc(arrays, func(a npy.Named) bool { return a.Name == "logits" }):
			return nil, fmt.Errorf("%s: logits.npy has no labels; save them beside it as labels.npy", dir)
		case len(sets) != 1 || sets[0].Split != "":
			return nil, nil
		}
		set, why, err := sets[0].Decide(dir, func(name string) (*npy.Array, error) { return data.OpenArray(nil, file(name)) })
		if err != nil {
			return nil, err
		}
		sets[0] = set
		stated.named = set.Kind
		if sets[0].Predicted != "" {
			stated.Predicted = file(sets[0].Predicted)
		}
		if len(stated.Beside) == 0 {
			stated.Beside = []data.Beside{sets[0].In(file)}
		}
		g, err := Find(ctx, inputfile.System{}, []string{file(sets[0].Logits), file(sets[0].Labels)}, stated)
		if err != nil {
			return nil, err
		}
		if taken := data.Taken(arrays, sets); why != "" || taken != "" {
			g.Took = append(g.Took, dir+": "+cmp.Or(why, taken))
		}
		return g, nil
	}
	g, err := fromFolder(ctx, src, sets, stated, true)
	if err == nil && g.Origin == data.Measured { // the manifest may be that of a folder above
		g.Origin = folder.OriginOf(g.Cal.Files.Logits)
	}
	return g, err
}

// network returns the ref of the network of a set.
func network(r data.Ref) data.Ref {
	r.Split = ""
	return r
}

// fromFolder returns the sets of one network of a folder. named says that a command can name
// its files.
func fromFolder(ctx context.Context, src *folder.Folder, sets []data.Ref, stated Stated, named bool) (*Given, error) {
	src.IgnoreLabels(stated.Ignore)
	src.StateKind(stated.Kind)
	src.StateClasses(stated.Classes)
	var took []string
	for _, ref := range sets {
		if t, ok := folder.TakenAbove(src, ref); ok {
			takeLine(&took, t)
		}
	}
	place := func(ref data.Ref) (Place, error) {
		p := Place{Name: ref.String(), Has: src.Has(ref), Open: func(ctx context.Context, parts data.Parts) (data.Reader, error) {
			return src.Open(ctx, ref, parts)
		}}
		p.Known = func(o folder.Oddity) (string, bool) {
			if reason, ok := folder.KnownOf(src, ref, o); ok || !named {
				return reason, ok
			}
			return folder.KnownNear(p.Files.Logits, o) // the manifest may be that of a folder above
		}
		if !named {
			return p, nil
		}
		headers, err := folder.Headers(ctx, src, ref, p.Has)
		if err != nil {
			return p, err
		}
		if taken := folder.OtherNames(headers); taken != "" {
			took = append(took, p.Name+": "+taken)
		}
		files := data.Files{Kind: src.Describe(ref).Kind, Ignore: src.Ignored(ref)}
		if files.Kind == data.KindConfidence {
			files.Classes = src.NumClasses(ref)
		}
		for _, h := range headers {
			switch h.Role {
			case "logits":
				files.Logits = h.Name
				if folder.ManifestAbove(src) != "" && stated.Kind == data.AnyKind && files.Kind == data.KindLogits {
					files.Kind = data.AnyKind // the command that saves the model reads the same manifest
				}
			case "labels":
				files.Labels = h.Name
			case "predicted":
				files.Predicted = h.Name
			case "weights":
				files.Weights = h.Name
			case "groups":
				files.Groups = h.Name
			case "folds":
				files.Folds = h.Name
			case "features":
				files.Features = h.Name
			case "augmented":
				files.Augmented = h.Name
			case "head_weight":
				files.HeadWeight = h.Name
			case "head_bias":
				files.HeadBias = h.Name
			case "ood":
				files.OOD = h.Name
			}
		}
		p.Name, p.Files = files.Logits, files
		return p, nil
	}
	g := New(sets[0].Dataset, sets[0].Backbone, Place{})
	g.Setting.Loss = cmp.Or(sets[0].Loss, "ce")
	var places []Place
	for _, split := range []data.Split{data.Cal, data.Test} {
		i := slices.IndexFunc(sets, func(r data.Ref) bool { return r.Split == split })
		if i < 0 {
			continue
		}
		p, err := place(sets[i])
		if err != nil {
			return nil, err
		}
		described := src.Describe(sets[i])
		if described.Origin == data.Simulated || g.From == "" {
			g.Origin, g.From = described.Origin, described.Note
		}
		places = append(places, p)
	}
	if len(places) == 0 {
		return nil, errors.New("no calibration or test set")
	}
	g.Cal, g.Took = places[0], took
	if len(places) > 1 {
		g.Test = &places[1]
	}
	return g, nil
}

// Demo is the argument that stands for the first of Networks.
const Demo = "@demo"

// Networks returns the names of the networks whose outputs the program carries, as
// arguments of a trial.
func Networks() []string { return []string{"@transformer-d64-l2", "@mlp-tfidf-h128"} }

// IsCarried reports whether an argument names a network that the program carries, and no file.
func IsCarried(arg string) bool { return strings.HasPrefix(arg, "@") }

// carried is the data set of these networks, below demo.
const (
	demo    = "data/demo"
	carried = "20newsgroups-body"
)

// Carried returns the arrays of a network that the program carries.
func Carried(ctx context.Context, name string) (*Given, error) {
	known := append([]string{Demo}, Networks()...)
	match, ok := keyed.Match(name, known)
	if !ok {
		return nil, fmt.Errorf("unknown network %q%s", name, keyed.Suggest(name, known))
	}
	if match == Demo {
		match = Networks()[0]
	}
	match = strings.TrimPrefix(match, "@")
	fsys, err := fs.Sub(qats.Files, demo)
	if err != nil {
		return nil, err
	}
	src, err := folder.New(fsys, demo, folder.Layout{}, nil)
	if err != nil {
		return nil, err
	}
	ref := func(split data.Split) data.Ref {
		return data.Ref{Dataset: carried, Backbone: match, Loss: "ce", Split: split}
	}
	return fromFolder(ctx, src, []data.Ref{ref(data.Cal), ref(data.Test)}, Stated{}, false)
}
