package page

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"

	"github.com/qats-bench/qats/internal/english"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/compare"
	"github.com/qats-bench/qats/results/table"
)

// measuredFolder is the folder, in the output folder of a reproduction, of the same protocol on
// networks whose outputs come with the project: the measured half.
const measuredFolder = "companion"

// mostLeaders is the number of methods that the summary of the measured half names.
const mostLeaders = 5

// half is the summary of the measured half of a reproduction.
type half struct {
	Link     string
	Settings string       // how many, and of which networks
	Sentence string       // of the comparison by the first metric; empty without one
	Claims   string       // how many hold; empty without claims
	Leaders  *table.Table // nil without a ranking
	Fault    string       // why there is no summary
}

// halfOf summarises the measured half of a folder, nil where there is none.
func halfOf(dir results.Folder, o Options) *half {
	inner := results.Folder(dir.Path(measuredFolder))
	if _, err := os.Stat(inner.Path(results.ResultsFile)); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	h := &half{Link: path.Join(measuredFolder, File)}
	f, err := Read(inner) // what its own page reads, so that the claims are judged alike
	if err != nil {
		h.Fault = err.Error()
		return h
	}
	o = complete(f, Options{Verdicts: o.Verdicts}).judge(f)
	from := results.MeasuredOn(results.DistinctFrom(lists.Where(f.Records, func(r record) bool { return r.Status == results.OK })))
	h.Settings = fmt.Sprintf("%s, %s", english.Count(results.CountSettings(f.Records, nil).Measured, "setting"), from)
	metric := o.Metrics[0]
	if !slices.ContainsFunc(f.Records, func(r record) bool { return r.Metric == metric && r.Status == results.OK }) {
		metric = o.Metrics[len(o.Metrics)-1]
	}
	made, err := compare.Of(f.Records, f.Pairs, o.comparing(metric, o.Against))
	if err == nil && len(made) > 0 && made[0].Source == "measured" { // else the page of the half says why
		v := o.view(made[0], nil)
		h.Sentence, h.Leaders = v.Sentence(), leaders(v)
	}
	if v, err := o.verdicts(f); err == nil && v != nil {
		here := v.Strips()[1]
		h.Claims = fmt.Sprintf("The paper's %d claims, judged %s: holds %d, does not hold %d, cannot be judged %d.", len(v.Claims), v.Here, here.Holds, here.Fails, here.Open)
	}
	return h
}

// leaders is a table of the first methods of a ranking.
func leaders(v compare.View) *table.Table {
	k := v.Ranking
	if len(k.Methods) == 0 {
		return nil
	}
	head := v.MetricLabel
	if v.Percent {
		head += " (%)"
	}
	t := &table.Table{Caption: fmt.Sprintf("Mean ranks by %s over %s", v.MetricLabel, english.Count(k.Settings, "measured setting")),
		Columns: []table.Column{{Head: "Method"}, {Head: "Mean rank", Align: table.Right}, {Head: head, Align: table.Right}}}
	for i, m := range k.Methods[:min(mostLeaders, len(k.Methods))] {
		t.Rows = append(t.Rows, table.Row{Cells: []table.Cell{table.Words(v.Label(m)), table.Words(table.Fixed(k.Ranks[i], 2)), table.Words(v.Number(k.Means[i]))}})
	}
	return t
}
