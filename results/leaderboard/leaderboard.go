// Package leaderboard compares the methods of the registry and the entries of strangers, and makes the tables of the
// leaderboard by version 2 of the protocol. Package leaderboard/v1 has those of version 1.
//
// # Tables
//
// Methods that see or keep different things do not compete. Each stands in the table of its [Contract], with TS, QaTS and
// base-rate beside them where these are of another contract.
//
// # The rule
//
// What is said of a method is the judgement of package results/compare ([compare.Judgement]), one for each table: by NLL
// and Brier score, [Contract.Scores], with Holm's correction over the methods of the table times the two scores. A
// calibration error is shown and decides nothing.
//
// # Ranks
//
// The rank of a method is the mean of two mean ranks: by NLL and by Brier score, each over the blocks of
// [compare.Ranking]. A block is data sets that may share test samples. Both rankings are of the same methods: those that
// are verified ([Status]), have both scores, and are shown to be better than [results.BaseRate], which knows nothing
// ([compare.Floor]). Where a table has too few blocks to show that, its methods are ranked all the same. All others are
// listed with the reason. No sentence rests on a rank.
//
// Methods that are not verified, or lack a score, are in no ranking and in no family of tests, so they change no number
// of others. base-rate is in none either.
//
// # Numbers
//
// Means are over blocks. The shift to TS and to QaTS is that of Hodges and Lehmann with its interval. Corrupted test sets
// are of one network, so they are no settings of these means and tests: a column has the mean difference to TS on them.
//
// # Files
//
// The folder of this package has a file for each method of the registry, as an entry has it (results.WriteEntry), and
// settings.csv with what is known of the settings: those of version 1. Its folder v2 has those of version 2, with the
// top-label NLL too. A run of the registry writes them.
package leaderboard

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/qats-bench/qats/internal/english"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/compare"
)

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
	Contract  Contract
	Rows      []Row              // the ranked methods first, in their order
	Without   []*Member          // methods without a number
	Judgement compare.Conclusion // against TS; nil inside where no method has a number
	Means     []compare.View     // by each of the contract's Metrics, against TS
	Drawn     bool               // some row has drawn splits
}

// Row is a method in a table.
type Row struct {
	*Member
	Beside    bool      // TS, QaTS or base-rate, of another contract
	Rank      float64   // mean of Ranks; NaN if the method is not ranked
	Ranks     []float64 // mean ranks by each of Scores
	NotRanked string    // why, as in "is not verified"; empty for a ranked method, and for one of another contract
	Best      bool      // of its kind, by the rule

	Means        []compare.Row // by each of Metrics; of no settings where it has no value
	ToTS, ToQaTS Against
	Corrupted    []*compare.Row // to TS by each of Scores, on corrupted test sets; their tests have no meaning
	Drawn        []*compare.Row // to TS by each of Scores, over drawn splits
}

// Against is what is known of a method beside TS or QaTS.
type Against struct {
	Verdict compare.Verdict // empty where the method is not judged
	Rows    []*compare.Row  // by each of Scores, then by the ECE; nil without a value
	Holm    []float64       // of each of Scores; NaN where the method is not judged
}

// Of compares members on some settings. There must be TS and QaTS among them. An error names the table.
func Of(title string, members []Member, settings []results.SettingInfo) (*Board, error) {
	b := &Board{Title: title}
	find := func(method string) *Member {
		i := slices.IndexFunc(members, func(m Member) bool { return m.Method == method && m.Authors == nil })
		if i < 0 {
			return nil
		}
		return &members[i]
	}
	beside := []*Member{find(TS), find(QaTS)}
	for i, method := range []string{TS, QaTS} {
		if beside[i] == nil {
			return nil, fmt.Errorf("no numbers of %s, which all methods are compared with", method)
		}
	}
	if floor := find(results.BaseRate); floor != nil {
		beside = append(beside, floor)
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
	ts := beside[0]
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
		t, err := tableOf(contract, of, beside)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", contract.Title(), err)
		}
		b.Tables = append(b.Tables, *t)
	}
	return b, nil
}

