package experiments

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/external"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/folder"
	"github.com/qats-bench/qats/data/keyed"
	"github.com/qats-bench/qats/experiments/spec"
)

// program is a calibrator that is a separate program. Package external specifies
// the arrays that such a program gets, the files that it returns, and the two forms in
// which it is called: a process for each call, or one that serves many.
type program struct {
	serves    bool
	options   programOptions
	limit     time.Duration
	cal, test data.Parts
}

// programOptions are part of the key of a fit. No shell reads them: command is
// the list of arguments, to which fit DIR, apply DIR or serve is added.
type programOptions struct {
	Command []string
	Needs   []string // arrays beside logits and labels: features head ood augmented; test/augmented for the test set alone
	Files   []string // other files that it reads, such as its own modules: editing one asks for a new fit
	Limit   string   // time of one call, as 90s, 10m or 2h
	DiskMiB int      // most that one call may write
}

func programEntry() calib.Entry {
	return calib.NewEntry[program, noMap](calib.Entry{
		Name: "external", Label: "external", Version: 1,
		Summary: "a program in any language, called with fit DIR and with apply DIR",
	})
}

func servedEntry() calib.Entry {
	return calib.NewEntry[program, noMap](calib.Entry{
		Name: "served", Label: "served", Version: 1, Method: program{serves: true},
		Summary: "a program in any language, called with serve, which answers many requests",
	})
}

// Options returns the options.
func (p *program) Options() []calib.Option {
	return []calib.Option{
		calib.ListOption("command", &p.options.Command, "the program and its arguments"),
		calib.ListOption("needs", &p.options.Needs, "arrays beside logits and labels"),
		calib.ListOption("files", &p.options.Files, "other files that it reads"),
		calib.TextOption("limit", &p.options.Limit, "10m", "time of one call"),
		calib.IntOption("disk_mib", &p.options.DiskMiB, 1024, 1, 1<<20, "MiB that one call may write"),
	}
}

// Prepare reads the time limit and the arrays that the program needs.
func (p program) Prepare() (calib.Method, error) {
	limit, err := time.ParseDuration(p.options.Limit)
	switch o := p.options; {
	case len(o.Command) == 0 || o.Command[0] == "":
		return nil, errors.New("needs the option command, a list of arguments, as in {command: [python3, mine.py]}")
	case err != nil || limit <= 0:
		return nil, fmt.Errorf("limit %q: want a time above 0 with its unit, as 90s, 10m or 2h", o.Limit)
	}
	p.limit = limit
	p.cal, p.test, err = needed(p.options.Needs)
	return p, err
}

// needed returns the arrays to hand to a program: logits and labels, and those in its option needs.
func needed(names []string) (cal, test data.Parts, err error) {
	cal, test = data.Logits|data.Labels, data.Logits
	known := map[string]data.Parts{}
	for _, part := range (data.Features | data.Head | data.OOD | data.Augmented).List() {
		known[part.String()] = part
	}
	for _, name := range names {
		set, array, ok := strings.Cut(name, "/")
		if !ok {
			set, array = "", name
		}
		part, ok := known[array]
		if !ok || set != "" && set != "cal" && set != "test" {
			return 0, 0, fmt.Errorf("needs %q%s; an array may have cal/ or test/ before it", name, keyed.Suggest(array, slices.Sorted(maps.Keys(known))))
		}
		if set != "test" {
			cal |= part
		}
		if set != "cal" {
			test |= part
		}
	}
	return cal, test, nil
}

// Contract asks for the labels of the calibration set, and never for the labels of a
// test set.
func (p program) Contract() calib.Contract { return calib.Contract{Cal: p.cal, Test: p.test} }

// Fit is an error: only the harness can call the program.
func (program) Fit(context.Context, calib.Input) (*calib.Fitted, error) { return nil, spec.ErrExternal }

func (program) runs() bool { return true }

func (program) fits() bool { return true }

func (program) lacks(location) string { return "" }

// digests gives the content of the program, of its arguments that are files, and
// of the files in its options: an edited script is another method.
func (p program) digests(at location, digest fileSum) (string, error) {
	var b strings.Builder
	sum := func(what, path, name string) error {
		s, err := digest(path, name)
		fmt.Fprintf(&b, "  %s sha256:%s\n", what, s)
		return err
	}
	b.WriteString("program\n")
	dir, err := filepath.Abs(at.start.Dir)
	if err != nil {
		return "", err
	}
	found, err := external.Find(dir, p.options.Command[0])
	if err != nil {
		return "", err
	}
	if err := sum("command 0", found, p.options.Command[0]); err != nil {
		return "", err
	}
	for i, arg := range p.options.Command[1:] {
		path := inFolder(dir, arg)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			if err := sum(fmt.Sprintf("command %d", i+1), path, arg); err != nil {
				return "", err
			}
		}
	}
	for _, name := range p.options.Files {
		if err := sum(name, inFolder(dir, name), name); err != nil {
			return "", err
		}
	}
	return b.String(), nil
}

// inFolder returns path, relative to dir unless it is absolute.
func inFolder(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// calls returns how the program is called for a fit.
func (p program) calls(at location, seed uint64) (external.Calls, error) {
	dir, err := filepath.Abs(at.start.Dir)
	program := external.Program{Argv: p.options.Command, Dir: dir, Env: at.env, Set: at.start.Set, Around: at.start.Around, Owner: at.start.Owner, Serves: p.serves}
	return external.Calls{To: at.programs.Of(program), Limit: p.limit, Disk: int64(p.options.DiskMiB) << 20, Seed: seed}, err
}

// handOver returns a function that writes a set to the folder of a call.
func handOver(set *data.Set, split data.Split) func(dir string) error {
	return func(dir string) error {
		layout, err := folder.ParseLayout(external.Layout)
		if err != nil {
			return err
		}
		return folder.WriteSet(set, dir, layout, data.Ref{Split: split})
	}
}

func (p program) fit(ctx context.Context, at location, in calib.Input) ([]byte, error) {
	calls, err := p.calls(at, in.Seed)
	if err != nil {
		return nil, err
	}
	return calls.Fit(ctx, handOver(in.Cal, data.Cal))
}

func (p program) open(ctx context.Context, at location, fit []byte, seed uint64) (*external.Table, error) {
	calls, err := p.calls(at, seed)
	if err != nil {
		return nil, err
	}
	test, err := data.Load(ctx, at.test, at.setting.Test(), p.test)
	if err != nil {
		return nil, err
	}
	return calls.Apply(ctx, fit, handOver(test, data.Test), test.Logits.Rows, test.Logits.Cols)
}
