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
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"gopkg.in/yaml.v3"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/npy"
	"github.com/qats-bench/qats/data/problem"
	"github.com/qats-bench/qats/internal/atomicfile"
	"github.com/qats-bench/qats/internal/inputfile"
)

// Manifest says what the arrays of a folder are. Its keys are those of
// manifest.yaml; see the package comment.
type Manifest struct {
	// Layout is the layout of the folder; empty for that of the spec or the default one.
	Layout string `yaml:"layout,omitempty"`

	// Labels are the names in print of data sets and networks, by id.
	Labels map[string]string `yaml:"labels,omitempty"`

	Sets  []ManifestSet           `yaml:"sets,omitempty"`
	Files map[string]ManifestFile `yaml:"files,omitempty"` // by path from the root, "#member" included
	// Sources are the published files that arrays were imported from, by name.
	Sources map[string]ManifestSource `yaml:"sources,omitempty"`
}

// ManifestSet describes the sets that its pattern matches: each segment of the
// pattern (path.Match) must match one segment of the name of the set, from the
// first on. Of several entries that match, the last that states a field decides.
type ManifestSet struct {
	Set    string      `yaml:"set"`
	Kind   data.Kind   `yaml:"kind,omitempty"`
	Ignore data.Ignore `yaml:"ignore,omitempty"` // labels of rows that have no class
	Origin data.Origin `yaml:"source,omitempty"` // measured | simulated

	Classes Classes `yaml:"classes,omitempty,flow"` // names, in the order of the columns of the logits; or their number

	From string `yaml:"from,omitempty"` // Provenance.From
	Note string `yaml:"note,omitempty"` // Provenance.Note

	Domain string `yaml:"domain,omitempty"` // Provenance.Domain

	Samples string `yaml:"samples,omitempty"` // Provenance.Samples
	RowIDs  string `yaml:"row-ids,omitempty"` // Provenance.RowIDs

	Paper   *bool  `yaml:"paper,omitempty"`    // Provenance.Paper
	StandIn string `yaml:"stand-in,omitempty"` // Provenance.StandIn
	Licence string `yaml:"licence,omitempty"`  // of the arrays, for people who pass them on

	// Known gives the reasons for oddities that are not mistakes: qats check counts them, and
	// does not warn of them.
	Known map[Oddity]string `yaml:"known,omitempty,flow"`
}

// ManifestSource says which bytes a published file had, and under which terms.
type ManifestSource struct {
	SHA256  string `yaml:"sha256"`
	Bytes   int64  `yaml:"bytes"`
	Licence string `yaml:"licence,omitempty"`
	URL     string `yaml:"url,omitempty"`
}

// ManifestFile states shape and digest of a file, which are checked when it is
// opened.
type ManifestFile struct {
	Shape  []int  `yaml:"shape,omitempty,flow"`
	SHA256 string `yaml:"sha256,omitempty"` // of the .npy, or of the unpacked member; hex
}

// maxManifestText is the length of the longest text of a set, in bytes.
const maxManifestText = 1000

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