// field is the methods of a table with their records, on the settings where one of them has a value: one that is judged, if
// there is any, so that a claim adds no setting.
type field struct {
	contract Contract
	own      []*Member
	beside   []*Member // TS, QaTS and base-rate, whichever contract they have
	has      map[results.Setting]bool
	lacks    map[string]string // why methods are in no ranking and in no family of tests
	alone    []string          // methods of a confidence alone in a table that is ranked by scores of all classes
	labels   map[string]string
}

// tableOf compares the members of a contract.
func tableOf(contract Contract, members, beside []*Member) (*Table, error) {
	t := &Table{Contract: contract}
	f := field{contract: contract, beside: beside, has: map[results.Setting]bool{}, lacks: map[string]string{}, labels: map[string]string{}}
	for _, m := range slices.Concat(members, beside) {
		f.labels[m.Method] = m.Label
	}
	for _, m := range members {
		if !f.enters(m) {
			t.Without = append(t.Without, m)
		}
	}
	if f.own == nil {
		return t, nil
	}
	f.find()
	judged, err := f.judge(TS, f.judged(f.own, TS)...)
	if err != nil {
		return nil, err
	}
	t.Judgement = compare.Conclusion{Judgement: judged, Labels: f.labels}
	toQaTS, err := f.judge(QaTS, f.judged(f.own, QaTS)...)
	if err != nil {
		return nil, err
	}
	notRanked, err := f.notRanked(judged)
	if err != nil {
		return nil, err
	}
	ranks, err := f.ranks(notRanked)
	if err != nil {
		return nil, err
	}
	for _, metric := range contract.Metrics() {
		v, err := f.compare(metric, TS, false)
		if err != nil {
			return nil, err
		}
		t.Means = append(t.Means, v)
	}
	fromQaTS := make([]compare.View, len(contract.Scores())+1)
	shifted := make([]compare.View, len(contract.Scores()))
	for k, metric := range append(contract.Scores(), described) {
		if fromQaTS[k], err = f.compare(metric, QaTS, false); err != nil {
			return nil, err
		}
		if k < len(shifted) && len(f.records(true, f.own...)) > 0 {
			if shifted[k], err = f.compare(metric, TS, true); err != nil {
				return nil, err
			}
		}
	}
	for _, m := range f.all() {
		r := Row{Member: m, Beside: m.Contract != contract, Rank: math.NaN(), Best: slices.Contains(judged.Named(), m.Method)}
		if of, ranked := ranks[m.Method]; ranked {
			r.Ranks, r.Rank = of, (of[0]+of[1])/2
		} else if !r.Beside {
			r.NotRanked = notRanked[m.Method]
		}
		for _, v := range t.Means {
			r.Means = append(r.Means, meanOf(v, m))
		}
		r.ToTS = against(judged, m, t.Means[:len(fromQaTS)])
		r.ToQaTS = against(toQaTS, m, fromQaTS)
		for _, v := range shifted {
			r.Corrupted = append(r.Corrupted, rowOf(v, m))
		}
		if m.Drawn != nil {
			if r.Drawn, err = drawn(contract, m); err != nil {
				return nil, err
			}
			t.Drawn = true
		}
		t.Rows = append(t.Rows, r)
	}
	slices.SortStableFunc(t.Rows, Row.before)
	return t, nil
}

// enters takes a method into the field if it has a number on a clean test set, and reports whether it has.
func (f *field) enters(m *Member) bool {
	some, valued := false, map[string]bool{}
	for _, r := range m.Records {
		if r.Corruption == "" && f.counts(m, r) {
			some, valued[r.Metric] = true, true
		}
	}
	if !some {
		return false
	}
	f.own = append(f.own, m)
	if f.contract != TopLabel && m.Predicts == results.TopLabel {
		f.alone = append(f.alone, m.Method)
	}
	switch {
	case slices.ContainsFunc(m.scores(), func(metric string) bool { return !valued[metric] }):
		f.lacks[m.Method] = notRecorded
	case m.Look != "":
		f.lacks[m.Method] = "is to be looked at: " + m.Look
	case !m.Status.Ranked():
		f.lacks[m.Method] = "is not verified"
	}
	return true
}

