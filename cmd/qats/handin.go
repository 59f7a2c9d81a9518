package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/qats-bench/qats/calib/all"
	"github.com/qats-bench/qats/experiments"
	"github.com/qats-bench/qats/experiments/report"
	"github.com/qats-bench/qats/experiments/spec"
	"github.com/qats-bench/qats/experiments/submission"
	"github.com/qats-bench/qats/internal/called"
	"github.com/qats-bench/qats/internal/english"
	"github.com/qats-bench/qats/internal/kernel/cpu"
	"github.com/qats-bench/qats/internal/terminal"
	"github.com/qats-bench/qats/results"
)

// entriesDir is the folder of the entries, below the root of the project.
const entriesDir = "submissions"

// smallSettings is the number of settings on which an entry is repeated.
const smallSettings = 3

func handInCommand() *cobra.Command {
	var h handIn
	cmd := &cobra.Command{
		Use:   "submit FILE...",
		Short: "Run a calibrator of yours on the leaderboard's networks, and make an entry of it",
		Long: `submit runs the code in FILE on all settings of a tier of the leaderboard, and writes the folder
submissions/NAME. A pull request with this folder is an entry. The code is a file of Python
with fit(logits, labels) and apply(model, logits); files, or the folder, of a Go package with an
exported calib.Entry; or any files, with --command. It runs with your rights.

submit says whether the calibrator is better than QaTS and than TS, and what a reviewer will ask.`,
		Example: examples(
			`board submit mine.py --author "A. Author" --reference "Author (2026)" --licence MIT`,
			"board submit mine.R --command Rscript,mine.R",
		),
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("board submit takes the files of the code, as in: " + called.Command() + " board submit mine.py")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, paths []string) error { return h.run(cmd, paths) },
	}
	f := cmd.Flags()
	f.StringVar(&h.card.Name, "name", "", "`NAME` of the entry (default: that of the first file, or of the folder)")
	f.StringVar(&h.card.Label, "label", "", "`LABEL` in tables (default: the name)")
	f.StringArrayVar(&h.card.Authors, "author", nil, "`NAME` of an author; repeatable")
	f.StringVar(&h.card.Reference, "reference", "", "`TEXT`: author and year, or an address")
	f.StringVar(&h.card.Licence, "licence", "", "`NAME` of the licence of the code")
	f.StringSliceVar(&h.card.Contract.Needs, "needs", nil, "`ARRAYS` beside logits and labels: features, head, ood, augmented")
	f.StringSliceVar(&h.card.Command, "command", nil, "`WORDS` that start the program, such as sh,mine.sh")
	f.BoolVar(&h.card.Serves, "serves", false, "the program answers many calls (method: served)")
	f.StringToStringVarP(&h.card.Options, "param", "p", nil, "option `KEY=VALUE` of the method, or keyword argument of fit; repeatable")
	f.StringVar(&h.card.Limit, "limit", "", "`TIME` of one call, at most 1h (default 10m)")
	f.StringVar(&h.card.Tier, "tier", "", "`TIER`: lite, or full with networks of others (default lite)")
	f.StringVar(&h.to, "entries", entriesDir, "`DIR` of the entries")
	h.at.entryFlags(cmd)
	workersFlag(cmd, &h.workers)
	ofRun(cmd, "Flags of the run")
	cmd.MarkFlagDirname("entries")
	cmd.RegisterFlagCompletionFunc("tier", oneOf(submission.Tiers))
	return cmd
}

// handIn holds the flags of board submit.
type handIn struct {
	card    submission.Card
	at      places
	workers int
	to      string
}

// entryFlags declares the flags of a command that runs entries.
func (p *places) entryFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	dataFlag(cmd, &p.Data)
	f.StringVar(&p.out, "out", "", "`DIR` of the run (default results/out/"+cmd.Name()+"/NAME)")
	freshFlag(cmd, &p.Fresh)
	p.quickFlag(cmd)
	p.memory.flag(cmd)
	cmd.MarkFlagDirname("out")
}

