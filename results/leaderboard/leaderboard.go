// Package leaderboard compares the methods of the registry and the entries of strangers, and makes the tables of the
// leaderboard.
//
// # Tables
//
// Methods that see or keep different things do not compete. Each stands in the table of its [Contract], with TS and
// QaTS beside them where these are of another contract.
//
// # Numbers
//
// All numbers are of package results/compare: means over blocks of data sets that share no test samples, the shift to
// TS and to QaTS by the ECE (Hodges and Lehmann) with its interval, and p of Wilcoxon's test with Holm's correction
// over the methods of the table. Corrupted test sets are of one network, so they are no settings of these means and
// tests: a column has the mean difference to TS on them.
//
// # Statuses
//
// Only verified methods are ranked; the others are shown. See [Status].
//
// # Files
//
// The folder of this package has a file for each method of the registry, as an entry has it (results.WriteEntry), and
// settings.csv with what is known of the settings. A run of the registry writes them.
package leaderboard

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
)

// Status says how far the numbers of a method can be trusted.
type Status string

// The statuses.
const (
	Verified Status = "verified" // a run of the code gave numbers that are equal or agree, and drawn splits exist
	Agrees   Status = "agrees"   // a run of the code gave such numbers, on splits that everybody knows
	Claimed  Status = "claimed"  // of the author alone
	Differs  Status = "differs"  // a run of the code gave other numbers
)

// Statuses returns all statuses with what they mean.
func Statuses() []struct {
	Status Status
	Means  string
} {
	return []struct {
		Status Status
		Means  string
	}{
		{Verified, "A maintainer ran the code again, and each number is equal or within a thousandth of a point. Calibration and test rows were also drawn again, by the hash of a commit that is newer than the entry. Methods of this project are verified, since their numbers are those of a run of this project."},
		{Agrees, "A maintainer ran the code again, and each number is equal or within a thousandth of a point. No rows were drawn again. Test labels are public, so nobody can show that they were not used. Such a method is neither ranked nor named in a sentence."},
		{Claimed, "The numbers are those that the author handed in. Nobody has run the code again. Such a method is not ranked either."},
		{Differs, "A maintainer ran the code again and got other numbers. The table has those that the author handed in. Such a method is not ranked either."},
	}
}

// ranked reports whether a method is ranked.
func (s Status) ranked() bool { return s == Verified }

// Member is a method of the leaderboard with its numbers.
type Member struct {
	Method    string // id
	Label     string // in print
	Contract  Contract
	Authors   []string // of an entry; nil for a method of the registry
	Reference string   // of an entry
	Status    Status

	Records []results.Record // on the settings of the board
	Drawn   []results.Record // means over drawn splits, of the method and of those that it is compared with; nil without
	Draws   int              // splits of Drawn
}

// The methods that all others are compared with.
const (
	TS   = "ts"
	QaTS = "qats"
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
	Contract Contract
	Rows     []Row          // the ranked methods first, in their order
	Without  []*Member      // methods without a number
	ToTS     compare.View   // by Ranked
	Means    []compare.View // by each of Metrics
	Drawn    bool           // some row has drawn splits
}

// Row is a method in a table.
type Row struct {
	*Member
	Beside    bool // TS or QaTS, of another contract
	Rank      float64
	Means     []compare.Row // by each of Metrics; of no settings where it has no value
	ToTS      *compare.Row  // nil for TS, and for a reference
	ToQaTS    *compare.Row
	Corrupted *compare.Row // to TS, on corrupted test sets; its test has no meaning
	Drawn     *compare.Row // to TS, over drawn splits
}

// Of compares members on some settings. There must be TS and QaTS among them. An error names the table.
func Of(title string, members []Member, settings []results.SettingInfo) (*Board, error) {
	b := &Board{Title: title}
	find := func(method string) (*Member, error) {
		i := slices.IndexFunc(members, func(m Member) bool { return m.Method == method && m.Authors == nil })
		if i < 0 {
			return nil, fmt.Errorf("no numbers of %s, which all methods are compared with", method)
		}
		return &members[i], nil
	}
	ts, err := find(TS)
	if err != nil {
		return nil, err
	}
	qats, err := find(QaTS)
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
	for _, contract := range Contracts() {
		var of []*Member
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
func tableOf(contract Contract, members []*Member, ts, qats *Member) (*Table, error) {
	t := &Table{Contract: contract}
	has := map[results.Setting]bool{}
	var of []*Member
	labels := map[string]string{TS: ts.Label, QaTS: qats.Label}
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
	for _, m := range []*Member{ts, qats} {
		if m.Contract != contract {
			of = append(of, m)
		}
	}
	// records of some members, on the settings of the table.
	records := func(members []*Member, corrupted bool) (list []results.Record) {
		for _, m := range members {
			list = append(list, lists.Where(m.Records, func(r results.Record) bool { return has[r.Setting] && (r.Corruption != "") == corrupted })...)
		}
		return list
	}
	with := func(m *Member) []*Member {
		if slices.Contains(own, m) {
			return own
		}
		return append(slices.Clone(own), m)
	}
	aside := lists.Values(lists.Where(own, func(m *Member) bool { return !m.Status.ranked() }), func(m *Member) string { return m.Method })
	against := func(records []results.Record, metric, method string) (compare.View, error) {
		list, err := compare.Of(records, nil, compare.Options{Metric: metric, Against: method, Target: aside})
		if err != nil {
			return compare.View{}, err
		}
		return compare.View{Comparison: list[0], Labels: labels}, nil
	}
	var err error
	if t.ToTS, err = against(records(with(ts), false), Ranked, TS); err != nil {
		return nil, err
	}
	toQaTS, err := against(records(with(qats), false), Ranked, QaTS)
	if err != nil {
		return nil, err
	}
	for _, metric := range Metrics() {
		v, err := against(records(of, false), metric, TS)
		if err != nil {
			return nil, err
		}
		t.Means = append(t.Means, v)
	}
	var corrupted compare.View
	if shifted := records(with(ts), true); len(shifted) > 0 {
		if corrupted, err = against(shifted, Ranked, TS); err != nil {
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
			v, err := compare.Of(clean(m.Drawn), nil, compare.Options{Metric: Ranked, Against: TS, Methods: []string{m.Method}})
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
func rowOf(v compare.View, m *Member) *compare.Row {
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
