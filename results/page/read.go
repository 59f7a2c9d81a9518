package page

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"sync"

	"github.com/qats-bench/qats/results"
)

// Folder holds the files of an output folder.
type Folder struct {
	Records    []results.Record
	Bins       []results.Bin       // nil without bins.csv
	Pairs      []results.Pair      // nil without pairs.csv
	Parameters []results.Parameter // nil without fits.csv
	Times      []results.Time      // nil without times.csv
	Run        *results.Run        // nil without run.json
}

// mostSettings is the largest number of settings of a page with all it can show.
const mostSettings = 5000

// Read reads the files of a folder. results.csv must exist, and the files that are named
// as needed. Where there is a run.json, the rows must be those that it describes.
func Read(dir string, needed ...string) (*Folder, error) { return read(dir, false, needed) }

// ReadShown is Read without what a page of more than 5,000 settings leaves out, which takes
// most of the memory.
func ReadShown(dir string) (*Folder, error) {
	run, err := results.ReadRun(filepath.Join(dir, "run.json"))
	return read(dir, err == nil && run.Counts.Settings > mostSettings, nil)
}

// read reads the files. It leaves out bins, fitted parameters, and keys but the first of each
// method on each setting if the folder is large.
func read(dir string, large bool, needed []string) (*Folder, error) {
	var f Folder
	var keys string
	var rows results.RunRows
	reads := []struct {
		name string
		read func(path string) error
	}{
		{"results.csv", func(path string) (err error) {
			if large {
				f.Records, keys, err = results.ReadFirstKeys(path)
			} else {
				f.Records, err = results.ReadResults(path)
				keys = results.KeysDigest(f.Records)
			}
			rows.Results = len(f.Records)
			if errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("no results.csv in %s: qats run writes it", dir)
			}
			return err
		}},
		{"bins.csv", func(path string) (err error) {
			if large {
				rows.Bins, err = results.CountBins(path)
				return err
			}
			f.Bins, err = results.ReadBins(path)
			rows.Bins = len(f.Bins)
			return err
		}},
		{"pairs.csv", func(path string) (err error) {
			f.Pairs, err = results.ReadPairs(path)
			rows.Pairs = len(f.Pairs)
			return err
		}},
		{"fits.csv", func(path string) (err error) {
			if !large {
				f.Parameters, err = results.ReadParameters(path)
			}
			return err
		}},
		{"times.csv", func(path string) (err error) { f.Times, err = results.ReadTimes(path); return err }},
		{"run.json", func(path string) (err error) { f.Run, err = results.ReadRun(path); return err }},
	}
	errs := make([]error, len(reads))
	var wg sync.WaitGroup
	for i, file := range reads {
		wg.Go(func() {
			err := file.read(filepath.Join(dir, file.name))
			if errors.Is(err, fs.ErrNotExist) && !slices.Contains(needed, file.name) { // of results.csv it is another error
				err = nil
			}
			errs[i] = err
		})
	}
	wg.Wait()
	if err := cmp.Or(errs[0], errors.Join(errs...)); err != nil {
		return nil, err
	}
	return &f, results.CheckRun(dir, keys, rows)
}
