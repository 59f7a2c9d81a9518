package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/formats"
	"github.com/qats-bench/qats/data/problem"
	"github.com/qats-bench/qats/experiments"
	"github.com/qats-bench/qats/experiments/look"
	"github.com/qats-bench/qats/experiments/report"
	"github.com/qats-bench/qats/experiments/report/page"
	"github.com/qats-bench/qats/experiments/spec"
	"github.com/qats-bench/qats/experiments/trial"
	"github.com/qats-bench/qats/internal/called"
	"github.com/qats-bench/qats/internal/english"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/results"
)

// trying are the flags of try.
type trying struct {
	methods []string
	by      trial.By
	out     string
	json    bool
	memory  memory

	positive int
	aside    string // printed before the diagrams
}

func (t *trying) flags(cmd *cobra.Command) {
	t.by = trial.Choices()[0]
	f := cmd.Flags()
	f.StringSliceVar(&t.methods, "method", nil, "`NAMES` of methods and groups, beside uncal and ts")
	choiceFlag(cmd, &t.by, "by", trial.Choices(), "`SCORE` that chooses")
	f.StringVar(&t.out, "out", "", "`DIR` for index.html, a page of the results, and their CSV files")
	f.BoolVar(&t.json, "json", false, objects)
	positiveFlag(cmd, &t.positive)
	t.memory.flag(cmd)
	cmd.MarkFlagDirname("out")
	cmd.RegisterFlagCompletionFunc("method", oneOf(describedMethodsAndGroups))
}

func tryCommand() *cobra.Command {
	var t trying
	var kind data.Kind
	var ignore data.Ignore
	var columns readingFlags
	var beside besideFlags
	cmd := &cobra.Command{
		Use:   "try CAL_LOGITS CAL_LABELS TEST_LOGITS TEST_LABELS | LOGITS LABELS | DIR | FILE.npz | FILE.csv | - | @demo",
		Short: "Say which calibrator to use for logits and labels, and how to save it",
		Long: `try says which calibrator to use for logits and labels, and prints the command that saves it. It
fits calibrators on the calibration rows, chooses one, and judges it on the test rows. It needs no
spec, and writes nothing without --out.

The arrays are two or four files; one .npz, .safetensors, .csv or .tsv file with all of them; a
folder of one network; - for a .safetensors on standard input; or @demo, a network that the
program carries.

The answer begins with temperature scaling, or with a simpler method where the rows ask for it.
Another one takes its place only if the calibration rows show that it is better.`,
		Example: examples(
			"try cal/logits.npy cal/labels.npy test/logits.npy test/labels.npy",
			"try logits.npy labels.npy",
			"try mine/resnet50",
			"try outputs.npz --method qats,svs,sms",
			"try probs.npy labels.npy --kind probs --by brier --out page",
			"try @demo",
		),
		ValidArgsFunction: completeTried,
		Args: func(cmd *cobra.Command, args []string) error {
			switch len(args) {
			case 0:
				hint := "an example: " + called.Command() + " try " + look.Demo
				if here := look.Here(cmd.Context(), "."); here != "" {
					hint = "the arrays of this folder: " + called.Command() + " try " + quote(here)
				}
				return usageError{fmt.Errorf("try needs arrays: %s", strings.TrimSuffix(cmd.UseLine(), " [flags]")), hint}
			case 1, 2, 4:
				return nil
			case 3:
				return usage("try takes four files, CAL_LOGITS CAL_LABELS TEST_LOGITS TEST_LABELS, or the two of one set: with three, labels or logits are missing")
			}
			return usage("%s", "try takes the logits and labels of a calibration set and a test set, or a folder, as in: "+called.Command()+" try cal/logits.npy cal/labels.npy test/logits.npy test/labels.npy")
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 && look.IsCarried(args[0]) {
				if kind != data.AnyKind || ignore != nil {
					return usage("--kind and --ignore say what arrays of yours hold; leave them out with %s", args[0])
				}
				given, err := look.Carried(cmd.Context(), args[0])
				if err != nil {
					return err
				}
				return t.demonstrate(cmd, given)
			}
			others := lists.Where(args, func(arg string) bool { return !isArrayFile(arg) })
			if err := notArrays("try takes "+english.List(data.Forms().Endings())+" files", others, true); err != nil {
				return err
			}
			classes, err := columns.number()
			if err != nil {
				return err
			}
			stated := look.Stated{Kind: kind, Ignore: ignore, Classes: classes}
			if stated.Beside, err = beside.sets(args); err != nil {
				return err
			}
			given, err := findArrays(cmd, t.memory, args, stated, columns.reading)
			if err != nil {
				return err
			}
			return t.run(cmd, given)
		},
	}
	kindFlag(cmd, &kind)
	ignoreFlag(cmd, &ignore, &columns.reading.Ignore)
	beside.flags(cmd, true)
	columns.flags(cmd)
	t.flags(cmd)
	ofArrays(cmd)
	return cmd
}

// isArrayFile reports whether a name is that of a file of arrays, by its ending.
func isArrayFile(name string) bool {
	form, _ := data.Forms().Match(name)
	return form != nil
}

// isTable reports whether a name is that of a text table, by its ending.
func isTable(name string) bool {
	return data.Forms().Is(name, formats.Rows)
}

