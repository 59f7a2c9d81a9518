package experiments

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/qats-bench/qats/experiments/spec"
	"github.com/qats-bench/qats/internal/atomicfile"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/page"
)

// Rows are the rows of the files of an output folder, which views are made of. Run
// is nil in the rows of a run: Describe returns it.
type Rows page.Folder

// Write replaces the CSV files in dir; see results.Writer. It makes the folder if there is
// none.
func (r *Rows) Write(dir string) error {
	metrics := results.Distinct(r.Records, func(r results.Record) string { return r.Metric })
	_, err := writeRows(dir, metrics, func(add func(*Rows) error) error { return add(r) })
	return err
}

// writeRows replaces the CSV files in dir by the rows that each passes to add. Where another
// machine has removed an unfinished file, each is called once more.
func writeRows(dir string, metrics []string, each func(add func(*Rows) error) error) (*results.Writer, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	atomicfile.Sweep(dir)
	write := func() (*results.Writer, error) {
		w, err := results.NewWriter(dir, metrics)
		if err != nil {
			return nil, err
		}
		defer w.Abort()
		if err := each(func(r *Rows) error { return w.Write(r.Records, r.Bins, r.Pairs, r.Parameters, r.Times) }); err != nil {
			return nil, err
		}
		return w, w.Commit()
	}
	w, err := write()
	if errors.Is(err, atomicfile.ErrVanished) {
		w, err = write()
	}
	return w, err
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
