package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/qats-bench/qats/data/npy"
	"github.com/qats-bench/qats/experiments"
	"github.com/qats-bench/qats/experiments/inspect"
	"github.com/qats-bench/qats/experiments/look"
	"github.com/qats-bench/qats/experiments/spec"
	"github.com/qats-bench/qats/experiments/trial"
	"github.com/qats-bench/qats/internal/called"
	"github.com/qats-bench/qats/internal/english"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/internal/terminal"
	"github.com/qats-bench/qats/results/table"
)

func checkCommand() *cobra.Command {
	var c checking
	cmd := &cobra.Command{
		Use:   "check DIR|SPEC|FILE...",
		Short: "Read every array of a folder or a spec, and say what is wrong with it",
		Long: `check reads every array of a folder, a spec, or the files that try takes, and says what is wrong:
errors, which make a run fail or its numbers meaningless; warnings, which are likely mistakes; and
notes; each with its place and what to do. The status is 1 if there is an error. It first prints a
row for each set, with its accuracy and ECE without calibration.`,
		Example: examples(
			"check .",
			"check mine.yaml --data arrays",
			"check outputs.npz",
			"check logits.npy labels.npy",
			"check experiments/companion.yaml --json",
		),
		Args: argumentsOr(1, math.MaxInt, "check takes folders of arrays or specs, as in: "+called.Command()+" check arrays"),
		RunE: func(cmd *cobra.Command, args []string) error { return c.run(cmd, args) },
	}
	f := cmd.Flags()
	dataFlag(cmd, &c.folders)
	kindFlag(cmd, &c.stated.Kind)
	ignoreFlag(cmd, &c.stated.Ignore, &c.columns.reading.Ignore)
	c.columns.flags(cmd)
	ofArrays(cmd)
	f.BoolVar(&c.json, "json", false, objects)
	return cmd
}

// checking are the flags of check.
type checking struct {
	folders []string     // of specs
	stated  look.Stated  // of files
	columns readingFlags // of tables
	json    bool
}

// isArrays reports whether an argument names arrays as try takes them, and neither a folder nor a spec.
func isArrays(arg string) bool {
	file, _, _ := strings.Cut(arg, "#")
	return arg == npy.StreamName || look.IsCarried(arg) || isArrayFile(file) && !isFolder(arg)
}

func (c *checking) run(cmd *cobra.Command, args []string) error {
	if err := notArrays("check takes folders, specs and arrays", lists.Where(args, func(arg string) bool { return !isArrays(arg) }), false); err != nil {
		return err
	}
	arrays := slices.ContainsFunc(args, isArrays)
	switch stated := cmd.Flags().Changed("kind") || cmd.Flags().Changed("ignore"); {
	case arrays && slices.ContainsFunc(args, func(arg string) bool { return !isArrays(arg) }):
		return usage("check takes files of arrays, as try takes them, or folders and specs, and not both")
	case stated && !arrays:
		return usage("--kind and --ignore say what files of arrays hold; of folders and specs manifest.yaml says it")
	}
	if len(c.folders) > 0 && !slices.ContainsFunc(args, func(arg string) bool { return !isFolder(arg) && !isArrays(arg) }) {
		return errors.New("--data is for specs: it names a folder in which their arrays are searched; a folder of arrays is checked by itself, without --data")
	}
	var all inspect.Inspection
	names := args
	if arrays { // of one network
		names = args[:1]
	}
	for _, arg := range names {
		in, err := c.inspected(cmd, arg, args)
		if err != nil {
			return err
		}
		all.Sets = append(all.Sets, in.Sets...)
		all.Problems = append(all.Problems, in.Problems...)
	}
	if c.json {
		if err := checkJSON(cmd.OutOrStdout(), &all); err != nil {
			return err
		}
	} else if err := checkText(cmd.OutOrStdout(), &all, verbose(cmd)); err != nil {
		return err
	}
	if all.Count(inspect.Error) > 0 {
		return errFailed
	}
	if !c.json {
		checkNext(cmd, args)
	}
	return nil
}

// inspected inspects a folder, a spec, or the arrays that all arguments name.
func (c *checking) inspected(cmd *cobra.Command, arg string, args []string) (*inspect.Inspection, error) {
	if isArrays(arg) {
		return c.tried(cmd, args)
	}
	progress, end := settingsProgress(cmd.ErrOrStderr(), time.Now)
	if quiet(cmd) {
		progress = func(int, int, string) {}
	}
	defer end()
	if isFolder(arg) {
		in, err := inspect.Folder(cmd.Context(), arg, progress)
		if err == nil && len(in.Sets) == 0 { // what try knows of a folder is more
			if of, err := c.tried(cmd, []string{arg}); err == nil && len(of.Sets) > 0 {
				return of, nil
			}
		}
		return in, err
	}
	s, err := experiments.ReadSpec(arg)
	if err != nil {
		return nil, err
	}
	return inspect.Specs(cmd.Context(), []*spec.Spec{s}, experiments.PlanOptions{Data: c.folders}, progress)
}

// tried inspects the arrays that arguments name. The arguments are those of try.
func (c *checking) tried(cmd *cobra.Command, args []string) (*inspect.Inspection, error) {
	var given *look.Given
	var err error
	if look.IsCarried(args[0]) {
		given, err = look.Carried(cmd.Context(), args[0])
	} else {
		var m memory
		m.usual()
		if c.stated.Classes, err = c.columns.number(); err != nil {
			return nil, err
		}
		given, err = findArrays(cmd, m, args, c.stated, c.columns.reading)
	}
	if err != nil {
		return nil, err
	}
	return trial.Inspect(cmd.Context(), given)
}

