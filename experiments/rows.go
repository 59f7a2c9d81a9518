package experiments

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/qats-bench/qats/experiments/spec"
	"github.com/qats-bench/qats/internal/atomicfile"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/page"
)

// Rows are the rows of the files of an output folder, which views are made of. Run
// is nil in the rows of a run: Describe returns it.
type Rows page.Folder

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

// ReadRows reads the rows of a folder as page.Read does. bins.csv and pairs.csv must exist:
// without them views and comparisons would lack numbers and not say why.
func ReadRows(dir string) (*Rows, error) {
	f, err := page.Read(dir, "bins.csv", "pairs.csv")
	return (*Rows)(f), err
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
	known := results.Distinct(r.Records, func(x results.Record) string { return x.Dataset })
	wanted, err := spec.MatchDatasets(datasets, known)
	if err != nil {
		return nil, fmt.Errorf("no rows of the dataset %w", err)
	}
	return r.where(func(c results.Setting, _ string) bool { return slices.Contains(wanted, c.Dataset) }), nil
}

// where returns the rows whose cell and source satisfy keep. It keeps all
// Parameters and Run.
func (r *Rows) where(keep func(c results.Setting, source string) bool) *Rows {
	kept := *r
	kept.Records = results.Where(r.Records, func(x results.Record) bool { return keep(x.Setting, x.Source) })
	kept.Bins = results.Where(r.Bins, func(x results.Bin) bool { return keep(x.Setting, x.Source) })
	kept.Pairs = results.Where(r.Pairs, func(x results.Pair) bool { return keep(x.Setting, x.Source) })
	kept.Times = results.Where(r.Times, func(x results.Time) bool { return keep(x.Setting, x.Source) })
	return &kept
}
