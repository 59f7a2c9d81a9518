package look

import (
	"context"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/folder"
	"github.com/qats-bench/qats/results"
)

// Given names the arrays of one network before they are read.
type Given struct {
	Setting results.Setting
	Origin  data.Origin
	From    string // the network in words; may be empty

	Cal  Place
	Test *Place // nil where there is one set

	Took []string // which arrays or columns of a file were taken, one line each

	Reading data.Reading // of the table, as a command states it
}

// Name names the network, without a backbone that its place does not name.
func (g *Given) Name() string {
	if g.Setting.Backbone == Unnamed {
		return g.Setting.Dataset
	}
	return g.Setting.Name()
}

// Place is where the arrays of a set are.
type Place struct {
	Name  string     // of the set in findings
	Files data.Files // as a command names them; empty where no command can

	Has   data.Parts                                                       // whose files exist
	Open  func(ctx context.Context, parts data.Parts) (data.Reader, error) // of parts that it has
	Known func(folder.Oddity) (reason string, ok bool)                     // what a manifest says is right; nil without one
}

// placeOf returns the place of files that a user has named.
func placeOf(files data.Files) Place {
	known := func(o folder.Oddity) (string, bool) { return folder.KnownNear(files.Logits, o) }
	return Place{Name: files.Logits, Files: files, Has: files.Parts(), Known: known, Open: func(_ context.Context, parts data.Parts) (data.Reader, error) {
		named := files
		for _, x := range []struct {
			part data.Parts
			path *string
		}{{data.Features, &named.Features}, {data.Augmented, &named.Augmented}, {data.Head, &named.HeadWeight}, {data.Head, &named.HeadBias}, {data.OOD, &named.OOD}} {
			if parts&x.part == 0 {
				*x.path = ""
			}
		}
		return named.Open()
	}}
}

// New returns a network with one set. A backbone that nothing names is Unnamed.
func New(dataset, backbone string, cal Place) *Given {
	return &Given{Setting: results.Setting{Experiment: Experiment, Dataset: dataset, Backbone: backbone, Loss: "ce"}, Origin: data.Measured, Cal: cal}
}
