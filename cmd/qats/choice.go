package main

import (
	"fmt"
	"strings"

	"github.com/qats-bench/qats/data/keyed"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// choice is a flag whose value is one of some words, in any case.
type choice[T ~string] struct {
	value *T
	known []string
}

// choiceFlag declares a choice and its completion. *value is the default.
func choiceFlag[T ~string](cmd *cobra.Command, value *T, name string, known []T, help string) {
	addChoice(cmd, cmd.Flags(), value, name, known, help)
}

// persistentChoice is choiceFlag for a command and those below it.
func persistentChoice[T ~string](cmd *cobra.Command, value *T, name string, known []T, help string) {
	addChoice(cmd, cmd.PersistentFlags(), value, name, known, help)
}

func addChoice[T ~string](cmd *cobra.Command, flags *pflag.FlagSet, value *T, name string, known []T, help string) {
	c := choice[T]{value: value}
	for _, word := range known {
		c.known = append(c.known, string(word))
	}
	flags.Var(c, name, help+": "+c.words())
	cmd.RegisterFlagCompletionFunc(name, oneOf(func() []string { return c.known }))
}

// words are the words that the flag takes.
func (c choice[T]) words() string {
	last := len(c.known) - 1
	return strings.Join(c.known[:last], ", ") + " or " + c.known[last]
}

func (c choice[T]) String() string { return string(*c.value) }
func (choice[T]) Type() string     { return "string" }

func (c choice[T]) Set(text string) error {
	match, ok := keyed.Match(text, c.known)
	if !ok {
		return fmt.Errorf("give %s", c.words())
	}
	*c.value = T(match)
	return nil
}