func (h *handIn) run(cmd *cobra.Command, paths []string) error {
	files, code, err := submission.SourceOf(paths, len(h.card.Command) > 0)
	if _, registered := all.Lookup(paths[0]); registered && errors.Is(err, fs.ErrNotExist) {
		return usage("%s is a method of the registry, which has its row by make leaderboard; an entry is made of files", paths[0])
	}
	if err != nil {
		return err
	}
	c := h.card
	c.Protocol, c.Code = submission.Version, files
	base := filepath.Base(filepath.Clean(paths[0]))
	c.Name = cmp.Or(c.Name, strings.ToLower(strings.TrimSuffix(base, filepath.Ext(base))))
	dir := filepath.Join(h.to, c.Name)
	if err := h.earlier(&c, dir); err != nil {
		return err
	}
	c.Tier = cmp.Or(c.Tier, submission.Lite)
	c.Language = languageOf(files[0], c.Command)
	if c.Language == "" {
		return usage("%s: neither a file of Python nor of Go: say by --command how it is started", files[0])
	}
	for _, missing := range []struct{ flag, text string }{{"author", strings.Join(c.Authors, "")}, {"reference", c.Reference}, {"licence", c.Licence}} {
		if missing.text == "" {
			return usage("an entry says who made it, by --author, --reference and --licence; --%s is missing", missing.flag)
		}
	}
	c.Platform = platform()
	c.Label = cmp.Or(c.Label, c.Name)
	if err := c.Describes(); err != nil {
		return err
	}
	work, err := workFolder(&h.at, cmd, c.Name)
	if err != nil {
		return err
	}
	defer removeAll(work)
	iso, err := submission.FindIsolation(cmd.Context())
	if err != nil && !errors.Is(err, submission.ErrNotIsolated) {
		return err
	}
	if err != nil {
		fmt.Fprintln(unlessQuiet(cmd), "the code runs with your rights:", err)
	}
	p, err := prepared(cmd.Context(), &c, code, work, iso)
	if err != nil {
		return err
	}
	if c.Label == c.Name && p.About.Label != "" {
		c.Label = p.About.Label
		if err := c.Describes(); err != nil {
			return err
		}
	}
	tier, err := submission.ReadTier(c.Protocol, c.Tier)
	if err != nil {
		return err
	}
	if err := h.begins(cmd, tier, p); err != nil {
		return err
	}
	rows, fits, failed, err := h.at.runEntry(cmd, tier, p, h.workers)
	if err != nil {
		return err
	}
	kept := keepsTop1(c.Name, rows.Records)
	if c.Language == submission.Go && c.Contract.KeepsTop1 && !kept && failed == nil {
		return fmt.Errorf("%s: the contract says KeepsTop1, and the predicted class of some rows changed", files[0])
	}
	c.Contract.KeepsTop1 = kept
	changes, err := h.repeat(cmd, tier, &c, code, work, rows, iso)
	if err != nil {
		return err
	}
	if !h.at.quick {
		if err := submission.Write(dir, &c, code, tier, rows.Settings, rows.Records, fits); err != nil {
			return err
		}
	}
	if err := h.say(cmd, tier, &c, dir, rows, changes, iso != nil); err != nil {
		return err
	}
	if len(changes) > 0 {
		return errFailed
	}
	return failed
}

// begins runs the smallest settings first, and returns an error if the code has a number on none of them: the other settings
// would cost their time for nothing. What it fits is in the store of the run.
func (h *handIn) begins(cmd *cobra.Command, tier *submission.Tier, p *submission.Prepared) error {
	sizes, err := registryOf(tier.Version).ReadSettings()
	if errors.Is(err, fs.ErrNotExist) { // not in the folder of the project
		return nil
	}
	if err != nil {
		return err
	}
	small := tier.Small(smallSettings, sizes)
	rows, _, failed, err := h.at.runEntry(cmd, small, p, h.workers)
	if err != nil || failed == nil {
		return err
	}
	if lacks := submission.Lacks(small, p.Method.Name, rows.Records); len(lacks) == len(small.Spec.Settings) {
		return fmt.Errorf("the code has no number on the %s that are smallest; the first: %s: %s", english.Count(len(lacks), "setting"), lacks[0].Setting.Name(), lacks[0].Why)
	}
	return nil
}