// findArrays finds the arrays that arguments name, and says what was taken of them.
func findArrays(cmd *cobra.Command, m memory, args []string, stated look.Stated, reading data.Reading) (*look.Given, error) {
	if err := (&readingFlags{reading: reading}).ofTable(args...); err != nil {
		return nil, err
	}
	in := arrayInput(cmd, m)
	in.StateReading(reading)
	given, err := look.Find(cmd.Context(), in, args, stated)
	if err != nil {
		return nil, err
	}
	given.Reading = reading
	for _, line := range given.Took {
		warn(cmd.ErrOrStderr(), newTextWarning(line))
	}
	return given, nil
}

// demonstrate makes a trial of a network that the program carries, prints it, and names
// another one.
func (t *trying) demonstrate(cmd *cobra.Command, given *look.Given) error {
	others := lists.Where(look.Networks(), func(name string) bool { return name != "@"+given.Setting.Backbone })
	if !quiet(cmd) {
		t.aside = "This is one network. Another: " + called.Command() + " try " + others[0] + ". Many: " + called.Command() + " compare --spec companion."
	}
	return t.run(cmd, given)
}

// run makes a trial and prints it.
func (t *trying) run(cmd *cobra.Command, given *look.Given) error {
	if err := t.checkOut(); err != nil {
		return err
	}
	list, err := spec.NewMethods(experiments.Registry(), t.methods)
	if err != nil {
		return fmt.Errorf("--method: %w", err)
	}
	t.memory.hold()
	in, err := trial.Read(cmd.Context(), given, trial.Need(list), t.memory.bytes)
	if err != nil {
		return err
	}
	options := trial.Options{By: t.by, Positive: &t.positive}
	if !cmd.Flags().Changed("method") {
		options.Most = trial.MostTime
		if list, err = spec.NewMethods(experiments.Registry(), []string{in.Recommended()}); err != nil {
			return err
		}
	}
	if !quiet(cmd) {
		dear := in.Dear(list, options.Most)
		printSlowMethods(cmd.ErrOrStderr(), lists.Where(in.Slow(list, experiments.SlowFit), func(m experiments.SlowMethod) bool { return dear[m.Name] == 0 }))
	}
	options.Methods = list
	end := func() {}
	if w := cmd.ErrOrStderr(); quiet(cmd) {
	} else if m, ok := asJSON(w); ok {
		options.Progress = func(done, all int, method string) { m.progress(done, all, method, done, all-done) }
	} else if isTerminal(w) {
		options.Progress, end = countBar(w, "fitted ", time.Now)
	}
	result, err := trial.Run(cmd.Context(), in, options)
	end()
	if err != nil {
		return err
	}
	p := printed{Trial: result}
	if t.json {
		err = p.json(cmd.Context(), cmd.OutOrStdout())
	} else {
		err = p.textWith(cmd.OutOrStdout(), t.aside, verbose(cmd) || cmd.Flags().Changed("method"))
	}
	if err == nil && t.out != "" {
		err = t.write(cmd, result)
	}
	if err == nil && p.Meaningless() {
		err = voided(result)
	}
	return err
}

// voided is the error of a trial that recommends no method.
func voided(t *trial.Trial) error {
	var failed failedFor
	for _, f := range t.Input.Inspection.Problems {
		if trial.Meaningless(f) {
			failed.why = append(failed.why, &problem.Problem{Place: f.Place, Cause: f.Cause, Fix: f.Fix})
		}
	}
	return failed
}

// countBar returns a bar on a terminal of things that are done one after the other, with what
// was done to the last of them, and what removes the bar.
func countBar(w io.Writer, verb string, now func() time.Time) (progress func(done, all int, name string), end func()) {
	var bar *progressbar.ProgressBar
	began := now()
	progress = func(done, all int, name string) {
		if bar == nil {
			bar = newBar(w, int64(all), progressbar.OptionShowCount())
		}
		bar.Describe(described(verb, name, leftWords(done, all-done, now().Sub(began))))
		bar.Set(done)
	}
	return progress, func() {
		if bar != nil {
			bar.Finish()
		}
	}
}

// checkOut returns an error if the folder of the page holds the results of a run.
func (t *trying) checkOut() error {
	if t.out == "" {
		return nil
	}
	run, err := results.Folder(t.out).ReadRun()
	switch {
	case err == nil && len(run.Specs) == 1 && run.Specs[0].Name == look.Experiment:
		return nil
	case err != nil && errors.Is(err, fs.ErrNotExist):
		if _, err := os.Stat(results.Folder(t.out).Path(results.ResultsFile)); err != nil {
			return nil
		}
	}
	return fmt.Errorf("--out %s has the results of a run: name another folder", t.out)
}

// write writes the files and the page of a trial.
func (t *trying) write(cmd *cobra.Command, result *trial.Trial) error {
	v, commit := version()
	rows, err := result.Write(cmd.Context(), results.Folder(t.out), results.Run{Version: v, Commit: commit, Command: "qats " + cmd.Name()})
	if err != nil {
		return err
	}
	out := unlessQuiet(cmd)
	if t.json {
		out = cmd.ErrOrStderr()
	}
	return report.WriteRowsPage(out, rows, filepath.Clean(t.out), page.Options{Against: result.Reference()})
}
