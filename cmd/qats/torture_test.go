//go:build torture && linux

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/calib/all"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/npy"
	"github.com/qats-bench/qats/experiments/cluster"
)

// torture is one campaign: what docs/evidence.md#reliability promises, tried at random until
// the time is up. TORTURE says how long, TORTURE_SEED repeats the draws.
type torture struct {
	t    *testing.T
	rng  *rand.Rand
	root string // of the project
	qats string // the program
	spec string

	example, paper *specFolder
	alone          string // folder of an undisturbed run of the example
	took           time.Duration
	records        string         // folder of a run of which one task is missing; made by status
	kills          map[string]int // by command
	table          []line
}

// specFolder is a folder of specs, with commands whose outputs are compared.
type specFolder struct {
	dir      string // where the commands run
	commands func(out string) [][]string
	alone    string          // output folder of the commands without a kill
	took     []time.Duration // of each command
}

// line is a row of the table that the campaign prints.
type line struct {
	test   string
	count  int
	detail string
	faults []string
}

// TestTorture runs the campaign and prints a table: test, count, verdict.
func TestTorture(t *testing.T) {
	limit := 10 * time.Minute
	if text := os.Getenv("TORTURE"); text != "" {
		var err error
		if limit, err = time.ParseDuration(text); err != nil {
			t.Fatal(err)
		}
	}
	seed := uint64(time.Now().UnixNano())
	if text := os.Getenv("TORTURE_SEED"); text != "" {
		if _, err := fmt.Sscan(text, &seed); err != nil {
			t.Fatal(err)
		}
	}
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	x := &torture{t: t, rng: rand.New(rand.NewPCG(seed, 0)), root: root, qats: buildQats(t), spec: filepath.Join(root, "experiments", "example.yaml"), kills: map[string]int{}}
	x.example = x.undisturbed(&specFolder{dir: root, commands: func(out string) [][]string {
		return [][]string{
			{"run", x.spec, "--out", out},
			{"report", x.spec, "--out", out},
			{"compare", "--out", out},
			{"compare", "ts", "--spec", x.spec, "--out", out},
			{"report", out},
		}
	}})
	x.paper = x.undisturbed(&specFolder{dir: smallPaper(t, root), commands: func(out string) [][]string {
		return [][]string{
			{"paper", "reproduce", "--quick", "--out", out},
			{"paper", "diff", "--out", out},
		}
	}})
	x.alone, x.took = x.example.alone, slices.Max(x.example.took)
	for _, part := range []struct {
		share float64
		name  string
		try   func() (detail string, err error)
	}{
		{.34, "kill -9, then again to the end", x.kill},
		{.07, "full disk, few inodes (tmpfs)", x.fullDisk},
		{.07, "three runs at once on one store", x.concurrent},
		{.12, "arrays overwritten, replaced or cut during a run", x.change},
		{.10, "objects of the store damaged", x.corrupt},
		{.04, "models mutated, all methods", x.model()},
		{.03, "arrays mutated, then scored", x.array},
		{.03, "specs mutated, then planned", x.badSpec},
		{.04, "programs that misbehave", x.program()},
		{.03, "output folders mutated, then shown", x.results},
		{.02, "paths of any characters, in batch scripts", x.slurm},
		{.02, "records of tasks mutated, then status", x.status},
		{.04, "hostile folders, checked and described", x.tree},
		{.05, "logits up to 1e30, all methods", x.extreme},
	} {
		l := line{test: part.name}
		details := map[string]int{}
		began := time.Now()
		for end := time.Now().Add(time.Duration(part.share * float64(limit))); time.Now().Before(end); {
			detail, err := x.guarded(part.try)
			if errors.Is(err, errors.ErrUnsupported) {
				l.detail = err.Error()
				break
			}
			l.count++
			details[detail]++
			if err != nil {
				l.faults = append(l.faults, err.Error())
			}
			if len(l.faults) > 20 {
				break
			}
		}
		if l.detail == "" {
			l.detail = counts(details)
		}
		if len(x.table) == 0 { // the first part: count kills, not rounds
			l.detail = fmt.Sprintf("%s; %d rounds", counts(x.kills), l.count)
			l.count = 0
			for _, n := range x.kills {
				l.count += n
			}
		}
		x.table = append(x.table, l)
		t.Logf("%s: %d in %s", l.test, l.count, time.Since(began).Round(time.Second))
	}
	x.print(seed)
}

// counts returns "name number, ..." in the order of the names.
func counts(numbers map[string]int) string {
	var list []string
	for name, n := range numbers {
		list = append(list, strings.TrimSpace(fmt.Sprintf("%s %d", name, n)))
	}
	slices.Sort(list)
	return strings.Join(list, ", ")
}

