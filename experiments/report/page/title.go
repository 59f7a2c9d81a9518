package page

import (
	"fmt"
	"strings"

	"github.com/qats-bench/qats/internal/english"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/results"
)

// titleOf says what the page is: the experiments of the folder, the number of methods, and
// the settings that count and have a value, by their source.
func titleOf(d *data, f *results.Rows, n results.SettingCounts) string {
	name := nameOf(f)
	measured, simulated := n.Measured, n.Simulated
	on := english.Count(measured, "measured setting")
	switch {
	case measured == 0 && simulated == 0:
		return name + ": no numbers"
	case measured == 0:
		on = english.Count(simulated, "simulated setting")
	case simulated > 0:
		on = fmt.Sprintf("%d measured and %s", measured, english.Count(simulated, "simulated setting"))
	}
	return fmt.Sprintf("%s: %s on %s", name, english.Count(len(d.Methods), "method"), on)
}

// nameOf names the experiments of the folder.
func nameOf(f *results.Rows) string {
	names := lists.Distinct(f.Records, func(r record) string { return r.Experiment })
	switch {
	case len(names) == 1 && f.Run != nil && len(f.Run.Specs) == 1 && f.Run.Specs[0].Title != "":
		return f.Run.Specs[0].Title
	case len(names) > 4:
		return fmt.Sprintf("%d experiments (%s and others)", len(names), strings.Join(names[:3], ", "))
	}
	return strings.Join(names, ", ")
}
