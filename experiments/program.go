package experiments

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/external"
	"github.com/qats-bench/qats/data"
)

// program is a calibrator that is a program of its own; package external has
// what it is handed and what it hands back.
type program struct {
	options   programOptions
	limit     time.Duration
	cal, test data.Parts
}

// programOptions are all part of the key of a fit. They hold no shell text:
// command is the list of arguments, to which fit DIR or apply DIR are added.
type programOptions struct {
	Command []string
	Needs   []string // arrays beside logits and labels: features head ood augmented; test/augmented for the test set alone
	Files   []string // what else it reads, such as modules of its own: an edit of them asks for a new fit
	Limit   string   // of one call, as 90s, 10m or 2h
	DiskMiB int      // that one call may write
}

func programEntry() calib.Entry {
	return calib.NewEntry[program, noMap](calib.Entry{
		Name: "external", Label: "external", Version: 1,
		Summary: "a program, in any language, that is called with fit DIR and apply DIR",
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
	p.limit, p.cal, p.test = limit, data.Logits|data.Labels, data.Logits
	return p, p.need(p.options.Needs)
}

// noMap stands for the map of a method that has none of ours.
type noMap struct{}

func (noMap) Check() error { return errNotHere }

// need adds the named arrays to what the program is handed.
func (p *program) need(names []string) error {
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
			return fmt.Errorf("needs %q%s, which may follow cal/ or test/", name, suggest(array, keys(known)))
		}
		if set != "test" {
			p.cal |= part
		}
		if set != "cal" {
			p.test |= part
		}
	}
	return nil
}

// Contract: it is handed labels of the calibration set and none of a test set.
func (p program) Contract() calib.Contract { return calib.Contract{Cal: p.cal, Test: p.test} }

func (program) Fit(context.Context, calib.Input) (*calib.Fitted, error) { return nil, errNotHere }

func (program) runs() bool               { return true }
func (program) lacks(whereabouts) string { return "" }

// digests names the content of the program, of those of its arguments that are
// files, and of the files of its option: an edited script is another method.
func (p program) digests(at whereabouts, files *data.Digests) (fit, rows string, err error) {
	var b strings.Builder
	sum := func(what, path, name string) error {
		s, err := files.File(path, name)
		fmt.Fprintf(&b, "  %s sha256:%s\n", what, s)
		return err
	}
	b.WriteString("program\n")
	dir, err := filepath.Abs(at.root)
	if err != nil {
		return "", "", err
	}
	found, err := external.Find(dir, p.options.Command[0])
	if err != nil {
		return "", "", err
	}
	if err := sum("command 0", found, p.options.Command[0]); err != nil {
		return "", "", err
	}
	for i, arg := range p.options.Command[1:] {
		path := inFolder(dir, arg)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			if err := sum(fmt.Sprintf("command %d", i+1), path, arg); err != nil {
				return "", "", err
			}
		}
	}
	for _, name := range p.options.Files {
		if err := sum(name, inFolder(dir, name), name); err != nil {
			return "", "", err
		}
	}
	return b.String(), "", nil
}

// inFolder returns a path that is relative to dir, or absolute, as it is.
func inFolder(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// program returns how it is called.
func (p program) program(at whereabouts, seed uint64) (external.Program, error) {
	dir, err := filepath.Abs(at.root)
	return external.Program{Argv: p.options.Command, Dir: dir, Limit: p.limit,
		Disk: int64(p.options.DiskMiB) << 20, Seed: seed}, err
}

// programLayout is where a program finds its arrays.
const programLayout = "{split}/{array}.npy"

// hand writes a set to the folder of a call.
func hand(set *data.Set, split data.Split) func(dir string) error {
	return func(dir string) error {
		layout, err := data.ParseLayout(programLayout)
		if err != nil {
			return err
		}
		files, err := layout.Files(data.Ref{Split: split})
		if err != nil {
			return err
		}
		return writeSet(set, files, dir)
	}
}

func (p program) fit(ctx context.Context, at whereabouts, in calib.Input) ([]byte, error) {
	call, err := p.program(at, in.Seed)
	if err != nil {
		return nil, err
	}
	model, err := call.Fit(ctx, hand(in.Cal, data.Cal))
	if err != nil {
		return nil, err
	}
	return model.Encode()
}

func (p program) open(ctx context.Context, at whereabouts, fit []byte, seed uint64) (*external.Table, error) {
	call, err := p.program(at, seed)
	if err != nil {
		return nil, err
	}
	model, err := external.DecodeModel(fit)
	if err != nil {
		return nil, err
	}
	test, err := data.Load(ctx, at.test, at.set.Test(), p.test)
	if err != nil {
		return nil, err
	}
	return call.Apply(ctx, model, hand(test, data.Test), test.Logits.Rows, test.Logits.Cols)
}
