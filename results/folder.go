package results

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/qats-bench/qats/internal/atomicfile"
	"github.com/qats-bench/qats/internal/called"
	"github.com/qats-bench/qats/internal/lists"
)

// Folder is the path of the output folder of a run, with the files below.
type Folder string

// The files of a Folder.
const (
	ResultsFile  = "results.csv"
	WideFile     = "results-wide.csv"
	BinsFile     = "bins.csv"
	PairsFile    = "pairs.csv"
	FitsFile     = "fits.csv"
	TimesFile    = "times.csv"
	SettingsFile = "settings.csv"
	MethodsFile  = "methods.csv"
	ClassesFile  = "classes.csv" // of specs with per_class alone
	RunFile      = "run.json"
)

// Path returns the path of a file of the folder.
func (f Folder) Path(file string) string { return filepath.Join(string(f), file) }

// Rows are what the files of a Folder hold.
type Rows struct {
	Settings   []SettingInfo // nil without settings.csv
	Methods    []MethodInfo  // nil without methods.csv
	Records    []Record
	Bins       []Bin       // nil without bins.csv
	Pairs      []Pair      // nil without pairs.csv
	Parameters []Parameter // nil without fits.csv
	Times      []Time      // nil without times.csv
	Classes    []Class     // nil without classes.csv
	Run        *Run        // nil without run.json
}

// Files returns the names of the files that a run writes into its Folder.
func Files() []string {
	return []string{ResultsFile, SettingsFile, MethodsFile, WideFile, BinsFile, PairsFile, FitsFile, TimesFile, ClassesFile, RunFile}
}

// Usable returns an error if one of the files cannot be written for what is in its place: a
// folder, a pipe or a device. A run must not find that out after an hour of fits.
func (f Folder) Usable() error {
	for _, file := range Files() {
		if err := atomicfile.CheckRegular(f.Path(file)); err != nil {
			return err
		}
	}
	return nil
}

// Read reads the files. results.csv must exist, and the files that are named as needed. Where
// there is a run.json, the rows must be those that it describes.
func (f Folder) Read(needed ...string) (*Rows, error) { return f.read(nil, needed) }

// ReadWithout is Read without the rows of some files: BinsFile, FitsFile or ClassesFile, which
// take most of the memory of the rows of many settings.
func (f Folder) ReadWithout(files ...string) (*Rows, error) { return f.read(files, nil) }

// ReadRun reads run.json.
func (f Folder) ReadRun() (*Run, error) { return readRun(f.Path(RunFile)) }

func (f Folder) read(without, needed []string) (*Rows, error) {
	var r Rows
	var keys string
	var rows RunRows
	reads := []struct {
		name string
		read func(path string) error
	}{
		{ResultsFile, func(path string) (err error) {
			r.Records, err = ReadResults(path)
			keys = KeysDigest(r.Records)
			rows.Results = len(r.Records)
			if errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("no %s in %s: "+called.Command()+" run writes it", ResultsFile, f)
			}
			return err
		}},
		{BinsFile, func(path string) (err error) {
			if slices.Contains(without, BinsFile) {
				rows.Bins, err = countBins(path)
				return err
			}
			r.Bins, err = ReadBins(path)
			rows.Bins = len(r.Bins)
			return err
		}},
		{PairsFile, func(path string) (err error) {
			r.Pairs, err = ReadPairs(path)
			rows.Pairs = len(r.Pairs)
			return err
		}},
		{FitsFile, func(path string) (err error) {
			if !slices.Contains(without, FitsFile) {
				r.Parameters, err = ReadParameters(path)
			}
			return err
		}},
		{SettingsFile, func(path string) (err error) {
			r.Settings, err = ReadSettings(path)
			rows.Settings = len(r.Settings)
			return err
		}},
		{MethodsFile, func(path string) (err error) {
			r.Methods, err = ReadMethods(path)
			rows.Methods = len(r.Methods)
			return err
		}},
		{TimesFile, func(path string) (err error) { r.Times, err = ReadTimes(path); return err }},
		{ClassesFile, func(path string) (err error) {
			if slices.Contains(without, ClassesFile) {
				rows.Classes, err = classesFormat.CountInFile(path)
				return err
			}
			r.Classes, err = ReadClasses(path)
			rows.Classes = len(r.Classes)
			return err
		}},
		{RunFile, func(path string) (err error) { r.Run, err = readRun(path); return err }},
	}
	errs := make([]error, len(reads))
	var wg sync.WaitGroup
	for i, file := range reads {
		wg.Go(func() {
			err := file.read(f.Path(file.name))
			switch absent := errors.Is(err, fs.ErrNotExist); {
			case absent && slices.Contains(needed, file.name):
				err = fmt.Errorf("no %s in %s: "+called.Command()+" run writes it", file.name, f)
			case absent: // of results.csv it is another error
				err = nil
			}
			errs[i] = err
		})
	}
	wg.Wait()
	if err := cmp.Or(errs[0], errors.Join(errs...)); err != nil {
		return nil, err
	}
	Join(r.Records, r.Settings)
	return &r, f.check(r.Run, keys, rows)
}

