package main

import (
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/qats-bench/qats/data"
)

// readingFlags are the flags that say what the columns of a table are. Where --confidence names a
// file, that of a column is --confidence-column.
type readingFlags struct {
	reading data.Reading
	classes []string // columns, or the number of classes
}

// flags declares the flags of which the command has none yet.
func (r *readingFlags) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	for _, x := range []struct {
		name, help string
		title      *string
	}{
		{"label", "`COLUMN` of labels", &r.reading.Label},
		{"confidence", "`COLUMN` of P(predicted class)", &r.reading.Confidence},
		{"prediction", "`COLUMN` of predictions", &r.reading.Prediction},
		{"group", "`COLUMN` of groups", &r.reading.Group},
		{"weight", "`COLUMN` of weights", &r.reading.Weight},
		{"fold", "`COLUMN` of folds", &r.reading.Fold},
		{"split", "`COLUMN` of cal or test", &r.reading.Split},
	} {
		if f.Lookup(x.name) != nil {
			x.name += "-column" // --confidence names a file
		}
		f.StringVar(x.title, x.name, "", x.help)
		if cmd.Name() != "try" {
			f.MarkHidden(x.name) // try prints the command that needs it
		}
	}
	if f.Lookup("classes") == nil {
		f.StringSliceVar(&r.classes, "classes", nil, "`COLUMNS` of scores, such as 'p_*'; or number of classes of a confidence alone")
	}
}

// ofTable returns an error if columns or labels that are names are stated, and no file is a table.
func (r *readingFlags) ofTable(files ...string) error {
	if !r.reading.Stated() || slices.ContainsFunc(files, func(name string) bool { file, _, _ := strings.Cut(name, "#"); return isTable(file) }) {
		return nil
	}
	if len(r.reading.Ignore) > 0 {
		return usage("--ignore %s: labels that are names are those of a table, and no file is one: want a label, such as 255, or several, such as 11,255", strings.Join(r.reading.Ignore, ","))
	}
	return usage("--label, --classes, --prediction, --group, --weight, --fold and --split say what the columns of a table are, and no file is one")
}

// number returns the number of classes that --classes states, 0 for none, and takes its columns.
func (r *readingFlags) number() (int, error) {
	if len(r.classes) == 1 {
		if k, err := strconv.Atoi(r.classes[0]); err == nil {
			if k < 2 {
				return 0, usage("--classes %d: want 2 or more", k)
			}
			return k, nil
		}
	}
	r.reading.Classes = r.classes
	return 0, nil
}

// readingWords returns the flags that state a reading for fit.
func readingWords(x data.Reading) (words []string) {
	for _, f := range [][2]string{{"label", x.Label}, {"confidence-column", x.Confidence}, {"prediction", x.Prediction}, {"group", x.Group}, {"weight", x.Weight}, {"fold", x.Fold}, {"split", x.Split}} {
		if f[1] != "" {
			words = append(words, "--"+f[0], f[1])
		}
	}
	for _, c := range x.Classes {
		words = append(words, "--classes", c)
	}
	for _, l := range x.Ignore {
		words = append(words, "--ignore", l)
	}
	return words
}

// classesFlag is --classes of a command that reads files of arrays: the number of classes of a confidence alone, or
// columns of a table.
type classesFlag struct {
	number  *int
	columns *[]string
}

func (c classesFlag) String() string {
	if c.number == nil || *c.number == 0 {
		return ""
	}
	return strconv.Itoa(*c.number)
}

func (classesFlag) Type() string { return "classes" }

func (c classesFlag) Set(text string) error {
	if k, err := strconv.Atoi(text); err == nil {
		*c.number = k
		return nil
	}
	*c.columns = append(*c.columns, strings.Split(text, ",")...)
	return nil
}

// input returns the files that a command reads, with what is stated of their columns.
func (r *readingFlags) input(cmd *cobra.Command, m memory) *data.InputFS {
	in := arrayInput(cmd, m)
	in.StateReading(r.reading)
	return in
}