// print prints the table, and the faults.
func (x *torture) print(seed uint64) {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "test\tcount\tverdict\twhat\n")
	for _, l := range x.table {
		verdict := "ok"
		switch {
		case len(l.faults) > 0:
			verdict = fmt.Sprintf("%d FAULTS", len(l.faults))
		case l.count == 0:
			verdict = "not run"
		}
		fmt.Fprintf(w, "%s\t%d\t%s\t%s\n", l.test, l.count, verdict, l.detail)
	}
	w.Flush()
	fmt.Printf("seed %d\n", seed)
	for _, l := range x.table {
		for _, f := range l.faults {
			x.t.Errorf("%s: %.1500s", l.test, f)
		}
	}
}

// guarded turns a panic of this process into a fault.
func (x *torture) guarded(try func() (string, error)) (detail string, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return try()
}

func (x *torture) command(args ...string) *exec.Cmd {
	cmd := exec.Command(x.qats, args...)
	cmd.Dir = x.root
	return cmd
}

// undisturbed runs the commands of a project and keeps their outputs and times.
func (x *torture) undisturbed(p *specFolder) *specFolder {
	p.alone = filepath.Join(x.t.TempDir(), "alone")
	for _, args := range p.commands(p.alone) {
		start := time.Now()
		if err := x.finish(p, args, p.alone); err != nil {
			x.t.Fatal(err)
		}
		p.took = append(p.took, time.Since(start))
	}
	return p
}

// finish runs a command of a project to its end. The text that diff prints, which
// writes no file, is kept in the output folder.
func (x *torture) finish(p *specFolder, args []string, out string) error {
	cmd := x.command(args...)
	cmd.Dir = p.dir
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("qats %v: %w: %s", args, err, stderr.String())
	}
	if args[0] == "paper" && args[1] == "diff" {
		return os.WriteFile(filepath.Join(out, "diff printed"), stdout.Bytes(), 0o666)
	}
	return nil
}

// smallPaper makes a project with the specs of the paper, each of one simulated
// network and three methods, so that reproduce takes a second.
func smallPaper(t *testing.T, root string) string {
	dir := t.TempDir()
	folder := filepath.Join(dir, "experiments", "paper")
	if err := errors.Join(os.MkdirAll(folder, 0o777), os.Symlink(filepath.Join(root, "data"), filepath.Join(dir, "data"))); err != nil {
		t.Fatal(err)
	}
	for i, file := range paperSpecs {
		name := strings.TrimSuffix(filepath.Base(file), ".yaml")
		backbone := []string{"resnet50", "resnet18", "densenet121", "vit-s16", "vit-b16"}[i%5]
		text := fmt.Sprintf("name: %s\ndata: [simulate]\nbaseline: ts\nmethods: [uncal, ts, qats]\n"+
			"settings: {dataset: cifar10, backbone: %s}\ntables: [{metric: ece}]\nfigures: [{kind: reliability, methods: [ts, qats]}]\n", name, backbone)
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// folder returns a new folder, and removes the last one of that name.
func (x *torture) folder(name string) string {
	dir := filepath.Join(x.t.TempDir(), name)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		x.t.Fatal(err)
	}
	return dir
}

// timesOnPage is the section of a page with the times of times.csv.
var timesOnPage = regexp.MustCompile(`(?s)<section id="times".*?</section>`)

// outputs returns the files below a folder but those of the store, with contents.
// Times, which differ from run to run, are left out: the content of times.csv, and
// what a page shows of it.
func outputs(dir string) map[string]string {
	files := map[string]string{}
	filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(dir, path)
		switch {
		case err != nil:
		case d.IsDir() && rel == "store":
			return filepath.SkipDir
		case !d.IsDir():
			b, _ := os.ReadFile(path)
			switch filepath.Base(rel) {
			case "times.csv": // measured anew with every fit
				b = nil
			case "index.html":
				b = timesOnPage.ReplaceAll(b, nil)
			}
			files[rel] = string(b)
		}
		return nil
	})
	return files
}

// same compares all outputs of two folders. Remains of killed writers are faults too.
func same(want, got string) error {
	a, b := outputs(want), outputs(got)
	var errs []error
	for name, text := range a {
		if other, ok := b[name]; !ok {
			errs = append(errs, fmt.Errorf("%s is missing", name))
		} else if strings.ReplaceAll(other, got, want) != text {
			errs = append(errs, fmt.Errorf("%s differs", name))
		}
	}
	for name := range b {
		if _, ok := a[name]; !ok {
			errs = append(errs, fmt.Errorf("%s is left", name))
		}
	}
	return errors.Join(errs...)
}

// crashed says whether the output or the status of a process is that of a crash.
func crashed(cmd *exec.Cmd, said string) error {
	code := cmd.ProcessState.ExitCode()
	if strings.Contains(said, "goroutine ") || strings.Contains(said, "nil pointer") || strings.Contains(said, "internal error") || code < 0 || code > 2 {
		return fmt.Errorf("%v: status %d: %s", cmd.Args[1:], code, said)
	}
	return nil
}

