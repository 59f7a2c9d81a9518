package experiments

import (
	"fmt"
	"slices"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/folder"
	"github.com/qats-bench/qats/internal/english"
)

// ManifestUse is what a manifest of a folder above the arrays says of some sets of a plan.
type ManifestUse struct {
	File   string    `json:"file"`
	Kind   data.Kind `json:"kind,omitempty"`   // of the logits, where it changes how they are read
	Ignore string    `json:"ignore,omitempty"` // labels of rows that are left out
	Sets   int       `json:"sets"`

	taken folder.FromManifest
}

// String says what the manifest describes, and what was taken from it.
func (m ManifestUse) String() string {
	text := fmt.Sprintf("%s, a manifest above the arrays, describes %s", m.File, english.Count(m.Sets, "set"))
	if m.Kind == data.AnyKind && m.Ignore == "" {
		return text
	}
	return text + ": " + m.taken.Words()
}

// Manifests returns the manifests of folders above the arrays that describe sets of the plan: one for each
// thing that a file says, in the order of the plan. Sets that several settings share count once.
func (p *Plan) Manifests() (list []ManifestUse) {
	type set struct {
		source data.Source
		ref    data.Ref
	}
	seen := map[set]bool{}
	for i := range p.Units {
		u := &p.Units[i]
		if u.source == nil {
			continue
		}
		file := folder.ManifestAbove(u.plain)
		for _, ref := range []data.Ref{u.Setting.Cal(), u.Setting.Test()} {
			if file == "" || seen[set{u.plain, ref}] || u.plain.Has(ref) == 0 {
				continue
			}
			seen[set{u.plain, ref}] = true
			taken, _ := folder.TakenAbove(u.plain, ref)
			m := ManifestUse{File: file, Kind: taken.Kind, Ignore: taken.Ignore.String(), taken: taken}
			at := slices.IndexFunc(list, func(o ManifestUse) bool { return o.File == m.File && o.Kind == m.Kind && o.Ignore == m.Ignore })
			if at < 0 {
				at, list = len(list), append(list, m)
			}
			list[at].Sets++
		}
	}
	return list
}
