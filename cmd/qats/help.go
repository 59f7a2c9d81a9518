package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// commandGroup is a group of commands of the help.
type commandGroup struct {
	title    string
	commands []*cobra.Command
}

// commandGroups are the commands that qats --help shows.
func commandGroups() []commandGroup {
	return []commandGroup{
		{"Use a calibrator", []*cobra.Command{tryCommand(), fitCommand(), applyCommand(), scoreCommand()}},
		{"Compare calibrators", []*cobra.Command{initCommand(), checkCommand(), runCommand(), reportCommand(), compareCommand()}},
		{"Get published predictions", []*cobra.Command{fetchCommand(), importCommand()}},
		{"The paper", []*cobra.Command{paperCommand()}},
	}
}

// otherCommands are those that only qats help all shows, beside the groups.
func otherCommands() commandGroup {
	return commandGroup{"More", []*cobra.Command{
		docCommand(),
		clusterCommand(),
	}}
}

// addCommands adds all commands to the root, and the help in groups.
func addCommands(root *cobra.Command) {
	groups, others := commandGroups(), otherCommands()
	for _, g := range slices.Concat(groups, []commandGroup{others}) {
		root.AddCommand(g.commands...)
	}
	ofCommand := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		if cmd != root {
			ofCommand(cmd, args)
			return
		}
		printHelp(cmd.OutOrStdout(), root, groups, others)
	})
	root.SetHelpCommand(helpCommand(root, slices.Concat(groups, []commandGroup{others})))
}

// printHelp prints the help of the program: its main commands, and the names of the others.
func printHelp(w io.Writer, root *cobra.Command, groups []commandGroup, others commandGroup) {
	fmt.Fprintf(w, "%s\n\nUsage:\n  qats COMMAND [flags]\n\nExamples:\n%s\n\n", root.Long, root.Example)
	printGroups(w, groups)
	var names []string
	for _, c := range others.commands {
		names = append(names, c.Name())
	}
	fmt.Fprintf(w, "\nMore: %s (qats help all)\n", strings.Join(names, ", "))
	fmt.Fprintf(w, "\nFlags:\n%s\nqats COMMAND --help says more about a command.\n", root.LocalFlags().FlagUsages())
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

// helpCommand returns qats help: the help of the program, of a command, or of all of them.
func helpCommand(root *cobra.Command, all []commandGroup) *cobra.Command {
	const every = "all"
	return &cobra.Command{
		Use:   "help [COMMAND|" + every + "]",
		Short: "Say what a command does, or list all commands",
		Example: `  qats help fit
  qats help all`,
		Args: argumentsOr(0, 2, "help takes a command, as in: qats help fit; qats help paper diff"),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			of, names := root, []string{every}
			if len(args) > 0 {
				c, rest, err := root.Find(args)
				if err != nil || c == root || len(rest) > 0 {
					return nil, cobra.ShellCompDirectiveNoFileComp
				}
				of, names = c, nil
			}
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
			if args[0] == every {
				printGroups(cmd.OutOrStdout(), all)
				fmt.Fprintln(cmd.OutOrStdout(), "\nqats COMMAND --help says more about a command.")
				return nil
			}
			c, rest, err := root.Find(args)
			switch {
			case err != nil || c == root:
				return noSuchCommand(root, args)
			case len(rest) > 0:
				return noSuchCommand(c, rest)
			}
			c.InitDefaultHelpFlag()
			return c.Help()
		},
	}
}
