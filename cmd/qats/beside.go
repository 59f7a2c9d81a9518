package main

import (
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/qats-bench/qats/data"
)

// besideFlags are the flags of arrays beside labels. Those of two sets are named CAL,TEST.
type besideFlags struct {
	weights, groups, folds []string
	normalise              bool
}

// flags declares the flags; those of a command without cross-fitting have no folds.
func (b *besideFlags) flags(cmd *cobra.Command, folds bool) {
	for _, x := range []struct {
		name, help string
		files      *[]string
	}{
		{"weights", "`FILE` of weights", &b.weights},
		{"groups", "`FILE` of groups", &b.groups},
		{"folds", "`FILE` of folds", &b.folds},
	} {
		if x.name == "folds" && !folds {
			continue
		}
		cmd.Flags().StringSliceVar(x.files, x.name, nil, x.help)
		cmd.MarkFlagFilename(x.name, "npy", "npz", "safetensors")
	}
	cmd.Flags().BoolVar(&b.normalise, "normalise-weights", false, "scale weights to sum n")
}

// only returns the arrays of the only set of a command.
func (b *besideFlags) only() (data.Beside, error) {
	sets, err := b.sets([]string{"logits", "labels"})
	if err != nil || len(sets) == 0 {
		return data.Beside{Normalise: b.normalise}, err
	}
	return sets[0], nil
}

// sets returns the arrays of the sets whose logits and labels are args; none where there are none.
func (b *besideFlags) sets(args []string) ([]data.Beside, error) {
	n := max(len(b.weights), len(b.groups), len(b.folds))
	if n == 0 {
		if b.normalise {
			return nil, usage("--normalise-weights scales --weights: name their file; those of a folder or an archive are read as they are")
		}
		return nil, nil
	}
	if len(args) == 1 {
		return nil, usage("--weights, --groups and --folds stand beside files of logits and labels; a folder or an archive has arrays of the names weights, groups and folds")
	}
	if n > len(args)/2 {
		return nil, usage("--weights, --groups and --folds: %s names %d files, and the arrays are of %d", strings.Join(longest(b.weights, b.groups, b.folds), ","), n, len(args)/2)
	}
	sets := make([]data.Beside, n)
	for i := range sets {
		sets[i] = data.Beside{Weights: at(b.weights, i), Groups: at(b.groups, i), Folds: at(b.folds, i), Normalise: b.normalise}
	}
	return sets, nil
}

// at returns element i of a list; empty behind its end.
func at(list []string, i int) string {
	if i >= len(list) {
		return ""
	}
	return list[i]
}

// longest returns the longest of some lists, the first of several.
func longest(lists ...[]string) (most []string) {
	for _, list := range lists {
		if len(list) > len(most) {
			most = list
		}
	}
	return most
}

// besideWords returns the flags that name the arrays.
func besideWords(b data.Beside) (words []string) {
	for _, x := range [][2]string{{"weights", b.Weights}, {"groups", b.Groups}, {"folds", b.Folds}} {
		if x[1] != "" {
			words = append(words, "--"+x[0], filepath.ToSlash(x[1]))
		}
	}
	if b.Normalise && b.Weights != "" {
		words = append(words, "--normalise-weights")
	}
	return words
}
