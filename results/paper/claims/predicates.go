package claims

import (
	"fmt"
	"slices"

	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/results/paper"
)

// The predicates of claims.yaml. A claim that needs another one has a function (functions.go).

// selection says which rows a predicate is about.
type selection struct {
	Tables   []string `yaml:"tables"`   // ids
	Dataset  []string `yaml:"dataset"`  // nil for all
	Backbone []string `yaml:"backbone"` // nil for all
	Severity int      `yaml:"severity"` // 0 for all
	Single   bool     `yaml:"single"`   // without means
}

// rowsTest asks a question about QaTS in each of some rows: exactly one of Rank, Below, AnyAbove,
// Lowest and Within is set.
type rowsTest struct {
	Count      string `yaml:"count"` // what is counted, in words
	selection  `yaml:",inline"`
	Most       bool `yaml:"most"`       // more than half of the rows have to answer yes, in place of all
	Exceptions int  `yaml:"exceptions"` // rows that may answer no

	// Rank r: fewer than r different values are below QaTS.
	Rank int `yaml:"rank"`
	// Below: QaTS is strictly below each of the methods.
	Below []string `yaml:"below"`
	// AnyAbove: one of the methods is above another one.
	AnyAbove *struct {
		Method string   `yaml:"method"`
		Of     []string `yaml:"of"`
	} `yaml:"any_above"`
	// Lowest: the lowest of the methods is at least some times QaTS. The figures have the ratios.
	Lowest *struct {
		Of    []string `yaml:"of"`
		Times int      `yaml:"times"`
	} `yaml:"lowest"`
	// Within: where QaTS is not the lowest, it is less than so many per cent above the lowest.
	Within int `yaml:"within_percent"`
}

func (q *rowsTest) check() error {
	set := lists.Where([]bool{q.Rank > 0, q.Below != nil, q.AnyAbove != nil, q.Lowest != nil, q.Within > 0}, func(is bool) bool { return is })
	if len(set) != 1 || q.Count == "" {
		return fmt.Errorf("rows: %d questions about %q, want one", len(set), q.Count)
	}
	return checkTables(q.Tables...)
}

func checkTables(ids ...string) error {
	for _, id := range ids {
		if !slices.ContainsFunc(paper.Tables(), func(t paper.Table) bool { return t.ID == id }) {
			return fmt.Errorf("%q is no table of the paper", id)
		}
	}
	return nil
}

func (q *rowsTest) judge(b *book) Judgement {
	var t tally
	var ratios []string
	for _, r := range b.rowsOf(q.selection) {
		a, beside := q.ask(r, b.similar())
		exception := b.describe(r, beside)
		if q.Lowest != nil {
			exception = b.name(r.Setting)
			if l, found := r.lowest(beside); found > 0 && r.of["QaTS"] > 0 {
				ratios = append(ratios, fmt.Sprintf("%.2f", float64(r.of[l])/float64(r.of["QaTS"])))
			}
		}
		t.add(a, exception)
	}
	if q.Most {
		return t.most(q.Count)
	}
	return t.all(q.Count, q.Exceptions).with("; lowest divided by QaTS: ", ratios)
}

// ask returns the answer of a row, and the methods that QaTS is asked beside.
func (q *rowsTest) ask(r row, similar bool) (a answer, beside []string) {
	switch {
	case q.Rank > 0:
		return r.ranks(q.Rank), r.others()
	case q.Below != nil:
		return r.below(q.Below), q.Below
	case q.AnyAbove != nil:
		return r.anyAbove(q.AnyAbove.Method, q.AnyAbove.Of), q.AnyAbove.Of
	case q.Lowest != nil:
		return r.lowestIs(q.Lowest.Of, q.Lowest.Times, similar), q.Lowest.Of
	}
	return r.within(q.Within), r.others()
}

// ranks answers whether fewer than place values are below QaTS. One lower method too many is
// enough for a no; a yes needs all methods. The lowest is level where another method is equal,
// and has to be the lowest of two.
func (r row) ranks(place int) answer {
	qats, ok := r.of["QaTS"]
	if !ok || place == 1 && len(r.ranked) < 2 {
		return open
	}
	lower, equal := map[paper.Points]bool{}, false
	for _, l := range r.others() {
		x, ok := r.of[l]
		equal = equal || ok && x == qats
		if ok && x < qats {
			lower[x] = true
		}
	}
	switch {
	case len(lower) >= place:
		return no
	case !r.has(r.ranked...):
		return open
	case place == 1 && equal:
		return level
	}
	return yes
}

