package look

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/folder"
	"github.com/qats-bench/qats/data/formats"
	"github.com/qats-bench/qats/data/problem"
	"github.com/qats-bench/qats/internal/called"
	"github.com/qats-bench/qats/internal/inputfile"
)

// survey is what a folder of arrays holds, found without a spec.
type survey struct {
	Layout folder.Layout // the zero Layout is the default one
	Sets   []data.Ref    // sets with logits; a Ref has no dataset or backbone where no path has one
	// Problems are files that belong to no set: files of torch, archives whose members have
	// other names, sets in another layout.
	Problems []*problem.Problem
}

// maxSurveyed bounds the files and folders that a survey looks at.
const maxSurveyed = 200_000

// surveyFolder looks for sets below root. Recognised are, for the logits of a test
// set, and likewise for a calibration set under each of its names:
//
//	[HEAD/]test/logits.npy
//	[HEAD/]test.npz with the member logits
//	[HEAD/]test_logits.npy, test-logits.npy, logits_test.npy, logits-test.npy
//	[DATASET/]BACKBONE.npz with the member test_logits
//
// where HEAD is BACKBONE, DATASET/BACKBONE or DATASET/BACKBONE/LOSS, .safetensors may
// stand for .npz, and the default layout has corrupted sets too. A folder has one
// layout: that of most sets. Sets in another layout are problems. Hidden folders and
// output folders of qats are left out. Symbolic links are followed, but a folder is looked
// at once: under its own path if that is below root, else by the first link to it.
func surveyFolder(root string) (*survey, error) {
	info, err := os.Stat(root)
	if err == nil && !info.IsDir() {
		err = errors.New("not a folder")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", root, inputfile.Cause(err))
	}
	s := surveying{root: root, fsys: os.DirFS(root), found: map[string][]data.Ref{}, filed: map[filed]bool{}, seen: map[string]bool{}}
	manifest, err := folder.ReadManifest(root)
	if err != nil {
		return nil, err
	}
	if err := s.walk(); err != nil {
		return nil, err
	}
	return s.choose(manifest.Layout), nil
}

// surveying is a survey under way.
type surveying struct {
	root     string
	fsys     fs.FS
	files    int                   // and folders
	links    []string              // to folders, which are walked after all other folders
	top      string                // of the walk under way: the root or a link
	target   string                // the real path of top
	seen     map[string]bool       // the real paths of folders
	found    map[string][]data.Ref // by template; "" is the default layout
	filed    map[filed]bool        // what found has
	problems []*problem.Problem
	loose    []string // .npy files that have no place
}

// filed is a set under a template.
type filed struct {
	template string
	ref      data.Ref
}

func (s *surveying) problem(name, cause, fix string) {
	s.problems = append(s.problems, &problem.Problem{Place: path.Join(filepath.ToSlash(s.root), name), Cause: cause, Fix: fix})
}

// walk visits all files and folders.
func (s *surveying) walk() error {
	s.links = []string{"."}
	for len(s.links) > 0 {
		s.top, s.links = s.links[0], s.links[1:]
		var err error
		if s.target, err = realPath(filepath.Join(s.root, filepath.FromSlash(s.top))); err != nil {
			s.problem(s.top, inputfile.Cause(err).Error(), "")
			continue
		}
		if err := fs.WalkDir(s.fsys, s.top, s.visit); err != nil {
			return err
		}
	}
	return nil
}

// realPath returns the path of a folder from the top of the file system, without links.
func realPath(name string) (string, error) {
	name, err := filepath.Abs(name)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(name)
}

// isNew reports whether a folder of the walk under way is visited for the first time.
func (s *surveying) isNew(name string) bool {
	rel, err := filepath.Rel(filepath.FromSlash(s.top), filepath.FromSlash(name))
	path := filepath.Join(s.target, rel)
	if err != nil || s.seen[path] {
		return false
	}
	s.seen[path] = true
	return true
}

