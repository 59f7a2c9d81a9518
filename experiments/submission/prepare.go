package submission

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/qats-bench/qats/calib/external"
	"github.com/qats-bench/qats/experiments"
	"github.com/qats-bench/qats/experiments/spec"
)

// Prepared is the code of an entry in a folder of its own, ready to run.
type Prepared struct {
	Method   spec.Method
	Contract Contract             // of the code, where it says; else that of the card
	Programs experiments.Programs // Dir, and the variables that fix what a language leaves open
	About    About
}

// About is what the code says of itself.
type About struct {
	Label    string            `json:"label"`      // of a Go method
	Contract *Contract         `json:"contract"`   // of a Go method; nil where the code does not say
	Python   string            `json:"python"`     // version
	Modules  map[string]string `json:"modules"`    // versions of what a Python file imports
	Options  []string          `json:"options"`    // names
	Problem  string            `json:"problem"`    // why the method cannot be an entry; empty if it can
	Go       string            `json:"go_version"` // of the compiler
}

// fixed are the variables that programs of entries get: the order of sets of Python, and one thread for each library
// of linear algebra, since sums in another order are other numbers.
var fixed = []string{"PYTHONHASHSEED=0", "PYTHONDONTWRITEBYTECODE=1", "OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1", "MKL_NUM_THREADS=1", "NUMEXPR_NUM_THREADS=1"}

// Prepare writes the code of an entry below the empty folder work, builds it if its language is compiled, and asks it
// what it says of itself. The code runs in an isolation, or with the rights of this user where iso is nil.
func Prepare(ctx context.Context, c *Card, code Source, work string, iso *Isolation) (*Prepared, error) {
	p := &Prepared{Contract: c.Contract, Programs: experiments.Programs{Dir: filepath.Join(work, CodeFolder), Set: slices.Clone(fixed)}}
	seen := []string{p.Programs.Dir} // what isolated code may read
	for _, file := range c.Code {
		if code[file] == nil {
			return nil, fmt.Errorf("code: no file %s", file)
		}
	}
	if err := code.write(p.Programs.Dir); err != nil {
		return nil, err
	}
	command, serves := slices.Clone(c.Command), c.Serves
	switch c.Language {
	case Python:
		library := filepath.Join(work, "python")
		if err := copyLibrary(library); err != nil {
			return nil, err
		}
		p.Programs.Set = append(p.Programs.Set, "PYTHONPATH="+library)
		seen = append(seen, library)
		command, serves = []string{python(), "-m", "qatsbench.serve", c.Code[0]}, true
	case Go:
		if err := buildGo(ctx, code, work); err != nil {
			return nil, err
		}
		command, serves = []string{"../entry" + executable()}, true
		seen = append(seen, filepath.Join(work, "entry"+executable()))
	}
	if iso != nil {
		if strings.HasPrefix(filepath.Base(command[0]), "python") {
			path, installed, err := interpreter(ctx, command[0])
			if err != nil {
				return nil, err
			}
			command[0], seen = path, append(seen, installed...)
		}
		around, err := iso.around(seen, p.Programs.Dir)
		if err != nil {
			return nil, err
		}
		p.Programs.Around, p.Programs.Owner = around, iso.uid
		p.Programs.Set = append(p.Programs.Set, "HOME=/tmp", "TMPDIR=/tmp")
	}
	if c.Language != Command {
		if err := p.ask(ctx, command, work); err != nil {
			return nil, err
		}
		if p.About.Problem != "" {
			return nil, fmt.Errorf("%s: %s", c.Code[0], p.About.Problem)
		}
		if p.About.Contract != nil {
			p.Contract = *p.About.Contract
		}
		command = append(command, c.optionWords()...)
	}
	var err error
	p.Method, err = method(c, p.Contract.Needs, command, serves)
	return p, err
}

// Bounds of what the code says of itself.
const (
	longestAbout = time.Minute
	mostAbout    = 1 << 16 // bytes
)

// ask runs the code once with the word about, and a folder below work as that of the call.
func (p *Prepared) ask(ctx context.Context, command []string, work string) error {
	call, err := os.MkdirTemp(work, "about-")
	if err != nil {
		return err
	}
	out, said, err := p.program(command).Say(ctx, call, "about", longestAbout, mostAbout)
	if err != nil {
		return fmt.Errorf("%s: %w%s", command[len(command)-1], err, lastWords(said))
	}
	if err := json.Unmarshal(out, &p.About); err != nil {
		return fmt.Errorf("%s: what it says of itself is no JSON: %w", command[len(command)-1], err)
	}
	return nil
}

// program is a command of the code as it is called.
func (p *Prepared) program(command []string) external.Program {
	return external.Program{Argv: command, Dir: p.Programs.Dir, Set: p.Programs.Set, Around: p.Programs.Around, Owner: p.Programs.Owner}
}

