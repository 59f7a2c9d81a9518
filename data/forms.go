package data

import (
	"io/fs"

	"github.com/qats-bench/qats/data/formats"
	"github.com/qats-bench/qats/data/npy"
	"github.com/qats-bench/qats/internal/inputfile"
)

// Forms returns the forms of files of arrays. It is the only place that lists them. Tables are opened by an InputFS.
func Forms() formats.List {
	return formats.List{
		formats.NPY{},
		formats.NPZ{},
		formats.Safetensors{},
		formats.Table{Names: []string{".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz"}},
		formats.Table{Names: formats.RecordNames},
	}
}

// OpenArray opens an array of fsys by its name, a file or FILE#MEMBER. It reads and checks the header; errors begin with
// the name. A nil fsys is the file system of the operating system.
func OpenArray(fsys fs.FS, name string) (*npy.Array, error) {
	if fsys == nil {
		fsys = inputfile.System{}
	}
	return Forms().Locate(fsys, name).Array()
}