// kill kills one of the commands, or a task, at a random moment, and again, and
// then lets all of them finish.
func (x *torture) kill() (string, error) {
	out := x.folder("kill")
	defer os.RemoveAll(out)
	p, commands := x.example, x.example.commands(out)
	which := x.rng.IntN(len(commands) + 4)
	if first := len(commands) + 2; which >= first { // after run --fresh and a task
		p, commands, which = x.paper, x.paper.commands(out), which-first
	}
	var target []string
	var name string
	took := p.took[0]
	switch {
	case which < len(commands):
		target, took = commands[which], p.took[which]
		name = target[0]
		for _, args := range commands[:which] {
			if err := x.finish(p, args, out); err != nil {
				return name, err
			}
		}
	case which == len(commands):
		name, target = "run --fresh", []string{"run", x.spec, "--out", out, "--fresh"}
	default:
		name, target = "task", []string{"run", x.spec, "--out", out, "--tests", "2", "--task", fmt.Sprintf("%d/3", x.rng.IntN(3))}
	}
	for range 2 + x.rng.IntN(3) {
		cmd := x.command(target...)
		cmd.Dir = p.dir
		if err := cmd.Start(); err != nil {
			return name, err
		}
		time.Sleep(time.Duration(x.rng.Int64N(int64(took))))
		cmd.Process.Kill()
		cmd.Wait()
		if !cmd.ProcessState.Exited() { // otherwise it was done before
			x.kills[name]++
		}
	}
	for _, args := range commands {
		if err := x.finish(p, args, out); err != nil {
			return name, fmt.Errorf("after kill of %v: %w", target, err)
		}
	}
	if err := same(p.alone, out); err != nil {
		return name, fmt.Errorf("after kill of %v: %w", target, err)
	}
	return name, nil
}

// runAgain runs the spec to its end and compares the three files.
func (x *torture) runAgain(out string, more ...string) error {
	b, err := x.command(append([]string{"run", x.spec, "--out", out}, more...)...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("again: %v: %s", err, b)
	}
	return x.sameFiles(out)
}

func (x *torture) sameFiles(out string) error {
	for _, name := range []string{"results.csv", "bins.csv", "pairs.csv"} {
		a, err1 := os.ReadFile(filepath.Join(x.alone, name))
		b, err2 := os.ReadFile(filepath.Join(out, name))
		if err := errors.Join(err1, err2); err != nil {
			return err
		}
		if !bytes.Equal(a, b) {
			return fmt.Errorf("%s differs", name)
		}
	}
	return nil
}

// fullDisk runs on a file system that is too small, and then on a larger one.
func (x *torture) fullDisk() (string, error) {
	dir := x.folder("disk")
	size, inodes := 16<<10+x.rng.IntN(1200<<10), 10+x.rng.IntN(200)
	what := "bytes"
	if x.rng.IntN(3) == 0 {
		size, what = 64<<20, "inodes"
	} else {
		inodes = 10_000
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%d,nr_inodes=%d", size, inodes)); err != nil {
		return "", fmt.Errorf("%w: mount: %w", errors.ErrUnsupported, err)
	}
	defer func() { syscall.Unmount(dir, syscall.MNT_DETACH); os.RemoveAll(dir) }()
	out := filepath.Join(dir, "out")
	cmd := x.command("run", x.spec, "--out", out)
	b, err := cmd.CombinedOutput()
	if err != nil {
		if e := crashed(cmd, string(b)); e != nil {
			return what, e
		}
		if cmd.ProcessState.ExitCode() != exitUsage || !strings.Contains(string(b), "no space left") {
			return what, fmt.Errorf("size %d, %d inodes: status %d: %s", size, inodes, cmd.ProcessState.ExitCode(), b)
		}
		what += " (too few)"
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT, "size=256m,nr_inodes=10000"); err != nil {
		return what, err
	}
	return what, x.runAgain(out)
}

// concurrent starts three runs, one of them afresh.
func (x *torture) concurrent() (string, error) {
	out := x.folder("together")
	defer os.RemoveAll(out)
	var cmds []*exec.Cmd
	var said [3]bytes.Buffer
	for i, more := range [][]string{nil, {"--workers", "1"}, {"--fresh"}} {
		cmd := x.command(append([]string{"run", x.spec, "--out", out}, more...)...)
		cmd.Stderr = &said[i]
		if err := cmd.Start(); err != nil {
			return "", err
		}
		cmds = append(cmds, cmd)
		time.Sleep(time.Duration(x.rng.Int64N(int64(x.took) / 2)))
	}
	var errs []error
	for i, cmd := range cmds {
		if err := cmd.Wait(); err != nil {
			errs = append(errs, fmt.Errorf("%v: %v: %s", cmd.Args[1:], err, said[i].String()))
		}
	}
	return "", errors.Join(append(errs, x.sameFiles(out))...)
}

