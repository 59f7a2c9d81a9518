package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/qats-bench/qats"
	"github.com/qats-bench/qats/internal/called"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/results/table"
)

// manualFile is the page that says at length what commands do, with a part for each.
const manualFile = "docs/commands.md"

// manual returns the part of the page of commands about one; it is empty where there is none.
func manual(command string) string {
	page, err := qats.Files.ReadFile(manualFile)
	if err != nil {
		panic(err) // the program carries it
	}
	_, part, _ := strings.Cut(string(page), "\n## "+command+"\n")
	part, _, _ = strings.Cut(part, "\n## ")
	return strings.TrimSpace(part)
}

// hasManual reports whether the page of commands has a part about one.
func hasManual(command string) bool { return manual(command) != "" }

// printManual prints the part about a command, with a heading.
func printManual(w io.Writer, command string) error {
	text := strings.ReplaceAll(manual(command), "`qats ", "`"+called.Command()+" ")
	_, err := fmt.Fprintf(w, "# %s\n\n%s\n", command, text)
	return err
}

// printManuals lists the commands that have a part.
func printManuals(w io.Writer, asJSON bool) error {
	root := newRoot()
	rows := lists.Values(manuals(), func(command string) []string {
		cmd, _, _ := root.Find(strings.Fields(command)) // a test finds each
		return []string{command, cmd.Short}
	})
	if asJSON {
		return table.WriteJSON(w, lists.Values(rows, func(row []string) topicJSON { return topicJSON{row[0], row[1]} }))
	}
	return table.NewList([]string{"COMMAND", "DOES"}, rows).Text(w, widthOf(w))
}

// manuals are the commands that the page of commands is about, in its order.
func manuals() (commands []string) {
	page, _ := qats.Files.ReadFile(manualFile)
	for line := range strings.Lines(string(page)) {
		if command, ok := strings.CutPrefix(line, "## "); ok {
			commands = append(commands, strings.TrimSpace(command))
		}
	}
	return commands
}
