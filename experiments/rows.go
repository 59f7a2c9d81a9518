package experiments

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/qats-bench/qats/experiments/spec"
	"github.com/qats-bench/qats/internal/atomicfile"
	"github.com/qats-bench/qats/results"
)

// Rows are the rows of the three files that views are made of, and the times of
// times.csv, where it exists. Only a run has Parameters, the rows of fits.csv, which
// the page reads.
type Rows struct {
	Records    []results.Record
	Bins       []results.Bin
	Pairs      []results.Pair
	Parameters []results.Parameter
	Times      []results.Time
}

// Write replaces results.csv, bins.csv, pairs.csv, fits.csv and times.csv in dir, and
// results-wide.csv, which holds the values of results.csv in wide form. It makes
// the folder if there is none.
//
// results.csv is the first. If the process is killed before the last file and
// run.json are written, the keys in results.csv are not those in run.json, and
// readers notice it (results.CheckRun).
func (r *Rows) Write(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	atomicfile.Sweep(dir)
	if err := results.WriteResults(filepath.Join(dir, "results.csv"), r.Records); err != nil {
		return err
	}
	return errors.Join(
		results.WriteWide(filepath.Join(dir, "results-wide.csv"), r.Records),
		results.WriteBins(filepath.Join(dir, "bins.csv"), r.Bins),
		results.WritePairs(filepath.Join(dir, "pairs.csv"), r.Pairs),
		results.WriteParameters(filepath.Join(dir, "fits.csv"), r.Parameters),
		results.WriteTimes(filepath.Join(dir, "times.csv"), r.Times),
	)
}

// ReadRows reads results.csv, bins.csv and pairs.csv, and times.csv if there is one,
// and compares the first three with run.json where there is one.
func ReadRows(dir string) (*Rows, error) {
	var all Rows
	var err1, err2, err3, err4 error
	all.Records, err1 = results.ReadResults(filepath.Join(dir, "results.csv"))
	all.Bins, err2 = results.ReadBins(filepath.Join(dir, "bins.csv"))
	all.Pairs, err3 = results.ReadPairs(filepath.Join(dir, "pairs.csv"))
	if all.Times, err4 = results.ReadTimes(filepath.Join(dir, "times.csv")); errors.Is(err4, fs.ErrNotExist) {
		err4 = nil
	}
	if errors.Is(err1, fs.ErrNotExist) {
		return nil, fmt.Errorf("no results.csv in %s: qats run writes it", dir)
	}
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		return nil, err
	}
	return &all, results.CheckRun(dir, all.Records, all.Bins, all.Pairs)
}

// Append appends the rows of another run.
func (r *Rows) Append(other *Rows) {
	r.Records = append(r.Records, other.Records...)
	r.Bins = append(r.Bins, other.Bins...)
	r.Pairs = append(r.Pairs, other.Pairs...)
	r.Parameters = append(r.Parameters, other.Parameters...)
	r.Times = append(r.Times, other.Times...)
}

// Of returns the rows of one experiment.
func (r *Rows) Of(experiment string) *Rows {
	return r.where(func(c results.Setting, _ string) bool { return c.Experiment == experiment })
}

// OfDatasets returns the rows of datasets. A dataset without rows is an error.
func (r *Rows) OfDatasets(datasets []string) (*Rows, error) {
	var known []string
	for _, row := range r.Records {
		if !slices.Contains(known, row.Dataset) {
			known = append(known, row.Dataset)
		}
	}
	wanted, err := spec.MatchDatasets(datasets, known)
	if err != nil {
		return nil, fmt.Errorf("no rows of the dataset %w", err)
	}
	return r.where(func(c results.Setting, _ string) bool { return slices.Contains(wanted, c.Dataset) }), nil
}

// where returns the rows whose cell and source satisfy keep.
func (r *Rows) where(keep func(c results.Setting, source string) bool) *Rows {
	return &Rows{
		Records: results.Where(r.Records, func(x results.Record) bool { return keep(x.Setting, x.Source) }),
		Bins:    results.Where(r.Bins, func(x results.Bin) bool { return keep(x.Setting, x.Source) }),
		Pairs:   results.Where(r.Pairs, func(x results.Pair) bool { return keep(x.Setting, x.Source) }),
		Times:   results.Where(r.Times, func(x results.Time) bool { return keep(x.Setting, x.Source) }),
	}
}
