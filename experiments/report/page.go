package report

import (
	"io"
	"path/filepath"

	"github.com/qats-bench/qats/calib/all"
	"github.com/qats-bench/qats/experiments/report/page"
	"github.com/qats-bench/qats/internal/atomicfile"
	"github.com/qats-bench/qats/internal/terminal"
	"github.com/qats-bench/qats/results"
)

// WritePage makes the page of the files in dir, of which only results.csv must exist, and
// prints to w what to open.
func WritePage(w io.Writer, dir string, o page.Options) error {
	f, err := page.Read(results.Folder(dir))
	if err != nil {
		return err
	}
	return WriteRowsPage(w, f, dir, o)
}

// WriteRowsPage makes the page of rows in dir, and prints to w what to open. It removes
// the unfinished files of writers that were killed.
func WriteRowsPage(w io.Writer, rows *results.Rows, dir string, o page.Options) error {
	if o.Labels == nil {
		o.Labels = Labels()
	}
	if o.Target == nil {
		o.Target = Targets()
	}
	atomicfile.Sweep(dir)
	path, err := page.WriteFile(results.Folder(dir), rows, o)
	if err != nil {
		return err
	}
	_, err = terminal.Fprintf(w, "open %s in a browser\n", filepath.ToSlash(path))
	return err
}

// Labels returns the name in print of each registered calibrator.
func Labels() map[string]string {
	labels := map[string]string{}
	for _, e := range all.Registry() {
		labels[e.Name] = e.Label
	}
	return labels
}

// Targets returns the registered calibrators that see unlabelled rows of the domain that they are
// tested on.
func Targets() (list []string) {
	for _, e := range all.Registry() {
		if e.Method.Contract().Target != 0 {
			list = append(list, e.Name)
		}
	}
	return list
}
