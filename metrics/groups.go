package metrics

import "slices"

// Group is a set of metrics that has a name, so that specs and commands need not list them.
type Group struct {
	Name    string   // begins with @
	Summary string   // one line: what the metrics have in common
	Members []string // in the order of the registry
}

// Groups returns all groups, that of a spec without a list first.
func Groups() []Group {
	listed := func(name, summary string, metrics ...string) Group {
		return group(name, summary, func(e Entry) bool { return slices.Contains(metrics, e.Name) })
	}
	return []Group{
		group("@default", "accuracy, ECE, AECE, NLL and Brier score, with what their tables show beside them: consistency bands and changed predictions",
			func(e Entry) bool { return !e.OnRequest }),
		listed("@binned", "calibration errors by bins",
			"ece", "ece_null", "aece", "aece_null", "mce", "mce_30", "ece_debiased", "ece_sweep", "ece_tm", "ece_classwise", "ece_bins", "aece_bins",
			"rmsce", "ace_netcal", "ece_toplabel", "tace", "ece_top5"),
		listed("@unbinned", "calibration errors without bins",
			"gap", "ks", "smece", "corp_mcb", "l1_variational", "lp_variational", "kuiper", "kuiper_z", "mmce"),
		listed("@proper", "proper scores, which calibration and sharpness improve, and their parts",
			"nll", "brier", "brier_top", "phi", "decomposition", "decomposition_ts"),
		listed("@ranking", "how well confidence tells right rows from wrong ones",
			"auroc", "aurc", "corp_dsc", "augrc"),
		listed("@predictions", "the predicted classes alone",
			"accuracy", "argmax_change", "miou"),
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