func (r row) below(methods []string) answer {
	for _, l := range methods {
		if r.has("QaTS", l) && r.of["QaTS"] >= r.of[l] {
			return no
		}
	}
	if !r.has("QaTS") || !r.has(methods...) {
		return open
	}
	return yes
}

func (r row) anyAbove(first string, others []string) answer {
	if !r.has(first) {
		return open
	}
	if slices.ContainsFunc(others, func(l string) bool { return r.has(l) && r.of[l] > r.of[first] }) {
		return yes
	}
	if !r.has(others...) {
		return open
	}
	return no
}

// lowestIs needs a number of each of the methods for a yes, on similar data sets of one of them.
func (r row) lowestIs(of []string, times int, similar bool) answer {
	l, found := r.lowest(of)
	switch qats := r.of["QaTS"]; {
	case qats == 0 || found == 0:
		return open
	case r.of[l] < paper.Points(times)*qats:
		return no
	case found < len(of) && !similar:
		return open
	}
	return yes
}

// within sets rows aside in which QaTS is the lowest.
func (r row) within(percent int) answer {
	if !r.has(r.ranked...) {
		return open
	}
	l, _ := r.lowest(append([]string{"QaTS"}, r.others()...))
	above := r.of["QaTS"] - r.of[l]
	if above == 0 {
		return aside
	}
	return when(100*above < paper.Points(percent)*r.of[l])
}

// marginTest finds the largest distance from QaTS up to a method over the networks of a data set,
// on ties that of the first network. It has to be the one of the sentence, on its network.
type marginTest struct {
	Table   string  `yaml:"table"`
	Dataset string  `yaml:"dataset"`
	To      string  `yaml:"to"` // label; empty for the lowest other ranked method
	Is      float64 `yaml:"is"` // in points
	At      string  `yaml:"at"` // the network
}

func (m *marginTest) check() error { return checkTables(m.Table) }

func (m *marginTest) judge(b *book) Judgement {
	var largest paper.Points
	var at string
	for _, r := range b.rowsOf(selection{Tables: []string{m.Table}, Dataset: []string{m.Dataset}}) {
		other := m.To
		if other == "" {
			other, _ = r.lowest(r.others())
		}
		if !r.has("QaTS", other) {
			return nothing("margins")
		}
		if d := r.of[other] - r.of["QaTS"]; at == "" || d > largest {
			largest, at = d, r.Backbone
		}
	}
	if at == "" {
		return nothing("margins")
	}
	holds := largest == paper.PointsOf(m.Is/100) && at == m.At
	return decided(holds, !holds, fmt.Sprintf("largest margin %s (%s)", largest, b.names.Name("backbone", at)))
}

// risingTest asks for each method whether its means over corruptions rise strictly with severity.
type risingTest struct {
	Count   string   `yaml:"count"`
	Table   string   `yaml:"table"`
	Methods []string `yaml:"methods"`
}

func (q *risingTest) check() error { return checkTables(q.Table) }

func (q *risingTest) judge(b *book) Judgement {
	var t tally
	for _, n := range b.bySeverity(q.Table) {
		for _, l := range q.Methods {
			x, ok := n.series(l)
			if !ok {
				t.add(open, "")
				continue
			}
			t.add(when(rising(x)), b.ofNetwork(n, l))
		}
	}
	return t.all(q.Count, 0)
}

func rising(list []paper.Points) bool {
	for i, x := range list[1:] {
		if x <= list[i] {
			return false
		}
	}
	return true
}

// settings is the number of settings of the paper's tables, each once, with a number of QaTS.
type settings int

func (n *settings) check() error { return nil }

func (n *settings) judge(b *book) Judgement {
	if b.similar() {
		return Judgement{Unjudged, "the claim counts the paper's own settings"}
	}
	rows := b.rowsOf(selection{Tables: []string{"standard", "longtail", "tasks", "shift-full", "medical-full"}, Single: true})
	found := len(lists.Where(rows, func(r row) bool { return r.has("QaTS") }))
	return decided(found == int(*n), found != int(*n) && b.records == nil, fmt.Sprintf("%d of %d", found, len(rows)))
}

// unprinted says why the printed numbers do not judge a claim.
type unprinted string

func (u *unprinted) check() error          { return nil }
func (u *unprinted) judge(*book) Judgement { return Judgement{Unjudged, string(*u)} }

// function is the name of a function of functions.go.
type function string

func (f *function) check() error {
	if functions()[string(*f)] == nil {
		return fmt.Errorf("go: no function %q", *f)
	}
	return nil
}

func (f *function) judge(b *book) Judgement { return functions()[string(*f)](b) }