// copyLibrary copies what a file of Python needs of this project: the files of the package qatsbench, without its
// sub-packages.
func copyLibrary(dir string) error {
	root, err := Checkout()
	if err != nil {
		return err
	}
	from := filepath.Join(root, "python", "qatsbench")
	files, err := filepath.Glob(filepath.Join(from, "*.*"))
	if err != nil {
		return err
	}
	to := filepath.Join(dir, "qatsbench")
	if err := os.MkdirAll(to, 0o777); err != nil {
		return err
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(to, filepath.Base(file)), text, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// lastWords returns the last line of what a program printed on standard error, as the end of an error.
func lastWords(said string) string {
	lines := strings.Split(strings.TrimSpace(said), "\n")
	if last := strings.TrimSpace(lines[len(lines)-1]); last != "" {
		return fmt.Sprintf(": %.500s", last)
	}
	return ""
}

// method returns the method of a spec that runs a command.
func method(c *Card, needs, command []string, serves bool) (spec.Method, error) {
	kind := "external"
	if serves {
		kind = "served"
	}
	methods, err := parseMethods([]any{map[string]any{"name": c.Name, "method": kind, "label": c.Label,
		"options": map[string]any{"command": command, "needs": needs, "files": c.Code, "limit": c.limit()}}})
	if err != nil {
		return spec.Method{}, err
	}
	return methods[0], nil
}

// parseMethods returns the methods of items of a spec: ids, groups and mappings.
func parseMethods(items []any) ([]spec.Method, error) {
	text, err := yaml.Marshal(map[string]any{"name": "methods", "methods": items, "settings": []map[string]string{{"dataset": "none", "backbone": "none"}}})
	if err != nil {
		return nil, err
	}
	s, err := spec.Parse("methods", text, experiments.Registry())
	if err != nil {
		return nil, err
	}
	return s.Methods, nil
}

// With returns the tier with the method of an entry after its own methods.
func (t *Tier) With(m spec.Method) *Tier {
	s := *t.Spec
	s.Methods = append(slices.Clone(s.Methods), m)
	return t.with(s)
}

// Only returns the tier with the settings of some names alone.
func (t *Tier) Only(names []string) *Tier {
	s := *t.Spec
	s.Settings = nil
	for _, one := range t.Spec.Settings {
		if slices.Contains(names, one.Setting.Name()) {
			s.Settings = append(s.Settings, one)
		}
	}
	return t.with(s)
}

// python is the command of Python 3.
func python() string {
	if runtime.GOOS == "windows" {
		return "python"
	}
	return "python3"
}

// executable is the ending of programs.
func executable() string {
	if runtime.GOOS == "windows" {
		return ".exe"
	}
	return ""
}

// module is the path of the project's module.
const module = "github.com/qats-bench/qats"

// Checkout returns the folder of the project's source: the nearest one above the working folder or above the program
// that has its go.mod.
func Checkout() (string, error) {
	starts := []string{"."}
	if program, err := os.Executable(); err == nil {
		starts = append(starts, filepath.Dir(program))
	}
	for _, start := range starts {
		dir, err := filepath.Abs(start)
		if err != nil {
			return "", err
		}
		for {
			text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
			if err == nil && strings.HasPrefix(string(text), "module "+module+"\n") {
				return dir, nil
			}
			if dir == filepath.Dir(dir) {
				break
			}
			dir = filepath.Dir(dir)
		}
	}
	return "", fmt.Errorf("the source of the project was not found above the working folder: get it by git clone https://%s, and start there", module)
}

// SourceOf reads the files of the code that a user names: files, whose names are those in code/, or one folder. Of a folder with a Go package
// it takes the Go files, and of that of a program (whole) all files below it that are not hidden.
func SourceOf(paths []string, whole bool) (files []string, code Source, err error) {
	code = Source{}
	add := func(name, path string) error {
		if code[name] != nil {
			return fmt.Errorf("%s: a second file of this name", path)
		}
		text, err := readText(path)
		if err != nil {
			return err
		}
		code[name], files = text, append(files, name)
		return nil
	}
	for _, p := range paths {
		info, err := os.Stat(p)
		switch {
		case err != nil:
		case !info.IsDir():
			err = add(filepath.Base(p), p)
		case whole:
			err = eachFile(p, add)
		default:
			err = eachGoFile(p, add)
		}
		if err != nil {
			return nil, nil, err
		}
	}
	if len(files) == 0 {
		return nil, nil, errors.New("no file of code")
	}
	return files, code, nil
}

// eachFile calls add for each file below a folder, with its path there, in the order of the paths. Hidden files, and what Python
// compiled, are left out.
func eachFile(dir string, add func(name, path string) error) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		hidden := path != dir && strings.HasPrefix(d.Name(), ".") || d.Name() == "__pycache__"
		switch {
		case hidden && d.IsDir():
			return filepath.SkipDir
		case hidden || d.IsDir():
			return nil
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		return add(filepath.ToSlash(name), path)
	})
}

// eachGoFile calls add for each file of the Go package in a folder, but for tests.
func eachGoFile(dir string, add func(name, path string) error) error {
	found, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return err
	}
	if found == nil {
		return fmt.Errorf("%s: a folder without files of Go; say by --command how its program is started", dir)
	}
	for _, path := range found {
		if name := filepath.Base(path); !strings.HasSuffix(name, "_test.go") {
			if err := add(name, path); err != nil {
				return err
			}
		}
	}
	return nil
}
