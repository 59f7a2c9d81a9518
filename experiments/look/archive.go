package look

import (
	"cmp"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/data/folder"
	"github.com/qats-bench/qats/data/formats"
	"github.com/qats-bench/qats/data/keyed"
	"github.com/qats-bench/qats/data/npy"
	"github.com/qats-bench/qats/data/problem"
	"github.com/qats-bench/qats/internal/called"
)

// teller is a file system that says what it took from a table.
type teller interface{ Told(file string) []string }

// findArchive returns the sets of a file with several arrays, of a stream, or of a table.
func findArchive(fsys fs.FS, file string, stated Stated) (*Given, error) {
	arrays, err := data.Forms().Arrays(fsys, file)
	if err != nil {
		return nil, err
	}
	names := cmp.Or(strings.Join(data.Names(arrays), ", "), "none")
	sets, err := data.Choose(arrays)
	switch {
	case err != nil:
		return nil, &problem.Problem{Place: file, Cause: fmt.Sprintf("%v (it has the arrays %s)", err, names), Fix: fmt.Sprintf("name the two: "+called.Command()+" try %s#SCORES %s#LABELS", file, file)}
	case len(sets) > 0:
	case file == npy.StreamName:
		return nil, &problem.Problem{Place: file, Cause: "it has the arrays " + names + ", and no logits with labels under names that are understood", Fix: "understood are " + data.KnownNames}
	case slices.ContainsFunc(arrays, func(a npy.Named) bool { return len(a.Shape) == 3 && data.IsScores(a.Name) }):
		i := slices.IndexFunc(arrays, func(a npy.Named) bool { return len(a.Shape) == 3 && data.IsScores(a.Name) })
		return nil, &problem.Problem{Place: file + "#" + arrays[i].Name, Cause: "shape " + npy.Tuple(arrays[i].Shape) + ", and want n x k",
			Fix: "of members of an ensemble or passes of dropout, m x n x k, store the mean of their softmax, n x k, as probs"}
	default:
		return nil, fmt.Errorf("%s: it has the arrays %s, and no logits with labels under names that are understood (%s); name the members: "+called.Command()+" try %s#LOGITS %s#LABELS",
			file, names, data.KnownNames, file, file)
	}
	var places []Place
	var took []string
	for i, s := range sets {
		s, why, err := s.Decide(file, func(name string) (*npy.Array, error) { return data.OpenArray(fsys, file+"#"+name) })
		if err != nil {
			return nil, err
		}
		if sets[i] = s; why != "" {
			took = append(took, file+": "+why)
		}
		if stated.named, stated.Predicted = s.Kind, ""; s.Predicted != "" {
			stated.Predicted = file + "#" + s.Predicted
		}
		stated.beside = s.In(func(name string) string { return file + "#" + name })
		p, err := stated.place(fsys, file+"#"+s.Logits, file+"#"+s.Labels, &took)
		if err != nil {
			return nil, err
		}
		places = append(places, p)
	}
	dataset := data.Forms().Stem(file)
	if !keyed.IsID(dataset) {
		dataset = "mine"
	}
	g := New(dataset, Unnamed, places[0])
	g.Origin, g.Took = folder.OriginOf(file), took
	if len(places) > 1 {
		g.Test = &places[1]
	}
	if t, ok := fsys.(teller); ok && data.Forms().Is(file, formats.Rows) {
		for _, line := range t.Told(file) {
			g.Took = append(g.Took, file+": "+line)
		}
	} else {
		took := data.Taken(arrays, sets)
		if took != "" {
			g.Took = append(g.Took, file+": "+took)
		}
	}
	return g, nil
}
