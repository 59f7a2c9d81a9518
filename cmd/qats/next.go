package main

import (
	"io"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/qats-bench/qats/experiments"
	"github.com/qats-bench/qats/experiments/spec"
	"github.com/qats-bench/qats/internal/called"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/internal/terminal"
	"github.com/qats-bench/qats/results"
)

// next prints the command to type next, on standard error: what a command prints on
// standard output is its result. It prints nothing with --quiet, or if a word has
// characters that cannot be shown as they are, since a copy of it would be another word.
func next(cmd *cobra.Command, words ...string) {
	if quiet(cmd) || slices.ContainsFunc(words, func(w string) bool { return terminal.Line(w) != w }) {
		return
	}
	terminal.Fprintf(cmd.ErrOrStderr(), "next: %s %s\n", called.Command(), quoted(words))
}

// plainWord needs no quotes in a shell.
var plainWord = regexp.MustCompile(`^[A-Za-z0-9_./:=%,+@-]+$`)

// quote returns a word as a shell reads it.
func quote(word string) string {
	if plainWord.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// quoted returns words as a shell reads them.
func quoted(words []string) string {
	return strings.Join(lists.Values(words, quote), " ")
}

// given returns the named flags that the user gave to the command, with their values. A
// boolean flag that was given its default is left out, since it changes nothing.
func given(cmd *cobra.Command, names ...string) []string {
	var words []string
	for _, name := range names {
		f := cmd.Flags().Lookup(name)
		if f == nil || !f.Changed {
			continue
		}
		switch f.Value.Type() {
		case "bool":
			switch value := f.Value.String(); {
			case value == f.DefValue:
			case value == "true":
				words = append(words, "--"+name)
			default:
				words = append(words, "--"+name+"="+value)
			}
		case "stringArray":
			values, _ := cmd.Flags().GetStringArray(name) // of this type
			for _, value := range values {
				words = append(words, "--"+name, value)
			}
		case "KEY=VALUE":
			for _, value := range f.Value.(*only).words() {
				words = append(words, "--"+name, value)
			}
		case "stringSlice":
			list := f.Value.String() // [a,b]
			words = append(words, "--"+name, list[1:len(list)-1])
		default:
			words = append(words, "--"+name, f.Value.String())
		}
	}
	return words
}

// nextAfterPlan prints the command that goes on from a plan: the run of its specs or,
// where all is done and the files in OUT have their rows, their report.
func (p *places) nextAfterPlan(cmd *cobra.Command, plan *experiments.Plan, specs []*spec.Spec, files []string) {
	todo := plan.Counts()
	delete(todo, experiments.Hit)
	delete(todo, experiments.Skip)
	nextReportOrRun(cmd, len(todo) == 0 && haveRun(p.out, specs), files)
}

// haveRun reports whether the CSV files in out are of a run of the specs.
func haveRun(out string, specs []*spec.Spec) bool {
	run, err := results.Folder(out).ReadRun()
	return err == nil && run != nil && !slices.ContainsFunc(specs, func(s *spec.Spec) bool {
		return !slices.ContainsFunc(run.Specs, func(r results.RunSpec) bool { return r.Name == s.Name && r.Text == s.Text })
	})
}

// nextReportOrRun prints the report of the specs in files, or the run that it needs.
func nextReportOrRun(cmd *cobra.Command, done bool, files []string) {
	if done {
		next(cmd, slices.Concat([]string{"report"}, files, given(cmd, "out"))...)
		return
	}
	next(cmd, slices.Concat([]string{"run"}, files, given(cmd, "data", "out", "max-memory", "store", "quick", "allow-exec", "env"))...)
}

// nextCompare prints the commands that compare the methods of specs that were run, if there
// are several, and that make their tables and figures. Neither command names the other as the
// next one.
func nextCompare(cmd *cobra.Command, specs []*spec.Spec, files []string) {
	tables := slices.Concat([]string{"report"}, files, given(cmd, "out"))
	if !slices.ContainsFunc(specs, func(s *spec.Spec) bool { return len(s.Methods) > 1 }) {
		next(cmd, tables...)
		return
	}
	next(cmd, append([]string{"compare"}, given(cmd, "out")...)...)
	next(cmd, tables...)
}

// makePairs says how the verdicts against a method can be had that pairs.csv lacks: by a
// comparison that names the specs of the run. run.json has no folders, so a spec that is not
// found is left to the user.
func (c *comparing) makePairs(w io.Writer, cmd *cobra.Command, against string) {
	words := append([]string{"compare"}, c.Methods...)
	words = append(words, "--against", c.Against)
	note := ""
	for _, s := range c.specsOfRows {
		name := s.File
		if _, err := os.Stat(name); err != nil {
			name = strings.TrimSuffix(name, ".yaml")
		}
		if _, err := experiments.ReadSpec(name); err != nil {
			note = ", with the path of " + s.File
		}
		words = append(words, "--spec", name)
	}
	if len(c.specsOfRows) == 0 {
		words, note = append(words, "--spec", "SPEC"), ", with the spec of these rows"
	}
	words = append(words, given(cmd, "metric", "block", "only", "out")...)
	if c.dataGiven {
		words, note = append(words, "--data", "DIR"), note+", with the folder of the arrays"
	}
	terminal.Fprintf(w, "pairs.csv lacks verdicts against %s. This makes them%s:\n  "+called.Command()+" %s\n", against, note, quoted(words))
}
