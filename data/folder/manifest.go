package folder

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/keyed"
	"github.com/qats-bench/qats/data/npy"
	"github.com/qats-bench/qats/data/problem"
	"github.com/qats-bench/qats/internal/atomicfile"
	"github.com/qats-bench/qats/internal/inputfile"
)

// Manifest says what the arrays of a folder are. A key of manifest.yaml is a field with tags; the package comment
// says what they are for.
type Manifest struct {
	// Layout is the layout of the folder; empty for that of the spec or the default one.
	Layout string `key:"layout" yaml:"layout,omitempty"`

	// Labels are the names in print of data sets and networks, by id.
	Labels map[string]string `key:"labels" as:"phrase" one:"label of" nonempty:"" yaml:"labels,omitempty"`

	Sets  []ManifestSet           `key:"sets" yaml:"sets,omitempty"`
	Files map[string]ManifestFile `key:"files" yaml:"files,omitempty"` // by path from the root, "#member" included
	// Sources are the published files that arrays were imported from, by name.
	Sources map[string]ManifestSource `key:"sources" yaml:"sources,omitempty"`
}

// About implements [keyed.Object].
func (Manifest) About() (name, text string) { return "manifest", "What the arrays of a folder are." }

// ManifestSet describes the sets that its pattern matches: each segment of the
// pattern (path.Match) must match one segment of the name of the set, from the
// first on. Of several entries that match, the last that states a field decides.
type ManifestSet struct {
	Set    string      `key:"set" yaml:"set"`
	Kind   data.Kind   `key:"kind" as:"choice" of:"logits log-probs probs confidence" yaml:"kind,omitempty"`
	Ignore data.Ignore `key:"ignore" yaml:"ignore,omitempty"` // labels of rows that have no class
	Origin data.Origin `key:"source" as:"choice" of:"measured simulated" yaml:"source,omitempty"`

	Classes Classes `key:"classes" yaml:"classes,omitempty,flow"` // names, in the order of the columns of the logits; or their number

	From string `key:"from" as:"part" yaml:"from,omitempty"`   // Provenance.From
	Note string `key:"note" as:"phrase" yaml:"note,omitempty"` // Provenance.Note

	Domain string `key:"domain" as:"part" yaml:"domain,omitempty"` // Provenance.Domain

	Samples string `key:"samples" as:"part" yaml:"samples,omitempty"`   // Provenance.Samples
	RowIDs  string `key:"row-ids" as:"sha256" yaml:"row-ids,omitempty"` // Provenance.RowIDs

	Paper   *bool  `key:"paper" yaml:"paper,omitempty"`                 // Provenance.Paper
	StandIn string `key:"stand-in" as:"part" yaml:"stand-in,omitempty"` // Provenance.StandIn
	Licence string `key:"licence" as:"phrase" yaml:"licence,omitempty"` // of the arrays, for people who pass them on

	// Known gives the reasons for oddities that are not mistakes: qats check counts them, and
	// does not warn of them.
	Known Reasons `key:"known" yaml:"known,omitempty,flow"`
}

// About implements [keyed.Object].
func (ManifestSet) About() (name, text string) { return "set", "Sets, and what their arrays are." }

// ManifestSource says which bytes a published file had, and under which terms.
type ManifestSource struct {
	SHA256  string `key:"sha256" as:"sha256" yaml:"sha256"`
	Bytes   int64  `key:"bytes" yaml:"bytes"`
	Licence string `key:"licence" yaml:"licence,omitempty"`
	URL     string `key:"url" yaml:"url,omitempty"`
}

// About implements [keyed.Object].
func (ManifestSource) About() (name, text string) { return "source", "A published file." }

// ManifestFile states shape and digest of a file, which are checked when it is
// opened.
type ManifestFile struct {
	Shape  []int  `key:"shape" yaml:"shape,omitempty,flow"`
	SHA256 string `key:"sha256" as:"sha256" yaml:"sha256,omitempty"` // of the .npy, or of the unpacked member; hex
}

// About implements [keyed.Object].
func (ManifestFile) About() (name, text string) { return "file", "Shape and digest of a file." }

// isEmpty reports whether a manifest states nothing, as that of a folder without one.
func (m Manifest) isEmpty() bool {
	return m.Layout == "" && len(m.Labels) == 0 && len(m.Sets) == 0 && len(m.Files) == 0 && len(m.Sources) == 0
}

// Write writes m to manifest.yaml in dir; it replaces the file atomically. A manifest that
// its reader would reject is an error, and the file stays as it is.
func (m Manifest) Write(dir string) error {
	var b bytes.Buffer
	if err := m.encode(&b); err != nil {
		return err
	}
	if _, err := parseManifest(b.Bytes(), "manifest"); err != nil {
		return err
	}
	return atomicfile.WriteBytes(filepath.Join(dir, data.ManifestName), b.Bytes())
}

func (m Manifest) encode(w io.Writer) error {
	enc := yaml.NewEncoder(w)
	enc.SetIndent(2)
	return enc.Encode(m)
}

