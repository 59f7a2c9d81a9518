package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/qats-bench/qats/experiments/spec"
)

// choice is a flag whose value is one of some words, in any case.
type choice[T ~string] struct {
	value *T
	known []string
}

// choiceFlag declares a choice and its completion. *value is the default.
func choiceFlag[T ~string](cmd *cobra.Command, value *T, name string, known []T, help string) {
	c := choice[T]{value: value}
	for _, word := range known {
		c.known = append(c.known, string(word))
	}
	cmd.Flags().Var(c, name, help)
	cmd.RegisterFlagCompletionFunc(name, oneOf(c.known))
}

func (c choice[T]) String() string { return string(*c.value) }
func (choice[T]) Type() string     { return "string" }

func (c choice[T]) Set(text string) error {
	match, ok := spec.Match(text, c.known)
	if !ok {
		last := len(c.known) - 1
		return fmt.Errorf("give %s or %s", strings.Join(c.known[:last], ", "), c.known[last])
	}
	*c.value = T(match)
	return nil
}
