package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/qats-bench/qats/internal/called"
)

// goneName is a name that a command had, and the words that take its place.
type goneName struct{ name, now string }

// goneNames are the names that commands had before they were put below others.
func goneNames() []goneName {
	return []goneName{
		{"plan", called.Command() + " run -n SPEC"},
		{"demo", called.Command() + " try @demo"},
		{"methods", called.Command() + " doc methods"},
		{"metrics", called.Command() + " doc metrics"},
		{"figures", called.Command() + " doc figures"},
		{"spec", called.Command() + " doc spec"},
		{"page", called.Command() + " report DIR"},
		{"slurm", called.Command() + " cluster script SPEC --out DIR"},
		{"status", called.Command() + " cluster status DIR"},
		{"reproduce", called.Command() + " paper reproduce"},
		{"diff", called.Command() + " paper diff"},
		{"audit", called.Command() + " paper audit"},
		{"simulate", called.Command() + " paper simulate SPEC --out DIR"},
		{"version", called.Command() + " --version"},
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
