package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
)

// next prints the command to type next, on standard error: what a command prints on
// standard output is its result.
func next(cmd *cobra.Command, words ...string) {
	var b strings.Builder
	for _, w := range words {
		if w == "" {
			continue
		}
		if strings.ContainsAny(w, " \t'\"\\$*?&;|<>()") {
			w = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
		b.WriteString(" " + w)
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "next: qats%s\n", b.String())
}

// flagsOf returns the flags --data and --out with their values, where they are not the
// defaults, for the next command.
func (p *places) flagsOf() []string {
	var words []string
	for _, dir := range p.data {
		words = append(words, "--data", dir)
	}
	return append(words, outFlag(p.out)...)
}

// outFlag returns --out DIR, or nothing for the default folder.
func outFlag(dir string) []string {
	if filepath.Clean(dir) == filepath.Join("results", "out") {
		return nil
	}
	return []string{"--out", dir}
}
