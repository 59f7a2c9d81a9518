// Package v1 makes the leaderboard of version 1 of the protocol, which ranks by ECE. It is frozen: the same files give the
// same bytes. Version 2, of package leaderboard, has another rule, because a calibration error alone can be lowered by a
// method that knows nothing.
//
// # Tables
//
// Methods that see or keep different things do not compete. Each stands in the table of its [leaderboard.Contract], with
// TS and QaTS beside them where these are of another contract.
//
// # Numbers
//
// All numbers are of package results/compare: means over blocks of data sets that share no test samples, the shift to
// TS and to QaTS by the ECE (Hodges and Lehmann) with its interval, and p of Wilcoxon's test with Holm's correction
// over the methods of the table. Corrupted test sets are of one network, so they are no settings of these means and
// tests: a column has the mean difference to TS on them.
package v1

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/qats-bench/qats/internal/english"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/compare"
	"github.com/qats-bench/qats/results/compare/significance"
	"github.com/qats-bench/qats/results/leaderboard"
)

// Ranked is the metric of the rankings and the tests.
const Ranked = "ece"

// Metrics are the metrics with a mean, Ranked first.
func Metrics() []string { return []string{Ranked, "aece", "nll", "brier"} }

// Board is the leaderboard.
type Board struct {
	Title    string
	Tables   []Table // of the contracts that a method has
	Settings results.SettingCounts
	From     []string // what the settings are measured on
	Methods  int      // of the registry
	Entries  int
}

// Table compares the methods of a contract.
type Table struct {
	Contract leaderboard.Contract
	Rows     []Row                 // the ranked methods first, in their order
	Without  []*leaderboard.Member // methods without a number
	ToTS     compare.View          // by Ranked
	Means    []compare.View        // by each of Metrics
	Drawn    bool                  // some row has drawn splits
}

// Row is a method in a table.
type Row struct {
	*leaderboard.Member
	Beside    bool // TS or QaTS, of another contract
	Rank      float64
	Means     []compare.Row // by each of Metrics; of no settings where it has no value
	ToTS      *compare.Row  // nil for TS, and for a reference
	ToQaTS    *compare.Row
	Corrupted *compare.Row // to TS, on corrupted test sets; its test has no meaning
	Drawn     *compare.Row // to TS, over drawn splits
}

// Of compares members on some settings. There must be TS and QaTS among them. An error names the table.
func Of(title string, members []leaderboard.Member, settings []results.SettingInfo) (*Board, error) {
	b := &Board{Title: title}
	find := func(method string) (*leaderboard.Member, error) {
		i := slices.IndexFunc(members, func(m leaderboard.Member) bool { return m.Method == method && m.Authors == nil })
		if i < 0 {
			return nil, fmt.Errorf("no numbers of %s, which all methods are compared with", method)
		}
		return &members[i], nil
	}
	ts, err := find(leaderboard.TS)
	if err != nil {
		return nil, err
	}
	qats, err := find(leaderboard.QaTS)
	if err != nil {
		return nil, err
	}
	for i := range members {
		m := &members[i]
		results.Join(m.Records, settings)
		results.Join(m.Drawn, settings)
		if m.Authors == nil {
			b.Methods++
		} else {
			b.Entries++
		}
	}
	b.Settings = results.CountSettings(clean(ts.Records), nil)
	b.From = results.DistinctFrom(lists.Where(ts.Records, func(r results.Record) bool { return r.Status == results.OK }))
	for _, contract := range leaderboard.Contracts() {
		var of []*leaderboard.Member
		for i := range members {
			if members[i].Contract == contract {
				of = append(of, &members[i])
			}
		}
		if of == nil {
			continue
		}
		t, err := tableOf(contract, of, ts, qats)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", contract.Title(), err)
		}
		b.Tables = append(b.Tables, *t)
	}
	return b, nil
}

// clean returns the records of clean test sets.
func clean(records []results.Record) []results.Record {
	return lists.Where(records, func(r results.Record) bool { return r.Corruption == "" })
}

