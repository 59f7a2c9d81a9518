package compare

import (
	"slices"
	"strings"

	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/results"
)

// usual is the method that others are compared with if no run says which.
const usual = "qats"

// Baseline returns the method that the others are compared with if none is named: the
// baseline of the specs of a run, because pairs.csv has verdicts against no other method. If
// the specs have several, it is the one with the most pairs, the first of equals. Without
// specs it is qats if it has rows, or else the method with the most pairs, or else the first
// method. It is empty without records.
func Baseline(specs []results.RunSpec, records []results.Record, pairs []results.Pair) string {
	methods := lists.Distinct(records, func(r results.Record) string { return r.Method })
	count := map[string]int{}
	for _, p := range pairs {
		count[p.Against]++
	}
	most := func(list []string) string {
		best := ""
		for _, m := range list {
			if slices.Contains(methods, m) && (best == "" || count[m] > count[best]) {
				best = m
			}
		}
		return best
	}
	if best := most(lists.Values(specs, func(s results.RunSpec) string { return s.Baseline })); best != "" {
		return best
	}
	if slices.Contains(methods, usual) {
		return usual
	}
	if best := most(lists.Distinct(pairs, func(p results.Pair) string { return p.Against })); best != "" {
		return best
	}
	if len(methods) == 0 {
		return ""
	}
	return methods[0]
}

// Labels returns the names in print of methods: those that the specs of a run give them, the
// first spec deciding, and the registered ones for the others.
func Labels(specs []results.RunSpec, registered map[string]string) map[string]string {
	labels := map[string]string{}
	for m, label := range registered {
		labels[m] = label
	}
	for _, s := range slices.Backward(specs) {
		for _, m := range s.Methods {
			if m.Label != "" {
				labels[m.Name] = labelOf(m, registered[m.Method])
			}
		}
	}
	return labels
}

// Targets returns the methods that see unlabelled rows of the domain that they are tested on:
// those of which the specs of a run say so or name a registered method that does, and the
// registered ones under their own names.
func Targets(specs []results.RunSpec, registered []string) (list []string) {
	named := map[string]bool{}
	for _, s := range specs {
		for _, m := range s.Methods {
			if named[m.Name] = true; m.Target || slices.Contains(registered, m.Method) {
				list = append(list, m.Name)
			}
		}
	}
	list = append(list, lists.Where(registered, func(m string) bool { return !named[m] })...)
	return lists.Distinct(list, func(m string) string { return m })
}

// labelOf is the label of a method in a spec. A spec may call a variant "m = 25" in a table
// of variants; beside other methods it needs its name too, unless the label begins with it or
// has that of the method that it is a variant of.
func labelOf(m results.RunMethod, registered string) string {
	label := letters(m.Label)
	if m.Name == m.Method || registered == "" || strings.Contains(label, letters(registered)) || strings.HasPrefix(label, letters(m.Name)) {
		return m.Label
	}
	return m.Label + " (" + m.Name + ")"
}

// letters returns a text in small letters, without what stands between words.
func letters(s string) string {
	return strings.NewReplacer(" ", "", "-", "", "_", "").Replace(strings.ToLower(s))
}
