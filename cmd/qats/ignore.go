package main

import (
	"github.com/spf13/cobra"

	"github.com/qats-bench/qats/data"
)

// ignored is a flag of labels.
type ignored struct{ list *data.Ignore }

// ignoreFlag declares --ignore.
func ignoreFlag(cmd *cobra.Command, list *data.Ignore) {
	cmd.Flags().Var(ignored{list}, "ignore", "`LABELS` of rows without a class, which are left out, such as 11,255 (default 255, if no class has it)")
}

func (i ignored) String() string { return i.list.String() }
func (ignored) Type() string     { return "labels" }

func (i ignored) Set(text string) (err error) {
	*i.list, err = data.ParseIgnore(text)
	return err
}
