package compare

import (
	"slices"

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
