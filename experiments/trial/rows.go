package trial

import (
	"context"
	"fmt"
	"slices"

	"github.com/qats-bench/qats/experiments/engine"
	"github.com/qats-bench/qats/experiments/look"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results"
)

// Bins returns the bins of a method on the rows that judge, as in bins.csv.
func (t *Trial) Bins(r *Result) []results.Bin { return t.binsOf(r, metrics.Width15, r.Samples) }

// binsOf returns 15 bins of equal width of samples of a method, under the name of their binning.
func (t *Trial) binsOf(r *Result, binning string, samples *metrics.Samples) []results.Bin {
	var bins []results.Bin
	for i, b := range metrics.WidthBins(samples, 15) {
		bins = append(bins, results.Bin{Setting: t.Input.Given.Setting, Method: r.Method.Name, Binning: binning, Bin: i,
			Lo: b.Lo, Hi: b.Hi, N: b.N, Conf: b.Conf, Acc: b.Acc, Source: string(t.Input.Given.Origin)})
	}
	return bins
}

// listed are the metrics of the files: those that need neither the probabilities of all classes
// nor a recalibration of the rows.
func listed() []metrics.Entry {
	return slices.DeleteFunc(metrics.Registry(), func(e metrics.Entry) bool { return e.OnRequest || e.NeedsClasses || e.CrossFit })
}

// listed returns the metrics of the files: listed, of predictions with a confidence alone their proper scores in
// the place of those of all classes, and of two classes those of the positive one.
func (t *Trial) listed() []metrics.Entry {
	list := listed()
	if t.Input.ConfidenceOnly() {
		list = slices.DeleteFunc(list, func(e metrics.Entry) bool { return e.Vector })
		for _, name := range []By{byTopNLL, byTopBrier} {
			e, _ := metrics.Lookup(string(name)) // they are registered
			list = append(list, e)
		}
	}
	if t.Input.Two() {
		for _, e := range metrics.Registry() {
			if e.Positive {
				list = append(list, e)
			}
		}
	}
	return list
}

// Rows returns what the files of an output folder hold, of the rows that judge. Pairs are of
// each method with Reference, and with Plain where that is all there is.
func (t *Trial) Rows(ctx context.Context) (*results.Rows, error) {
	rows := &results.Rows{}
	g, entries := t.Input.Given, t.listed()
	head := results.Record{Setting: g.Setting, Source: string(g.Origin)}
	if g.From != "" {
		head.Note = append(head.Note, results.Note{Kind: results.Arrays, Text: g.From})
	}
	if t.Input.Test == nil {
		head.Note = append(head.Note, results.Note{Kind: results.Arrays, Text: "one set: predictions by cross-fitting on its own rows"})
	}
	judges := t.Input.Judges()
	rows.Settings = []results.SettingInfo{{Setting: g.Setting, Source: string(g.Origin), Kind: string(g.Cal.Files.Kind),
		N: judges.Len(), K: judges.K(), Notes: head.Note}}
	order := t.inOrder()
	plain := t.Of(Plain)
	for _, r := range order {
		samples := r.Samples
		if plain != nil {
			var err error
			if samples, err = samples.Against(plain.Samples); err != nil {
				return nil, err
			}
		}
		head.Method = r.Method.Name
		if err := engine.AppendCell(rows, head, entries, samples, r.Fitted, seed); err != nil {
			return nil, err
		}
		time := r.Time
		time.Setting, time.Method, time.Source = g.Setting, r.Method.Name, string(g.Origin)
		rows.Times = append(rows.Times, time)
	}
	for _, l := range t.LeftOut {
		for _, e := range entries {
			for _, id := range e.Names() {
				rows.Records = append(rows.Records, results.Record{Setting: g.Setting, Method: l.Method, Metric: id, Source: string(g.Origin), Status: results.Skip, Note: results.Notes{l.Why}})
			}
		}
	}
	var err error
	rows.Pairs, err = t.pairs(ctx, order, metrics.PairOptions{Seed: seed})
	return rows, err
}

// inOrder returns the results in the order of the methods of a trial: Plain and Reference
// first.
func (t *Trial) inOrder() []*Result {
	var list []*Result
	for i := range t.Results {
		list = append(list, &t.Results[i])
	}
	rank := func(r *Result) int { return slices.Index([]string{t.Reference(), Plain}, r.Method.Name) }
	slices.SortStableFunc(list, func(a, b *Result) int { return rank(b) - rank(a) })
	return list
}

// title says which calibrator is chosen, unless the arrays leave no answer.
func (t *Trial) title() string {
	name := t.Input.Given.Name()
	if t.Meaningless() {
		return name + ": no calibrator can be recommended"
	}
	if t.Chosen().Method.Name == Plain {
		return name + ": keep the network as it is"
	}
	_, output, _ := metrics.LookupOutput(string(t.By))
	return fmt.Sprintf("Which calibrator for %s? %s, by cross-fitted %s", name, t.Chosen().Method.Label, output.Label)
}

// Write writes the files of an output folder, and returns their rows with the description of
// the trial.
func (t *Trial) Write(ctx context.Context, dir results.Folder, run results.Run) (*results.Rows, error) {
	rows, err := t.Rows(ctx)
	if err != nil {
		return nil, err
	}
	run.Keys = results.KeysDigest(rows.Records)
	run.Counts = results.RunCounts{Settings: 1, Cells: len(t.Results) + len(t.LeftOut), Skipped: len(t.LeftOut)}
	if rows.Records[0].Source == "simulated" {
		run.Counts.Simulated = 1
	} else {
		run.Counts.Measured = 1
	}
	of := results.RunSpec{Name: look.Experiment, Title: t.title(), Baseline: t.Reference(), Data: []string{},
		Metrics: lists.Values(t.listed(), func(e metrics.Entry) string { return e.Name })}
	for _, r := range t.inOrder() {
		rows.Methods = append(rows.Methods, r.Method.Info(look.Experiment))
	}
	if !t.Meaningless() {
		of.Chosen, of.ChosenBy = t.Chosen().Method.Name, string(t.By)
	}
	run.Specs, run.Rows = []results.RunSpec{of}, rows.Count()
	rows.Run = &run
	if err := dir.Write(rows); err != nil {
		return nil, err
	}
	return rows, dir.WriteRun(run)
}
