package npy_test

import (
	"io/fs"

	"github.com/qats-bench/qats/data/formats"
	. "github.com/qats-bench/qats/data/npy"
	"github.com/qats-bench/qats/internal/inputfile"
)

// OpenArray opens a .npy file of fsys, or a member of an .npz.
func OpenArray(fsys fs.FS, name string) (*Array, error) {
	return formats.List{formats.NPY{}, formats.NPZ{}}.Locate(fsys, name).Array()
}

// OpenArrayFile is OpenArray for a path of the operating system.
func OpenArrayFile(path string) (*Array, error) { return OpenArray(inputfile.System{}, path) }
