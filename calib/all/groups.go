package all

import (
	"slices"

	"github.com/qats-bench/qats/calib"
	"github.com/qats-bench/qats/data"
)

// Group is a set of methods that has a name, so that specs and commands need not list them.
type Group struct {
	Name    string   // begins with @
	Summary string   // one line: what the methods have in common
	Members []string // in the order of the registry
}

// fastPasses is the most passes of a fit in the group @fast: about 0.1 s of processor time
// on 10,000 rows of 100 classes.
const fastPasses = 100

// Groups returns all groups, those that most users want first. What a contract or another
// value of an entry says decides the members; the other groups are lists.
func Groups() []Group {
	registry := Registry()
	listed := func(name, summary string, methods ...string) Group {
		return group(registry, name, summary, func(e calib.Entry) bool { return slices.Contains(methods, e.Name) })
	}
	where := func(name, summary string, has func(e calib.Entry, c calib.Contract) bool) Group {
		return group(registry, name, summary, func(e calib.Entry) bool { return has(e, e.Method.Contract()) })
	}
	const labelled = data.Logits | data.Labels
	return []Group{
		// The methods of probabilities that lead docs/findings.md in ECE, AECE, NLL or Brier
		// score and whose fits on 10,000 rows of 100 classes take 0.5 s of processor time
		// together. sms leads too, but takes 1.4 s there and at most 100 classes. Methods that
		// give the predicted class alone a new confidence have no NLL to choose them by.
		listed("@recommended", "to begin with, fast and first in the tables of docs/findings.md, with qats, ts and uncal",
			"uncal", "ts", "ets", "ir", "platt-logits", "quadratic", "svs", "hts", "qats"),
		listed("@paper", "the methods of the paper's tables",
			"uncal", "ts", "ir", "tta-ts", "gc-split", "featclip", "hfe", "hfe-target", "qats", "qats-pw", "qats-transductive"),
		where("@fast", "logits and labels alone, a fit on 10,000 x 100 takes 0.1 s or less", func(e calib.Entry, c calib.Contract) bool {
			return (c.Cal|c.Test|c.Target)&^labelled == 0 && c.Target == 0 && e.Passes(100) <= fastPasses
		}),
		where("@logits", "methods of logits and labels alone", func(_ calib.Entry, c calib.Contract) bool {
			return (c.Cal|c.Test)&^labelled == 0 && c.Target == 0
		}),
		where("@keeps-top1", "the predicted class of every row stays the same", func(_ calib.Entry, c calib.Contract) bool { return c.KeepsTop1 }),
		where("@changes-top1", "the predicted class of a row may change", func(_ calib.Entry, c calib.Contract) bool { return !c.KeepsTop1 }),
		where("@top-label", "a new confidence of the predicted class, no probabilities of the others", func(e calib.Entry, _ calib.Contract) bool { return e.TopLabelOnly() }),
		where("@confidence", "the confidence of the prediction is enough: for predictions that have that alone", func(_ calib.Entry, c calib.Contract) bool { return c.Confidence }),
		where("@features", "methods that read features of the network", func(_ calib.Entry, c calib.Contract) bool { return (c.Cal|c.Test)&data.Features != 0 }),
		where("@ood", "methods that read logits of out-of-distribution rows", func(_ calib.Entry, c calib.Contract) bool { return c.Cal&data.OOD != 0 }),
		where("@target", "methods that read unlabelled rows of the set that they are applied to", func(_ calib.Entry, c calib.Contract) bool { return c.Target != 0 }),
		listed("@qats", "QaTS and its variants", "qats", "qats-pw", "qats-free", "qats-pw-free", "qats-transductive", "qats-reading"),
		listed("@historical", "published up to 2017, with which later papers compare",
			"ts", "ts-guo50", "irova", "cir", "ivap", "cvap", "hb", "hb-mass", "bbq", "platt", "beta", "vs"),
		where("@all", "every method", func(calib.Entry, calib.Contract) bool { return true }),
	}
}

// group returns the group of the entries that belong to it.
func group(registry []calib.Entry, name, summary string, belongs func(calib.Entry) bool) Group {
	g := Group{Name: name, Summary: summary}
	for _, e := range registry {
		if belongs(e) {
			g.Members = append(g.Members, e.Name)
		}
	}
	return g
}

// LookupGroup returns the group of the given name, and whether there is one.
func LookupGroup(name string) (Group, bool) {
	groups := Groups()
	i := slices.IndexFunc(groups, func(g Group) bool { return g.Name == name })
	if i < 0 {
		return Group{}, false
	}
	return groups[i], true
}
