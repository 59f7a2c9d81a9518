package main

import (
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/qats-bench/qats/experiments"
	"github.com/qats-bench/qats/experiments/spec"
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
	terminal.Fprintf(cmd.ErrOrStderr(), "next: qats %s\n", quoted(words))
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

// nextCompare prints the command that compares the methods of specs, if there are
// several: with qats, or else with the baseline.
func nextCompare(cmd *cobra.Command, specs []*spec.Spec) {
	against := ""
	for _, s := range specs {
		switch {
		case len(s.Methods) < 2:
		case slices.Contains(s.MethodNames(), "qats"):
			next(cmd, append([]string{"compare"}, given(cmd, "out")...)...)
			return
		case s.Baseline != "" && against == "":
			against = s.Baseline
		}
	}
	if against != "" {
		next(cmd, append([]string{"compare", "--against", against}, given(cmd, "out")...)...)
	}
}

// nextReport prints the command that makes tables and figures of the specs whose rows
// were compared, or with --spec the run that comes before it. Without --spec they are
// the specs of the last qats run.
func (c *comparing) nextReport(cmd *cobra.Command) {
	if len(c.specs) > 0 {
		specs, err := experiments.ReadSpecs(c.specs)
		nextReportOrRun(cmd, err == nil && haveRun(c.at.out, specs), c.specs)
		return
	}
	run, err := results.Folder(c.at.out).ReadRun()
	if err != nil || run == nil || !strings.HasPrefix(run.Command, "qats run") {
		return
	}
	words := []string{"report"}
	for _, s := range run.Specs {
		name := s.File // run.json has no folders: the file may be elsewhere
		if _, err := os.Stat(name); err != nil {
			name = strings.TrimSuffix(name, ".yaml")
		}
		if _, err := experiments.ReadSpec(name); err != nil {
			return
		}
		words = append(words, name)
	}
	next(cmd, append(words, given(cmd, "out")...)...)
}
