package trial

import (
	"cmp"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/experiments/spec"
)

// memberNames are the names of arrays in an archive that a trial understands, without that
// of a split. The first ones are preferred.
var memberNames = []struct {
	names []string
	kind  data.Kind // of logits
}{
	{[]string{"logits", "logit", "outputs"}, data.AnyKind},
	{[]string{"log_probs", "logprobs", "log_softmax"}, data.KindLogProbs},
	{[]string{"probs", "prob", "probabilities", "proba", "y_prob", "y_proba", "y_pred_proba", "softmax"}, data.KindProbs},
}

// labelNames are the names of labels.
var labelNames = []string{"labels", "label", "targets", "target", "y", "y_true"}

// Understood lists the names in an archive that a trial understands, for messages.
const Understood = "logits, log_probs or probs, with labels, targets, y or y_true; of two sets with cal_ or val_ and test_ before or behind them"

// archived are the members of an archive that make a set.
type archived struct {
	logits, labels string
	kind           data.Kind
	rank           int // of the name of logits
}

// findArchive returns the sets of an .npz or .safetensors file, or of a stream.
func findArchive(fsys fs.FS, file string, stated Stated) (*Given, error) {
	names, err := data.MemberNames(fsys, file)
	if err != nil {
		return nil, err
	}
	sets := map[data.Split]*archived{}
	for _, name := range names {
		split, role := roleOf(name)
		s := sets[split]
		if s == nil {
			s = &archived{}
			sets[split] = s
		}
		rank := slices.IndexFunc(memberNames, func(m struct {
			names []string
			kind  data.Kind
		}) bool {
			return slices.Contains(m.names, role)
		})
		switch {
		case rank >= 0 && (s.logits == "" || rank < s.rank):
			s.logits, s.kind, s.rank = name, memberNames[rank].kind, rank
		case slices.Contains(labelNames, role) && s.labels == "":
			s.labels = name
		}
	}
	var places []Place
	for _, split := range []data.Split{data.Cal, data.Test, ""} {
		s := sets[split]
		if s == nil || s.logits == "" || s.labels == "" || split == "" && len(places) > 0 {
			continue
		}
		places = append(places, placeOf(data.Files{Logits: file + "#" + s.logits, Labels: file + "#" + s.labels, Kind: cmp.Or(stated.Kind, s.kind), Ignore: stated.Ignore, FS: fsys}))
	}
	for _, split := range []data.Split{data.Cal, data.Test} {
		if s := sets[split]; len(places) < 2 && s != nil && s.logits != "" && s.labels == "" {
			return nil, fmt.Errorf("%s: %s has no labels (the file has %s); understood are %s", file, s.logits, strings.Join(names, ", "), Understood)
		}
	}
	switch {
	case len(places) > 0:
	case file == data.StreamName:
		return nil, &data.Problem{Place: file, Cause: "it has the arrays " + cmp.Or(strings.Join(names, ", "), "none") + ", and no logits with labels under names that are understood", Fix: "understood are " + Understood}
	default:
		return nil, fmt.Errorf("%s: it has the arrays %s, and no logits with labels under names that are understood (%s); name the members: qats try %s#LOGITS %s#LABELS",
			file, cmp.Or(strings.Join(names, ", "), "none"), Understood, file, file)
	}
	dataset := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	if !spec.IsID(dataset) {
		dataset = "mine"
	}
	g := given(dataset, Unnamed, places[0], nil)
	g.Origin = data.OriginOf(file)
	if len(places) > 1 {
		g.Test = &places[1]
	}
	return g, nil
}

// roleOf returns the split that the name of a member states, or none, and the rest of the
// name.
func roleOf(name string) (split data.Split, role string) {
	var rest []string
	for _, word := range strings.Split(strings.NewReplacer("-", "_", ".", "_").Replace(strings.ToLower(name)), "_") {
		switch {
		case word == string(data.Test):
			split = data.Test
		case slices.Contains(data.CalNames(), data.Split(word)):
			split = data.Cal
		default:
			rest = append(rest, word)
		}
	}
	return split, strings.Join(rest, "_")
}