// change changes one array while a run reads all of them, then puts it back. Every
// number that the run writes must be that of the old arrays, and so must those of
// the next run, from the same store.
func (x *torture) change() (string, error) {
	dir := x.folder("change")
	defer os.RemoveAll(dir)
	arrays, out := filepath.Join(dir, "arrays"), filepath.Join(dir, "out")
	if err := os.CopyFS(arrays, os.DirFS(filepath.Join(x.root, "data", "example"))); err != nil {
		return "", err
	}
	var files []string
	filepath.WalkDir(arrays, func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".npy") {
			files = append(files, path)
		}
		return nil
	})
	path := files[x.rng.IntN(len(files))]
	before, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	after := bytes.Clone(before)
	for i := 128; i < len(after); i += 4 { // valid labels and logits, and others
		after[i] ^= 1
	}
	cmd := x.command("run", x.spec, "--data", arrays, "--out", out)
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		return "", err
	}
	time.Sleep(time.Duration(x.rng.Int64N(int64(x.took))))
	how := []string{"overwritten", "overwritten, old time", "replaced", "cut", "emptied"}[x.rng.IntN(5)]
	switch how {
	case "overwritten":
		err = os.WriteFile(path, after, 0o666)
	case "overwritten, old time":
		err = errors.Join(os.WriteFile(path, after, 0o666), os.Chtimes(path, info.ModTime(), info.ModTime()))
	case "replaced":
		err = errors.Join(os.WriteFile(path+".new", after, 0o666), os.Rename(path+".new", path))
	case "cut":
		err = os.Truncate(path, x.rng.Int64N(info.Size()))
	case "emptied":
		err = os.Truncate(path, 0)
	}
	if err != nil {
		return how, err
	}
	cmd.Wait()
	if err := crashed(cmd, said.String()); err != nil {
		return how, err
	}
	// A digest that was taken after the change is that of the new content: such a run
	// is right about the new arrays. Its numbers have other keys.
	if err := os.WriteFile(path, before, 0o666); err != nil {
		return how, err
	}
	b, err := x.command("run", x.spec, "--data", arrays, "--out", out).CombinedOutput()
	if err != nil {
		return how, fmt.Errorf("%s %s, then restored: %v: %s", path, how, err, b)
	}
	if err := x.sameFiles(out); err != nil {
		return how, fmt.Errorf("%s %s: the store holds other numbers: %w", filepath.Base(path), how, err)
	}
	return how, nil
}

// corrupt damages some objects of a complete store. The next run gives the same
// files.
func (x *torture) corrupt() (string, error) {
	out := x.folder("store")
	defer os.RemoveAll(out)
	if err := os.CopyFS(out, os.DirFS(x.alone)); err != nil {
		return "", err
	}
	var files []string
	filepath.WalkDir(filepath.Join(out, "store"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files = append(files, path)
		}
		return nil
	})
	how := []string{"bit", "cut", "emptied", "removed", "exchanged", "grown", "garbage"}[x.rng.IntN(7)]
	for range 1 + x.rng.IntN(8) {
		path := files[x.rng.IntN(len(files))]
		b, err := os.ReadFile(path)
		if err != nil || len(b) == 0 {
			continue
		}
		switch how {
		case "bit":
			b[x.rng.IntN(len(b))] ^= 1 << x.rng.IntN(8)
		case "cut":
			b = b[:x.rng.IntN(len(b))]
		case "emptied":
			b = nil
		case "removed":
			os.Remove(path)
			continue
		case "exchanged":
			if b, err = os.ReadFile(files[x.rng.IntN(len(files))]); err != nil {
				continue
			}
		case "grown":
			b = append(b, byte(x.rng.Uint32()))
		case "garbage":
			for i := range b {
				b[i] = byte(x.rng.Uint32())
			}
		}
		if err := os.WriteFile(path, b, 0o666); err != nil {
			return how, err
		}
	}
	return how, x.runAgain(out)
}