func (s *surveying) visit(name string, d fs.DirEntry, err error) error {
	if s.files++; s.files > maxSurveyed {
		return fmt.Errorf("%s: more than %d files and folders; name a folder of arrays", s.root, maxSurveyed)
	}
	switch {
	case err != nil:
		s.problem(name, err.Error(), "")
		return nil
	case d.IsDir():
		if name != "." && (strings.HasPrefix(d.Name(), ".") || s.isOutput(name)) || !s.isNew(name) {
			return fs.SkipDir
		}
		return nil
	case d.Type()&fs.ModeSymlink != 0:
		if info, err := fs.Stat(s.fsys, name); err == nil && info.IsDir() {
			s.links = append(s.links, name)
			return nil
		}
	}
	dirs := strings.Split(name, "/")
	base := dirs[len(dirs)-1]
	dirs = dirs[:len(dirs)-1]
	form, ending := data.Forms().Match(base)
	stem := strings.TrimSuffix(base, ending)
	switch {
	case formats.IsTorch(base):
		s.problems = append(s.problems, formats.TorchProblem(path.Join(filepath.ToSlash(s.root), name)))
	case form == nil:
	case form.Content() == formats.Several:
		s.archive(name, dirs, stem, ending)
	case ending == formats.ArrayEnding: // a layout knows no other spelling
		if !s.array(dirs, stem, ending) {
			s.loose = append(s.loose, name)
		}
	}
	return nil
}

// isOutput reports whether a folder is one that qats run has written.
func (s *surveying) isOutput(dir string) bool {
	_, err := fs.Stat(s.fsys, path.Join(dir, "results.csv"))
	return err == nil
}

// severityOf returns the severity that a name stands for, or 0.
func severityOf(name string) int {
	if len(name) == 1 && name[0] >= '1' && name[0] <= '5' {
		return int(name[0] - '0')
	}
	return 0
}

// array files a .npy file or, with another extension, a member of the file that is the last
// of dirs. It returns false for one that is not an array of a set. Only logits make a set.
func (s *surveying) array(dirs []string, stem, ext string) bool {
	last, isMember := len(dirs)-1, ext != formats.ArrayEnding
	if data.IsScores(stem) && last >= 0 {
		if split := data.SplitOf(dirs[last]); split != "" {
			tail := "{split}/{array}" + formats.ArrayEnding
			if isMember {
				tail = "{split}" + ext + "#{array}"
			}
			return s.add(dirs[:last], tail, data.Ref{Split: split})
		}
		if before, sep, after := parted(dirs[last]); isMember && sep != "" { // test-logits.npz
			if split := data.SplitOf(before); split != "" && data.IsScores(after) {
				return s.add(dirs[:last], "{split}"+sep+after+ext+"#{array}", data.Ref{Split: split})
			}
			if split := data.SplitOf(after); split != "" && data.IsScores(before) {
				return s.add(dirs[:last], before+sep+"{split}"+ext+"#{array}", data.Ref{Split: split})
			}
		}
		if dirs[last] == "ood" {
			return true
		}
		if severity := severityOf(dirs[last]); severity > 0 && last >= 3 {
			return s.add(dirs[:last-1], "", data.Ref{Corruption: dirs[last-1], Severity: severity, Split: data.Test})
		}
		return false
	}
	if isMember {
		role, split, template := splitIn(stem)
		return data.IsScores(role) && s.add(dirs, "\x00"+ext+"#"+template, data.Ref{Split: split})
	}
	if isArray(stem) {
		return true
	}
	role, split, template := splitIn(stem)
	if !isArray(role) {
		return false
	}
	return !data.IsScores(role) || s.add(dirs, template+formats.ArrayEnding, data.Ref{Split: split})
}

// isArray reports whether a name is that of an array of a set.
func isArray(name string) bool {
	return data.IsScores(name) || data.IsLabels(name) || slices.Contains([]string{"features", "logits_aug", "head_weight", "head_bias"}, name)
}

// splitIn returns the array and the split of a name such as test_logits or logits-val, with the
// template of such names; an empty array if it has no split.
func splitIn(name string) (role string, split data.Split, template string) {
	for _, sep := range []string{"_", "-"} {
		if before, after, ok := strings.Cut(name, sep); ok {
			if split := data.SplitOf(before); split != "" {
				return after, split, "{split}" + sep + "{array}"
			}
		}
		if i := strings.LastIndex(name, sep); i >= 0 {
			if split := data.SplitOf(name[i+1:]); split != "" {
				return name[:i], split, "{array}" + sep + "{split}"
			}
		}
	}
	return "", "", ""
}

// parted divides a name at its first _ or -.
func parted(name string) (before, sep, after string) {
	if i := strings.IndexAny(name, "_-"); i >= 0 {
		return name[:i], name[i : i+1], name[i+1:]
	}
	return name, "", ""
}

