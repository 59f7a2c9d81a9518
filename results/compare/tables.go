package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/table"
)

// width is that of the text, in columns.
const width = 100

// none is a cell without a number.
var none = table.Cell{Text: "-"}

// about returns the first columns of data forms: what a row is of. The columns are in no
// printed form.
func (v View) about(kind string, block Block) (columns []table.Column, cells []table.Cell) {
	values := []string{kind, v.Metric, v.Source, v.domain(), string(block)}
	if block == "" {
		values = values[:4]
	}
	for i, value := range values {
		columns = append(columns, table.Column{Key: []string{"kind", "metric", "source", "domain", "block"}[i], Data: true})
		cells = append(cells, table.Cell{Value: value})
	}
	return columns, cells
}

// table returns a table of the comparison without columns.
func (v View) table(name, caption string) *table.Table {
	return &table.Table{Name: fmt.Sprintf("compare-%s-%s%s", v.Metric, v.Source, name), Caption: caption, Origin: v.origin(), Warning: !v.Judged(),
		Files: cmp.Or(v.Files, "results.csv and pairs.csv")}
}

// MethodTable returns the table of methods with its notes. The ranked methods come first,
// in their order, or without a ranking those with a value on every setting, by their means.
// Against has its place in the order but no difference. A narrow terminal shows means,
// differences and verdicts, then tests. If no test over the blocks can show a difference there
// are no tests, and few settings have their verdicts one by one.
func (v View) MethodTable() *table.Table {
	t := v.methods(v.order())
	t.Legend, t.Remarks = table.Sentences(v.legend()...), slices.Concat(v.contrary(), v.RankingNotes())
	return t
}

// order returns Against and the methods compared with it: the ranked ones first, or without a ranking
// those with a value on every setting, the best mean first.
func (v View) order() []string {
	methods := slices.Clone(v.Ranking.Methods)
	if methods == nil {
		methods = v.byMean()
	}
	for _, r := range append([]Row{v.Own}, v.Rows...) {
		if !slices.Contains(methods, r.Method) {
			methods = append(methods, r.Method)
		}
	}
	return methods
}

// byMean returns the methods with a value on every setting, the best mean first.
func (v View) byMean() []string {
	rows := lists.Where(append([]Row{v.Own}, v.Rows...), v.placed)
	slices.SortStableFunc(rows, func(a, b Row) int { return cmp.Compare(v.cost()*a.Value, v.cost()*b.Value) })
	return lists.Values(rows, func(r Row) string { return r.Method })
}

// placed reports whether a method has a place in the order of the means: it has a value on
// every setting, and does not see the test domain.
func (v View) placed(r Row) bool { return r.Settings == v.Settings && !v.Sees(r.Method) }

// The signs of the table of methods.
const (
	fewerSign  = "f" // after a mean
	targetSign = table.Star
)

// fewer reports whether the mean of a method is over fewer settings than that of Against. Then
// the two means differ by more than the difference, which is over the settings of both.
func (v View) fewer(r Row) bool { return r.Settings < v.Own.Settings }

// Signs explains the signs of the table of methods.
func (v View) Signs() (list []string) {
	if slices.ContainsFunc(v.Rows, v.fewer) {
		what := "difference"
		if v.Ratio {
			what = "ratio"
		}
		list = append(list, fmt.Sprintf("%s: this mean is over fewer settings than that of %s. Compare the %s, which is over the settings that both methods have.",
			fewerSign, v.Label(v.Against), what))
	}
	if slices.ContainsFunc(v.shown(), v.Sees) {
		list = append(list, fmt.Sprintf("%s: the method %s. It is shown and not ranked.", targetSign, seesTarget))
	}
	return list
}

