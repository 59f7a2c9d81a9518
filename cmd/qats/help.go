package main

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/qats-bench/qats/internal/called"
	"github.com/qats-bench/qats/internal/english"
)

// commandGroup is a group of commands of the help.
type commandGroup struct {
	title    string
	commands []*cobra.Command
}

// commandGroups are the commands, in the order in which the help shows them.
func commandGroups() []commandGroup {
	return []commandGroup{
		{"Use a calibrator", []*cobra.Command{tryCommand(), fitCommand(), applyCommand(), scoreCommand()}},
		{"Compare calibrators", []*cobra.Command{initCommand(), checkCommand(), runCommand(), compareCommand(), reportCommand()}},
		{"More", []*cobra.Command{docCommand(), boardCommand(), clusterCommand(), paperCommand()}},
	}
}

// addCommands adds all commands to the root, and the help in groups.
func addCommands(root *cobra.Command) {
	groups := commandGroups()
	for _, g := range groups {
		root.AddCommand(g.commands...)
	}
	root.AddCommand(arraysCommand())
	addFormers(root)
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) {
		if cmd != root {
			printHelpOf(cmd.OutOrStdout(), cmd)
			return
		}
		printHelp(cmd.OutOrStdout(), root, groups)
	})
	root.SetHelpCommand(helpCommand(root))
}

// printHelp prints the help of the program with its commands.
func printHelp(w io.Writer, root *cobra.Command, groups []commandGroup) {
	fmt.Fprintf(w, "%s\n\nUsage:\n  %s COMMAND [flags]\n\nExamples:\n%s\n\n", root.Long, called.Command(), root.Example)
	printGroups(w, groups)
	fmt.Fprintf(w, "\nFlags of every command:\n%s\n%s COMMAND --help says more about a command, and %s doc COMMAND all.\n", root.LocalFlags().FlagUsagesWrapped(widthOf(w)), called.Command(), called.Command())
}

// printHelpOf prints the help of a command: what it is, its flags, and examples.
func printHelpOf(w io.Writer, cmd *cobra.Command) {
	fmt.Fprintf(w, "%s\n\nUsage:\n  %s\n", strings.TrimSpace(cmp.Or(cmd.Long, cmd.Short)), cmd.UseLine())
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintln(w)
		printGroups(w, []commandGroup{{"Commands", cmd.Commands()}})
	}
	own := pflag.NewFlagSet("", pflag.ContinueOnError)
	var titles []string
	others := map[string][]string{} // by title
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		of := f.Annotations[explainedKey]
		switch {
		case f.Name == "help" || f.Hidden: // whoever reads this knows it
		case of == nil:
			own.AddFlag(f)
		default:
			if others[of[0]] == nil {
				titles = append(titles, of[0])
			}
			value, _ := pflag.UnquoteUsage(f)
			others[of[0]] = append(others[of[0]], strings.TrimSpace("--"+f.Name+" "+value))
		}
	})
	if own.HasFlags() {
		fmt.Fprintf(w, "\nFlags:\n%s", own.FlagUsagesWrapped(widthOf(w)))
	}
	for _, title := range titles {
		fmt.Fprintf(w, "\n%s:\n", title)
		english.Wrap(w, "  ", strings.Join(others[title], ", "), widthOf(w))
	}
	if cmd.Example != "" {
		fmt.Fprintf(w, "\nExamples:\n%s\n", cmd.Example)
	}
	if name := commandName(cmd); hasManual(name) {
		fmt.Fprintf(w, "\nMore: %s doc %s\n", called.Command(), name)
	}
}

// explainedKey is the annotation of flags that the help of another command explains: their title.
const explainedKey = "explained"

// explainedBy leaves the words about flags of a command to the help of another one, and lists them below a title.
func explainedBy(cmd *cobra.Command, other, title string, names ...string) {
	for _, name := range names {
		if cmd.Flags().Lookup(name) != nil {
			cmd.Flags().SetAnnotation(name, explainedKey, []string{title + " (" + called.Command() + " " + other + " --help)"})
		}
	}
}

// ofRun leaves flags to the help of run.
func ofRun(cmd *cobra.Command, title string) {
	explainedBy(cmd, "run", title, runFlagNames()...)
}

// ofTasks is ofRun for a command that is about the tasks of a run.
func ofTasks(cmd *cobra.Command) {
	const title = "Flags of the run"
	ofRun(cmd, title)
	explainedBy(cmd, "run", title, "first", "out", "quick", "task", "tests")
}

// runFlagNames are the flags that say how a run is made.
func runFlagNames() []string {
	return []string{"allow-exec", "data", "env", "fresh", "max-memory", "store", "workers"}
}

// ofArrays leaves flags to the help of fit.
func ofArrays(cmd *cobra.Command) {
	explainedBy(cmd, "fit", "Flags for arrays", "augmented", "classes", "confidence", "correct", "features", "head-bias", "head-weight", "ignore", "kind", "ood-logits", "predicted")
}

// examples returns lines of the examples of a command, which begin with the name of the program.
func examples(lines ...string) string {
	for i, words := range lines {
		lines[i] = "  " + called.Command() + " " + words
	}
	return strings.Join(lines, "\n")
}

// printGroups prints each command of groups with one line.
func printGroups(w io.Writer, groups []commandGroup) {
	width := 0
	for _, g := range groups {
		for _, c := range g.commands {
			width = max(width, len(c.Name()))
		}
	}
	for i, g := range groups {
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "%s:\n", g.title)
		for _, c := range g.commands {
			fmt.Fprintf(w, "  %-*s  %s\n", width, c.Name(), c.Short)
		}
	}
}

// helpCommand returns qats help: the help of the program or of a command.
func helpCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Say what a command does",
		Example: examples(
			"help fit",
			"help paper diff",
		),
		Args: argumentsOr(0, 2, "help takes a command, as in: "+called.Command()+" help fit; "+called.Command()+" help paper diff"),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			of, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			var names []string
			for _, c := range of.Commands() {
				if c.IsAvailableCommand() {
					names = append(names, c.Name())
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				root.InitDefaultHelpFlag()
				return root.Help()
			}
			c, rest, err := root.Find(args)
			switch {
			case err != nil || c == root:
				return noSuchCommand(root, args)
			case c.Hidden: // a name that is gone
				return c.RunE(c, rest)
			case len(rest) > 0:
				return noSuchCommand(c, rest)
			}
			c.InitDefaultHelpFlag()
			return c.Help()
		},
	}
}