// counts reports whether a record of a method is a number of the table.
func (f *field) counts(m *Member, r results.Record) bool {
	return r.Status == results.OK && slices.Contains(append(f.contract.Metrics(), m.scores()...), r.Metric)
}

// find finds the settings.
func (f *field) find() {
	of := lists.Where(f.own, func(m *Member) bool { return f.lacks[m.Method] == "" })
	if len(of) == 0 {
		of = f.own
	}
	for _, m := range of {
		for _, r := range m.Records {
			if f.counts(m, r) {
				f.has[r.Setting] = true
			}
		}
	}
}

// scores returns the metrics that decide of a method.
func (m *Member) scores() []string {
	if m.Predicts == results.TopLabel {
		return compare.TopScores()
	}
	return compare.Scores()
}

// notRecorded is why a method without a score is not ranked: an entry of a confidence alone that ran under version 1 of the
// protocol has no NLL.
const notRecorded = "has no NLL (NLL not recorded)"

// all returns the methods of the table, then those of other contracts.
func (f *field) all() []*Member {
	return append(slices.Clone(f.own), lists.Where(f.beside, func(m *Member) bool { return m.Contract != f.contract })...)
}

// records returns the records of methods on the settings of the field, each method once.
func (f *field) records(corrupted bool, of ...*Member) (list []results.Record) {
	for i, m := range of {
		if slices.Contains(of[:i], m) {
			continue
		}
		list = append(list, lists.Where(m.Records, func(r results.Record) bool { return f.has[r.Setting] && (r.Corruption != "") == corrupted })...)
	}
	return list
}

// judged returns some methods of the field without those that lack something, then TS or QaTS, and base-rate: what a
// judgement against the former needs. It has no method that lacks something, so that none changes a number of others.
func (f *field) judged(of []*Member, against string) []*Member {
	of = lists.Where(of, func(m *Member) bool { return f.lacks[m.Method] == "" })
	return append(of, lists.Where(f.beside, func(m *Member) bool { return m.Method == against || m.Method == results.BaseRate })...)
}

// judge judges methods against TS or QaTS.
func (f *field) judge(against string, of ...*Member) (*compare.Judgement, error) {
	rows := &results.Rows{Records: f.records(false, of...)}
	for _, m := range of {
		rows.Methods = append(rows.Methods, results.MethodInfo{Method: m.Method, Label: m.Label, Predicts: m.Predicts})
	}
	list, err := compare.Judge(rows, compare.Options{Against: against}, described)
	if err != nil {
		return nil, err
	}
	return list[0], nil
}

// notRanked returns why methods are not ranked: what they lack, or what the floor says of them. The floor of a method that
// lacks something is tested for that method alone.
func (f *field) notRanked(judged *compare.Judgement) (map[string]string, error) {
	why := maps.Clone(f.lacks)
	for _, method := range f.alone {
		if why[method] == "" {
			why[method] = "gives a confidence alone, and the ranks are by scores of all classes"
		}
	}
	for method, floor := range judged.Floor.Unranked {
		why[method] = floor
	}
	for _, m := range f.own {
		if f.lacks[m.Method] == "" || f.lacks[m.Method] == notRecorded {
			continue
		}
		one, err := f.judge(TS, append([]*Member{m}, f.judged(nil, TS)...)...)
		if err != nil {
			return nil, err
		}
		if floor := one.Floor.Unranked[m.Method]; floor != "" {
			why[m.Method] += " and " + floor
		}
	}
	return why, nil
}

