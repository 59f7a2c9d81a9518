package compare

import (
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/table"
)

// Warning is a warning of the fits of a method, with the settings that have it.
type Warning struct {
	Method   string
	Text     string // on the first of them; the others may differ in their numbers
	Settings []results.Setting
}

// warnings collects the warnings of the methods, in order.
func (v values) warnings(methods []string) []Warning {
	var list []Warning
	for _, m := range methods {
		index := map[string]int{}
		for _, s := range v.settings {
			for _, text := range v.at[place{s, m}].Warnings() {
				kind := table.WithoutNumbers(text)
				i, ok := index[kind]
				if !ok {
					i = len(list)
					index[kind] = i
					list = append(list, Warning{Method: m, Text: text})
				}
				if of := list[i].Settings; len(of) == 0 || of[len(of)-1] != s { // several of a kind count once
					list[i].Settings = append(of, s)
				}
			}
		}
	}
	return list
}
