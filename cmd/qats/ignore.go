package main

import (
	"github.com/spf13/cobra"

	"github.com/qats-bench/qats/data"
)

// ignored is a flag of labels.
type ignored struct{ list *data.Ignore }

// ignoreFlag declares --ignore.
func ignoreFlag(cmd *cobra.Command, list *data.Ignore) {
	cmd.Flags().Var(ignored{list}, "ignore", "labels of rows that have no class and are left out, such as 255 or 11,255; without this flag 255, if no class has that number")
}

func (i ignored) String() string { return i.list.String() }
func (ignored) Type() string     { return "labels" }

func (i ignored) Set(text string) (err error) {
	*i.list, err = data.ParseIgnore(text)
	return err
}
