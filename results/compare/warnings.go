package compare

import (
	"github.com/qats-bench/qats/calib/report"
	"github.com/qats-bench/qats/results"
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
		index := map[report.Warning]int{} // by kin
		for _, s := range v.settings {
			row := v.numbersOf(m)[s].row
			if row == nil {
				continue
			}
			for _, w := range row.Note.Warnings() {
				i, ok := index[w.Kin()]
				if !ok {
					i = len(list)
					index[w.Kin()] = i
					list = append(list, Warning{Method: m, Text: w.String()})
				}
				at := v.cube.Settings()[s]
				if of := list[i].Settings; len(of) == 0 || of[len(of)-1] != at { // several of a kind count once
					list[i].Settings = append(of, at)
				}
			}
		}
	}
	return list
}
