package main

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// mostHelpWords is how many words all texts of help have at most, so that they stay read.
const mostHelpWords = 4700

// everyCommand are the root and all commands below it that help lists.
func everyCommand(cmd *cobra.Command) []*cobra.Command {
	list := []*cobra.Command{cmd}
	for _, c := range cmd.Commands() {
		if !c.Hidden {
			list = append(list, everyCommand(c)...)
		}
	}
	return list
}

// TestHelpIsShort: at most twelve lines of prose a command, 100 columns but for examples, and so many words in all.
func TestHelpIsShort(t *testing.T) {
	words := 0
	for _, c := range everyCommand(newRoot()) {
		name := commandName(c)
		var args []string
		if c.HasParent() {
			args = strings.Fields(name)
		}
		status, help, said := typedWords(t, append(args, "--help")...)
		if status != exitOK || said != "" {
			t.Errorf("%s: status %d, %q", name, status, said)
		}
		words += len(strings.Fields(help))
		prose, rest, _ := strings.Cut(help, "\nUsage:\n")
		if n := len(slices.DeleteFunc(strings.Split(prose, "\n"), func(line string) bool { return line == "" })); n > 12 {
			t.Errorf("%s has %d lines of prose", name, n)
		}
		flags, examples, _ := strings.Cut(rest, "\nExamples:\n")
		for line := range strings.Lines(prose + flags) {
			if len(line) > lineWidth+1 && !strings.HasPrefix(line, "  qats ") {
				t.Errorf("%s: %d columns: %s", name, len(line)-1, line)
			}
		}
		if c.HasParent() && c.Runnable() && !strings.Contains(examples, "  qats "+strings.Split(name, " ")[0]) {
			t.Errorf("%s has no example:\n%s", name, help)
		}
	}
	if words > mostHelpWords {
		t.Errorf("%d words, at most %d", words, mostHelpWords)
	}
}

// TestFlagsNameTheirValues: as DIR or N, and not by a type of Go.
func TestFlagsNameTheirValues(t *testing.T) {
	for _, c := range everyCommand(newRoot()) {
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if value, text := pflag.UnquoteUsage(f); !f.Hidden && f.Name != "help" && (value != "" && value != strings.ToUpper(value) || text == "") {
				t.Errorf("%s --%s: %q, %q", c.CommandPath(), f.Name, value, text)
			}
		})
	}
}

// TestEachCommandHasAManual: the page of commands has a part for each command that does something, in the order of
// help, and no other. No name of a method, metric, figure or topic hides one.
func TestEachCommandHasAManual(t *testing.T) {
	var want []string
	for _, g := range commandGroups() {
		for _, c := range g.commands {
			if !c.HasSubCommands() {
				want = append(want, c.Name())
			}
			for _, below := range c.Commands() {
				want = append(want, c.Name()+" "+below.Name())
			}
		}
	}
	got := manuals()
	slices.Sort(want)
	if sorted := slices.Sorted(slices.Values(got)); !slices.Equal(sorted, want) {
		t.Errorf("parts of %q, want %q", sorted, want)
	}
	for _, command := range got {
		status, out, said := typedWords(t, append([]string{"doc"}, strings.Fields(command)...)...)
		if status != exitOK || said != "" || !strings.HasPrefix(out, "# "+command+"\n\n") || len(out) < 100 || strings.Contains(out, "\n## ") {
			t.Errorf("doc %s: status %d, %q, %q", command, status, said, out)
		}
		for line := range strings.Lines(out) {
			if len(line) > lineWidth+1 {
				t.Errorf("doc %s: %d columns: %s", command, len(line)-1, line)
			}
		}
		for _, c := range catalogues() {
			if names, aliases := c.known(); slices.Contains(names, command) || slices.Contains(slices.Concat(aliases...), command) {
				t.Errorf("%s is a command and a name", command)
			}
		}
		for _, other := range topics() {
			if name, _ := other.title(); name == command {
				t.Errorf("%s is a command and a topic", command)
			}
		}
	}
	if _, _, said := typedWords(t, "doc", "compare", "--json"); said != "qats: qats doc compare is a text: leave --json out\n" {
		t.Errorf("%q", said)
	}
}

// TestTheManualNamesFlagsThatThereAre: each flag in the part about a command is one of it, or of sbatch or run.
func TestTheManualNamesFlagsThatThereAre(t *testing.T) {
	flag := regexp.MustCompile("`(?:[^`]* )?--([a-z-]+)")
	for _, command := range manuals() {
		cmd, _, err := newRoot().Find(strings.Fields(command))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range flag.FindAllStringSubmatch(manual(command), -1) {
			f := cmd.Flags().Lookup(m[1])
			if f == nil {
				f = cmd.InheritedFlags().Lookup(m[1])
			}
			if (f == nil || f.Hidden) && !slices.Contains([]string{"array", "time", "partition", "top", "task", "assemble", "help"}, m[1]) {
				t.Errorf("%s: it has no --%s", command, m[1])
			}
		}
	}
}
