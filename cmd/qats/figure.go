package main

import (
	"fmt"
	"strings"

	"github.com/qats-bench/qats/plots"
	"github.com/spf13/cobra"
)

// figureFormats is the flag --figure-format.
type figureFormats struct{ names []string }

func (f *figureFormats) flag(cmd *cobra.Command) {
	var all []string
	for _, format := range plots.Formats() {
		all = append(all, string(format))
	}
	cmd.Flags().StringSliceVar(&f.names, "figure-format", []string{string(plots.SVG), string(plots.PDF)},
		"formats of figures, of "+strings.Join(all, ", ")+"; pgf is LaTeX code whose text has the font of the paper that includes it")
}

// read returns the formats.
func (f *figureFormats) read() ([]plots.Format, error) {
	formats, err := plots.ParseFormats(f.names)
	if err != nil {
		return nil, fmt.Errorf("--figure-format: %w", err)
	}
	return formats, nil
}
