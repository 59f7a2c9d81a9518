package experiments

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/folder"
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
	manifest, err := folder.ReadManifest(dir)
	if err != nil {
		return 0, err
	}
	for _, x := range sets {
		entry := folder.ManifestSet{Set: x.ref.String(), Origin: data.Simulated, Kind: x.known.Kind, Note: x.known.Note}
		manifest.Sets = slices.DeleteFunc(manifest.Sets, func(s folder.ManifestSet) bool { return s.Set == entry.Set })
		manifest.Sets = append(manifest.Sets, entry)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return 0, err
	}
	if err := manifest.Write(dir); err != nil {
		return 0, err
	}
	for i, x := range sets {
		set, err := data.Load(ctx, x.source, x.ref, x.source.Has(x.ref))
		if err == nil {
			err = folder.WriteSet(set, dir, folder.Layout{}, x.ref)
		}
		if err != nil {
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
	there, err := folder.Open(dir, folder.Layout{}, nil)
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
