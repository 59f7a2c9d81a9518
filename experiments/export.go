package experiments

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/results"
)

// Export writes the simulated arrays of a plan below dir, in the default layout,
// and returns the number of sets written. Measured arrays are neither written nor
// overwritten. The manifest says that the sets are simulated, and keeps its entries
// for other sets. It is written first, so that an interrupted export leaves nothing
// that looks measured.
func (p *Plan) Export(ctx context.Context, dir string) (int, error) {
	sets, err := p.simulatedSets(dir)
	if err != nil {
		return 0, err
	}
	manifest, err := data.ReadManifest(dir)
	if err != nil {
		return 0, err
	}
	for _, x := range sets {
		entry := data.ManifestSet{Set: x.ref.String(), Origin: data.Simulated, Kind: x.known.Kind, Note: x.known.Note}
		manifest.Sets = slices.DeleteFunc(manifest.Sets, func(s data.ManifestSet) bool { return s.Set == entry.Set })
		manifest.Sets = append(manifest.Sets, entry)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return 0, err
	}
	if err := manifest.Write(dir); err != nil {
		return 0, err
	}
	for i, x := range sets {
		if err := exportSet(ctx, x.source, x.ref, x.source.Has(x.ref), dir); err != nil {
			return i, err
		}
	}
	return len(sets), nil
}

// simulatedSet is a set that Export writes.
type simulatedSet struct {
	source data.Source
	ref    data.Ref
	known  data.Provenance
}

// simulatedSets lists the simulated sets of a plan, each once. It is an error if dir
// holds one of them as a measured set.
func (p *Plan) simulatedSets(dir string) ([]simulatedSet, error) {
	there, err := data.OpenFolder(dir, data.Layout{}, nil)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var sets []simulatedSet
	listed := map[data.Ref]bool{}
	for i := range p.Units {
		u := &p.Units[i]
		if u.source == nil {
			continue
		}
		for _, ref := range []data.Ref{u.Setting.Cal(), u.Setting.Test()} {
			known := u.source.Describe(ref)
			if listed[ref] || known.Origin != data.Simulated || u.source.Has(ref) == 0 {
				continue
			}
			if there != nil && there.Has(ref)&(data.Logits|data.Labels) != 0 && there.Describe(ref).Origin != data.Simulated {
				return nil, fmt.Errorf("%s holds %s as a measured set; write into another folder", dir, ref)
			}
			listed[ref] = true
			sets = append(sets, simulatedSet{u.source, ref, known})
		}
	}
	if len(sets) == 0 {
		return nil, errors.New("nothing to write: no setting is simulated")
	}
	return sets, nil
}

// exportSet writes the arrays of one set in the default layout.
func exportSet(ctx context.Context, src data.Source, ref data.Ref, parts data.Parts, dir string) error {
	set, err := data.Load(ctx, src, ref, parts)
	if err != nil {
		return err
	}
	return writeSet(set, data.Layout{}, ref, dir)
}

// writeSet writes the arrays of set to the files of ref below dir: floats as '<f4',
// labels as '<i4'.
func writeSet(set *data.Set, layout data.Layout, ref data.Ref, dir string) error {
	files, err := layout.Files(ref)
	if err != nil {
		return err
	}
	shape := func(m data.Matrix) []int { return []int{m.Rows, m.Cols} }
	type array struct {
		name   string
		shape  []int
		floats [][]float32 // in pieces; a first piece that is nil means that there is no array
	}
	arrays := []array{
		{files.Logits, shape(set.Logits), [][]float32{set.Logits.Data}},
		{files.Features, shape(set.Features), [][]float32{set.Features.Data}},
		{files.HeadWeight, shape(set.Head.W), [][]float32{set.Head.W.Data}},
		{files.HeadBias, []int{len(set.Head.B)}, [][]float32{set.Head.B}},
		{files.OOD, shape(set.OOD), [][]float32{set.OOD.Data}},
	}
	if views := set.Augmented; len(views) > 0 {
		pieces := results.Values(views, func(m data.Matrix) []float32 { return m.Data })
		arrays = append(arrays, array{files.Augmented, append([]int{len(views)}, shape(views[0])...), pieces})
	}
	for _, a := range arrays {
		if a.floats[0] == nil {
			continue
		}
		path, err := makeRoom(dir, a.name)
		if err == nil {
			err = writeFloats(path, a.floats, a.shape)
		}
		if err != nil {
			return err
		}
	}
	if set.Labels == nil {
		return nil
	}
	path, err := makeRoom(dir, files.Labels)
	if err != nil {
		return err
	}
	return data.WriteInt32(path, set.Labels, len(set.Labels))
}

// writeFloats writes an array piece by piece, since a copy of all augmented views would
// double their memory.
func writeFloats(path string, pieces [][]float32, shape []int) error {
	w, err := data.CreateArray(path, data.Float32, shape...)
	if err != nil {
		return err
	}
	defer w.Abort()
	for _, piece := range pieces {
		if err := w.Float32(piece); err != nil {
			return err
		}
	}
	return w.Close()
}

// makeRoom returns the path of a file below dir, and makes its folder.
func makeRoom(dir, name string) (string, error) {
	path := filepath.Join(dir, filepath.FromSlash(name))
	return path, os.MkdirAll(filepath.Dir(path), 0o777)
}
