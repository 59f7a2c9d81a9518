package experiments

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/results/page"
)

// WritePage makes the page of the files in dir, and prints to w what to open.
func WritePage(w io.Writer, dir string, o page.Options) error {
	f, err := page.Read(dir)
	if err != nil {
		return err
	}
	return WritePageOf(w, f, dir, o)
}

// WritePageOf makes the page of files that are read already, in dir, and prints to
// w what to open.
func WritePageOf(w io.Writer, f *page.Folder, dir string, o page.Options) error {
	if o.Labels == nil {
		o.Labels = map[string]string{}
		for _, e := range calib.Registry() {
			o.Labels[e.Name] = e.Label
		}
	}
	path, err := f.WriteFile(dir, o)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "open %s in a browser\n", filepath.ToSlash(path))
	return err
}
