package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/metrics"
	"github.com/spf13/cobra"
)

func methodsCommand() *cobra.Command {
	var page bool
	cmd := &cobra.Command{
		Use:   "methods",
		Short: "List the registered calibrators, what each needs, and its reference",
		Long: `methods lists the registered calibrators, what each needs, and its reference.
A spec can name two more methods: external, a program in any language, and
precomputed, probabilities in files. docs/new-calibrator.md shows both.

With --page it prints every calibrator and metric as Markdown: formula, arrays, code
compared with, agreement, departures. docs/methods.md is this page.`,
		Example: "  qats methods\n  qats methods --page > docs/methods.md",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if page {
				return writePage(cmd.OutOrStdout())
			}
			w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			fmt.Fprintln(w, "METHOD\tNEEDS\tKEEPS TOP 1\tSUMMARY\tREFERENCE")
			for _, e := range calib.Registry() {
				c := e.Method.Contract()
				keeps := "yes"
				if !c.KeepsTop1 {
					keeps = "no"
				}
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", e.Name, needs(c), keeps, e.Summary+optionsOf(e), e.Reference)
			}
			return w.Flush()
		},
	}
	cmd.Flags().BoolVar(&page, "page", false, "print docs/methods.md: all calibrators and metrics with formulas, as Markdown")
	return cmd
}

// optionsOf lists the options of a method with their defaults.
func optionsOf(e calib.Entry) string {
	var list []string
	for _, o := range e.Options() {
		def := "from the data"
		if o.Default != nil {
			def = fmt.Sprint(o.Default)
		}
		list = append(list, fmt.Sprintf("%s (%s)", o.Name, def))
	}
	switch len(list) {
	case 0:
		return ""
	case 1:
		return "; option " + list[0]
	}
	return "; options " + strings.Join(list, ", ")
}

// needs lists the arrays that a contract names.
func needs(c calib.Contract) string {
	var list []string
	for _, n := range []struct {
		set   string
		parts interface{ String() string }
	}{{"cal", c.Cal}, {"test", c.Test}, {"target", c.Target}} {
		if s := n.parts.String(); s != "none" {
			list = append(list, n.set+" "+s)
		}
	}
	if c.TrueLogits {
		list = append(list, "true logits")
	}
	return strings.Join(list, ", ")
}

func metricsCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "metrics",
		Short:   "List the registered metrics",
		Example: "  qats metrics",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			fmt.Fprintln(w, "METRIC\tYIELDS\tBETTER\tSUMMARY\tREFERENCE")
			for _, e := range metrics.Registry() {
				better := string(e.Better)
				if e.Better == metrics.Neutral {
					better = "-"
				}
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", e.Name, strings.Join(e.Names(), " "), better, e.Summary, e.Reference)
			}
			return w.Flush()
		},
	}
}