// merged joins the entries that match a set. For each key the last entry wins.
func (m Manifest) merged(names setNamesIn) (all ManifestSet) {
	for _, s := range m.Sets {
		if names.match(s.Set) {
			keyed.Merge(&all, s)
		}
	}
	return all
}

// provenance returns the part of an entry that travels with the numbers. Arrays are measured by
// default.
func (s ManifestSet) provenance() data.Provenance {
	return data.Provenance{Origin: cmp.Or(s.Origin, data.Measured), Kind: s.Kind, From: s.From, Note: s.Note, Domain: s.Domain,
		Samples: s.Samples, RowIDs: s.RowIDs, Paper: s.Paper != nil && *s.Paper, StandIn: s.StandIn}
}

// ClassNames returns the names that a manifest gives the classes of the set at ref, in the order
// of the columns of its logits; nil if it gives none.
func ClassNames(src data.Source, ref data.Ref) []string {
	for f, in := range data.Beneath[*Folder](src, ref, data.Logits) {
		if names := f.stated(in.Ref).Classes.Names; names != nil {
			return names
		}
	}
	return nil
}

func matches(pattern, name []string) bool {
	if len(pattern) > len(name) {
		return false
	}
	for i, p := range pattern {
		if ok, _ := path.Match(p, name[i]); !ok {
			return false
		}
	}
	return true
}

// ReadManifest reads manifest.yaml in dir; without one it returns the zero
// Manifest.
func ReadManifest(dir string) (Manifest, error) { return readManifest(os.DirFS(dir), dir) }

// readManifest reads manifest.yaml at the root of fsys; without one it returns
// the zero Manifest. Errors begin with root/manifest.yaml:line.
func readManifest(fsys fs.FS, root string) (Manifest, error) {
	where := path.Join(filepath.ToSlash(root), data.ManifestName)
	b, err := inputfile.ReadIn(fsys, data.ManifestName)
	if errors.Is(err, fs.ErrNotExist) {
		return Manifest{}, nil
	}
	if err != nil {
		return Manifest{}, problem.At(where, inputfile.Cause(err))
	}
	if !isManifest(b) {
		return Manifest{}, nil
	}
	return parseManifest(b, where)
}

// manifestKeys are the keys of a manifest, and what they are mistaken for.
var manifestKeys = regexp.MustCompile(`(?mi)^[ {"']*(set|sets|layout|layouts|file|files|source|sources)["']?\s*:`)

// isManifest reports whether a text is meant as a manifest of arrays: it has one of its keys, or
// nothing. Other programs have files of this name, too, such as those of Kubernetes.
func isManifest(b []byte) bool {
	var doc yaml.Node
	if err := yaml.NewDecoder(bytes.NewReader(b)).Decode(&doc); err != nil {
		return errors.Is(err, io.EOF) || manifestKeys.Match(b)
	}
	top := doc.Content[0]
	if top.Kind != yaml.MappingNode || len(top.Content) == 0 {
		return true
	}
	for i := 0; i < len(top.Content); i += 2 {
		if manifestKeys.MatchString(top.Content[i].Value + ":") {
			return true
		}
	}
	return false
}

// mostAbove is the number of folders above a folder of arrays in which its manifest may be.
const mostAbove = 4

// above returns the n folders above dir, the nearest first: at most those up to the folder top or to the
// one that has a .git.
func above(dir, top string, n int) (all []string) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil
	}
	if top != "" {
		if top, err = filepath.Abs(top); err != nil {
			return nil
		}
	}
	ends := func(d string) bool {
		_, err := os.Lstat(filepath.Join(d, ".git"))
		return err == nil || d == top || filepath.Dir(d) == d
	}
	for d := abs; len(all) < n && !ends(d); {
		d = filepath.Dir(d)
		dir = filepath.Join(dir, "..")
		all = append(all, dir)
	}
	return all
}

// manifestAbove returns the manifest of the nearest of the n folders above dir whose file has the key
// sets, with the names of the folders between the two; nil if there is none.
func manifestAbove(dir, top string, n int) (m *Manifest, path string, between []string, err error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, "", nil, nil
	}
	for _, d := range above(dir, top, n) {
		between = slices.Insert(between, 0, filepath.Base(abs))
		abs = filepath.Dir(abs)
		if m, path, err := manifestIn(d); m != nil || err != nil {
			return m, path, between, err
		}
	}
	return nil, "", nil, nil
}

// manifestIn returns the manifest in dir, if its file has the key sets; else nil.
func manifestIn(dir string) (m *Manifest, path string, err error) {
	b, err := inputfile.Read(filepath.Join(dir, data.ManifestName))
	if err != nil || !hasSets(b) {
		return nil, "", nil
	}
	path = filepath.ToSlash(filepath.Join(dir, data.ManifestName))
	found, err := parseManifest(b, path)
	if err != nil {
		return nil, "", err
	}
	return &found, path, nil
}

// hasSets reports whether a text in YAML has the key sets.
func hasSets(b []byte) bool {
	var top map[string]yaml.Node
	return yaml.Unmarshal(b, &top) == nil && top["sets"].Kind == yaml.SequenceNode
}