// tableOf compares the members of a contract on the settings where one of them has a value.
func tableOf(contract leaderboard.Contract, members []*leaderboard.Member, ts, qats *leaderboard.Member) (*Table, error) {
	t := &Table{Contract: contract}
	has := map[results.Setting]bool{}
	var of []*leaderboard.Member
	labels := map[string]string{leaderboard.TS: ts.Label, leaderboard.QaTS: qats.Label}
	for _, m := range members {
		labels[m.Method] = m.Label
		any := false
		for _, r := range m.Records {
			if r.Metric == Ranked && r.Status == results.OK {
				has[r.Setting], any = true, any || r.Corruption == ""
			}
		}
		if any {
			of = append(of, m)
		} else {
			t.Without = append(t.Without, m)
		}
	}
	if of == nil {
		return t, nil
	}
	own := slices.Clone(of)
	for _, m := range []*leaderboard.Member{ts, qats} {
		if m.Contract != contract {
			of = append(of, m)
		}
	}
	// records of some members, on the settings of the table.
	records := func(members []*leaderboard.Member, corrupted bool) (list []results.Record) {
		for _, m := range members {
			list = append(list, lists.Where(m.Records, func(r results.Record) bool { return has[r.Setting] && (r.Corruption != "") == corrupted })...)
		}
		return list
	}
	with := func(m *leaderboard.Member) []*leaderboard.Member {
		if slices.Contains(own, m) {
			return own
		}
		return append(slices.Clone(own), m)
	}
	aside := lists.Values(lists.Where(own, func(m *leaderboard.Member) bool { return !m.Status.Ranked() }), func(m *leaderboard.Member) string { return m.Method })
	against := func(records []results.Record, metric, method string) (compare.View, error) {
		list, err := compare.Of(records, nil, compare.Options{Metric: metric, Against: method, Target: aside})
		if err != nil {
			return compare.View{}, err
		}
		return compare.View{Comparison: list[0], Labels: labels}, nil
	}
	var err error
	if t.ToTS, err = against(records(with(ts), false), Ranked, leaderboard.TS); err != nil {
		return nil, err
	}
	toQaTS, err := against(records(with(qats), false), Ranked, leaderboard.QaTS)
	if err != nil {
		return nil, err
	}
	for _, metric := range Metrics() {
		v, err := against(records(of, false), metric, leaderboard.TS)
		if err != nil {
			return nil, err
		}
		t.Means = append(t.Means, v)
	}
	var corrupted compare.View
	if shifted := records(with(ts), true); len(shifted) > 0 {
		if corrupted, err = against(shifted, Ranked, leaderboard.TS); err != nil {
			return nil, err
		}
	}
	for _, m := range of {
		r := Row{Member: m, Beside: m.Contract != contract, Rank: math.NaN(), ToTS: rowOf(t.ToTS, m), ToQaTS: rowOf(toQaTS, m), Corrupted: rowOf(corrupted, m)}
		if i := slices.Index(t.ToTS.Ranking.Methods, m.Method); i >= 0 {
			r.Rank = t.ToTS.Ranking.Ranks[i]
		}
		for _, v := range t.Means {
			mean := compare.Row{Method: m.Method}
			if m == ts {
				mean = v.Own
			} else if found := rowOf(v, m); found != nil {
				mean = *found
			}
			r.Means = append(r.Means, mean)
		}
		if m.Drawn != nil {
			v, err := compare.Of(clean(m.Drawn), nil, compare.Options{Metric: Ranked, Against: leaderboard.TS, Methods: []string{m.Method}})
			if err != nil {
				return nil, fmt.Errorf("drawn splits of %s: %w", m.Method, err)
			}
			r.Drawn, t.Drawn = &v[0].Rows[0], true
		}
		t.Rows = append(t.Rows, r)
	}
	slices.SortStableFunc(t.Rows, Row.before)
	return t, nil
}

// rowOf returns the row of a member; nil without one.
func rowOf(v compare.View, m *leaderboard.Member) *compare.Row {
	if v.Comparison == nil {
		return nil
	}
	if i := slices.IndexFunc(v.Rows, func(r compare.Row) bool { return r.Method == m.Method }); i >= 0 {
		return &v.Rows[i]
	}
	return nil
}

// before orders rows: the ranked ones by their rank, then the others, then references.
func (r Row) before(other Row) int {
	place := func(r Row) int {
		switch {
		case r.Beside:
			return 2
		case math.IsNaN(r.Rank):
			return 1
		}
		return 0
	}
	if c := cmp.Compare(place(r), place(other)); c != 0 || place(r) > 0 {
		return c
	}
	return cmp.Compare(r.Rank, other.Rank)
}

// Statement says which method leads a table, what its shift to TS is, and whether its lead over the others is shown.
func (t Table) Statement() english.Text {
	if len(t.Rows) == 0 {
		return english.Of("No method has a number.")
	}
	v := t.ToTS
	method, why := v.Leader()
	if method == "" {
		return english.Of("No calibrator is ranked.")
	}
	text := english.Of(v.Label(method), " ", why, ".")
	if shown := v.Shown(method); shown != nil {
		text = english.Of(text, " ", shown)
	}
	return english.Of(text, t.lead(method))
}

// lead says, after a space, which of the ranked methods the leader is not shown to differ from; nothing where it has no rank.
func (t Table) lead(method string) string {
	k := t.ToTS.Ranking
	i := slices.Index(k.Methods, method)
	if i < 0 || k.Apart == nil || len(k.Methods) < 3 {
		return ""
	}
	var level []string
	for j, m := range k.Methods {
		if j != i && !k.Apart[i][j] {
			level = append(level, t.ToTS.Label(m))
		}
	}
	switch n := len(level); {
	case significance.LeastP(len(k.Blocks))*float64(len(k.Methods)-1) > compare.Alpha:
		return " " + english.Count(len(k.Blocks), "block") + " are too few to show a lead over the others."
	case n == 0:
		return " It is shown to differ from each of the others."
	case n <= mostLevel:
		return " It is not shown to differ from " + english.List(level) + "."
	}
	return fmt.Sprintf(" It is not shown to differ from %d of the others, the first of them %s.", len(level), english.List(level[:mostLevel]))
}

// mostLevel is the number of methods that a sentence names.
const mostLevel = 5
