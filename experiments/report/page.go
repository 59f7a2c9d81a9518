package report

import (
	"io"
	"path/filepath"

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
	Know(rows)
	o.Verdicts, o.Settings, o.Virtual = verdicts, settingsAre, virtualOfPage
	atomicfile.Sweep(dir)
	path, err := page.WriteFile(results.Folder(dir), rows, o)
	if err != nil {
		return err
	}
	_, err = terminal.Fprintf(w, "open %s in a browser\n", filepath.ToSlash(path))
	return err
}