// methods returns the table with a row for each of the methods.
func (v View) methods(methods []string) *table.Table {
	difference := "difference"
	if v.Ratio {
		difference = "ratio"
	}
	t := v.table("-ranks", v.title())
	columns, about := v.about("method", v.Block)
	number := func(key, head string) table.Column { return table.Column{Key: key, Head: head, Align: table.Right} }
	without := !v.Judged() || v.By.Name == "" || v.Files != "" && v.Verdicts == 0
	verdict := func(key, head string) table.Column {
		return table.Column{Key: key, Head: head, Align: table.Right, Data: without}
	}
	untested := !v.Judged() || !v.Testable()
	test := func(key, head string) table.Column {
		return table.Column{Key: key, Head: head, Align: table.Right, Data: untested}
	}
	deciding := func(key, head string) table.Column {
		return table.Column{Key: key, Head: head, Align: table.Right, Data: untested || !v.decides()}
	}
	shift, rank := test("shift", "shift"), number("", "rank")
	shift.Break, rank.Data = true, v.Ranking.Methods == nil
	t.Columns = append(columns, table.Column{Key: "method", Head: "Method"}, table.Column{Key: "against", Data: true}, number("", "#"), rank, number("mean", "mean"),
		number("difference", difference), verdict("win", "win"), verdict("tie", "tie"), verdict("loss", "loss"), verdict("win_holm", "win*"), verdict("loss_holm", "loss*"),
		verdict("smallest", "smallest"), number("settings", "settings"), number("blocks", "blocks"), shift,
		table.Column{Key: "lo", Data: true}, table.Column{Key: "hi", Data: true}, test("", "95 % interval"),
		table.Column{Key: "ahead", Data: true}, table.Column{Key: "behind", Data: true}, deciding("p", "p"), deciding("p_holm", "Holm"),
		table.Column{Key: "alike_within", Data: true}, table.Column{Key: "end_90", Data: true}, table.Column{Key: "detectable", Data: true},
		table.Column{Head: "alike", Fold: true, Data: untested})
	var few []results.Setting
	if v.Verdicts > 0 && v.Settings <= fewSettings {
		few = v.settings
	}
	for _, s := range few {
		t.Columns = append(t.Columns, table.Column{Head: "on " + s.Name()})
	}
	rows := map[string]Row{}
	for _, r := range v.Rows {
		rows[r.Method] = r
	}
	if v.Floor != nil {
		rows[v.Floor.Method], methods = *v.Floor, append(slices.Clone(methods), v.Floor.Method)
	}
	for n, m := range methods {
		place, rank, alike := none, none, none
		if v.Ranking.Methods == nil && !results.IsFloor(m) && (m == v.Against && v.placed(v.Own) || m != v.Against && v.placed(rows[m])) {
			place = table.Int(n + 1)
		}
		if i := slices.Index(v.Ranking.Methods, m); i >= 0 {
			place, rank = table.Int(i+1), table.Words(table.Fixed(v.Ranking.Ranks[i], 2))
			if v.Ranking.Apart != nil {
				alike = table.Words(v.Ranking.alike(i))
			}
		}
		signs := ""
		if v.Sees(m) {
			signs = targetSign
		}
		cells := append(slices.Clone(about), table.Cell{Text: v.Label(m), Value: m, Signs: signs}, table.Cell{Value: v.Against}, place, rank)
		if m == v.Against {
			cells = append(cells, v.mean(v.Own))
			cells = append(cells, make([]table.Cell, 7)...) // from the difference to the smallest one
			cells = append(cells, table.Int(v.Own.Settings), table.Int(v.Own.Blocks))
			cells = append(cells, make([]table.Cell, len(t.Columns)-len(few)-1-len(cells))...)
		} else {
			cells = append(cells, v.cells(rows[m])...)
		}
		cells = append(cells, alike)
		for _, s := range few {
			var cell table.Cell
			if p, ok := rows[m].at(s); ok {
				cell.Text = verdictOf[p.Outcome()] + " " + v.difference(p, "")
			} else if m != v.Against {
				cell = none
			}
			cells = append(cells, cell)
		}
		t.Rows = append(t.Rows, table.Row{Cells: cells})
	}
	return t
}

// mean is the mean of a method: of times the geometric one, in seconds.
func (v View) mean(r Row) table.Cell {
	cell := table.Cell{Text: v.Number(r.Value), Value: v.value(r.Value)}
	if v.fewer(r) {
		cell.Signs = fewerSign
	}
	return cell
}

// change is a difference or, of times, a ratio.
func (v View) change(x float64) table.Cell { return table.Cell{Text: v.signed(x), Value: v.value(x)} }