// model mutates saved models of every method and applies what is accepted.
func (x *torture) model() func() (string, error) {
	set := data.Set{Logits: data.NewMatrix(60, 3), Features: data.NewMatrix(60, 3), OOD: data.NewMatrix(12, 3),
		Head: data.Linear{W: data.NewMatrix(3, 3), B: make([]float32, 3)}}
	for i := range set.Logits.Data {
		set.Logits.Data[i] = float32(3 * x.rng.NormFloat64())
		set.Features.Data[i] = set.Logits.Data[i]
	}
	for i := range set.OOD.Data {
		set.OOD.Data[i] = float32(x.rng.NormFloat64())
	}
	for j := range 3 {
		set.Head.W.Row(j)[j] = 1
	}
	set.Augmented = []data.Matrix{set.Logits, set.Features}
	for i := range 60 {
		set.Labels = append(set.Labels, int32((i+x.rng.IntN(2))%3))
	}
	var models [][]byte
	for _, e := range all.Registry() {
		c := e.Method.Contract()
		in := calib.Input{Seed: 1, Cal: set.View(c.Cal), Target: set.View(c.Target)}
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		fitted, err := calib.FitInput(ctx, e.Method, in)
		cancel()
		if err != nil {
			x.t.Errorf("%s: %v", e.Name, err)
			continue
		}
		var b bytes.Buffer
		if err := (&calib.Model{Method: e.Name, Version: e.Version, Classes: 3, Fitted: *fitted}).Save(&b); err != nil {
			x.t.Errorf("%s: %v", e.Name, err)
			continue
		}
		models = append(models, b.Bytes())
	}
	tokens := []string{"0", "-1", "1.5", "1e308", "-1e-320", "null", "[]", "{}", `""`, "64", "1e9", "true"}
	return func() (string, error) {
		text := bytes.Clone(models[x.rng.IntN(len(models))])
		for range 1 + x.rng.IntN(4) {
			at := x.rng.IntN(len(text))
			switch x.rng.IntN(3) {
			case 0:
				text[at] = "0123456789-+.eE,:[]{}\" "[x.rng.IntN(23)]
			case 1:
				text = slices.Delete(text, at, min(len(text), at+1+x.rng.IntN(8)))
			case 2: // a whole number or word becomes another
				lo, hi := at, at
				for lo > 0 && strings.IndexByte(",:[]{} \n", text[lo-1]) < 0 {
					lo--
				}
				for hi < len(text) && strings.IndexByte(",:[]{} \n", text[hi]) < 0 {
					hi++
				}
				text = slices.Concat(text[:lo], []byte(tokens[x.rng.IntN(len(tokens))]), text[hi:])
			}
			if len(text) == 0 {
				return "rejected", nil
			}
		}
		m, err := calib.LoadModel(bytes.NewReader(text), all.Registry())
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				return "", fmt.Errorf("an error of several lines: %w", err)
			}
			return "rejected", nil
		}
		e, _ := all.Lookup(m.Method)
		seen := set.View(e.Method.Contract().Test)
		if m.Classes != 0 && m.Classes != 3 || calib.CheckSet(m.Map, seen) != nil {
			return "of another shape", nil
		}
		q := data.NewProbs(60, 3)
		calib.Apply(m.Map, q, seen)
		for i, v := range q.Data {
			if !(v >= 0 && v <= 1) {
				return "", fmt.Errorf("%s: row %d holds %v, of\n%s", m.Method, i/3, v, text)
			}
		}
		return "applied", nil
	}
}

// inProcess runs a command here, so that a panic is seen, and checks its errors.
func (x *torture) inProcess(args ...string) (string, error) {
	var stdout, stderr strings.Builder
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	status := run(ctx, args, &stdout, &stderr)
	switch {
	case ctx.Err() != nil:
		return "", fmt.Errorf("%q: not done in a minute", args)
	case harm(stdout.String()+stderr.String()) != nil:
		return "", fmt.Errorf("%q: %w", args, harm(stdout.String()+stderr.String()))
	case strings.Contains(stdout.String()+stderr.String(), "internal error"):
		return "", fmt.Errorf("%v: %s", args, stderr.String())
	case status == exitOK:
		return "accepted", nil
	case stdout.Len()+stderr.Len() == 0:
		return "", fmt.Errorf("%q: status %d without a word", args, status)
	}
	return "rejected", nil
}

// mutate changes some bytes, mostly near the beginning.
func (x *torture) mutate(b []byte) []byte {
	b = bytes.Clone(b)
	for range 1 + x.rng.IntN(6) {
		if len(b) == 0 {
			return b
		}
		limit := len(b)
		if x.rng.IntN(2) == 0 {
			limit = min(limit, 128)
		}
		at := x.rng.IntN(limit)
		switch x.rng.IntN(5) {
		case 0:
			b[at] = byte(x.rng.Uint32())
		case 1:
			b[at] ^= 1 << x.rng.IntN(8)
		case 2:
			b = b[:at]
		case 3:
			b = slices.Insert(b, at, byte(x.rng.Uint32()), byte(x.rng.Uint32()))
		case 4:
			b = slices.Delete(b, at, min(len(b), at+1+x.rng.IntN(5)))
		}
	}
	return b
}

