package submission

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"
	"gopkg.in/yaml.v3"

	"github.com/qats-bench/qats/calib/all"
	"github.com/qats-bench/qats/data/keyed"
	"github.com/qats-bench/qats/internal/atomicfile"
)

// The files of an entry.
const (
	CardFile    = "card.yaml"
	ResultsFile = "results.csv"
	FitsFile    = "fits.csv"
	CodeFolder  = "code"
)

// Language says how the code of an entry runs.
type Language string

// The languages.
const (
	Python  Language = "python"  // a file with the functions fit and apply
	Go      Language = "go"      // a package with an exported calib.Entry
	Command Language = "program" // whatever Card.Command starts
)

// Card is card.yaml.
type Card struct {
	Protocol  string   `yaml:"protocol"` // version
	Tier      string   `yaml:"tier"`
	Name      string   `yaml:"name"`  // of the folder, and the id of the method
	Label     string   `yaml:"label"` // in print
	Authors   []string `yaml:"authors,flow"`
	Reference string   `yaml:"reference"` // author and year, or an address
	Licence   string   `yaml:"licence"`   // of the code
	Contract  Contract `yaml:"contract"`

	Language Language          `yaml:"language"`
	Code     []string          `yaml:"code,flow"`              // files below code/; the first is the one that runs
	Command  []string          `yaml:"command,flow,omitempty"` // of a program, started in code/
	Serves   bool              `yaml:"serves,omitempty"`       // the program answers many calls
	Options  map[string]string `yaml:"options,omitempty"`      // of a Python file or a Go method
	Limit    string            `yaml:"limit,omitempty"`        // time of one call, at most an hour; 10m if absent

	Platform string  `yaml:"platform"` // where it ran: system, processor, and versions of what it uses
	Digests  Digests `yaml:"digests"`
}

// Contract is what an entry sees and keeps. It decides in which table it stands.
type Contract struct {
	Needs     []string `yaml:"needs,flow" json:"needs"`      // arrays beside logits and labels: features, head, ood, augmented
	KeepsTop1 bool     `yaml:"keeps_top1" json:"keeps_top1"` // the predicted class of every row stays
}

// Digests are SHA-256, in hexadecimal digits.
type Digests struct {
	Protocol string `yaml:"protocol"` // Digest
	Inputs   string `yaml:"inputs"`   // InputsDigest of the settings that it ran on
	Code     string `yaml:"code"`     // CodeDigest
	Results  string `yaml:"results"`  // of the file
	Fits     string `yaml:"fits"`     // of the file
}

// mostCall is the longest time of one call.
const mostCall = time.Hour

// The most characters of texts, so that a table of many entries can be read.
const (
	mostLabel = 30
	mostText  = 300
)

var digestForm = regexp.MustCompile(`^[0-9a-f]{64}$`)

// ReadCard reads card.yaml. An error names file and line.
func ReadCard(path string) (*Card, error) {
	text, err := readText(path)
	if err != nil {
		return nil, err
	}
	var c Card
	d := yaml.NewDecoder(bytes.NewReader(text))
	d.KnownFields(true)
	if err := d.Decode(&c); err != nil {
		return nil, fault(path, err)
	}
	if err := d.Decode(new(any)); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: more than one document", path)
	}
	if err := c.Check(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &c, nil
}

// decode reads the document of a file into a value that has a field for each key. An error names the file and the line.
func decode(path string, text []byte, into any) error {
	d := yaml.NewDecoder(bytes.NewReader(text))
	d.KnownFields(true)
	if err := d.Decode(into); err != nil {
		return fault(path, err)
	}
	return nil
}

// fault returns the first mistake that yaml names, as FILE:LINE: TEXT.
func fault(path string, err error) error {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	var several *yaml.TypeError
	if errors.As(err, &several) {
		text = several.Errors[0]
	}
	if line, rest, ok := strings.Cut(strings.TrimPrefix(text, "line "), ": "); ok && strings.HasPrefix(text, "line ") {
		return fmt.Errorf("%s:%s: %.200s", path, line, rest)
	}
	return fmt.Errorf("%s: %.200s", path, text)
}

// Write writes card.yaml into a folder.
func (c *Card) Write(dir string) error {
	var text bytes.Buffer
	e := yaml.NewEncoder(&text)
	e.SetIndent(2)
	if err := errors.Join(e.Encode(c), e.Close()); err != nil {
		return err
	}
	return atomicfile.WriteBytes(filepath.Join(dir, CardFile), text.Bytes())
}

// Check returns an error that names the key which no card has so.
func (c *Card) Check() error {
	if err := c.Describes(); err != nil {
		return err
	}
	for _, d := range []struct{ key, digest string }{
		{"protocol", c.Digests.Protocol}, {"inputs", c.Digests.Inputs}, {"code", c.Digests.Code}, {"results", c.Digests.Results}, {"fits", c.Digests.Fits},
	} {
		if !digestForm.MatchString(d.digest) {
			return fmt.Errorf("digests: %s: %.80q is no SHA-256 in hexadecimal digits", d.key, d.digest)
		}
	}
	return nil
}

