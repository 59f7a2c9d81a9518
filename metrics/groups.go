package metrics

// Group is a set of metrics that has a name, so that specs and commands need not list them.
type Group struct {
	Name    string   // begins with @
	Summary string   // one line: what the metrics have in common
	Members []string // in the order of the registry
}

// GroupName is the name of a group of which an entry says that it is in it.
type GroupName string

// The groups of entries.
const (
	Binned      GroupName = "@binned"
	Unbinned    GroupName = "@unbinned"
	Proper      GroupName = "@proper"
	Ranking     GroupName = "@ranking"
	Predictions GroupName = "@predictions"
)

// Groups returns all groups, that of a spec without a list first.
func Groups() []Group {
	of := func(name GroupName, summary string) Group {
		return group(string(name), summary, func(e Entry) bool { return e.Group == name })
	}
	return []Group{
		group("@default", "accuracy, ECE, AECE, NLL and Brier score, with what their tables show beside them: consistency bands and changed predictions",
			func(e Entry) bool { return !e.OnRequest }),
		of(Binned, "calibration errors by bins"),
		of(Unbinned, "calibration errors without bins"),
		of(Proper, "proper scores, which calibration and sharpness improve, and their parts"),
		of(Ranking, "how well confidence tells right rows from wrong ones"),
		of(Predictions, "the predicted classes alone"),
		group("@all", "every metric", func(Entry) bool { return true }),
	}
}

// group returns the group of the registered metrics that belong to it.
func group(name, summary string, belongs func(e Entry) bool) Group {
	g := Group{Name: name, Summary: summary}
	for _, e := range registry {
		if belongs(e) {
			g.Members = append(g.Members, e.Name)
		}
	}
	return g
}
