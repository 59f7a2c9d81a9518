package folder

import (
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/formats"
	"github.com/qats-bench/qats/internal/lists"
)

// DefaultLayout is the path template of a folder without a stated one.
const DefaultLayout = "{dataset}/{backbone}/{loss}/{corruption}/{severity}/{split}/{array}.npy"

// Layout says in which files of a folder the arrays of a set are. It is a path
// template: placeholders are replaced by the values of a Ref, and segments of the
// path that become empty are left out. The placeholders, and when they are empty:
//
//	{dataset} {backbone}      never
//	{loss}                    for "ce"
//	{corruption} {severity}   for clean images; for head and OOD arrays, which
//	                          belong to the network
//	{split}                   for corrupted images, which are test images; for the
//	                          head. It is "ood" for OOD logits
//	{array}                   is one of logits, labels, features, logits_aug,
//	                          head_weight, head_bias
//
// A template may end in "file.npz#member" or "file.safetensors#member", as in
// "{dataset}.npz#{split}_{array}". An empty placeholder is removed with the "_" or "-" next
// to it, and a file whose name becomes empty takes the name of its folder:
// "a/{split}.npz#{split}_{array}" is a.npz#head_weight for the head. Neither a template nor
// a value can lead out of the folder.
//
// The zero Layout is the default layout. There each set may also be members of one
// file: see alternatives.
type Layout struct{ template string }

// setNames returns the templates that a set of the default layout may have, in the order
// in which a Folder looks for them: an array a file, a set a file, a network a file.
func setNames() []string {
	const network = "{dataset}/{backbone}/{loss}/{corruption}/{severity}"
	all := []string{DefaultLayout}
	for _, ending := range data.Forms().Usual(formats.Several) {
		all = append(all, network+"/{split}"+ending+"#{array}", network+ending+"#{split}_{array}")
	}
	return all
}

// memberNames lists how members are named, after what stands before the ending of the file.
func memberNames(before string) string {
	return strings.Join(lists.Values(data.Forms().Usual(formats.Several), func(ending string) string { return before + ending + "#MEMBER" }), " or ")
}

var placeholder = regexp.MustCompile(`\{([^{}]*)\}`)

var placeholders = []string{"dataset", "backbone", "loss", "corruption", "severity", "split", "array"}

// ParseLayout checks a template. It must have {split} and {array}: without them
// different arrays, or the calibration and the test set, would be the same file.
func ParseLayout(template string) (Layout, error) {
	if _, err := checkTemplate(template, "split", "array"); err != nil {
		return Layout{}, err
	}
	return Layout{template}, nil
}

// FileTemplate is a Layout of one file for each set, without {split} and {array}.
type FileTemplate struct{ layout Layout }

// ParseFileTemplate checks a template, which names a .npy file.
func ParseFileTemplate(template string) (FileTemplate, error) {
	seen, err := checkTemplate(template)
	if err != nil {
		return FileTemplate{}, err
	}
	if seen["split"] || seen["array"] || !strings.HasSuffix(template, formats.ArrayEnding) {
		return FileTemplate{}, fmt.Errorf("path %q: want one .npy file a set, without {split} and {array}", template)
	}
	return FileTemplate{Layout{template}}, nil
}

// Path returns the file of the set at ref, relative to the root. The split of ref
// does not matter. Errors are those of Layout.Files.
func (t FileTemplate) Path(ref data.Ref) (string, error) {
	ref.Split = ""
	return t.layout.path(ref, "")
}

// checkTemplate returns the placeholders of a template. It is an error if one of
// needed is missing, or if the path may lead out of the root.
func checkTemplate(template string, needed ...string) (map[string]bool, error) {
	bad := func(format string, args ...any) (map[string]bool, error) {
		return nil, fmt.Errorf("layout %q: %s", template, fmt.Sprintf(format, args...))
	}
	if strings.HasPrefix(template, "/") {
		return bad("an absolute path; want one relative to the root of the data")
	}
	if strings.ContainsAny(template, "\\\x00") {
		return bad("a backslash; separate folders by /")
	}
	if slices.Contains(strings.Split(template, "/"), "..") {
		return bad(".. leads out of the root")
	}
	if strings.ContainsAny(placeholder.ReplaceAllString(template, ""), "{}") {
		return bad("unbalanced brace")
	}
	seen := map[string]bool{}
	for _, m := range placeholder.FindAllStringSubmatch(template, -1) {
		if !slices.Contains(placeholders, m[1]) {
			return bad("unknown placeholder {%s}; want one of {%s}", m[1], strings.Join(placeholders, "}, {"))
		}
		seen[m[1]] = true
	}
	for _, name := range needed {
		if !seen[name] {
			return bad("has no {%s}: different arrays would be the same file", name)
		}
	}
	file, _, member := strings.Cut(template, "#")
	if member != data.Forms().Is(file, formats.Several) || strings.Count(template, "#") > 1 {
		return bad("a member must be named %s", memberNames("FILE"))
	}
	if !member && !strings.HasSuffix(template, formats.ArrayEnding) {
		return bad("does not end in %s, %s", formats.ArrayEnding, memberNames(""))
	}
	return seen, nil
}

// String returns the template.
func (l Layout) String() string {
	if l.template == "" {
		return DefaultLayout
	}
	return l.template
}

// Files returns the paths of all arrays of the set at ref, relative to the root,
// whether or not they exist. Errors are: a name in ref that contains a separator or
// is "." or "..", a calibration split of corrupted images, and a loss or corruption
// for which the template has no placeholder.
func (l Layout) Files(ref data.Ref) (data.Files, error) { return l.filesNamed(ref, ref.Split) }

