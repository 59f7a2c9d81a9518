package public

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/qats-bench/qats/data"
)

// write writes all networks and the manifest.
func (in *input) write(ctx context.Context) (*Summary, error) {
	m, err := data.ReadManifest(in.Dir)
	if err != nil {
		return nil, err
	}
	for _, n := range in.networks {
		if err := in.free(m, n); err != nil {
			return nil, err
		}
	}
	if m.Files == nil {
		m.Files = map[string]data.ManifestFile{}
	}
	if m.Sources == nil {
		m.Sources = map[string]data.ManifestSource{}
	}
	var used []string
	for _, n := range in.networks {
		used = append(used, n.sources...)
	}
	slices.Sort(used)
	for _, name := range slices.Compact(used) {
		if m.Sources[base(name)], err = in.source(name); err != nil {
			return nil, err
		}
	}
	sum := &Summary{Skipped: in.skipped}
	for _, n := range in.networks {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		files, err := n.write(in.Dir)
		if err != nil {
			return nil, err
		}
		maps.DeleteFunc(m.Files, func(name string, _ data.ManifestFile) bool { return strings.HasPrefix(name, n.name()+"/") })
		maps.Copy(m.Files, files)
		entry := in.entry(n)
		if i := slices.IndexFunc(m.Sets, func(s data.ManifestSet) bool { return s.Set == entry.Set }); i >= 0 {
			m.Sets[i] = entry
		} else {
			m.Sets = append(m.Sets, entry)
		}
		sum.Networks = append(sum.Networks, Imported{Name: n.name(), Cal: n.cal.scores.n, Test: n.test.scores.n, Classes: n.test.scores.k,
			Clipped: n.clipped, StandIn: n.standIn, Licence: in.Licence, LogProbs: n.kind == data.KindLogProbs, Feature: n.test.features.n > 0})
	}
	return sum, m.Write(in.Dir)
}

// mostNames is the length of the longest list of files in a note, in bytes: a manifest
// takes texts up to 1,000.
const mostNames = 500

// printable returns the name of a file for a manifest, without control characters.
func printable(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return '?'
		}
		return r
	}, name)
}

// importedFrom begins the note of an imported set.
const importedFrom = "imported from "

// entry returns what the manifest says of a network.
func (in *input) entry(n *network) data.ManifestSet {
	names := make([]string, len(n.sources))
	for i, name := range n.sources {
		names[i] = printable(base(name))
	}
	slices.Sort(names)
	names = slices.Compact(names)
	from := strings.Join(names, " and ")
	if len(from) > mostNames {
		from = fmt.Sprintf("%d files, %s and others", len(names), names[0])
	}
	e := data.ManifestSet{Set: n.name(), Kind: n.kind, Origin: data.Measured, From: n.from, Licence: in.Licence, StandIn: n.standIn,
		Note: importedFrom + from}
	if n.kind == data.KindLogProbs {
		e.Note += ", probabilities"
		if n.clipped > 0 {
			e.Note += fmt.Sprintf(" (%d below 2^-126 were set to it)", n.clipped)
		}
	}
	if n.note != "" {
		e.Note += ", " + n.note
	}
	return e
}

// free rejects a network whose folder has arrays from elsewhere.
func (in *input) free(m data.Manifest, n *network) error {
	dir := filepath.Join(in.Dir, n.dataset, n.backbone)
	if _, err := os.Stat(dir); err != nil {
		return nil // absent; if it is there and cannot be read, writing returns the error
	}
	want := in.entry(n).Note
	want, _, _ = strings.Cut(want, ",")
	for _, s := range m.Sets {
		have, _, _ := strings.Cut(s.Note, ",")
		if s.Set == n.name() && have == want {
			return nil
		}
	}
	return fmt.Errorf("%s: there are other arrays already; import %s to another folder, or under another name", dir, base(n.sources[0]))
}

// source returns size and digest of a published file.
func (in *input) source(name string) (data.ManifestSource, error) {
	info, err := os.Stat(name)
	if err != nil {
		return data.ManifestSource{}, clean(name, err)
	}
	sum, err := new(data.Digests).File(name, name)
	return data.ManifestSource{SHA256: sum, Bytes: info.Size(), Licence: in.Licence, URL: in.URL}, err
}

// write writes the arrays of a network below dir. It returns their entries in the
// manifest.
func (n *network) write(dir string) (files map[string]data.ManifestFile, err error) {
	files = map[string]data.ManifestFile{}
	for _, s := range []struct {
		name data.Split
		*split
	}{{data.Cal, &n.cal}, {data.Test, &n.test}} {
		sub := path.Join(n.name(), string(s.name))
		if err := os.MkdirAll(filepath.Join(dir, filepath.FromSlash(sub)), 0o777); err != nil {
			return nil, err
		}
		add := func(name string, write func(path string) error, shape ...int) {
			if err != nil {
				return
			}
			at := path.Join(sub, name)
			file := filepath.Join(dir, filepath.FromSlash(at))
			if err = write(file); err != nil {
				return
			}
			var sum string
			sum, err = new(data.Digests).File(file, file)
			files[at] = data.ManifestFile{Shape: shape, SHA256: sum}
		}
		t := s.scores
		add("logits.npy", t.write, t.n, t.k)
		add("labels.npy", func(p string) error { return data.WriteInt32(p, s.labels, len(s.labels)) }, len(s.labels))
		if s.features.n > 0 {
			add("features.npy", s.features.write, s.features.n, s.features.k)
		}
		if err != nil {
			return nil, err
		}
	}
	return files, nil
}

// write writes a checked table as float32 if that keeps every bit, as float64
// otherwise.
func (t table) write(path string) error {
	if !t.single {
		return data.WriteFloat64(path, t.data, t.n, t.k)
	}
	return data.WriteFloat32(path, t.narrow, t.n, t.k)
}

// logProbs returns the logarithms of probabilities, as float32, and how many
// probabilities were clipped.
func (t table) logProbs() (logs table, clipped int, err error) {
	logs = table{n: t.n, k: t.k, data: make([]float64, len(t.data)), single: true}
	row := make([]float32, t.k)
	for i := range t.n {
		c, err := data.FromProbs(row, t.row(i))
		if err != nil {
			return table{}, 0, fmt.Errorf("row %d: %w", i, err)
		}
		clipped += c
		for j, v := range row {
			logs.data[i*t.k+j] = float64(v)
		}
	}
	return logs, clipped, nil
}