// cells returns the cells of a method from its mean to its tests.
func (v View) cells(r Row) []table.Cell {
	shift, lo, hi, bounds, ahead, behind := v.change(r.Shift.Estimate), none, none, none, table.Int(r.Ahead), table.Int(r.Behind)
	if r.Shift.Bounded {
		lo, hi, bounds = v.change(r.Shift.Lo), v.change(r.Shift.Hi), table.Words(v.interval(r.Shift.Lo, r.Shift.Hi))
	}
	if !v.Judged() {
		shift, lo, hi, bounds, ahead, behind = none, none, none, none, none, none
	}
	wins := slices.Repeat([]table.Cell{none}, 6)
	if v.Judged() && r.NoVerdict < r.Settings {
		wins = []table.Cell{table.Int(r.Win), table.Int(r.Tie), table.Int(r.Loss), table.Int(r.SureWin), table.Int(r.SureLoss), {Text: "-", Value: r.Smallest}}
		if r.Smallest > 0 {
			wins[5].Text = v.Number(r.Smallest)
		}
	}
	cells := append([]table.Cell{v.mean(r), v.change(r.Difference)}, wins...)
	within, end, detectable := none, none, none
	if v.Judged() {
		end, detectable = v.change(r.End), v.change(r.Detectable())
		if r.Margin > 0 {
			within = table.Cell{Text: margin(r.Margin) + v.points(), Value: r.Margin}
		}
	}
	return append(cells, table.Int(r.Settings), table.Int(r.Blocks), shift, lo, hi, bounds, ahead, behind, Probability(v.p(r)), Probability(v.holm(r)), within, end, detectable)
}

// alike lists the places of the methods that a comparison against the method at
// place i does not tell apart from it, including itself, as in 1-4, 7.
func (k Ranking) alike(i int) string {
	var parts []string
	for from := 0; from < len(k.Methods); from++ {
		to := from
		for to < len(k.Methods) && !k.Apart[i][to] {
			to++
		}
		switch {
		case to > from+1:
			parts = append(parts, fmt.Sprintf("%d\u2013%d", from+1, to))
		case to == from+1:
			parts = append(parts, strconv.Itoa(to))
		}
		from = to
	}
	return strings.Join(parts, ", ")
}

// StrengthTable returns the table of win rates and strengths with a row for each ranked
// method, none without a ranking.
func (v View) StrengthTable() *table.Table {
	t := v.table("-strengths", v.strengthTitle())
	columns, about := v.about("strength", v.Block)
	rate := table.Column{Key: "win_rate", Head: "win rate", Align: table.Right, Factor: 100, Digits: 1}
	strength := table.Column{Key: "bradley_terry", Head: "Bradley-Terry", Align: table.Right, Digits: 2, Signed: true}
	t.Columns = append(columns, table.Column{Key: "method", Head: "Method"})
	for _, c := range []table.Column{rate, strength} {
		t.Columns = append(t.Columns, c, table.Column{Key: c.Key + "_lo", Data: true}, table.Column{Key: c.Key + "_hi", Data: true},
			table.Column{Head: "95 % interval", Align: table.Right})
	}
	for _, s := range v.Ranking.Strengths() {
		cells := append(slices.Clone(about), table.Cell{Text: v.Label(s.Method), Value: s.Method})
		for _, e := range []struct {
			column table.Column
			Estimate
		}{{rate, s.WinRate}, {strength, s.BradleyTerry}} {
			lo, hi := e.column.Number(e.Lo), e.column.Number(e.Hi)
			cells = append(cells, e.column.Number(e.Value), lo, hi, table.Words("["+lo.Text+", "+hi.Text+"]"))
		}
		t.Rows = append(t.Rows, table.Row{Cells: cells})
	}
	t.Legend = table.Sentences(v.StrengthLegend())
	return t
}

