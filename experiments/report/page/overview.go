package page

import (
	"fmt"
	"slices"
	"strings"

	"github.com/qats-bench/qats/internal/english"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/results"
)

// banner says whether the numbers are measured or simulated.
type banner struct {
	Class string // measured, simulated or both
	Word  string
	Text  string
}

// bannerOf says where the numbers come from, and what simulated ones cannot show. The count is of
// the settings that count.
func bannerOf(n results.SettingCounts, records []results.Record, virtual func([]results.Record) []string) banner {
	b := originOf(n, records)
	if virtual != nil {
		b.Text = strings.Join(append([]string{b.Text}, virtual(records)...), " ")
	}
	return b
}

func originOf(n results.SettingCounts, records []results.Record) banner {
	measured, simulated := n.Measured, n.Simulated
	from := results.MeasuredOn(results.DistinctFrom(lists.Where(records, func(r results.Record) bool { return r.Status == results.OK })))
	switch {
	case measured == 0 && simulated == 0:
		return banner{"simulated", "NO NUMBERS", "No cell of this folder has a value. The reasons are below."}
	case simulated == 0:
		if measured == 1 {
			return banner{"measured", "MEASURED", fmt.Sprintf("The only setting of this page is %s.", from)}
		}
		return banner{"measured", "MEASURED", fmt.Sprintf("All %d settings of this page are %s.", measured, from)}
	case measured == 0:
		return banner{"simulated", "SIMULATED", "No number of this page is of a real network. The settings come from virtual networks. They show that the program works and are no evidence about the paper."}
	}
	return banner{"both", "MEASURED AND SIMULATED", fmt.Sprintf("%s are measured, %s are simulated, and no number mixes the two. Simulated numbers are not of real networks and are no evidence about the paper. Choose the source below.",
		english.Count(measured, "setting"), english.Count(simulated, "setting"))}
}

// line is a line of the summary.
type line struct{ Name, Text string }

func linesOf(d *data, f *results.Rows, n results.SettingCounts) []line {
	experiments := lists.Distinct(d.Settings, func(s settingEntry) string { return s.Experiment })
	status, cells := map[string]int{}, 0
	for i, s := range d.Cells.Status {
		if !d.Settings[d.Cells.Setting[i]].mean {
			status[s]++
			cells++
		}
	}
	of := ""
	if len(experiments) > 1 {
		of = " in all experiments together"
	}
	lines := []line{
		{"Experiments", strings.Join(experiments, ", ")},
		{"Settings", strings.TrimSpace(fmt.Sprintf("%d: %d measured, %d simulated, %d without a value. %s", n.All(), n.Measured, n.Simulated, n.None, n.Note()))},
		{"Methods", fmt.Sprint(len(d.Methods))},
		{"Cells", fmt.Sprintf("%d%s: %d with values, %d skipped, %d failed", cells, of, status["ok"], status["skip"], status["fail"])},
	}
	if d.large {
		lines = append(lines, line{"Left out", fmt.Sprintf("a page of more than %d settings has no reliability diagrams, no fitted parameters, and no comparison of the rankings by different metrics: they are in bins.csv, in fits.csv, and in what qats compare --metric prints for several metrics", mostSettings)})
	}
	if f.Run != nil && f.Run.FirstRows > 0 {
		lines = append(lines, line{"Quick run", fmt.Sprintf("only the first %d rows of each set were used: this checks that everything runs and is no result", f.Run.FirstRows)})
	}
	return lines
}

// reason is a reason of failures or skips with the cells that have it.
type reason struct {
	Status, Why string
	Cells       int
	Methods     string
	Settings    []string
}

// reasonsOf groups the cells without any value by their reason, failures first and
// then by the number of cells.
func reasonsOf(d *data) []reason {
	var without []int // cells
	for i, status := range d.Cells.Status {
		if status != string(results.OK) && !d.Settings[d.Cells.Setting[i]].mean {
			without = append(without, i)
		}
	}
	setting := func(cell int) settingEntry { return d.Settings[d.Cells.Setting[cell]] }
	method := func(cell int) methodEntry { return d.Methods[d.Cells.Method[cell]] }
	type key struct{ status, why string }
	keys, cells := lists.Group(without, func(i int) key {
		items := lists.Values(d.Cells.Notes[i], func(t int) string { return d.Texts[t] })
		return key{d.Cells.Status[i], strings.Join(items, "; ")}
	})
	var list []reason
	for _, k := range keys {
		labels := lists.Distinct(cells[k], func(i int) string { return method(i).Label })
		names := lists.Values(cells[k], func(i int) string { return setting(i).Experiment + ": " + setting(i).Name })
		list = append(list, reason{k.status, k.why, len(cells[k]), strings.Join(labels, ", "), names})
	}
	slices.SortStableFunc(list, func(a, b reason) int {
		if a.Status != b.Status {
			return strings.Compare(a.Status, b.Status) // fail before skip
		}
		return b.Cells - a.Cells
	})
	return list
}
