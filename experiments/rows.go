package experiments

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/qats-bench/qats/results"
)

// Rows are the rows of the three files that views are made of.
type Rows struct {
	Records []results.Record
	Bins    []results.Bin
	Pairs   []results.Pair
}

// Write replaces results.csv, bins.csv and pairs.csv in dir, which is made.
func (r *Rows) Write(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	var errs [3]error
	var wait sync.WaitGroup
	wait.Go(func() { errs[0] = results.WriteResults(filepath.Join(dir, "results.csv"), r.Records) })
	wait.Go(func() { errs[1] = results.WriteBins(filepath.Join(dir, "bins.csv"), r.Bins) })
	wait.Go(func() { errs[2] = results.WritePairs(filepath.Join(dir, "pairs.csv"), r.Pairs) })
	wait.Wait()
	return errors.Join(errs[:]...)
}

// ReadRows reads what Write wrote.
func ReadRows(dir string) (*Rows, error) {
	var all Rows
	var err1, err2, err3 error
	all.Records, err1 = results.ReadResults(filepath.Join(dir, "results.csv"))
	all.Bins, err2 = results.ReadBins(filepath.Join(dir, "bins.csv"))
	all.Pairs, err3 = results.ReadPairs(filepath.Join(dir, "pairs.csv"))
	if errors.Is(err1, fs.ErrNotExist) {
		return nil, fmt.Errorf("no results.csv in %s: qats run writes it", dir)
	}
	return &all, errors.Join(err1, err2, err3)
}

// Of returns the rows of one experiment.
func (r *Rows) Of(experiment string) *Rows {
	var of Rows
	for _, r := range r.Records {
		if r.Experiment == experiment {
			of.Records = append(of.Records, r)
		}
	}
	for _, b := range r.Bins {
		if b.Experiment == experiment {
			of.Bins = append(of.Bins, b)
		}
	}
	for _, p := range r.Pairs {
		if p.Experiment == experiment {
			of.Pairs = append(of.Pairs, p)
		}
	}
	return &of
}