// SplitTable returns the table of redrawn splits and of seeds. Of simulated settings it does not show
// how many draws are better and worse.
func (v View) SplitTable() *table.Table {
	t := v.table("-splits", v.splitTitle()+": "+v.title())
	columns, about := v.about("splits", "")
	t.Labels = 2
	t.Columns = append(columns, table.Column{Key: "setting", Head: "Setting"}, table.Column{Key: "method", Head: "Method"}, table.Column{Key: "against", Data: true})
	for _, c := range []struct{ key, head string }{{"draws", "draws"}, {"difference", "difference"}, {"sd", "SD"}, {"sd_fit_fixed", "SD, fit fixed"},
		{"least", "least"}, {"largest", "largest"}, {"ahead", "ahead"}, {"behind", "behind"}} {
		t.Columns = append(t.Columns, table.Column{Key: c.key, Head: c.head, Align: table.Right, Data: !v.Judged() && (c.key == "ahead" || c.key == "behind")})
	}
	for _, s := range v.Splits {
		spread := func(x float64) table.Cell { return table.Cell{Text: v.Number(x), Value: x} }
		resampling, better, worse := none, none, none
		if s.Resampling > 0 {
			resampling = spread(s.Resampling)
		}
		if v.Judged() {
			better, worse = table.Int(s.Ahead), table.Int(s.Behind)
		}
		t.Rows = append(t.Rows, table.Row{Cells: append(slices.Clone(about), table.Words(s.Setting.Name()), table.Cell{Text: v.Label(s.Method), Value: s.Method},
			table.Cell{Value: v.Against}, table.Int(s.Draws), v.change(s.Mean), spread(s.Deviation), resampling, v.change(s.Lo), v.change(s.Hi), better, worse)})
	}
	t.Legend = table.Sentences(v.splitLegend())
	return t
}

// CompactTable returns the comparison for one column of a two-column paper: the mean, the shift of
// the difference with its interval, p with Holm's correction where the metric decides, and the settings
// won, tied and lost. The first row is that of the method compared against, which has a mean
// alone. The remarks are the notes. With too few blocks for a test the mean difference stands in the place of shift and p.
func (v View) CompactTable() *table.Table {
	t := v.table("", v.compactCaption())
	t.Remarks = slices.Concat([]string{v.origin()}, v.legend(), v.contrary(), v.RankingNotes(), v.warnings())
	column := func(head string) table.Column { return table.Column{Head: head, Align: table.Right} }
	t.Columns = []table.Column{{Head: "Method"}, column("Mean"), column("Shift [95 %]"), column("p\n(Holm)"), column("W/T/L")}
	if t.Origin = ""; v.Judged() {
		t.Remarks = slices.Insert(t.Remarks, 0, v.Sentence())
	} else { // the caption says it
		t.Origin = "SIMULATED."
		t.Columns = []table.Column{{Head: "Method"}, column("Mean"), column("Mean diff.")}
	}
	untested := v.Judged() && !v.Testable()
	if untested {
		t.Columns = []table.Column{{Head: "Method"}, column("Mean"), column("Mean\ndiff."), column("W/T/L")}
	}
	if v.Judged() && !untested && !v.decides() {
		t.Columns = slices.Delete(t.Columns, 3, 4)
	}
	reference := []table.Cell{table.Words(v.Label(v.Against)), v.mean(v.Own)}
	for len(reference) < len(t.Columns) {
		reference = append(reference, none)
	}
	t.Rows = append(t.Rows, table.Row{Cells: reference})
	for _, r := range v.Rows {
		label, mean := table.Words(v.Label(r.Method)), v.change(r.Difference)
		if !v.Judged() {
			t.Rows = append(t.Rows, table.Row{Cells: []table.Cell{label, v.mean(r), mean}})
			continue
		}
		shift, wins := v.change(r.Shift.Estimate), none
		if r.Shift.Bounded {
			shift.Text += " " + v.interval(r.Shift.Lo, r.Shift.Hi)
		}
		if r.NoVerdict < r.Settings {
			wins = table.Words(fmt.Sprintf("%d/%d/%d", r.Win, r.Tie, r.Loss))
		}
		if untested {
			t.Rows = append(t.Rows, table.Row{Cells: []table.Cell{label, v.mean(r), mean, wins}})
			continue
		}
		cells := []table.Cell{label, v.mean(r), shift}
		if v.decides() {
			cells = append(cells, shortCell(v.holm(r)))
		}
		t.Rows = append(t.Rows, table.Row{Cells: append(cells, wins)})
	}
	return t
}

// shortCell is a p-value of a compact table; a dash where there is none.
func shortCell(p float64) table.Cell {
	if math.IsNaN(p) {
		return none
	}
	relation, decimals := shortP(p)
	if relation != "=" {
		decimals = relation + " " + decimals
	}
	return table.Words(decimals)
}
