package results

import (
	"bufio"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/qats-bench/qats/internal/atomicfile"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/results/internal/csvfile"
)

// A Writer writes the CSV files of a Folder, the rows of some settings at a time. It writes
// classes.csv only if there are rows of classes, and removes an old one otherwise.
// results-wide.csv holds the values of results.csv in wide form. Commit puts them into place;
// until then the old files stay.
type Writer struct {
	records *csvfile.Writer[Record]
	known   *csvfile.Writer[SettingInfo]
	methods *csvfile.Writer[MethodInfo]
	bins    *csvfile.Writer[Bin]
	pairs   *csvfile.Writer[Pair]
	fits    *csvfile.Writer[Parameter]
	times   *csvfile.Writer[Time]
	classes *csvfile.Writer[Class] // nil until there is a row: only some specs have them
	wide    *wideWriter
	files   []*begun // in the order of Commit
	keys    keysDigest
}

// begun is a file that is being written.
type begun struct {
	path  string
	file  *atomicfile.File
	buf   *bufio.Writer
	flush func() error // of the rows into buf
}

// NewWriter begins the files of a folder, which exists. metrics are the metrics of all records
// in the order of their first records: columns of results-wide.csv. After it, defer Abort.
func NewWriter(dir Folder, metrics []string) (*Writer, error) {
	w := &Writer{keys: newKeysDigest()}
	if err := w.begin(dir, metrics); err != nil {
		w.Abort()
		return nil, err
	}
	return w, nil
}

func (w *Writer) begin(dir Folder, metrics []string) error {
	var errs [8]error
	w.records, errs[0] = begin(w, dir.Path(ResultsFile), resultsFormat)
	w.wide, errs[1] = beginWide(w, dir.Path(WideFile), metrics)
	w.bins, errs[2] = begin(w, dir.Path(BinsFile), binsFormat)
	w.pairs, errs[3] = begin(w, dir.Path(PairsFile), pairsFormat)
	w.fits, errs[4] = begin(w, dir.Path(FitsFile), fitsFormat)
	w.times, errs[5] = begin(w, dir.Path(TimesFile), timesFormat)
	w.known, errs[6] = begin(w, dir.Path(SettingsFile), settingsFormat)
	w.methods, errs[7] = begin(w, dir.Path(MethodsFile), methodsFormat)
	return cmp.Or(errs[:]...)
}

// create begins a file.
func (w *Writer) create(path string) (*begun, error) {
	file, err := atomicfile.Create(path)
	if err != nil {
		return nil, err
	}
	f := &begun{path: path, file: file, buf: bufio.NewWriterSize(file, 1<<16)}
	w.files = append(w.files, f)
	return f, nil
}

// begin begins a file of a format.
func begin[T any](w *Writer, path string, format csvfile.Format[T]) (*csvfile.Writer[T], error) {
	f, err := w.create(path)
	if err != nil {
		return nil, err
	}
	rows, err := format.NewWriter(f.buf)
	f.flush = rows.Flush
	return rows, err
}

// Write appends rows to the files. It checks them as readers do. The records of one method on
// one setting follow each other.
func (w *Writer) Write(r *Rows) error {
	if len(r.Classes) > 0 && w.classes == nil {
		var err error
		if w.classes, err = begin(w, w.path(ClassesFile), classesFormat); err != nil {
			return err
		}
	}
	w.keys.add(r.Records...)
	if err := w.wide.write(r.Records); err != nil {
		return err
	}
	known := notesOf(r.Settings)
	records := lists.Values(r.Records, func(r Record) Record {
		r.Note = r.apart(known[r.Setting])
		return r
	})
	for _, f := range []struct {
		name string
		err  error
	}{
		{SettingsFile, w.known.Write(r.Settings)}, {MethodsFile, w.methods.Write(r.Methods)}, {ResultsFile, w.records.Write(records)}, {BinsFile, w.bins.Write(r.Bins)}, {PairsFile, w.pairs.Write(r.Pairs)},
		{FitsFile, w.fits.Write(r.Parameters)}, {TimesFile, w.times.Write(r.Times)}, {ClassesFile, w.writeClasses(r.Classes)},
	} {
		if f.err != nil {
			return fmt.Errorf("%s: %w", w.path(f.name), f.err)
		}
	}
	return nil
}

// path returns the path of a file of the folder.
func (w *Writer) path(name string) string { return filepath.Join(filepath.Dir(w.files[0].path), name) }

func (w *Writer) writeClasses(list []Class) error {
	if w.classes == nil {
		return nil
	}
	return w.classes.Write(list)
}

// Keys returns the digest of the keys written so far; see KeysDigest.
func (w *Writer) Keys() string { return w.keys.text() }

// Rows returns the numbers of rows written so far.
func (w *Writer) Rows() RunRows {
	rows := RunRows{Settings: w.known.Rows(), Methods: w.methods.Rows(), Results: w.records.Rows(), Bins: w.bins.Rows(), Pairs: w.pairs.Rows()}
	if w.classes != nil {
		rows.Classes = w.classes.Rows()
	}
	return rows
}

// Commit puts the files into place, results.csv first.
//
// If the process is killed before the last file and run.json are written, the keys in
// results.csv are not those in run.json, and readers notice it (Folder.Read).
func (w *Writer) Commit() error {
	for _, f := range w.files {
		if err := cmp.Or(f.flush(), f.buf.Flush()); err != nil {
			return fmt.Errorf("%s: %w", f.path, err)
		}
	}
	for _, f := range w.files {
		if err := f.file.Commit(true); err != nil {
			return fmt.Errorf("%s: %w", f.path, err)
		}
	}
	if w.classes != nil {
		return nil
	}
	if err := os.Remove(w.path(ClassesFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Abort removes the files that are not in place.
func (w *Writer) Abort() {
	for _, f := range w.files {
		f.file.Abort()
	}
}

// wideWriter writes records as a wide table: one row for each setting and method, and one
// column for each metric. The first columns are those of the setting, the method, and the
// source. A value that does not exist is empty; results.csv says why. The file is for
// people and other programs; qats does not read it.
type wideWriter struct {
	out     *csv.Writer
	metrics []string
}

func beginWide(w *Writer, path string, metrics []string) (*wideWriter, error) {
	f, err := w.create(path)
	if err != nil {
		return nil, err
	}
	wide := &wideWriter{csv.NewWriter(f.buf), metrics}
	f.flush = func() error {
		wide.out.Flush()
		return wide.out.Error()
	}
	return wide, wide.out.Write(slices.Concat(settingColumns(), []string{"method", "source"}, metrics))
}

// write appends the rows of some records. It is an error if the table lacks a metric.
func (w *wideWriter) write(records []Record) error {
	for len(records) > 0 {
		first, n := records[0], 1
		for n < len(records) && records[n].Setting == first.Setting && records[n].Method == first.Method {
			n++
		}
		source, values := "", make([]string, len(w.metrics))
		for _, r := range records[:n] {
			if r.Status == OK {
				i := slices.Index(w.metrics, r.Metric)
				if i < 0 {
					return fmt.Errorf("results-wide.csv has no column for the metric %s", r.Metric)
				}
				values[i] = csvfile.FormatNumber(r.Value)
			}
			source = cmp.Or(source, r.Source)
		}
		if err := w.out.Write(slices.Concat(first.Setting.fields(), []string{first.Method, source}, values)); err != nil {
			return err
		}
		records = records[n:]
	}
	return nil
}