// settingsProgress returns what shows how many settings are done: a bar on a terminal, and
// elsewhere a line every progressEvery. Call end at the end.
func settingsProgress(w io.Writer, now func() time.Time) (progress inspect.Progress, end func()) {
	if m, ok := asJSON(w); ok {
		return func(done, all int, setting string) { m.progress(done, all, setting, done, all-done) }, func() {}
	}
	if isTerminal(w) {
		return countBar(w, "read ", now)
	}
	began := now()
	printed := began
	return func(done, all int, setting string) {
		if t := now(); t.Sub(printed) >= progressEvery && done < all {
			printed = t
			terminal.Fprintf(w, called.Name()+": %d of %d settings read (%d %%)%s; last %s\n", done, all, 100*done/all, leftWords(done, all-done, t.Sub(began)), setting)
		}
	}, func() {}
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// checkNext prints the next command after a check without errors.
func checkNext(cmd *cobra.Command, args []string) {
	switch {
	case isArrays(args[0]):
		next(cmd, slices.Concat([]string{"try"}, args, given(cmd, "kind", "ignore"))...)
		return
	case isFolder(args[0]):
		next(cmd, "init", args[0])
		return
	}
	next(cmd, slices.Concat([]string{"run"}, args, given(cmd, "data"))...)
}

// setTable is the table of the sets of an inspection.
func setTable(sets []inspect.Set) *table.Table {
	rate := func(head string) table.Column {
		return table.Column{Head: head, Align: table.Right, Factor: 100, Digits: 2, Unit: " %"}
	}
	accuracy, ece := rate("ACCURACY"), rate("ECE")
	t := &table.Table{List: true}
	if len(sets) > 0 {
		t.Columns = []table.Column{{Head: "SET"}, {Head: "SOURCE"}, {Head: "ROWS", Align: table.Right}, {Head: "CLASSES", Align: table.Right},
			{Head: "LOGITS"}, {Head: "RANGE"}, {Head: "LABELS"}, accuracy, ece}
	}
	for _, s := range sets {
		t.Rows = append(t.Rows, table.Row{Cells: []table.Cell{table.Words(s.Set), table.Words(string(s.Source)), table.Int(s.Rows), classesCell(s),
			table.Words(cmp.Or(s.DType, "-")), table.Words(rangeWords(s)), table.Words(cmp.Or(s.Labels, "-")),
			accuracy.Number(s.Accuracy), ece.Number(s.ECE)}})
	}
	return t
}

// classesCell is the number of classes, "-" where a set with a confidence alone does not state it.
func classesCell(s inspect.Set) table.Cell {
	if s.Classes == 0 {
		return table.Words("-")
	}
	return table.Int(s.Classes)
}

// rangeWords is the range of the logits, or of the confidence where there are none.
func rangeWords(s inspect.Set) string {
	words := fmt.Sprintf("%.4g to %.4g", s.Least, s.Largest)
	if s.ConfidenceOnly {
		words += " (confidence)"
	}
	return words
}

// checkText prints a table of the sets, and the findings; those that are known if all is set.
func checkText(out io.Writer, in *inspect.Inspection, all bool) error {
	if err := setTable(in.Sets).Text(out, widthOf(out)); err != nil {
		return err
	}
	checkAlso(out, in.Sets)
	if len(in.Sets) > 0 {
		fmt.Fprintln(out)
	}
	printFindings(out, in.Problems, all)
	line := fmt.Sprintf("%s: %s, %s, %s", english.Count(len(in.Sets), "set"), english.Count(in.Count(inspect.Error), "error"),
		english.Count(in.Count(inspect.Warning), "warning"), english.Count(in.Count(inspect.Note), "note"))
	if n := in.Count(inspect.Known); n > 0 {
		line += fmt.Sprintf(", %d known (manifest.yaml gives the reasons)", n)
	}
	_, err := fmt.Fprintln(out, line)
	return err
}

// printFindings prints findings with what to do; those that are known if all is set.
func printFindings(out io.Writer, findings []inspect.Problem, all bool) {
	for _, f := range findings {
		if f.Severity == inspect.Known && !all {
			continue
		}
		name, then := "", f.Fix
		if f.Severity == inspect.Warning && f.Oddity != "" {
			name = " [" + string(f.Oddity) + "]"
		}
		if f.Reason != "" {
			name, then = " ["+string(f.Oddity)+"]", f.Reason
		}
		terminal.Fprintf(out, "%-7s  %s: %s%s\n", f.Severity, f.Place, f.Cause, name)
		if then != "" {
			terminal.Fprintf(out, "%-7s  -> %s\n", "", then)
		}
	}
}

// checkAlso prints which sets have arrays besides logits and labels.
func checkAlso(out io.Writer, sets []inspect.Set) {
	having := map[string]int{}
	for _, s := range sets {
		for _, a := range s.Also {
			role, _, _ := strings.Cut(a, " ")
			having[role]++
		}
	}
	for _, role := range slices.Sorted(maps.Keys(having)) {
		fmt.Fprintf(out, "%s: in %d of %s\n", role, having[role], english.Count(len(sets), "set"))
	}
}

// checkJSON prints one object for each set and finding.
func checkJSON(out io.Writer, in *inspect.Inspection) error {
	type set struct {
		Kind string `json:"kind"`
		inspect.Set
	}
	type finding struct {
		Kind string `json:"kind"`
		inspect.Problem
	}
	var objects []any
	for _, s := range in.Sets {
		objects = append(objects, set{"set", s})
	}
	for _, f := range in.Problems {
		objects = append(objects, finding{"finding", f})
	}
	return table.WriteJSON(out, objects)
}