// earlier takes what no flag gives from the card of an earlier call, if there is one that can be read.
func (h *handIn) earlier(c *submission.Card, dir string) error {
	old, err := submission.ReadCard(filepath.Join(dir, submission.CardFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%w; mend or remove it", err)
	}
	for _, text := range []struct{ given, before *string }{
		{&c.Label, &old.Label}, {&c.Reference, &old.Reference}, {&c.Licence, &old.Licence}, {&c.Limit, &old.Limit}, {&c.Tier, &old.Tier},
	} {
		*text.given = cmp.Or(*text.given, *text.before)
	}
	for _, list := range []struct{ given, before *[]string }{{&c.Authors, &old.Authors}, {&c.Command, &old.Command}, {&c.Contract.Needs, &old.Contract.Needs}} {
		if *list.given == nil {
			*list.given = *list.before
		}
	}
	if c.Options == nil {
		c.Options = old.Options
	}
	c.Serves = c.Serves || old.Serves
	return nil
}

// languageOf returns how code runs; "" where its name does not say.
func languageOf(file string, command []string) submission.Language {
	switch {
	case len(command) > 0:
		return submission.Command
	case filepath.Ext(file) == ".py":
		return submission.Python
	case filepath.Ext(file) == ".go":
		return submission.Go
	}
	return ""
}

// platform describes the system for a card.
func platform() string {
	return fmt.Sprintf("%s/%s, %s", runtime.GOOS, runtime.GOARCH, cpu.Best())
}

// workFolder makes an empty folder of code in the folder of the run, which it names where no flag does.
func workFolder(at *places, cmd *cobra.Command, name string) (string, error) {
	at.out = cmp.Or(at.out, filepath.Join("results", "out", cmd.Name(), name))
	if err := os.MkdirAll(at.out, 0o777); err != nil {
		return "", err
	}
	work := filepath.Join(at.out, "work")
	if err := removeAll(work); err != nil {
		return "", err
	}
	if err := os.Mkdir(work, 0o777); err != nil {
		return "", err
	}
	return filepath.Abs(work)
}

// removeAll removes a folder, with folders in it that the code of an entry has locked.
func removeAll(dir string) error {
	filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			os.Chmod(path, 0o700) // before its files are listed
		}
		return nil
	})
	return os.RemoveAll(dir)
}

// prepared prepares the code of a card in a folder of its own below work, and completes the card by what the code says.
func prepared(ctx context.Context, c *submission.Card, code submission.Source, work string, iso *submission.Isolation) (*submission.Prepared, error) {
	dir, err := os.MkdirTemp(work, "code-")
	if err != nil {
		return nil, err
	}
	p, err := submission.Prepare(ctx, c, code, dir, iso)
	if err != nil {
		return nil, err
	}
	c.Contract = p.Contract
	versions := []string{platform()}
	if p.About.Python != "" {
		versions = append(versions, "Python "+p.About.Python)
	}
	if p.About.Go != "" {
		versions = append(versions, p.About.Go)
	}
	for _, name := range slices.Sorted(maps.Keys(p.About.Modules)) {
		versions = append(versions, name+" "+p.About.Modules[name])
	}
	c.Platform = fmt.Sprintf("%.300s", strings.Join(versions, ", "))
	return p, nil
}

// runEntry runs a tier with an entry, and returns its rows and the fits of the entry. failed is errFailed where some cells have no value
// because the code failed.
func (p *places) runEntry(cmd *cobra.Command, tier *submission.Tier, entry *submission.Prepared, workers int) (rows *results.Rows, fits []results.EntryFit, failed, err error) {
	p.AllowExec, p.Programs = true, entry.Programs
	specs := []*spec.Spec{tier.With(entry.Method).Spec}
	failed = execute(cmd, p, specs, p.out, experiments.RunOptions{Workers: workers}, io.Discard)
	if failed != nil && !errors.Is(failed, errFailed) {
		return nil, nil, nil, failed
	}
	if rows, err = results.Folder(p.out).Read(results.SettingsFile); err != nil {
		return nil, nil, nil, err
	}
	plan, err := p.plan(cmd, specs)
	if err != nil {
		return nil, nil, nil, err
	}
	fits, err = plan.Fits(entry.Method.Name)
	return rows, fits, failed, err
}

// changesTop1 reports whether a method changed the predicted class of some row.
func changesTop1(method string, records []results.Record) bool {
	return slices.ContainsFunc(records, func(r results.Record) bool {
		return r.Method == method && r.Metric == "argmax_change" && r.Status == results.OK && r.Value != 0
	})
}

// keepsTop1 reports whether a method has a number somewhere, and changed the predicted class of no row.
func keepsTop1(method string, records []results.Record) bool {
	return !changesTop1(method, records) && slices.ContainsFunc(records, func(r results.Record) bool {
		return r.Method == method && r.Metric == "argmax_change" && r.Status == results.OK
	})
}