// array scores a mutated array.
func (x *torture) array() (string, error) {
	dir := x.folder("array")
	defer os.RemoveAll(dir)
	set := filepath.Join(x.root, "data", "example", "example", "unsure-overscaled", "test")
	logits, labels := filepath.Join(set, "logits.npy"), filepath.Join(set, "labels.npy")
	flag, path := "--logits", logits
	if x.rng.IntN(2) == 0 {
		flag, path = "--labels", labels
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	bad := filepath.Join(dir, "a.npy")
	if err := os.WriteFile(bad, x.mutate(b), 0o666); err != nil {
		return "", err
	}
	if flag == "--logits" {
		logits = bad
	} else {
		labels = bad
	}
	return x.inProcess("score", "--logits", logits, "--labels", labels)
}

// badSpec plans a mutated spec.
func (x *torture) badSpec() (string, error) {
	dir := x.folder("spec")
	defer os.RemoveAll(dir)
	files, _ := filepath.Glob(filepath.Join(x.root, "experiments", "*.yaml"))
	b, err := os.ReadFile(files[x.rng.IntN(len(files))])
	if err != nil {
		return "", err
	}
	bad := filepath.Join(dir, "s.yaml")
	if err := os.WriteFile(bad, x.mutate(b), 0o666); err != nil {
		return "", err
	}
	return x.inProcess("run", "-n", bad, "--out", filepath.Join(dir, "out"))
}

// program runs a spec with a program that misbehaves in one of its ways. The cell
// fails, the others go on, and nothing is left.
func (x *torture) program() func() (string, error) {
	hostile := filepath.Join(x.t.TempDir(), "hostile")
	if b, err := exec.Command("go", "build", "-o", hostile, "../../calib/external/testdata/hostile").CombinedOutput(); err != nil {
		x.t.Fatalf("%v: %s", err, b)
	}
	ways := []string{"fit-child", "fit-hang", "fit-exit", "fit-flood", "fit-sparse", "fit-link", "fit-removes", "hang", "exit", "killed", "flood",
		"stderr-flood", "garbage", "too-long", "huge-shape", "rows", "classes", "nan", "sum", "negative", "both", "fifo", "folder", "logits", "even"}
	return func() (string, error) {
		dir := x.folder("program")
		defer os.RemoveAll(dir)
		how := ways[x.rng.IntN(len(ways))]
		spec := filepath.Join(dir, "s.yaml")
		text := fmt.Sprintf("name: t\ndata: [data/example]\nmetrics: [ece]\nmethods: [ts, {name: bad, method: external, options: {command: [%s, %s], limit: 300ms, disk_mib: 8}}]\n"+
			"settings: {dataset: example, backbone: unsure-overscaled}\n", hostile, how)
		temp := filepath.Join(dir, "temp")
		if err := errors.Join(os.WriteFile(spec, []byte(text), 0o666), os.Mkdir(temp, 0o777)); err != nil {
			return how, err
		}
		cmd := x.command("run", spec, "--data", filepath.Join(x.root, "data", "example"), "--out", filepath.Join(dir, "out"), "--allow-exec")
		cmd.Env = append(os.Environ(), "TMPDIR="+temp)
		b, _ := cmd.CombinedOutput()
		if err := crashed(cmd, string(b)); err != nil {
			return how, err
		}
		if cmd.ProcessState.ExitCode() == exitUsage {
			return how, fmt.Errorf("%s: %s", how, b)
		}
		if left, _ := os.ReadDir(temp); len(left) > 0 {
			return how, fmt.Errorf("%s left %v", how, left)
		}
		if pids := startedWith("TMPDIR=" + temp); len(pids) > 0 {
			return how, fmt.Errorf("%s left the processes %v", how, pids)
		}
		if results, err := os.ReadFile(filepath.Join(dir, "out", "results.csv")); err != nil || !strings.Contains(string(results), ",ts,ece,0.") {
			return how, fmt.Errorf("%s: the other method has no row: %v", how, err)
		}
		return how, nil
	}
}

// startedWith lists the processes that have a variable in their environment.
func startedWith(variable string) (pids []string) {
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, file := range files {
		if b, _ := os.ReadFile(file); slices.Contains(strings.Split(string(b), "\x00"), variable) {
			pids = append(pids, filepath.Base(filepath.Dir(file)))
		}
	}
	return pids
}

// results mutates a file of an output folder and shows the folder.
func (x *torture) results() (string, error) {
	out := x.folder("results")
	defer os.RemoveAll(out)
	names := []string{"results.csv", "bins.csv", "pairs.csv", "fits.csv", "times.csv", "run.json"}
	for _, name := range names {
		b, err := os.ReadFile(filepath.Join(x.alone, name))
		if err != nil {
			return "", err
		}
		if err := os.WriteFile(filepath.Join(out, name), b, 0o666); err != nil {
			return "", err
		}
	}
	if x.rng.IntN(3) > 0 { // otherwise rows that do not fit to it are rejected at once
		os.Remove(filepath.Join(out, "run.json"))
		names = names[:len(names)-1]
	}
	path := filepath.Join(out, names[x.rng.IntN(len(names))])
	b, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(path, x.mutate(x.cell(b)), 0o666); err != nil {
		return "", err
	}
	commands := [][]string{{"report", out}, {"report", x.spec, "--out", out}, {"compare", "--out", out}, {"compare", "ts", "--against", "uncal", "--out", out}, {"paper", "diff", "--out", out}}
	args := commands[x.rng.IntN(len(commands))]
	how, err := x.inProcess(args...)
	return strings.TrimSpace(args[0] + " " + how), err
}

// evils are parts of names and fields that mean something to a terminal, a shell, sbatch
// or a table.
var evils = []string{"\x1b[2J", "\u202e", "\n", "\r", "\t", "\nSPOOF: ", "'", "\"", "\\", "%", "%j", "$(id)", "`id`", "#", " ", "-", "..", "*", ",", ";", "\xff", "\u0085", "日", "NaN", "1e400", "=1+1",
	strings.Repeat("x", 200), "\x7f", "|", "&", "!", "~", "{a}", "[b]", "\u2028", "<b>"}

// evil returns a name of some evils.
func (x *torture) evil() string {
	name := "a"
	for range 1 + x.rng.IntN(3) {
		name += evils[x.rng.IntN(len(evils))]
	}
	return name
}

// cell puts an evil in the place of a field of a CSV file, or of a text of JSON.
func (x *torture) cell(b []byte) []byte {
	text := string(b)
	at := x.rng.IntN(len(text))
	begin := strings.LastIndexAny(text[:at], ",\n\"") + 1
	end := at + max(0, strings.IndexAny(text[at:], ",\n\""))
	return []byte(text[:begin] + `"` + strings.ReplaceAll(x.evil(), `"`, `""`) + `"` + text[end:])
}

// slurm prints the scripts of a run with paths of any characters: they are scripts of a
// shell with one line for each option, or the paths are rejected.
func (x *torture) slurm() (string, error) {
	dir := x.folder("slurm")
	defer os.RemoveAll(dir)
	spec := filepath.Join(dir, strings.ReplaceAll(x.evil(), "/", "")+".yaml")
	text, err := os.ReadFile(x.spec)
	if err != nil {
		return "", err
	}
	switch err := os.WriteFile(spec, text, 0o666); {
	case errors.Is(err, syscall.ENAMETOOLONG):
		return "no such name", nil
	case err != nil:
		return "", err
	}
	args := []string{"cluster", "script", spec, "--tasks", "3", "--time", "9", "--out", filepath.Join(dir, x.evil()), "--data", x.evil(), "--allow-exec", "--env", "PATH"}
	how, err := x.inProcess(args...)
	if err != nil || how == "rejected" {
		return how, err
	}
	var stdout, stderr strings.Builder
	run(context.Background(), args, &stdout, &stderr)
	if n := strings.Count("\n"+stdout.String(), "\n#SBATCH "); n != 18 {
		return how, fmt.Errorf("%q: %d options in\n%s", args, n, stdout.String())
	}
	cmd := exec.Command("sh", "-n")
	cmd.Stdin = strings.NewReader(stdout.String())
	if b, err := cmd.CombinedOutput(); err != nil {
		return how, fmt.Errorf("%q: %w: %s\n%s", args, err, b, stdout.String())
	}
	return how, nil
}

// status reads mutated records of tasks whose store lacks objects.
func (x *torture) status() (string, error) {
	out := x.folder("status")
	defer os.RemoveAll(out)
	if x.records == "" {
		x.records = x.folder("records")
		for _, task := range []string{"0/3", "1/3"} {
			if said, err := x.command("run", x.spec, "--out", x.records, "--task", task).CombinedOutput(); err != nil {
				return "", fmt.Errorf("%w: %s", err, said)
			}
		}
	}
	if err := os.CopyFS(out, os.DirFS(x.records)); err != nil {
		return "", err
	}
	if x.rng.IntN(2) == 0 {
		files, _ := filepath.Glob(filepath.Join(out, "store", "*", "*"))
		for range 1 + x.rng.IntN(20) {
			os.Remove(files[x.rng.IntN(len(files))])
		}
	}
	files, _ := filepath.Glob(filepath.Join(out, "store", cluster.RecordFolder, "*"))
	for _, path := range files {
		b, err := os.ReadFile(path)
		if err != nil {
			return "", err
		}
		switch x.rng.IntN(4) {
		case 0:
			b = x.cell(b)
		case 1:
			b = x.mutate(b)
		}
		if err := os.WriteFile(path, b, 0o666); err != nil {
			return "", err
		}
	}
	return x.inProcess("cluster", "status", x.spec, "--out", out, "--tasks", "3")
}

// tree makes a folder of odd names, links in circles and files that are none, and lets
// check and init look at it. They end.
func (x *torture) tree() (string, error) {
	top := x.folder("tree")
	defer os.RemoveAll(top)
	set := filepath.Join(x.root, "data", "example", "example", "unsure-overscaled")
	dirs := []string{top}
	word := func() string {
		words := []string{"cal", "test", "val", "logits.npy", "labels.npy", "test.npz", "net", "d", "1", "ood", "manifest.yaml", "a.pt", ".hidden", "features.npy"}
		if x.rng.IntN(3) == 0 {
			return strings.ReplaceAll(x.evil(), "/", "")
		}
		return words[x.rng.IntN(len(words))]
	}
	for range 5 + x.rng.IntN(40) {
		dir := dirs[x.rng.IntN(len(dirs))]
		path := filepath.Join(dir, word())
		if _, err := os.Lstat(path); err == nil {
			continue // it may be a pipe
		}
		var err error
		switch x.rng.IntN(8) {
		case 0, 1, 2:
			if err = os.Mkdir(path, 0o777); err == nil {
				dirs = append(dirs, path)
			}
		case 3, 4: // to a folder or to nothing, also in a circle
			err = os.Symlink(dirs[x.rng.IntN(len(dirs))], path)
		case 5:
			err = syscall.Mkfifo(path, 0o666)
		case 6:
			err = os.WriteFile(path, []byte(x.evil()), 0o666)
		case 7:
			err = os.CopyFS(path, os.DirFS(set))
		}
		if err != nil && !errors.Is(err, fs.ErrExist) && !errors.Is(err, syscall.ENOTDIR) && !errors.Is(err, syscall.ENAMETOOLONG) {
			return "", err
		}
	}
	command := []string{"check", "init"}[x.rng.IntN(2)]
	args := []string{command, top}
	if command == "init" {
		args = append(args, "-o", filepath.Join(top, "out.yaml"))
	}
	how, err := x.inProcess(args...)
	return command + " " + how, err
}

// extremeFor is the most time of a fit of a few rows.
const extremeFor = 30 * time.Second

// extreme fits a method on a few rows of finite logits, and features, of any size up to
// 1e30, and applies it. A fit ends, with a model that can be applied or with an error.
func (x *torture) extreme() (string, error) {
	dir := x.folder("extreme")
	defer os.RemoveAll(dir)
	var entries []calib.Entry
	for _, e := range all.Registry() {
		if c := e.Method.Contract(); (c.Cal|c.Test|c.Target)&^(data.Logits|data.Labels|data.Features) == 0 {
			entries = append(entries, e)
		}
	}
	e := entries[x.rng.IntN(len(entries))]
	n, k := 20+x.rng.IntN(100), []int{2, 3, 10}[x.rng.IntN(3)]
	matrix := func(cols int) []float32 {
		m := make([]float32, n*cols)
		scale := math.Pow(10, 30*x.rng.Float64())
		how := x.rng.IntN(4)
		for i := range m {
			v := x.rng.NormFloat64()
			switch how {
			case 0:
				v *= scale
			case 1: // of any size in one row
				v *= math.Pow(10, 30*x.rng.Float64())
			case 2: // ties at both ends
				v = math.Copysign(scale, v)
			case 3: // a few
				if x.rng.IntN(20) == 0 {
					v *= scale
				}
			}
			m[i] = float32(min(max(v, -1e30), 1e30))
		}
		return m
	}
	labels := make([]int32, n)
	for i := range labels {
		labels[i] = int32((i + x.rng.IntN(2)) % k)
	}
	logits, classes, features := filepath.Join(dir, "logits.npy"), filepath.Join(dir, "labels.npy"), filepath.Join(dir, "features.npy")
	if err := errors.Join(npy.WriteFloat32(logits, matrix(k), n, k), npy.WriteInt32(classes, labels, n), npy.WriteFloat32(features, matrix(4), n, 4)); err != nil {
		return "", err
	}
	model, probs := filepath.Join(dir, "model.json"), filepath.Join(dir, "probs.npy")
	c := e.Method.Contract()
	fit := []string{"fit", e.Name, "--logits", logits, "--labels", classes, "--kind", "logits", "-o", model}
	if (c.Cal|c.Target)&data.Features != 0 {
		fit = append(fit, "--features", features)
	}
	apply := []string{"apply", model, "--logits", logits, "--kind", "logits", "-o", probs}
	if c.Test&data.Features != 0 {
		apply = append(apply, "--features", features)
	}
	for _, args := range [][]string{fit, apply, {"score", "--probs", probs, "--labels", classes}} {
		ctx, cancel := context.WithTimeout(context.Background(), extremeFor)
		cmd := exec.CommandContext(ctx, x.qats, args...)
		b, err := cmd.CombinedOutput()
		late := ctx.Err()
		cancel()
		switch {
		case late != nil:
			return args[0], fmt.Errorf("%s, %d x %d: %s is not done after %s", e.Name, n, k, args[0], extremeFor)
		case err != nil && crashed(cmd, string(b)) != nil:
			return args[0], fmt.Errorf("%s: %w", e.Name, crashed(cmd, string(b)))
		case err != nil && args[0] != "fit":
			return args[0], fmt.Errorf("%s, %d x %d: a model that was saved cannot be used: %s", e.Name, n, k, b)
		case err != nil:
			return "rejected", nil
		}
	}
	return "fitted", nil
}
