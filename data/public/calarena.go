package public

import (
	"context"
	"fmt"
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
	var all []string // data sets of all files
	for _, file := range in.files {
		sets, err := in.readArena(ctx, file)
		all = append(all, sets...)
		if err != nil {
			return err
		}
	}
	if len(in.networks) == 0 && len(in.Select) > 0 {
		return fmt.Errorf("%s: no group matches %s (the data sets are %s)", strings.Join(in.files, ", "), strings.Join(in.Select, ", "), strings.Join(all, ", "))
	}
	return nil
}

// readArena adds the networks of a file, and returns the names of its data sets.
func (in *input) readArena(ctx context.Context, file string) (sets []string, err error) {
	r, info, err := inputfile.Open(file)
	if err != nil {
		return nil, clean(file, err)
	}
	defer r.Close()
	f, err := hdf5.Open(r, info.Size())
	if err != nil {
		return nil, clean(file, err)
	}
	sets, err = f.Members("")
	if err != nil {
		return nil, clean(file, err)
	}
	benchmark := strings.TrimSuffix(base(file), ".h5")
	for _, set := range sets {
		models, err := f.Members(set)
		if err != nil {
			return nil, clean(file, err)
		}
		for _, model := range models {
			if err := ctx.Err(); err != nil {
				return nil, err
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
					return nil, clean(file, err)
				}
			}
			n.training = "CalArena's training"
			if err := in.add(n); err != nil {
				return nil, err
			}
		}
	}
	return sets, nil
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
