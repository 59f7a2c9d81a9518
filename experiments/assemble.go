package experiments

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"strings"

	"github.com/qats-bench/qats/calib/report"
	"github.com/qats-bench/qats/data"
	"github.com/qats-bench/qats/experiments/engine"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/internal/pool"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results"
)

// assembled is the number of units whose rows are in memory at a time.
const assembled = 256

// rows calls do with the rows of all units, of some units at a time, in plan order. It reads the
// objects of several units at a time, because a shared file system answers each read late.
func (p *Plan) rows(outcomes [][]outcome, do func(*results.Rows) error) error {
	for first := 0; first < len(p.Units); first += assembled {
		parts := make([]results.Rows, min(assembled, len(p.Units)-first))
		err := pool.Each(context.Background(), len(parts), runtime.GOMAXPROCS(0), func(_, i int) error {
			return p.assemble(&parts[i], &p.Units[first+i], outcomes[first+i])
		})
		if err != nil {
			return err
		}
		var all results.Rows
		for i := range parts {
			all.Append(&parts[i])
		}
		if first == 0 {
			all.Methods = p.methodInfos()
		}
		if err := do(&all); err != nil {
			return err
		}
	}
	return nil
}

// metrics returns the names of the metrics of all records, in the order of their first records.
func (p *Plan) metrics() []string {
	var names []string
	for _, s := range p.specs() {
		for _, e := range s.Metrics {
			names = append(names, e.Names()...)
		}
	}
	return lists.Distinct(names, func(name string) string { return name })
}

// assemble appends the rows of a unit to out.
func (p *Plan) assemble(out *results.Rows, u *Unit, outcomes []outcome) error {
	var in inputs
	if err := p.optional(results.Inputs, u.inputs, &in); err != nil {
		return err
	}
	known := p.settingInfo(u, in)
	out.Settings = append(out.Settings, known)
	for i := range u.Cells {
		c := &u.Cells[i]
		switch o := outcomes[i]; o.status {
		case results.Skip, results.Fail:
			for _, e := range u.Spec.Metrics {
				for _, id := range e.Names() {
					out.Records = append(out.Records, results.Record{Setting: u.Setting.Setting, Method: c.Method.Name, Metric: id,
						Source: string(u.Provenance.Origin), Status: o.status, Note: results.Notes{p.localNote(o.why)}})
				}
			}
		default:
			if err := p.assembleOK(out, u, c, in, known.Notes); err != nil {
				return err
			}
		}
	}
	return nil
}

// assembleOK appends the rows of a cell that is in the store.
func (p *Plan) assembleOK(out *results.Rows, u *Unit, c *Cell, in inputs, known results.Notes) error {
	var s engine.Metrics
	if err := p.object(results.Scores, c.scores, &s); err != nil {
		return err
	}
	source := string(u.Provenance.Origin)
	note := engine.WithWarnings(known, s.Report)
	if in.Few != (report.Warning{}) && c.Method.Contract().Cal&data.Labels != 0 {
		s.Report.Warn(in.Few)
	}
	s.Append(out, results.Record{Setting: u.Setting.Setting, Method: c.Method.Name, Source: source, Note: note, Key: results.Key(c.scores)}, u.Spec.Metrics)
	out.Times = append(out.Times, p.timeRow(u, c))
	out.Classes = append(out.Classes, classRows(u, c, s.Classes)...)
	var pairs []metrics.Pair // none for the baseline itself, or if the baseline failed
	if err := p.optional(results.Pairs, c.pair, &pairs); err != nil {
		return err
	}
	out.Pairs = append(out.Pairs, engine.PairRows(results.Pair{Setting: u.Setting.Setting, Method: c.Method.Name, Against: u.Spec.Baseline, N: s.N, Source: source}, pairs)...)
	return nil
}

// timeRow returns the row of times.csv of a cell with values. A time that is absent or
// damaged is empty: the fit is not made again for it.
func (p *Plan) timeRow(u *Unit, c *Cell) results.Time {
	var t results.Time
	body, err := p.options.Store.Get(results.Times, results.Key(c.fit))
	if err == nil {
		err = json.Unmarshal(body, &t)
	}
	if err != nil {
		t = results.Time{}
	}
	t.Setting, t.Method, t.Source, t.Known = u.Setting.Setting, c.Method.Name, string(u.Provenance.Origin), err == nil
	return t
}

// optional is object, but it leaves v as it is if there is no such object or no text.
func (p *Plan) optional(kind results.Kind, text string, v any) error {
	if text == "" {
		return nil
	}
	if has, err := p.options.Store.Lookup(kind, results.Key(text)); !has {
		return err
	}
	return p.object(kind, text, v)
}

// object reads a JSON object of the store.
func (p *Plan) object(kind results.Kind, text string, v any) error {
	body, err := p.options.Store.Get(kind, results.Key(text))
	if err == nil {
		err = json.Unmarshal(body, v)
	}
	if err != nil {
		return fmt.Errorf("%s object of the store: %w; run again with --fresh", kind, err)
	}
	return nil
}

// settingInfo returns the row of settings.csv of a unit.
func (p *Plan) settingInfo(u *Unit, in inputs) results.SettingInfo {
	from := u.Provenance
	from.Note = p.local(from.Note)
	lines := func(text string) string { return strings.ReplaceAll(strings.TrimSpace(text), "\n", "; ") }
	return results.SettingInfo{Setting: u.Setting.Setting, DatasetLabel: cmp.Or(u.Spec.Labels[u.Setting.Dataset], from.DatasetLabel), BackboneLabel: cmp.Or(u.Spec.Labels[u.Setting.Backbone], from.BackboneLabel),
		Domain: from.Domain, CalibrateOn: u.Setting.CalibrateOn, Source: string(from.Origin), Kind: string(from.Kind),
		N: in.Rows, K: in.Classes, Notes: notesOf(from, u.Setting.FirstPositive, in.Notes), Test: lines(u.testArrays), Cal: lines(u.calArrays)}
}

// notesOf returns what is known of the arrays, and that of two classes the first is the positive one.
func notesOf(from data.Provenance, firstPositive bool, inputs results.Notes) (note results.Notes) {
	add := func(kind results.NoteKind, text string) {
		if text != "" {
			note = append(note, results.Note{Kind: kind, Text: text})
		}
	}
	add(results.From, from.From)
	add(results.Samples, from.Samples)
	add(results.RowIDs, from.RowIDs)
	switch {
	case from.Origin != data.Measured:
	case from.Paper:
		note = append(note, results.Note{Kind: results.Paper})
	default:
		add(results.StandIn, from.StandIn)
	}
	add(results.Arrays, from.Note)
	if firstPositive {
		add(results.Arrays, "the positive class is 0")
	}
	return append(note, inputs...)
}