// Describes is Check without the digests, which a card has after its run.
func (c *Card) Describes() error {
	if _, err := ReadTier(c.Protocol, c.Tier); err != nil {
		return err
	}
	if !keyed.IsID(c.Name) || len(c.Name) > mostLabel {
		return fmt.Errorf("name: %.80q: want only letters, digits and . _ + -, at most %d, with a letter or digit first", c.Name, mostLabel)
	}
	if e, ok := all.Lookup(strings.ToLower(c.Name)); ok {
		return fmt.Errorf("name: %s is a method of this project (%s): take another name", c.Name, e.Summary)
	}
	for _, e := range all.Registry() {
		if slices.Contains(e.Aliases, strings.ToLower(c.Name)) {
			return fmt.Errorf("name: %s is another name of %s, a method of this project: take another one", c.Name, e.Name)
		}
		if strings.EqualFold(e.Label, c.Label) {
			return fmt.Errorf("label: %s is the label of %s, a method of this project: take another one", c.Label, e.Name)
		}
	}
	texts := []struct {
		key, text string
		most      int
	}{{"label", c.Label, mostLabel}, {"reference", c.Reference, mostText}, {"licence", c.Licence, mostText}, {"platform", c.Platform, mostText}}
	for _, a := range c.Authors {
		texts = append(texts, struct {
			key, text string
			most      int
		}{"authors", a, mostText})
	}
	for _, t := range texts {
		if err := checkText(t.text, t.most); err != nil {
			return fmt.Errorf("%s: %w", t.key, err)
		}
		if scripts := scriptsOf(t.text); t.key == "label" && len(scripts) > 1 {
			return fmt.Errorf("label: %q mixes letters of %s, which may look alike", t.text, strings.Join(scripts, " and "))
		}
	}
	if len(c.Authors) == 0 {
		return errors.New("authors: name at least one")
	}
	if limit, err := time.ParseDuration(c.limit()); err != nil || limit <= 0 || limit > mostCall {
		return fmt.Errorf("limit: %.80q: want a time above 0 and at most 1h, with its unit, as 90s or 10m", c.Limit)
	}
	return c.checkCode()
}

// scriptsOf returns the names of the scripts of the letters of a text, such as Latin, sorted.
func scriptsOf(text string) (names []string) {
	for name, script := range unicode.Scripts {
		if name != "Common" && name != "Inherited" && strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) && unicode.Is(script, r) }) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// checkText returns an error for a text that is empty, too long, would be a formula in a spreadsheet, or has characters that
// are not shown.
func checkText(text string, most int) error {
	switch {
	case strings.TrimSpace(text) == "":
		return errors.New("missing")
	case len([]rune(text)) > most:
		return fmt.Errorf("%.40q... has more than %d characters", text, most)
	case strings.TrimSpace(norm.NFKC.String(text)) != text:
		return fmt.Errorf("%.80q has spaces around it, or characters with another usual form; write %.80q", text, strings.TrimSpace(norm.NFKC.String(text)))
	case strings.ContainsAny(text[:1], "=+-@"):
		return fmt.Errorf("%.80q begins as a formula of a spreadsheet does", text)
	case strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsGraphic(r) }) || strings.ContainsAny(text, "<>"):
		return fmt.Errorf("%.80q has a character that no text of a table has", text)
	}
	return nil
}

// checkCode returns an error if the code cannot run as the card says.
func (c *Card) checkCode() error {
	known := []string{"features", "head", "ood", "augmented"}
	for _, n := range c.Contract.Needs {
		if _, after, ok := strings.Cut(n, "/"); ok {
			n = after
		}
		if !slices.Contains(known, n) {
			return fmt.Errorf("contract: needs: %.80q%s", n, keyed.Suggest(n, known))
		}
	}
	if len(c.Code) == 0 {
		return errors.New("code: no file; an entry has its code")
	}
	for _, file := range c.Code {
		if err := checkPath(file); err != nil {
			return fmt.Errorf("code: %w", err)
		}
	}
	for name, value := range c.Options {
		if !keyed.IsID(name) || strings.ContainsFunc(value, unicode.IsControl) {
			return fmt.Errorf("options: %.80q: %.80q: want a name of letters and digits, and a value of one line", name, value)
		}
	}
	switch c.Language {
	case Python, Go:
		if len(c.Command) > 0 || c.Serves {
			return fmt.Errorf("command, serves: only of a program; %s is started as all files of its language are", c.Code[0])
		}
	case Command:
		if len(c.Command) == 0 || c.Command[0] == "" {
			return errors.New("command: missing; a program says how it is started, as [Rscript, mine.R]")
		}
		if len(c.Options) > 0 {
			return errors.New("options: of a Python file or a Go method; give those of a program in its command")
		}
	default:
		return fmt.Errorf("language: %.80q is none of %s, %s, %s", c.Language, Python, Go, Command)
	}
	return nil
}

// checkPath returns an error for the path of a file of code that leads out of its folder, or that some system cannot have.
func checkPath(file string) error {
	if !filepath.IsLocal(filepath.FromSlash(file)) || strings.ContainsAny(file, `\:*?"<>|`) || strings.ContainsFunc(file, func(r rune) bool { return !unicode.IsGraphic(r) }) {
		return fmt.Errorf("%.80q is no path below %s/", file, CodeFolder)
	}
	return nil
}

// Longest returns a bound of the time that the code takes on a number of settings: of each a call of fit and one of apply.
func (c *Card) Longest(settings int) time.Duration {
	limit, err := time.ParseDuration(c.limit())
	if err != nil { // Check refuses it
		return 0
	}
	return time.Duration(2*settings) * limit
}

// limit returns the time of one call.
func (c *Card) limit() string {
	if c.Limit == "" {
		return "10m"
	}
	return c.Limit
}

// optionWords returns the options as NAME=VALUE, by name.
func (c *Card) optionWords() []string {
	var words []string
	for _, name := range slices.Sorted(maps.Keys(c.Options)) {
		words = append(words, name+"="+c.Options[name])
	}
	return words
}
