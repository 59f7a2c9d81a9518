package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/folder"
	"github.com/qats-bench/qats/data/problem"
	"github.com/qats-bench/qats/experiments"
	"github.com/qats-bench/qats/experiments/arrays"
	"github.com/qats-bench/qats/experiments/engine"
	"github.com/qats-bench/qats/experiments/spec"
	"github.com/qats-bench/qats/internal/called"
	"github.com/qats-bench/qats/results/table"
)

// arrayFiles are the flags for array files.
type arrayFiles struct {
	files  data.Files
	target string
	kind   data.Kind // that a command for the same files states

	confidence, correct string // in the place of logits and of labels
	beside              besideFlags
	columns             readingFlags
}

// arrayFlag is a flag that names an array file.
type arrayFlag struct {
	part data.Parts
	name string
	path *string
	help string
	fit  bool // only qats fit reads the array
}

// list returns the flags in the order of the command of a fit. what names the set in
// their help.
func (a *arrayFiles) list(what string) []arrayFlag {
	f := &a.files
	if f.Kind == data.KindConfidence { // as a command for the same files names them
		labels := "labels"
		if f.Predicted == "" {
			labels = "correct"
		}
		return []arrayFlag{{part: data.Logits, name: "confidence", path: &f.Logits}, {part: data.Labels, name: labels, path: &f.Labels, fit: true}, {part: data.Labels, name: "predicted", path: &f.Predicted, fit: true}}
	}
	return []arrayFlag{
		{data.Logits, "logits", &f.Logits, "`FILE` of the logits of the " + what + ", n x k: " + arrayNames, false},
		{data.Labels, "labels", &f.Labels, "`FILE` of the labels, n integers", true},
		{data.Features, "features", &f.Features, "`FILE` of features, n x d", false},
		{data.Augmented, "augmented", &f.Augmented, "`FILE` of the logits of augmented views, v x n x k", false},
		{data.Head, "head-weight", &f.HeadWeight, "`FILE` of the weights of the last layer, k x d", false},
		{data.Head, "head-bias", &f.HeadBias, "`FILE` of its bias, k", false},
		{data.OOD, "ood-logits", &f.OOD, "`FILE` of the logits of out-of-distribution rows, m x k", false},
		{0, "target-logits", &a.target, "`FILE` of unlabelled logits of the deployment domain, m x k", true},
	}
}

// flags declares the flags of qats fit or, without those that only it has, of apply.
func (a *arrayFiles) flags(cmd *cobra.Command, what string, fit bool) {
	for _, x := range a.list(what) {
		if x.fit && !fit {
			continue
		}
		cmd.Flags().StringVar(x.path, x.name, "", x.help)
		cmd.MarkFlagFilename(x.name, "npy", "npz", "safetensors")
	}
	kindFlag(cmd, &a.files.Kind)
	confidenceFlags(cmd, &a.confidence, &a.files.Classes, &a.columns)
	if fit {
		outcomeFlags(cmd, &a.correct, &a.files.Predicted)
		a.beside.flags(cmd, true)
		ignoreFlag(cmd, &a.files.Ignore, &a.columns.reading.Ignore)
	}
}

// takeManifest takes what a manifest above the files says of them, where no flag does, and says so.
func (a *arrayFiles) takeManifest(tell func(warning)) error {
	files := a.files
	files.Logits = cmp.Or(files.Logits, a.target) // the only logits of some methods
	stated, took, err := folder.WithManifest(files)
	if err != nil {
		return err
	}
	a.kind = a.files.Kind
	a.files.Kind, a.files.Ignore = stated.Kind, stated.Ignore
	for _, t := range took {
		a.kind = cmp.Or(a.kind, t.Kind)
		tell(newTaken(t))
	}
	return nil
}

// kindFlag declares --kind.
func kindFlag(cmd *cobra.Command, kind *data.Kind) {
	choiceFlag(cmd, kind, "kind", data.Kinds(), "`KIND` of the scores; without it probabilities are rejected")
}

// only drops the files whose part is not among parts. A named part without a file
// is an error.
func (a arrayFiles) only(parts data.Parts, method string) (data.Files, error) {
	for _, x := range a.list("") { // of the copy
		switch {
		case parts&x.part == 0:
			*x.path = ""
		case *x.path == "" && x.name == "predicted":
		case *x.path == "":
			return a.files, usage("%s needs --%s", method, x.name)
		}
	}
	return a.files, nil
}

// fit holds the flags of qats fit.
type fit struct {
	arrayFiles
	params  []string
	output  string
	memory  memory
	timings bool
	json    bool
	figure  figureFile
	corp    bool // draws the figure as CORP curves
}

