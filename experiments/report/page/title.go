package page

import (
	"fmt"

	"github.com/qats-bench/qats/internal/english"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/results"
)

// titleOf says what was compared: the number of methods, the settings that count and have a
// value, by their source, and their data sets if there are several. The title of the one spec of a folder comes
// before it.
func titleOf(d *data, f *results.Rows, n results.SettingCounts) string {
	what := english.Count(len(d.Methods), "method")
	before, title := "Comparison of ", ""
	if f.Run != nil && len(f.Run.Specs) == 1 {
		title = f.Run.Specs[0].Title
	}
	if title != "" {
		before = title + ": "
	}
	on := english.Count(n.Measured, "measured setting")
	switch {
	case n.Measured == 0 && n.Simulated == 0:
		return before + what + ": no numbers"
	case n.Measured == 0:
		on = english.Count(n.Simulated, "simulated setting")
	case n.Simulated > 0:
		on = fmt.Sprintf("%d measured and %s", n.Measured, english.Count(n.Simulated, "simulated setting"))
	}
	valued := lists.Where(f.Records, func(r record) bool { return r.Status == results.OK })
	datasets := lists.Distinct(valued, func(r record) string { return r.Dataset })
	if len(datasets) > 1 {
		on += fmt.Sprintf(" of %d data sets", len(datasets))
	}
	return before + what + " on " + on
}