// filesNamed is Files, with another name of the split in paths.
func (l Layout) filesNamed(ref data.Ref, split data.Split) (data.Files, error) {
	var f data.Files
	for _, a := range []struct {
		path *string
		name arrayName
	}{
		{&f.Logits, logitsName}, {&f.Labels, labelsName}, {&f.Features, featuresName}, {&f.Augmented, augmentedName},
		{&f.HeadWeight, headWeightName}, {&f.HeadBias, headBiasName}, {&f.OOD, oodName},
	} {
		path, err := l.pathOf(ref, split, a.name)
		if err != nil {
			return data.Files{}, err
		}
		*a.path = path
	}
	return f, nil
}

// arrayName is the name of an array in a path, with the part of a network that it is in.
type arrayName struct {
	array string
	split data.Split // in place of that of the set; "" for that of the set or, of the head, for none
	head  bool
}

var (
	logitsName     = arrayName{array: "logits"}
	labelsName     = arrayName{array: "labels"}
	featuresName   = arrayName{array: "features"}
	augmentedName  = arrayName{array: "logits_aug"}
	headWeightName = arrayName{array: "head_weight", head: true}
	headBiasName   = arrayName{array: "head_bias", head: true}
	weightsName    = arrayName{array: "weights"}
	groupsName     = arrayName{array: "groups"}
	foldsName      = arrayName{array: "folds"}
	oodName        = arrayName{array: "logits", split: "ood", head: true}
)

// pathOf returns the path of an array of the set at ref, with another name of the split.
func (l Layout) pathOf(ref data.Ref, split data.Split, name arrayName) (string, error) {
	if ref.Corruption != "" && ref.Split == data.Cal {
		return "", fmt.Errorf("%s: corrupted images have no calibration set", ref)
	}
	switch {
	case name.head: // the arrays of a network are those of its clean images
		ref.Corruption, ref.Severity, ref.Split = "", 0, name.split
	case ref.Corruption != "":
		ref.Split = ""
	default:
		ref.Split = split
	}
	return l.path(ref, name.array)
}

// place is where the arrays of a set may be: a layout, and a name of its split.
type place struct {
	layout Layout
	split  data.Split
}

// places returns where the arrays of the set at ref may be, the first of them as Files has
// them: under the other names of a calibration set, and in the default layout under the
// other templates.
func (l Layout) places(ref data.Ref) []place {
	templates, splits := setNames(), data.CalNames()
	if l.template != "" && l.template != DefaultLayout {
		templates = []string{l.template}
	}
	if ref.Split != data.Cal {
		splits = []data.Split{ref.Split}
	}
	all := make([]place, 0, len(splits)*len(templates))
	for _, split := range splits {
		for _, template := range templates {
			all = append(all, place{Layout{template}, split})
		}
	}
	return all
}

// alternatives returns the files that the set at ref may have, in the order of places.
func (l Layout) alternatives(ref data.Ref) ([]data.Files, error) {
	var all []data.Files
	for _, p := range l.places(ref) {
		f, err := p.layout.filesNamed(ref, p.split)
		if err != nil {
			return nil, err
		}
		all = append(all, f)
	}
	return all, nil
}

// path returns the template with the values of ref and the name of the array.
func (l Layout) path(ref data.Ref, array string) (string, error) {
	severity := ""
	if ref.Severity != 0 {
		severity = strconv.Itoa(ref.Severity)
	}
	loss := ref.Loss
	if loss == "ce" {
		loss = ""
	}
	path := l.String()
	for i, value := range []string{ref.Dataset, ref.Backbone, loss, ref.Corruption, severity, string(ref.Split), array} {
		name := placeholders[i]
		if value == "." || value == ".." || strings.ContainsAny(value, "/\\#{}\x00") {
			return "", fmt.Errorf("%s %q is not a name without separators", name, value)
		}
		mark := "{" + name + "}"
		if value != "" && i >= 2 && !strings.Contains(path, mark) {
			return "", fmt.Errorf("%s: layout %q has no %s, so the path would be that of another set", ref, l, mark)
		}
		if value == "" && i < 2 && strings.Contains(path, mark) {
			return "", fmt.Errorf("layout %q: the set has no %s", l, name)
		}
		if value == "" {
			path = withoutEmpty(path, mark)
		}
		path = strings.ReplaceAll(path, mark, value)
	}
	segments := slices.DeleteFunc(strings.Split(path, "/"), func(s string) bool { return s == "" })
	if last := len(segments) - 1; last > 0 {
		if file, _, _ := strings.Cut(segments[last], "#"); data.Forms().Is(file, formats.Several) && strings.LastIndexByte(file, '.') == 0 {
			segments[last-1] += segments[last] // the file has no name of its own
			segments = segments[:last]
		}
	}
	path = strings.Join(segments, "/")
	if file := data.Forms().Locate(nil, path).Path; !fs.ValidPath(file) {
		return "", fmt.Errorf("%s: layout %q gives the path %q", ref, l, path)
	}
	return path, nil
}

// withoutEmpty removes the separator beside a placeholder that is empty.
func withoutEmpty(path, mark string) string {
	for _, sep := range []string{"_", "-"} {
		path = strings.ReplaceAll(path, mark+sep, "")
		path = strings.ReplaceAll(path, sep+mark, "")
	}
	return path
}