// of returns what m says of the set with one of the names: of each key what the last entry says that
// states it.
func (m Manifest) of(names setNamesIn) (all ManifestSet) {
	for _, s := range m.Sets {
		if !names.match(s.Set) {
			continue
		}
		all.Kind = cmp.Or(s.Kind, all.Kind)
		all.Origin = cmp.Or(s.Origin, all.Origin)
		all.From = cmp.Or(s.From, all.From)
		all.Note = cmp.Or(s.Note, all.Note)
		all.Domain = cmp.Or(s.Domain, all.Domain)
		all.Samples = cmp.Or(s.Samples, all.Samples)
		all.RowIDs = cmp.Or(s.RowIDs, all.RowIDs)
		all.Paper = cmp.Or(s.Paper, all.Paper)
		all.StandIn = cmp.Or(s.StandIn, all.StandIn)
		if len(s.Ignore) > 0 {
			all.Ignore = s.Ignore
		}
		if !s.Classes.IsZero() {
			all.Classes = s.Classes
		}
		for o, reason := range s.Known {
			if all.Known == nil {
				all.Known = map[Oddity]string{}
			}
			all.Known[o] = reason
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

// parseManifest returns the manifest of a text. where names it in errors.
func parseManifest(b []byte, where string) (Manifest, error) {
	var doc, second yaml.Node
	dec := yaml.NewDecoder(bytes.NewReader(b))
	switch err := dec.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return Manifest{}, fmt.Errorf("%s: empty; remove it or list sets", where)
	case err != nil:
		return Manifest{}, yamlError(where, err)
	}
	switch err := dec.Decode(&second); {
	case err == nil:
		return Manifest{}, fmt.Errorf("%s:%d: a second document; a manifest has one", where, second.Line)
	case !errors.Is(err, io.EOF):
		return Manifest{}, yamlError(where, err)
	}
	var m Manifest
	if at, err := m.check(doc.Content[0]); err != nil {
		return Manifest{}, fmt.Errorf("%s:%d: %w", where, at.Line, err)
	}
	if err := doc.Decode(&m); err != nil {
		return Manifest{}, yamlError(where, err)
	}
	return m, nil
}

// yamlError returns a YAML error as where:line: text.
func yamlError(where string, err error) error {
	text := err.Error()
	var te *yaml.TypeError
	if errors.As(err, &te) {
		text = te.Errors[0]
	}
	text = strings.TrimPrefix(text, "yaml: ")
	if rest, ok := strings.CutPrefix(text, "line "); ok {
		return fmt.Errorf("%s:%s", where, rest)
	}
	return fmt.Errorf("%s: %s", where, text)
}

// check checks keys and values of the document, whose nodes know their lines, and
// returns the node that is wrong. The decoder checks types.
func (Manifest) check(doc *yaml.Node) (*yaml.Node, error) {
	return eachKey(doc, []string{"layout", "labels", "sets", "files", "sources"}, func(key string, value *yaml.Node) (*yaml.Node, error) {
		switch key {
		case "layout":
			_, err := ParseLayout(value.Value)
			return value, err
		case "labels":
			return eachKey(value, nil, checkLabel)
		case "files":
			return eachKey(value, nil, checkFile)
		case "sources":
			return eachKey(value, nil, checkSource)
		}
		if value.Kind != yaml.SequenceNode {
			return value, errors.New("sets must be a list")
		}
		for _, item := range value.Content {
			if at, err := checkSet(item); err != nil {
				return at, err
			}
		}
		return nil, nil
	})
}

func checkSet(item *yaml.Node) (*yaml.Node, error) {
	named := false
	var paper, standIn *yaml.Node
	at, err := eachKey(item, []string{"set", "kind", "ignore", "classes", "source", "from", "note", "domain", "samples", "row-ids", "paper", "stand-in", "licence", "known"}, func(key string, v *yaml.Node) (*yaml.Node, error) {
		switch key {
		case "set":
			named = true
			if v.Value == "" || slices.Contains(strings.Split(v.Value, "/"), "") {
				return v, fmt.Errorf("set %q; want dataset/backbone, or patterns for them", v.Value)
			}
			if _, err := path.Match(v.Value, ""); err != nil {
				return v, fmt.Errorf("set %q is not a pattern: %w", v.Value, err)
			}
		case "kind":
			if !slices.Contains(data.Kinds(), data.Kind(v.Value)) {
				return v, fmt.Errorf("kind %q; want logits, log-probs, probs or confidence", v.Value)
			}
		case "ignore":
			for _, item := range v.Content {
				if item.Kind == yaml.AliasNode {
					return item, errAlias
				}
			}
			at, _, err := data.ReadIgnore(v)
			return at, err
		case "classes":
			return checkClasses(v)
		case "source":
			if o := data.Origin(v.Value); o != data.Measured && o != data.Simulated {
				return v, fmt.Errorf("source %q; want measured or simulated", v.Value)
			}
		case "row-ids":
			return v, checkHex(key, v)
		case "known":
			return checkKnown(v)
		case "paper":
			if v.Value == "true" {
				paper = v
			}
		case "note", "from", "domain", "samples", "stand-in", "licence":
			if err := checkLine(key, v.Value); err != nil {
				return v, err
			}
			if (key == "from" || key == "domain" || key == "samples" || key == "stand-in") && strings.Contains(v.Value, ";") {
				return v, fmt.Errorf("%s must not contain a semicolon", key)
			}
			if key == "stand-in" {
				standIn = v
			}
		}
		return nil, nil
	})
	switch {
	case err != nil:
	case !named:
		return item, errors.New("the entry has no set")
	case paper != nil && standIn != nil:
		return standIn, errors.New("paper and stand-in exclude each other")
	}
	return at, err
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

// UnmarshalYAML reads a list of names or a number.
func (c *Classes) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		return n.Decode(&c.Number)
	}
	return n.Decode(&c.Names)
}

// mostClasses bounds the number of classes that a manifest states.
const mostClasses = math.MaxInt32

// checkClasses checks the number of classes, or their names, which must be different lines that are no number:
// a number is that of a class.
func checkClasses(v *yaml.Node) (*yaml.Node, error) {
	if v.Kind == yaml.ScalarNode {
		if n, err := strconv.Atoi(v.Value); err == nil && n >= 2 && n <= mostClasses && v.Tag == "!!int" {
			return nil, nil
		}
	}
	if v.Kind != yaml.SequenceNode || len(v.Content) < 2 {
		return v, errors.New("classes must be a list of at least two names, as in classes: [sky, road], or their number, as in classes: 1000")
	}
	seen := map[string]bool{}
	for _, name := range v.Content {
		_, isNumber := strconv.Atoi(name.Value)
		switch {
		case name.Kind != yaml.ScalarNode || strings.TrimSpace(name.Value) == "":
			return name, errors.New("a class has no name")
		case isNumber == nil:
			return name, fmt.Errorf("class %q: a number is no name, since classes are numbered already", name.Value)
		case seen[name.Value]:
			return name, fmt.Errorf("class %q is listed twice", name.Value)
		}
		if err := checkLine("the name of a class", name.Value); err != nil {
			return name, err
		}
		seen[name.Value] = true
	}
	return nil, nil
}

// checkLine checks a text that is one line of some words. what names it.
func checkLine(what, text string) error {
	if strings.ContainsFunc(text, unicode.IsControl) {
		return fmt.Errorf("%s must be one line, without control characters", what)
	}
	if len(text) > maxManifestText {
		return fmt.Errorf("%s has %d bytes: at most %d", what, len(text), maxManifestText)
	}
	return nil
}

func checkSource(name string, value *yaml.Node) (*yaml.Node, error) {
	return eachKey(value, []string{"sha256", "bytes", "licence", "url"}, checkDigest)
}

// checkLabel checks the name in print of an id.
func checkLabel(id string, value *yaml.Node) (*yaml.Node, error) {
	if value.Kind != yaml.ScalarNode || value.Value == "" {
		return value, fmt.Errorf("label of %s: want a text", id)
	}
	return value, checkLine("label of "+id, value.Value)
}

func checkFile(name string, value *yaml.Node) (*yaml.Node, error) {
	if !fs.ValidPath(name) {
		return value, fmt.Errorf("file %q is not a path below the root", name)
	}
	return eachKey(value, []string{"shape", "sha256"}, checkDigest)
}

func checkDigest(key string, v *yaml.Node) (*yaml.Node, error) {
	if key == "sha256" {
		return v, checkHex(key, v)
	}
	return nil, nil
}

// checkHex checks a SHA-256 in hexadecimal digits.
func checkHex(key string, v *yaml.Node) error {
	if len(v.Value) != 64 || strings.Trim(v.Value, "0123456789abcdef") != "" {
		return fmt.Errorf("%s must be 64 hexadecimal digits in lower case", key)
	}
	return nil
}

// errAlias rejects aliases, since errors name the line of a value.
var errAlias = errors.New("aliases are not supported here; write the value")

// eachKey calls f for each key of a mapping. A key that is not in allowed is an
// error at its line, unless allowed is nil. It returns the node that is wrong.
func eachKey(n *yaml.Node, allowed []string, f func(key string, value *yaml.Node) (*yaml.Node, error)) (*yaml.Node, error) {
	if n.Kind == yaml.AliasNode {
		return n, errAlias
	}
	if n.Kind != yaml.MappingNode {
		return n, errors.New("want a mapping of keys to values")
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if allowed != nil && !slices.Contains(allowed, key.Value) {
			return key, fmt.Errorf("unknown key %q; want one of %s", key.Value, strings.Join(allowed, ", "))
		}
		if n.Content[i+1].Kind == yaml.AliasNode {
			return n.Content[i+1], errAlias
		}
		if at, err := f(key.Value, n.Content[i+1]); err != nil {
			return at, err
		}
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
