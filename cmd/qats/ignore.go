package main

import (
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/qats-bench/qats/data"
)

// ignored is a flag of labels.
type ignored struct {
	list  *data.Ignore
	names *[]string // labels of tables that are names
}

// ignoreFlag declares --ignore. Labels that are names go to names.
func ignoreFlag(cmd *cobra.Command, list *data.Ignore, names *[]string) {
	cmd.Flags().Var(ignored{list, names}, "ignore", "`LABELS` of rows without a class, which are left out, such as 11,unknown (default 255, if no class has it)")
}

func (i ignored) String() string {
	if i.list == nil {
		return ""
	}
	return i.list.String()
}
func (ignored) Type() string { return "labels" }

func (i ignored) Set(text string) (err error) {
	var numbers []string
	for word := range strings.SplitSeq(text, ",") {
		if word = strings.TrimSpace(word); isInteger(word) {
			numbers = append(numbers, word)
		} else {
			*i.names = append(*i.names, word)
		}
	}
	if len(numbers) > 0 {
		*i.list, err = data.ParseIgnore(strings.Join(numbers, ","))
	}
	return err
}

// isInteger reports whether a label is a number.
func isInteger(text string) bool {
	_, err := strconv.ParseInt(text, 10, 64)
	return err == nil
}
