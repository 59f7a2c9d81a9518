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
		entry := data.ManifestSet{Set: x.ref.String(), Origin: data.Simulated, Note: x.known.Note}
		entry.Kind = x.known.Kind
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
	files, err := data.Layout{}.Files(ref)
	if err != nil {
		return err
	}
	return writeSet(set, files, dir)
}

// writeSet writes the arrays of set to their files below dir: floats as '<f4',
// labels as '<i4'.
func writeSet(set *data.Set, files data.Files, dir string) error {
	floats := func(name string, v []float32, shape ...int) error {
		if v == nil {
			return nil
		}
		path, err := makeRoom(dir, name)
		if err != nil {
			return err
		}
		return data.WriteFloat32(path, v, shape...)
	}
	matrix := func(name string, m data.Matrix) error { return floats(name, m.Data, m.Rows, m.Cols) }
	if err := errors.Join(
		matrix(files.Logits, set.Logits), matrix(files.Features, set.Features),
		matrix(files.HeadWeight, set.Head.W), matrix(files.OOD, set.OOD),
		floats(files.HeadBias, set.Head.B, len(set.Head.B)),
	); err != nil {
		return err
	}
	if set.Labels != nil {
		path, err := makeRoom(dir, files.Labels)
		if err != nil {
			return err
		}
		if err := data.WriteInt32(path, set.Labels, len(set.Labels)); err != nil {
			return err
		}
	}
	return writeViews(set.Augmented, files.Augmented, dir)
}

// writeViews writes the logits of augmented views, if there are any.
func writeViews(views []data.Matrix, name, dir string) error {
	if len(views) == 0 {
		return nil
	}
	path, err := makeRoom(dir, name)
	if err != nil {
		return err
	}
	w, err := data.CreateArray(path, data.Float32, len(views), views[0].Rows, views[0].Cols)
	if err != nil {
		return err
	}
	defer w.Abort()
	for _, view := range views {
		if err := w.Float32(view.Data); err != nil {
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