// Write replaces the CSV files by the rows; see WriteParts.
func (f Folder) Write(r *Rows) error {
	metrics := lists.Distinct(r.Records, func(r Record) string { return r.Metric })
	_, err := f.WriteParts(metrics, func(add func(*Rows) error) error { return add(r) })
	return err
}

// WriteParts replaces the CSV files by the rows that each passes to add, the rows of some
// settings at a time. It makes the folder if there is none. metrics are the metrics of all
// records in the order of their first records. Where another machine has removed an
// unfinished file, each is called once more.
func (f Folder) WriteParts(metrics []string, each func(add func(*Rows) error) error) (*Writer, error) {
	if err := os.MkdirAll(string(f), 0o777); err != nil {
		return nil, err
	}
	atomicfile.Sweep(string(f))
	write := func() (*Writer, error) {
		w, err := NewWriter(f, metrics)
		if err != nil {
			return nil, err
		}
		defer w.Abort()
		if err := each(w.Write); err != nil {
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

// WriteRun replaces run.json. It sets the format.
func (f Folder) WriteRun(r Run) error { return atomicfile.Write(f.Path(RunFile), r.write) }

// Append appends the rows of another run, and leaves Run as it is.
func (r *Rows) Append(other *Rows) {
	r.Settings = append(r.Settings, other.Settings...)
	r.Methods = append(r.Methods, other.Methods...)
	r.Records = append(r.Records, other.Records...)
	r.Bins = append(r.Bins, other.Bins...)
	r.Pairs = append(r.Pairs, other.Pairs...)
	r.Parameters = append(r.Parameters, other.Parameters...)
	r.Times = append(r.Times, other.Times...)
	r.Classes = append(r.Classes, other.Classes...)
}

// Count returns the numbers of rows, as run.json has them.
func (r *Rows) Count() RunRows {
	return RunRows{Settings: len(r.Settings), Methods: len(r.Methods), Results: len(r.Records), Bins: len(r.Bins), Pairs: len(r.Pairs), Classes: len(r.Classes)}
}

// Of returns the rows of one experiment.
func (r *Rows) Of(experiment string) *Rows {
	kept := r.Where(func(c Setting, _ string) bool { return c.Experiment == experiment })
	kept.Methods = lists.Where(r.Methods, func(m MethodInfo) bool { return m.Experiment == experiment })
	return kept
}

// Where returns the rows whose setting and source satisfy keep. It keeps all Methods,
// Parameters and Run.
func (r *Rows) Where(keep func(c Setting, source string) bool) *Rows {
	kept := *r
	kept.Settings = lists.Where(r.Settings, func(x SettingInfo) bool { return keep(x.Setting, x.Source) })
	kept.Records = lists.Where(r.Records, func(x Record) bool { return keep(x.Setting, x.Source) })
	kept.Bins = lists.Where(r.Bins, func(x Bin) bool { return keep(x.Setting, x.Source) })
	kept.Pairs = lists.Where(r.Pairs, func(x Pair) bool { return keep(x.Setting, x.Source) })
	kept.Classes = lists.Where(r.Classes, func(x Class) bool { return keep(x.Setting, x.Source) })
	kept.Times = lists.Where(r.Times, func(x Time) bool { return keep(x.Setting, x.Source) })
	return &kept
}
