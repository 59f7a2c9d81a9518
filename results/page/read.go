package page

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"sync"

	"github.com/qats-bench/qats/results"
)

// Folder holds the files of an output folder.
type Folder struct {
	Records    []results.Record
	Bins       []results.Bin
	Pairs      []results.Pair
	Parameters []results.Parameter // nil without fits.csv
	Times      []results.Time      // nil without times.csv
	Run        *results.Run        // nil without run.json
}

// Read reads the files of a folder. Only results.csv must exist. Where there is a
// run.json, the rows must be those that it describes.
func Read(dir string) (*Folder, error) {
	var f Folder
	reads := []func() error{
		func() (err error) {
			f.Records, err = results.ReadResults(filepath.Join(dir, "results.csv"))
			if errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("no results.csv in %s: qats run writes it", dir)
			}
			return err
		},
		func() (err error) { f.Bins, err = results.ReadBins(filepath.Join(dir, "bins.csv")); return err },
		func() (err error) { f.Pairs, err = results.ReadPairs(filepath.Join(dir, "pairs.csv")); return err },
		func() (err error) {
			f.Parameters, err = results.ReadParameters(filepath.Join(dir, "fits.csv"))
			return err
		},
		func() (err error) { f.Times, err = results.ReadTimes(filepath.Join(dir, "times.csv")); return err },
		func() (err error) { f.Run, err = results.ReadRun(filepath.Join(dir, "run.json")); return err },
	}
	errs := make([]error, len(reads))
	var wg sync.WaitGroup
	for i, read := range reads {
		wg.Go(func() {
			if errs[i] = read(); errors.Is(errs[i], fs.ErrNotExist) { // of results.csv it is another error
				errs[i] = nil
			}
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return &f, results.CheckRun(dir, f.Records, f.Bins, f.Pairs)
}
