package main

import (
	"slices"
	"testing"

	"github.com/spf13/cobra"

	"github.com/qats-bench/qats/plots"
)

// TestFigureFormatsAdd: the first --figure-format replaces the default, and others add
// to it.
func TestFigureFormatsAdd(t *testing.T) {
	for _, c := range []struct{ args, want []string }{
		{nil, []string{"svg", "pdf"}},
		{[]string{"--figure-format", "png"}, []string{"png"}},
		{[]string{"--figure-format", "png,svg", "--figure-format=pgf"}, []string{"png", "svg", "pgf"}},
	} {
		var f []plots.Format
		cmd := &cobra.Command{}
		figureFormats(cmd, &f)
		if err := cmd.ParseFlags(c.args); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, format := range []plots.Format(f) {
			got = append(got, string(format))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.args, got, c.want)
		}
	}
}

// TestEmptyArguments: an empty --figure, as of an unset variable, draws nothing, and an
// empty folder is no folder.
func TestEmptyArguments(t *testing.T) {
	var f figureFile
	if err := f.Set(""); err != nil || f != "" {
		t.Errorf("%q, %v", f, err)
	}
	if initCommand().Args(nil, []string{""}) == nil {
		t.Error("init took an empty folder")
	}
}

func TestGivenFlagsKeepTheirValues(t *testing.T) {
	cmd := &cobra.Command{}
	f := cmd.Flags()
	f.String("out", "results", "")
	f.StringSlice("dataset", nil, "")
	f.StringArray("data", nil, "")
	f.Bool("quick", false, "")
	f.Int("workers", 1, "")
	args := []string{"--out", "res[1]", "--dataset", "a,[b]", "--data", "x", "--data", "[y]", "--quick"}
	if err := cmd.ParseFlags(args); err != nil {
		t.Fatal(err)
	}
	if got := given(cmd, "out", "dataset", "data", "quick", "workers"); !slices.Equal(got, args) {
		t.Errorf("%q, want %q", got, args)
	}
}
