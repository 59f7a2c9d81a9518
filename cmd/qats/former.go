package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/qats-bench/qats/internal/called"
	"github.com/qats-bench/qats/internal/english"
	"github.com/qats-bench/qats/internal/lists"
)

// former is a command or a flag of an earlier release, and what takes its place. One that still works is
// hidden from help and completion, and says so in one line on standard error.
type former struct {
	command string // that has the flag; empty for a command
	old     string // its name, a flag with its dashes
	now     string // the words that take its place; VALUE in them is the value of the flag
	gone    bool   // an error, which names what takes its place
	bare    bool   // the flag without a value, which it needs now

	value func(string) (string, error) // what VALUE is; nil for the value itself
}

// formers are the names of earlier releases.
func formers() []former {
	return []former{
		{old: "submit", now: "board submit"},
		{old: "verify", now: "board verify"},
		{old: "leaderboard", now: "board page"},
		{old: "plan", now: "run -n SPEC", gone: true},
		{old: "demo", now: "try @demo", gone: true},
		{old: "methods", now: "doc methods", gone: true},
		{old: "metrics", now: "doc metrics", gone: true},
		{old: "figures", now: "doc figures", gone: true},
		{old: "spec", now: "doc spec", gone: true},
		{old: "page", now: "report DIR", gone: true},
		{old: "slurm", now: "cluster script SPEC --out DIR", gone: true},
		{old: "status", now: "cluster status DIR", gone: true},
		{old: "reproduce", now: "paper reproduce", gone: true},
		{old: "diff", now: "paper diff", gone: true},
		{old: "audit", now: "paper audit", gone: true},
		{old: "simulate", now: "paper simulate SPEC --out DIR", gone: true},
		{old: "version", now: "--version", gone: true},

		{command: "try", old: "--methods", now: "--method VALUE"},
		{command: "board submit", old: "--parameter", now: "--param VALUE"},
		{command: "board submit", old: "--to", now: "--entries VALUE"},
		{command: "score", old: "--interval", now: "--interval standard", bare: true},
		{command: "compare", old: "--all", now: "--full"},
		{command: "compare", old: "--explain", now: "--full"},
		{command: "compare", old: "--latex", now: "--full=VALUE", value: fullTable},
		{command: "compare", old: "--dataset", now: "--only dataset=VALUE"},
		{command: "compare", old: "--domain", now: "--only domain=VALUE"},
		{command: "compare", old: "--experiment", now: "--only experiment=VALUE"},
		{command: "compare", old: "--variant", now: "--only variant=VALUE"},
		{command: "compare", old: "--table", now: "--from VALUE"},
		{command: "compare", old: "--setting", now: "--columns setting=VALUE", value: joinedByPlus},
		{command: "compare", old: "--value", now: "--columns value=VALUE"},
		{command: "compare", old: "--method-column", now: "--columns method=VALUE"},
	}
}

// joinedByPlus is a list of columns as --columns has it.
func joinedByPlus(list string) (string, error) { return strings.ReplaceAll(list, ",", "+"), nil }

// fullTable reports whether --latex asks for full tables.
func fullTable(form string) (string, error) {
	switch form {
	case "full":
		return "true", nil
	case "compact":
		return "false", nil
	}
	return "", errors.New("give compact or full")
}

// datasetsNames are the commands that the Python package has in place of the program.
func datasetsNames() []string { return []string{"fetch", "import"} }

// addFormers adds the former names to the commands. Help and completion do not list them.
func addFormers(root *cobra.Command) {
	for _, f := range formers() {
		switch {
		case f.bare: // renewed replaces it
		case f.command != "":
			cmd, _, _ := root.Find(strings.Fields(f.command)) // a test finds each
			f.addFlag(cmd)
		case f.gone:
			root.AddCommand(answering(f.old, func([]string) error { return usage("%s is now: %s %s", f.old, called.Command(), f.now) }))
		}
	}
	for _, name := range datasetsNames() {
		root.AddCommand(answering(name, func(args []string) error { return usage("%s", ofPython(name, args)) }))
	}
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

// renewed returns the arguments of the program with the new words of former commands and of flags without
// the value that they need now, and these.
func renewed(args []string) ([]string, []former) {
	at := 0
	for at < len(args) && (strings.HasPrefix(args[at], "-") || args[at] == "help") {
		if args[at] == "--errors" { // the only flag before a command that has a value
			at++
		}
		at++
	}
	if at >= len(args) {
		return args, nil
	}
	var typed []former
	for _, f := range formers() {
		switch {
		case f.command == "" && !f.gone && f.old == args[at]:
			args, typed = slices.Concat(args[:at], strings.Fields(f.now), args[at+1:]), append(typed, f)
		case f.bare && f.command == args[at]:
			if i := bareFlag(args, f.old); i >= 0 {
				args, typed = slices.Concat(args[:i], strings.Fields(f.now), args[i+1:]), append(typed, f)
			}
		}
	}
	return args, typed
}

// bareFlag returns the place of a flag without a value among arguments; -1 where there is none.
func bareFlag(args []string, flag string) int {
	for i, arg := range args {
		switch {
		case arg == "--":
			return -1
		case arg == flag && (i+1 == len(args) || strings.HasPrefix(args[i+1], "-")):
			return i
		}
	}
	return -1
}

// formerFlag is the value of a former flag. It sets the flag that takes its place.
type formerFlag struct {
	former
	flags *pflag.FlagSet
}

func (f formerFlag) String() string { return "" }
func (f formerFlag) Type() string   { return "string" }

func (f formerFlag) Set(value string) error {
	if f.value != nil {
		var err error
		if value, err = f.value(value); err != nil {
			return err
		}
	}
	name, text := f.target()
	if text != "" {
		value = strings.ReplaceAll(text, "VALUE", value)
	}
	return f.flags.Set(name, value)
}

// target returns the flag that takes the place of a former one, and its value.
func (f former) target() (name, value string) {
	at := max(strings.IndexAny(f.now, " ="), 0)
	if at == 0 {
		return strings.TrimPrefix(f.now, "--"), ""
	}
	return strings.TrimPrefix(f.now[:at], "--"), f.now[at+1:]
}

// addFlag adds a former flag to its command.
func (f former) addFlag(cmd *cobra.Command) {
	name, _ := f.target()
	flag := cmd.Flags().VarPF(formerFlag{f, cmd.Flags()}, strings.TrimPrefix(f.old, "--"), "", "")
	if flag.Hidden = true; f.value == nil {
		flag.NoOptDefVal = cmd.Flags().Lookup(name).NoOptDefVal
	}
}

// formersKey is the key of the value of a context that has the former commands that were typed.
type formersKey struct{}

// tellFormers says, in one line, which words of a command have new ones.
func tellFormers(cmd *cobra.Command) {
	typed, _ := cmd.Context().Value(formersKey{}).([]former)
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		if f, ok := flag.Value.(formerFlag); ok {
			typed = append(typed, f.former)
		}
	})
	if len(typed) == 0 {
		return
	}
	list := lists.Values(typed, func(f former) string { return f.old + " is now " + f.now })
	warn(cmd.ErrOrStderr(), newTextWarning(english.List(list)+"; the old words are errors after this release"))
}

// withFormers returns a context that has the former commands that were typed.
func withFormers(ctx context.Context, typed []former) context.Context {
	return context.WithValue(ctx, formersKey{}, typed)
}
