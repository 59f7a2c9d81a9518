package folder

import (
	"os"
	"path/filepath"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/npy"
)

// WriteSet writes the arrays of a set to the files of ref below dir, and makes their
// folders: floats as '<f4', labels as '<i4'. A masked class is -Inf in a file.
func WriteSet(s *data.Set, dir string, layout Layout, ref data.Ref) error {
	files, err := layout.Files(ref)
	if err != nil {
		return err
	}
	shape := func(m data.Matrix) []int { return []int{m.Rows, m.Cols} }
	type array struct {
		name   string
		shape  []int
		floats [][]float32 // in pieces; a nil first piece stands for no array
	}
	arrays := []array{
		{files.Logits, shape(s.Logits), [][]float32{s.Logits.Unmasked()}},
		{files.Features, shape(s.Features), [][]float32{s.Features.Data}},
		{files.HeadWeight, shape(s.Head.W), [][]float32{s.Head.W.Data}},
		{files.HeadBias, []int{len(s.Head.B)}, [][]float32{s.Head.B}},
		{files.OOD, shape(s.OOD), [][]float32{s.OOD.Unmasked()}},
	}
	if views := s.Augmented; len(views) > 0 {
		var pieces [][]float32
		for _, view := range views {
			pieces = append(pieces, view.Unmasked())
		}
		arrays = append(arrays, array{files.Augmented, append([]int{len(views)}, shape(views[0])...), pieces})
	}
	for _, a := range arrays {
		if a.floats[0] == nil {
			continue
		}
		path, err := makeRoom(dir, a.name)
		if err == nil {
			err = npy.WritePieces(path, npy.Float32, a.shape, (*npy.Writer).Float32, a.floats...)
		}
		if err != nil {
			return err
		}
	}
	if s.Labels == nil {
		return nil
	}
	path, err := makeRoom(dir, files.Labels)
	if err != nil {
		return err
	}
	return npy.WriteInt32(path, s.Labels, len(s.Labels))
}

// makeRoom returns the path of a file below dir, and makes its folder.
func makeRoom(dir, name string) (string, error) {
	path := filepath.Join(dir, filepath.FromSlash(name))
	return path, os.MkdirAll(filepath.Dir(path), 0o777)
}
