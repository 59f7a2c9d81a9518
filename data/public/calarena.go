package public

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/internal/hdf5"
	"github.com/qats-bench/qats/internal/inputfile"
)

// calarena reads the HDF5 files of CalArena's generate_*_benchmarks.py: a group
// {dataset}/{model} with probas_cal, probas_test (n x k float32, or n for the second
// of two classes) and labels_cal, labels_test (n int32).
var calarena = Format{
	Name: "calarena", Title: "CalArena (Berta et al., 2026)",
	Files: "its *.h5 files, such as cv-multiclass.h5", read: readCalArena,
}

func readCalArena(ctx context.Context, in *input) error {
	for _, file := range in.files {
		err := in.readArena(ctx, file)
		var done *located
		switch {
		case errors.As(err, &done):
			return done.error
		case err != nil:
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	return nil
}

// located is an error that names its file already.
type located struct{ error }

func (in *input) readArena(ctx context.Context, file string) error {
	r, err := os.Open(file)
	if err != nil {
		return inputfile.Cause(err)
	}
	defer r.Close()
	info, err := r.Stat()
	if err != nil {
		return inputfile.Cause(err)
	}
	f, err := hdf5.Open(r, info.Size())
	if err != nil {
		return err
	}
	sets, err := f.Members("")
	if err != nil {
		return err
	}
	benchmark := strings.TrimSuffix(base(file), ".h5")
	for _, set := range sets {
		models, err := f.Members(set)
		if err != nil {
			return err
		}
		for _, model := range models {
			if err := ctx.Err(); err != nil {
				return err
			}
			if !in.keeps(set, model) {
				continue
			}
			n := &network{dataset: datasetName(set), backbone: backboneName(model), kind: data.KindProbs,
				from: "CalArena's networks (" + benchmark + ")", sources: []string{file}}
			for _, s := range []struct {
				name string
				*split
			}{{"cal", &n.cal}, {"test", &n.test}} {
				if err := readGroup(f, set+"/"+model, s.name, s.split); err != nil {
					return err
				}
			}
			n.training = "CalArena's training"
			if err := in.add(n); err != nil {
				return &located{err}
			}
		}
	}
	if len(in.networks) == 0 && len(in.Select) > 0 {
		return fmt.Errorf("no group matches %s (the data sets are %s)", strings.Join(in.Select, ", "), strings.Join(sets, ", "))
	}
	return nil
}

// readGroup reads probas_<name> and labels_<name> of a group.
func readGroup(f *hdf5.File, group, name string, s *split) error {
	at := group + "/probas_" + name
	a, err := f.Read(at)
	if err != nil {
		return err
	}
	if s.scores, err = tableOf(a); err != nil {
		return fmt.Errorf("/%s: %w", at, err)
	}
	s.scores = s.scores.twoClasses()
	at = group + "/labels_" + name
	if a, err = f.Read(at); err != nil {
		return err
	}
	if s.labels, err = labelsOf(a); err != nil {
		return fmt.Errorf("/%s: %w", at, err)
	}
	return nil
}
