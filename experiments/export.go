package experiments

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/qats-bench/qats/data"
)

// Export writes the simulated arrays of a plan below dir, in the default
// layout and with a manifest that calls them simulated, and returns the number
// of sets written. What is measured is not written.
func (p *Plan) Export(ctx context.Context, dir string) (int, error) {
	manifest := data.Manifest{}
	written := map[data.Ref]bool{}
	for i := range p.Units {
		u := &p.Units[i]
		if u.source == nil || u.Provenance.Origin != data.Simulated {
			continue
		}
		for _, ref := range []data.Ref{u.Setting.Cal(), u.Setting.Test()} {
			parts := u.source.Has(ref)
			if parts == 0 || written[ref] {
				continue
			}
			written[ref] = true
			if err := exportSet(ctx, u.source, ref, parts, dir); err != nil {
				return len(written), err
			}
			manifest.Sets = append(manifest.Sets, data.ManifestSet{Set: ref.String(), Origin: data.Simulated, Note: u.source.Describe(ref).Note})
		}
	}
	if len(written) == 0 {
		return 0, errors.New("nothing to write: no setting is simulated")
	}
	return len(written), manifest.Write(dir)
}

// exportSet writes the arrays of one set.
func exportSet(ctx context.Context, src data.Source, ref data.Ref, parts data.Parts, dir string) error {
	set, err := data.Load(ctx, src, ref, parts)
	if err != nil {
		return err
	}
	files, err := data.Layout{}.Files(ref)
	if err != nil {
		return err
	}
	matrix := func(name string, m data.Matrix) error {
		if !m.Present() {
			return nil
		}
		path, err := makeRoom(dir, name)
		if err != nil {
			return err
		}
		return data.WriteFloat32(path, m.Data, m.Rows, m.Cols)
	}
	if err := errors.Join(
		matrix(files.Logits, set.Logits), matrix(files.Features, set.Features),
		matrix(files.HeadWeight, set.Head.W), matrix(files.OOD, set.OOD),
	); err != nil {
		return err
	}
	path, err := makeRoom(dir, files.Labels)
	if err != nil {
		return err
	}
	if err := data.WriteInt32(path, set.Labels, len(set.Labels)); err != nil {
		return err
	}
	if parts&data.Head != 0 {
		if path, err = makeRoom(dir, files.HeadBias); err != nil {
			return err
		}
		if err := data.WriteFloat32(path, set.Head.B, len(set.Head.B)); err != nil {
			return err
		}
	}
	if parts&data.Augmented == 0 {
		return nil
	}
	if path, err = makeRoom(dir, files.Augmented); err != nil {
		return err
	}
	w, err := data.CreateArray(path, data.Float32, len(set.Augmented), set.Logits.Rows, set.Logits.Cols)
	if err != nil {
		return err
	}
	defer w.Abort()
	for _, view := range set.Augmented {
		if err := w.Float32(view.Data); err != nil {
			return err
		}
	}
	return w.Close()
}

// makeRoom returns the path of a file below dir, whose folder it makes.
func makeRoom(dir, name string) (string, error) {
	path := filepath.Join(dir, filepath.FromSlash(name))
	return path, os.MkdirAll(filepath.Dir(path), 0o777)
}