// parseManifest returns the manifest of a text. where names it in errors, of which it returns the first.
func parseManifest(b []byte, where string) (Manifest, error) {
	var m Manifest
	r := keyed.New(where)
	r.Nulls = true
	root := r.Root(b, "a manifest", "the manifest is empty; remove it or list sets")
	if root == nil {
		return Manifest{}, r.First()
	}
	if alias := aliasIn(root); alias != nil {
		r.Errorf(alias, "aliases are not supported here; write the value")
		return Manifest{}, r.First()
	}
	r.Decode(root, reflect.ValueOf(&m), "", keyed.Key{})
	m.check(r)
	if err := r.First(); err != nil {
		return Manifest{}, err
	}
	return m, nil
}

// aliasIn returns the first alias below a node; nil if there is none.
func aliasIn(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n
	}
	for _, c := range n.Content {
		if alias := aliasIn(c); alias != nil {
			return alias
		}
	}
	return nil
}

// check checks what the rules of single keys cannot tell.
func (m *Manifest) check(r *keyed.Reader) {
	if r.Given(&m.Layout) {
		if _, err := ParseLayout(m.Layout); err != nil {
			r.Errorf(&m.Layout, "%v", err)
		}
	}
	if r.Given(&m.Sets) && r.At(&m.Sets).Kind != yaml.SequenceNode {
		r.Errorf(&m.Sets, "sets must be a list")
	}
	for name := range m.Files {
		if !fs.ValidPath(name) {
			r.Errorf(keyed.Item{Of: &m.Files, Name: name}, "file %q is not a path below the root", name)
		}
	}
	for i := range m.Sets {
		s := &m.Sets[i]
		_, err := path.Match(s.Set, "")
		switch {
		case !r.Given(&s.Set):
			r.Errorf(s, "the entry has no set")
		case s.Set == "" || slices.Contains(strings.Split(s.Set, "/"), ""):
			r.Errorf(&s.Set, "set %q; want dataset/backbone, or patterns for them", s.Set)
		case err != nil:
			r.Errorf(&s.Set, "set %q is not a pattern: %v", s.Set, err)
		case s.Paper != nil && *s.Paper && s.StandIn != "":
			r.Errorf(&s.StandIn, "paper and stand-in exclude each other")
		}
	}
}

// Classes are the names of the classes of a set or, of a set with a confidence alone, their number.
type Classes struct {
	Names  []string // in the order of the columns of the logits
	Number int      // 0 where there are names, and where nothing is stated
}

// Len returns the number of classes, 0 if nothing is stated.
func (c Classes) Len() int { return max(c.Number, len(c.Names)) }

// IsZero reports whether nothing is stated.
func (c Classes) IsZero() bool { return c.Len() == 0 }

// MarshalYAML writes the names or the number.
func (c Classes) MarshalYAML() (any, error) {
	if c.Number > 0 {
		return c.Number, nil
	}
	return c.Names, nil
}

// mostClasses bounds the number of classes that a manifest states.
const mostClasses = math.MaxInt32

// ReadNode reads a number of classes, or their names, and returns the node that is wrong. Names are distinct lines.
// A name must not be a number, because a number means a class index.
func (c *Classes) ReadNode(n *yaml.Node) (wrong *yaml.Node, err error) {
	if number, err := strconv.Atoi(n.Value); err == nil && number >= 2 && number <= mostClasses && n.Tag == "!!int" {
		c.Number = number
		return nil, nil
	}
	if n.Kind != yaml.SequenceNode || len(n.Content) < 2 {
		return n, errors.New("classes must be a list of at least two names, as in classes: [sky, road], or their number, as in classes: 1000")
	}
	seen := map[string]bool{}
	for _, name := range n.Content {
		_, isNumber := strconv.Atoi(name.Value)
		switch {
		case name.Kind != yaml.ScalarNode || strings.TrimSpace(name.Value) == "":
			return name, errors.New("a class has no name")
		case isNumber == nil:
			return name, fmt.Errorf("class %q: a number is no name, since classes are numbered already", name.Value)
		case seen[name.Value]:
			return name, fmt.Errorf("class %q is listed twice", name.Value)
		}
		if err := keyed.CheckPhrase("the name of a class", name.Value); err != nil {
			return name, err
		}
		seen[name.Value] = true
		c.Names = append(c.Names, name.Value)
	}
	return nil, nil
}

// OriginOf returns Simulated for a file of arrays below a folder whose manifest has simulated sets,
// and Measured for all others.
func OriginOf(file string) data.Origin {
	if file == npy.StreamName {
		return data.Measured
	}
	own := filepath.Dir(file)
	for _, dir := range append([]string{own}, above(own, "", mostAbove)...) {
		if m, err := ReadManifest(dir); err == nil && slices.ContainsFunc(m.Sets, func(s ManifestSet) bool { return s.Origin == data.Simulated }) {
			return data.Simulated
		}
	}
	return data.Measured
}