// ranks returns the mean ranks of methods by each score. A method that one of the rankings leaves out is ranked by none, and
// notRanked gets the reason.
func (f *field) ranks(notRanked map[string]string) (map[string][]float64, error) {
	scores := f.contract.Scores()
	for {
		ranks, complete := map[string][]float64{}, true
		for k, metric := range scores {
			made, err := compare.Untested(f.records(false, f.judged(f.own, TS)...), nil, compare.Options{Metric: metric, Against: TS, Unranked: notRanked})
			if err != nil {
				return nil, err
			}
			of := made[0].Ranking
			for i, m := range of.Methods {
				if len(ranks[m]) == k {
					ranks[m] = append(ranks[m], of.Ranks[i])
				}
			}
			for _, aside := range of.Aside {
				notRanked[aside.Method] = "has no number on " + english.Count(len(aside.Settings), "setting")
			}
		}
		for m, of := range ranks {
			if len(of) < len(scores) {
				delete(ranks, m)
				if notRanked[m] == "" {
					notRanked[m] = "is ranked by only one score"
				}
				complete = false
			}
		}
		if complete {
			return ranks, nil
		}
	}
}

// compare compares all methods that the table shows with TS or QaTS by a metric.
func (f *field) compare(metric, against string, corrupted bool) (compare.View, error) {
	made, err := compare.Untested(f.records(corrupted, f.all()...), nil, compare.Options{Metric: metric, Against: against})
	if err != nil {
		return compare.View{}, err
	}
	return compare.View{Comparison: made[0], Labels: f.labels}, nil
}

// rowOf returns the row of a member; nil without one.
func rowOf(v compare.View, m *Member) *compare.Row {
	if v.Comparison == nil {
		return nil
	}
	if m.Method == results.BaseRate {
		return v.Floor
	}
	if i := slices.IndexFunc(v.Rows, func(r compare.Row) bool { return r.Method == m.Method }); i >= 0 {
		return &v.Rows[i]
	}
	return nil
}

// meanOf returns the row with the mean of a member: of no settings where it has none.
func meanOf(v compare.View, m *Member) compare.Row {
	if m.Method == v.Against {
		return v.Own
	}
	if r := rowOf(v, m); r != nil {
		return *r
	}
	return compare.Row{Method: m.Method}
}

// against returns what a judgement and comparisons by each score and the ECE say of a method.
func against(j *compare.Judgement, m *Member, views []compare.View) Against {
	a := Against{}
	if of, has := j.Of(m.Method); has {
		a.Verdict = of.Verdict
	}
	for k, v := range views {
		a.Rows = append(a.Rows, rowOf(v, m))
		if k < len(views)-1 {
			a.Holm = append(a.Holm, j.Holm(v.Metric, m.Method))
		}
	}
	return a
}

// drawn compares an entry with TS by each score, over drawn splits. A score that is not recorded has no row.
func drawn(contract Contract, m *Member) (rows []*compare.Row, err error) {
	records := clean(m.Drawn)
	for _, metric := range contract.Scores() {
		var row *compare.Row
		if slices.ContainsFunc(records, func(r results.Record) bool {
			return r.Method == m.Method && r.Metric == metric && r.Status == results.OK
		}) {
			v, err := compare.Untested(records, nil, compare.Options{Metric: metric, Against: TS, Methods: []string{m.Method}})
			if err != nil {
				return nil, fmt.Errorf("drawn splits of %s: %w", m.Method, err)
			}
			row = &v[0].Rows[0]
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// before orders rows: the ranked ones by their rank, then the others, then references, then base-rate.
func (r Row) before(other Row) int {
	place := func(r Row) int {
		switch {
		case r.Method == results.BaseRate && r.Authors == nil:
			return 3
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
	return cmp.Or(cmp.Compare(r.Rank, other.Rank), strings.Compare(r.Method, other.Method))
}

// Statement says what the rule shows of the methods of the table.
func (t Table) Statement() english.Text {
	if len(t.Rows) == 0 {
		return english.Of("No method has a number.")
	}
	return t.Judgement.Statement()
}
