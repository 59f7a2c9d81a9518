package report

import (
	"fmt"
	"slices"

	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/paper"
)

// The networks under corruptions are all of one backbone, whose virtual network has a tilt below 0
// (data/simulate/networks.yaml).
const (
	tilted = "vit-b16"
	tilt   = -0.2
)

// virtual returns what simulated records of the paper's settings cannot show, in sentences for the
// captions of tables and figures:
//   - how QaTS differs from TS, where all networks are of the tilted backbone. A fit to few rows, as
//     under --quick, may have a > 0 by chance.
//   - what FeatClip does, wherever it is among the methods.
//
// It returns nothing for measured records. The records are those that a table or a figure shows.
func virtual(records []results.Record) (list []string) {
	records = lists.Where(records, func(r results.Record) bool {
		return r.Source == "simulated" && r.Status == results.OK && slices.Contains(paper.Datasets(), r.Dataset)
	})
	has := func(method string) bool {
		return slices.ContainsFunc(records, func(r results.Record) bool { return r.Method == method })
	}
	if has("qats") && !slices.ContainsFunc(records, func(r results.Record) bool { return r.Backbone != tilted }) {
		list = append(list, fmt.Sprintf("The virtual %s has a tilt of %g: its sure rows are the more overconfident. "+
			"QaTS cannot correct that, since its a is not below 0, and ties with TS unless calibration rows are few.", paper.Name("backbone", tilted), tilt))
	}
	if has("featclip") {
		list = append(list, "FeatClip stands near Uncal, since virtual networks have no outlying features to clip.")
	}
	return list
}

// virtualOfPage returns the sentences of virtual for each experiment, each once.
func virtualOfPage(records []results.Record) []string {
	experiments, of := lists.Group(records, func(r results.Record) string { return r.Experiment })
	var list []string
	for _, e := range experiments {
		list = append(list, virtual(of[e])...)
	}
	return lists.Distinct(list, func(s string) string { return s })
}