// archive files an .npz or .safetensors file by the names of its members.
func (s *surveying) archive(name string, dirs []string, stem, ext string) {
	arrays, err := data.Forms().Arrays(inputfile.System{}, path.Join(filepath.ToSlash(s.root), name))
	names := data.Names(arrays)
	if err != nil {
		at, cause, _ := strings.Cut(err.Error(), ": ")
		s.problems = append(s.problems, &problem.Problem{Place: at, Cause: cause})
		return
	}
	used := stem == "ood" || stem == "top"
	for _, member := range names {
		used = s.array(append(slices.Clone(dirs), stem), member, ext) || used
	}
	if used {
		return
	}
	if sets, err := data.Choose(arrays); err == nil && len(sets) == 1 && sets[0].Split == "" {
		s.problem(name, "it has "+sets[0].String()+", and its name says neither cal nor test",
			"name the file cal"+ext+" or test"+ext+", if its rows are held out; "+called.Command()+" try reads the file as it is")
		return
	}
	s.problem(name, "it has the arrays "+strings.Join(names, ", ")+", and no logits under a name that is known",
		`name them logits and labels in files cal`+ext+" and test"+ext+`, or cal_logits, cal_labels, test_logits and test_labels in one file: np.savez("test.npz", logits=..., labels=...)`)
}

// add adds a set under a template that begins with the placeholders of the folders
// head; "\x00" in the tail is the place of the last of them. It returns false if
// there are more folders than a layout has placeholders.
func (s *surveying) add(head []string, tail string, ref data.Ref) bool {
	var names []string
	switch len(head) {
	case 0:
	case 1:
		names, ref.Backbone = []string{"{backbone}"}, head[0]
	case 2:
		names, ref.Dataset, ref.Backbone = []string{"{dataset}", "{backbone}"}, head[0], head[1]
	case 3:
		names, ref.Dataset, ref.Backbone, ref.Loss = []string{"{dataset}", "{backbone}", "{loss}"}, head[0], head[1], head[2]
	default:
		return false
	}
	template := strings.Join(append(names, tail), "/")
	template = strings.Replace(template, "/\x00", "", 1)
	places := []string{"", "{split}/{array}" + formats.ArrayEnding}
	for _, ending := range data.Forms().Usual(formats.Several) {
		places = append(places, "{split}"+ending+"#{array}", "\x00"+ending+"#{split}_{array}")
	}
	ordinary := slices.ContainsFunc(places, func(t string) bool { return strings.EqualFold(t, tail) })
	if tail == "" || len(head) >= 2 && ordinary {
		template = "" // one of the places of the default layout
	}
	if f := (filed{template, ref}); !s.filed[f] {
		s.filed[f] = true
		s.found[template] = append(s.found[template], ref)
	}
	return true
}

// choose chooses the layout: the stated one, or that of most sets.
func (s *surveying) choose(stated string) *survey {
	templates := slices.SortedFunc(maps.Keys(s.found), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(s.found[b]), len(s.found[a])), cmp.Compare(a, b))
	})
	if stated != "" { // the manifest decides
		templates = slices.DeleteFunc(templates, func(t string) bool { return t != stated })
	}
	v := &survey{Problems: s.problems}
	for i, t := range templates {
		if i == 0 {
			v.Layout, v.Sets = layoutOf(t), s.found[t]
			continue
		}
		v.Problems = append(v.Problems, &problem.Problem{
			Place: filepath.ToSlash(s.root),
			Cause: fmt.Sprintf("%d sets have the layout %q and %d the layout %q; a folder has one", len(v.Sets), v.Layout, len(s.found[t]), layoutOf(t)),
			Fix:   "keep the others in a folder of their own, and name both folders in the spec",
		})
	}
	slices.SortFunc(v.Sets, func(a, b data.Ref) int {
		return cmp.Or(cmp.Compare(a.Dataset, b.Dataset), cmp.Compare(a.Backbone, b.Backbone), cmp.Compare(a.Loss, b.Loss),
			cmp.Compare(a.Corruption, b.Corruption), cmp.Compare(a.Severity, b.Severity), cmp.Compare(a.Split, b.Split))
	})
	if len(v.Sets) == 0 && len(s.loose) > 0 {
		v.Problems = append(v.Problems, &problem.Problem{
			Place: path.Join(filepath.ToSlash(s.root), s.loose[0]),
			Cause: "neither its name nor those of " + fmt.Sprint(len(s.loose)-1) + " others name an array of a set",
			Fix:   "name the arrays cal/logits.npy, cal/labels.npy, test/logits.npy and test/labels.npy",
		})
	}
	return v
}

// layoutOf returns the layout of a template of a survey, which is valid; the zero Layout for "".
func layoutOf(template string) folder.Layout {
	l, _ := folder.ParseLayout(template)
	return l
}