// repeat runs the smallest settings in fresh processes, and returns the numbers that change, those that are not those of
// the run among them.
func (h *handIn) repeat(cmd *cobra.Command, tier *submission.Tier, c *submission.Card, code submission.Source, work string, rows *results.Rows, iso *submission.Isolation) ([]submission.Change, error) {
	defer inFolder(work)()
	p, err := prepared(cmd.Context(), c, code, work, iso)
	if err != nil {
		return nil, err
	}
	small := tier.Small(smallSettings, rows.Settings)
	first := 0
	if h.at.quick {
		first = quickRows
	}
	return p.Repeat(cmd.Context(), small.With(p.Method), h.at.Data, first, work, rows.Records)
}

// inFolder makes the folders of calls below a folder, until the function that it returns is called.
func inFolder(work string) (undo func()) {
	before, had := os.LookupEnv("TMPDIR")
	os.Setenv("TMPDIR", work)
	return func() {
		if had {
			os.Setenv("TMPDIR", before)
		} else {
			os.Unsetenv("TMPDIR")
		}
	}
}

// say prints the answer, what a reviewer will ask, and where the entry is.
func (h *handIn) say(cmd *cobra.Command, tier *submission.Tier, c *submission.Card, dir string, rows *results.Rows, changes []submission.Change, alone bool) error {
	w := unlessQuiet(cmd)
	for _, against := range []string{"qats", "ts"} {
		if h.at.quick { // no result
			break
		}
		compared, err := (report.Compare{Metrics: []string{"ece"}, Methods: []string{c.Name}, Against: against, Labels: results.Labels(rows.Methods)}).Each(clean(rows))
		if err != nil {
			return err
		}
		for _, one := range compared {
			say(w, "%s", one.Sentence())
		}
	}
	lacks := submission.Lacks(tier, c.Name, rows.Records)
	if len(lacks) == 0 {
		say(w, "a number on all %s", english.Count(len(tier.Spec.Settings), "setting"))
	} else {
		say(w, "a number is missing on %s, the first: %s on %s: %s", english.Count(len(lacks), "setting"), lacks[0].Metric, lacks[0].Setting.Name(), lacks[0].Why)
	}
	where := "it could not see arrays that it was not given, and could write only to its own folder"
	if !alone {
		where = "this system cannot hide arrays that it was not given, so nobody knows whether it reads them"
	}
	if len(changes) == 0 {
		say(w, "the same numbers in five fresh processes with 1, 2 and 4 processors, on %s; %s", english.Count(smallSettings, "setting"), where)
	} else {
		say(w, "%s of the run not found in five fresh processes; the first: %s", english.Count(len(changes), "number"), changes[0])
		say(w, "%s; %s", reasonOf(changes), where)
	}
	kept := "the predicted class of some rows changes"
	if c.Contract.KeepsTop1 {
		kept = "the predicted class of every row stays"
	}
	switch {
	case h.at.quick && len(lacks) == 0 && len(changes) == 0:
		fmt.Fprintf(w, "--quick: the code runs on the first %d rows of each set; this is no entry\n", quickRows)
	case h.at.quick:
		fmt.Fprintf(w, "--quick: mend this first; this is no entry\n")
	case len(changes) > 0:
		terminal.Fprintf(w, "%s: %s; it cannot be verified as it is\n", dir, kept)
	default:
		terminal.Fprintf(w, "%s: %s; hand it in as a pull request\n", dir, kept)
		next(cmd, append([]string{"board", "verify", dir}, given(cmd, "data")...)...)
	}
	return nil
}

// reasonOf says what makes numbers change, as far as they show it.
func reasonOf(changes []submission.Change) string {
	for _, c := range changes {
		switch {
		case c.Why != "":
			return "the code failed when it had only its own folder and the arrays of its contract"
		case c.Varies:
			return "a reviewer will ask why: seed random numbers with the given seed, and depend on no order, time or thread"
		}
	}
	return "the fresh processes agree with each other, so the code reads something that it was not given, or that an earlier call left"
}

// clean returns the rows of clean test sets: corrupted ones are shown beside them, and not counted with them.
func clean(rows *results.Rows) *results.Rows {
	return rows.Where(func(s results.Setting, _ string) bool { return s.Corruption == "" })
}