func fitCommand() *cobra.Command {
	var f fit
	cmd := &cobra.Command{
		Use:   "fit METHOD",
		Short: "Fit one calibrator on arrays and save it as JSON, or print a summary of the fit",
		Long: `fit fits one calibrator on arrays and saves it as JSON. Without -o it prints the parameters and the
scores on the calibration set, and saves nothing. It warns of rows that are likely a mistake, and
of fits that few rows decide.`,
		Example: examples(
			"fit ts --logits cal/logits.npy --labels cal/labels.npy",
			"fit qats --logits cal/logits.npy --labels cal/labels.npy -o qats.json --figure reliability.svg",
			"fit ts --logits -#logits --labels -#labels -o - < cal.safetensors > ts.json",
		),
		Args:              argumentsOr(1, 1, "fit takes one method, as in: "+called.Command()+" fit ts; "+called.Command()+" doc methods lists them"),
		ValidArgsFunction: oneArgument(describedMethods),
		RunE:              func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	f.flags(cmd, "calibration set", true)
	cmd.Flags().StringArrayVarP(&f.params, "param", "p", nil, "option `KEY=VALUE` of the method; repeatable")
	cmd.Flags().StringVarP(&f.output, "output", "o", "", "`FILE` of the model; - for standard output")
	f.memory.flag(cmd)
	cmd.Flags().BoolVar(&f.timings, "timings", false, "print the seconds of each stage, as JSON")
	cmd.Flags().BoolVar(&f.json, "json", false, oneObject)
	f.figure.flag(cmd, "the rows, before and after")
	corpFlag(cmd, &f.corp)
	cmd.RegisterFlagCompletionFunc("param", completeOption)
	return cmd
}

// run fits the method and saves the model. Warnings of the fit go to standard
// error. Timings, if asked for, go to standard output after the model or summary.
func (f *fit) run(cmd *cobra.Command, method string) (err error) {
	var warnings []warning // of --json
	tell := teller(cmd, f.json, &warnings)
	defer func() {
		for i := 0; i < len(warnings) && err != nil; i++ { // there is no object that has them
			warn(cmd.ErrOrStderr(), warnings[i])
		}
	}()
	clock := stopwatch{last: started, figures: map[string]float64{}}
	m, err := spec.NewMethod(experiments.Registry(), method, f.params)
	if err != nil {
		return err
	}
	if f.corp && f.figure == "" {
		return errCORPAlone
	}
	if err := f.checkOutputs(); err != nil {
		return err
	}
	if err := f.takeConfidence(); err != nil {
		return err
	}
	if err := f.columns.ofTable(f.files.Logits, f.files.Labels); err != nil {
		return err
	}
	if f.files.Beside, err = f.beside.only(); err != nil {
		return err
	}
	f.memory.hold()
	f.files.FS, f.files.MemberLimit = f.columns.input(cmd, f.memory), f.memory.bytes
	if err := f.takeManifest(tell); err != nil {
		return err
	}
	in := calib.Input{Seed: 1, Stage: clock.stage}
	cal, stream, err := f.openCal(cmd.Context(), m, notesTo(tell))
	if err != nil {
		return err
	}
	if stream != nil {
		defer stream.Close()
		in.Stream = stream
	}
	in.Cal = cal
	if cal != nil {
		if err := arrays.Suits(f.files.Logits, m.Name, m.Contract(), cal); err != nil {
			return err
		}
	}
	if in.Target, err = f.loadTarget(cmd.Context(), m, in.Classes(), notesTo(tell)); err != nil {
		return err
	}
	clock.lap("load_s")
	if _, ok := asJSON(cmd.ErrOrStderr()); !ok && !quiet(cmd) {
		printSlowMethods(cmd.ErrOrStderr(), slowFit(m, in))
	}
	fitted, err := calib.FitInput(cmd.Context(), m, in)
	if err != nil {
		return err
	}
	clock.lap("fit_s")
	change, err := f.change(cmd, m, fitted, cal)
	if err != nil {
		return err
	}
	if change != nil {
		if err := change.TestShares(cmd.Context(), m.Method, fitted, in, cal, f.noFolds(m, cal)); err != nil {
			return err
		}
		for _, w := range change.Warnings {
			fitted.Report.Warn(w)
		}
	}
	var source *calib.Source
	switch {
	case change != nil:
		source = change.Source
	case stream != nil:
		var more []calib.Warning
		if source, more, err = arrays.StreamedSource(cmd.Context(), m.Method, fitted, stream); err != nil {
			return err
		}
		for _, w := range more {
			fitted.Report.Warn(w)
		}
	}
	if cal != nil || stream != nil {
		if err := f.problems(cmd, cal, tell); err != nil {
			return err
		}
	}
	clock.lap("check_s")
	model := m.Model(in, fitted)
	model.Source = source
	if f.json {
		return f.printJSON(cmd.OutOrStdout(), newFitJSON(m, in, model, change, warnings), model, &clock)
	}
	if f.output == "" && f.figure != stdoutName {
		f.fitSummary(cmd.OutOrStdout(), m, fitted, change)
	} else if f.output == "" {
	} else if err := save(f.output, cmd.OutOrStdout(), model.Save); err != nil {
		return err
	}
	clock.lap("save_s")
	for _, w := range fitted.Report.Warnings {
		tell(newFitWarning(m.Name, w))
	}
	if f.timings {
		return clock.print(cmd.OutOrStdout())
	}
	return nil
}

// noFolds returns why the fit is not made again without each of five folds; empty if it is.
func (f *fit) noFolds(m *spec.Method, cal *data.Set) string {
	n := cal.Len()
	if took := engine.Folds * experiments.FitTime(m.Entry, n-n/engine.Folds, cal.K()); took >= experiments.SlowFit {
		return fmt.Sprintf("%d more fits would take about %s of processor time", engine.Folds, roughly(took))
	}
	if size := data.ReadRows(cal).Bytes(); 3*size > f.memory.bytes {
		return fmt.Sprintf("folds take %d MiB more; raise --max-memory", 2*size>>20+1)
	}
	return ""
}

// printJSON saves the model and prints the object of a fit, in which it is with -o -.
func (f *fit) printJSON(w io.Writer, object *fitJSON, model *calib.Model, clock *stopwatch) error {
	var b bytes.Buffer
	switch f.output {
	case "":
	case stdoutName:
		if err := model.Save(&b); err != nil {
			return err
		}
		object.Model = b.Bytes()
	default:
		if err := save(f.output, nil, model.Save); err != nil {
			return err
		}
		object.Output = f.output
	}
	if clock.lap("save_s"); f.timings {
		object.Seconds = clock.figures
	}
	return table.WriteJSON(w, []*fitJSON{object})
}

// checkOutputs checks the names of the output files before the work is done.
func (f *fit) checkOutputs() error {
	if _, end := data.Forms().Match(f.output); end != "" && end != ".json" {
		return usage("-o %s: a model is JSON and no %s: name it, for example, model.json", f.output, end)
	}
	if f.json && f.figure == stdoutName {
		return usage("--json and --figure both name standard output: name a file for the figure")
	}
	if f.output == stdoutName && f.figure == stdoutName {
		return usage("-o and --figure both name standard output: name a file for one of them")
	}
	return checkOutput(f.output)
}

// openCal reads the calibration arrays that the contract of m names. If they are
// larger than the memory and m can read a stream, it opens them as a stream.
func (a arrayFiles) openCal(ctx context.Context, m *spec.Method, warn func(arrays.Problem)) (*data.Set, *data.Stream, error) {
	contract := m.Contract()
	if contract.Cal == 0 {
		return nil, nil, nil
	}
	files, err := a.only(contract.Cal, m.Name)
	if err != nil {
		return nil, nil, err
	}
	r, err := arrays.Open(files, m.Name, contract, warn)
	if err != nil {
		return nil, nil, err
	}
	if stream := engine.Stream(r, contract, files.MemberLimit); stream != nil {
		return nil, stream, nil
	}
	defer r.Close()
	if need := r.Bytes(); need > files.MemberLimit {
		return nil, nil, &problem.Problem{Place: files.Logits, Cause: fmt.Sprintf("%s needs the whole set in memory, %d MiB", m.Name, need>>20+1), Fix: "raise --max-memory"}
	}
	cal, err := data.Read(ctx, r, 0, r.Rows())
	return cal, nil, err
}

// loadTarget reads the logits of the deployment domain if the contract of m names them.
// The calibration set has k classes; k is 0 if there is none.
func (a arrayFiles) loadTarget(ctx context.Context, m *spec.Method, k int, warn func(arrays.Problem)) (*data.Set, error) {
	switch {
	case m.Contract().Target == 0:
		return nil, nil
	case a.target == "":
		return nil, usage("%s needs --target-logits", m.Name)
	}
	files := data.Files{Logits: a.target, Kind: a.files.Kind, FS: a.files.FS, MemberLimit: a.files.MemberLimit}
	r, err := arrays.Open(files, m.Name, m.Contract(), warn)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	target, err := data.Read(ctx, r, 0, r.Rows())
	if err != nil {
		return nil, err
	}
	if k != 0 && target.K() != k {
		return nil, fmt.Errorf("%s has %d classes, %s has %d", a.target, target.K(), a.files.Logits, k)
	}
	return target, arrays.Suits(a.target, m.Name, m.Contract(), target)
}

// stopwatch measures stages.
type stopwatch struct {
	last, within time.Time
	figures      map[string]float64
}

// lap ends a stage. The first stage begins when the process starts.
func (s *stopwatch) lap(stage string) {
	now := time.Now()
	s.figures[stage] = now.Sub(s.last).Seconds()
	s.figures["total_s"] += s.figures[stage]
	s.last, s.within = now, now
}

// stage ends a part of the stage that the next lap ends.
func (s *stopwatch) stage(name string, passes float64) {
	now := time.Now()
	s.figures[name+"_s"] += now.Sub(s.within).Seconds()
	s.figures[name+"_passes"] += passes
	s.within = now
}

func (s *stopwatch) print(w io.Writer) error { return json.NewEncoder(w).Encode(s.figures) }
