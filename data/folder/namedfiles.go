package folder

import (
	"os"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/formats"
	"github.com/qats-bench/qats/data/npy"
)

// NamedFiles lists the arrays of the .npy files of a folder whose names look like scores or labels, with or without the
// name of a split.
func NamedFiles(dir string) []npy.Named {
	f := Folder{fsys: os.DirFS(dir), root: dir}
	return f.like("", formats.ArrayEnding, func(name string) bool {
		_, role := data.RoleOf(name)
		return data.IsScores(role) || data.IsLabels(role) || data.IsOutcomes(role) || data.IsBeside(role)
	})
}
