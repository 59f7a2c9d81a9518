package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

// goneName is a name that a command had, and the words that take its place.
type goneName struct{ name, now string }

// goneNames are the names that commands had before they were put below others.
func goneNames() []goneName {
	return []goneName{
		{"plan", "qats run -n SPEC"},
		{"demo", "qats try @demo"},
		{"methods", "qats doc methods"},
		{"metrics", "qats doc metrics"},
		{"figures", "qats doc figures"},
		{"spec", "qats doc spec"},
		{"page", "qats report DIR"},
		{"slurm", "qats cluster script SPEC --out DIR"},
		{"status", "qats cluster status DIR"},
		{"reproduce", "qats paper reproduce"},
		{"diff", "qats paper diff"},
		{"audit", "qats paper audit"},
		{"simulate", "qats paper simulate SPEC --out DIR"},
		{"version", "qats --version"},
	}
}

// datasetsNames are the commands that the Python package has in place of the program.
func datasetsNames() []string { return []string{"fetch", "import"} }

// goneCommands answer each of these names with one line. Help and completion do not list them.
func goneCommands() []*cobra.Command {
	var list []*cobra.Command
	for _, g := range goneNames() {
		list = append(list, answering(g.name, func([]string) error { return usage("%s is now: %s", g.name, g.now) }))
	}
	for _, name := range datasetsNames() {
		list = append(list, answering(name, func(args []string) error { return usage("%s", ofPython(name, args)) }))
	}
	return list
}

// answering returns a hidden command that answers with an error, whatever its words are.
func answering(name string, answer func(args []string) error) *cobra.Command {
	return &cobra.Command{
		Use:                name,
		Hidden:             true,
		DisableFlagParsing: true, // the flags are those of another command
		RunE:               func(_ *cobra.Command, args []string) error { return answer(args) },
	}
}

// ofPython names the command of the Python package with the words that were given.
func ofPython(name string, args []string) string {
	line := "python3 -m qatsbench.datasets " + name
	if len(args) > 0 {
		line += " " + quoted(args)
	}
	return fmt.Sprintf("%s is a command of the Python package (pip install './python[datasets]'): %s", name, line)
}
