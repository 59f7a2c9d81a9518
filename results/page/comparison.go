package page

import (
	"cmp"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results/compare"
	"github.com/qats-bench/qats/results/compare/significance"
)

// comparison is a comparison of methods by one metric over one source.
type comparison struct {
	ID, Title, Source string
	Sentence          string
	Text              string        // the page that qats compare prints
	Ranks             template.HTML // critical-difference diagram; empty without a ranking
	RankNotes         []string
	RankTable         grid
	Smallest          string        // the smallest differences that the rows of a setting can show; may be empty
	WinRates          template.HTML // empty without a ranking, like the next ones
	Strengths         template.HTML
	StrengthTable     grid
	StrengthNote      string
	Bins              *binsView // nil without other numbers of bins
	Forest            template.HTML
	ForestTable       grid
	Unit              string
	Against           string
	ForestNote        string // what the forest leaves out
}

// grid is a table whose first column names the rows.
type grid struct {
	Caption string
	Head    []string
	Rows    [][]string
}

// comparisonsOf compares by each metric, measured before simulated. The error of a
// comparison that cannot be made is a note.
func comparisonsOf(f *Folder, o Options) (list []comparison, notes []string) {
	for _, metric := range o.Metrics {
		if !slices.ContainsFunc(f.Records, func(r record) bool { return r.Metric == metric && r.Method == o.Against && r.Status == "ok" }) {
			continue
		}
		made, err := compare.Of(f.Records, f.Pairs, compare.Options{Metric: metric, Against: o.Against, Methods: o.Methods, Block: o.Block, Files: o.Files})
		if err != nil {
			notes = append(notes, fmt.Sprintf("No comparison by %s: %v.", metric, err))
			continue
		}
		for _, c := range made {
			one := comparisonOf(compare.View{Comparison: c, Labels: o.labels, Splits: c.Splits(f.Records, f.Pairs)}, smallestOf(f, o, c))
			one.Bins = binsOf(f, o, metric, c.Source)
			list = append(list, one)
		}
	}
	return list, notes
}

func comparisonOf(v compare.View, least smallest) comparison {
	var text strings.Builder
	v.Text(&text) // a strings.Builder returns no error
	c := comparison{
		ID: "compare-" + v.Metric + "-" + v.Source, Source: v.Source, Text: text.String(), Sentence: v.Sentence(),
		Title: fmt.Sprintf("%s, methods against %s", v.MetricLabel, v.Label(v.Against)), Against: v.Label(v.Against), Unit: "in the metric's unit",
	}
	if v.Percent {
		c.Unit = "in points (per cent)"
	}
	c.RankNotes = v.RankingNotes()
	if v.Ranking.Tested() {
		c.Ranks, c.RankTable = ranksChart(v, least)
		c.Smallest = least.note(v)
	}
	if table := v.StrengthTable(); table != nil {
		c.WinRates, c.Strengths = winRateChart(v), strengthChart(v)
		c.StrengthTable = grid{"Win rates and strengths, " + c.Title, table[0], table[1:]}
		c.StrengthNote = v.StrengthLegend()
	}
	if len(v.Rows) > 0 && !v.Ratio { // of times the text has the ratios
		c.Forest, c.ForestNote = forestChart(v)
		c.ForestTable = forestTable(v)
	}
	return c
}

// ranksChart draws the mean ranks with Nemenyi's critical difference (Demsar 2006).
// Each method has a row of its own, so that no label and no leader hides another.
// Bars on the right join methods that the test does not tell apart. Beside these stands
// the smallest difference that the test rows of a setting can show, where it is known.
func ranksChart(v compare.View, least smallest) (template.HTML, grid) {
	k := v.Ranking
	n := len(k.Methods)
	const row, left, width, right = 22.0, 150.0, 460.0, 56.0
	const top = 64.0
	edge := left + width + right + 12*float64(len(k.Groups))
	s := &svg{width: edge, height: top + row*float64(n) + 8}
	rows := grid{Caption: "Mean ranks", Head: []string{"Method", "Mean rank", "Groups"}}
	if least.byMethod != nil {
		s.width += 74
		s.text("tick", "end", s.width-4, top-28, "smallest")
		s.text("tick", "end", s.width-4, top-14, "difference")
		rows.Head = append(rows.Head, "Smallest difference")
	}
	x := func(rank float64) float64 { return left + (rank-1)/math.Max(1, float64(n-1))*width }
	s.text("axis", "middle", left+width/2, 12, "mean rank (1 is best)")
	step := max(1, int(niceStep(float64(n-1), 16)))
	for r := 1; r <= n; r++ {
		if r > 1 && r%step > 0 {
			continue
		}
		s.line("grid", x(float64(r)), top-8, x(float64(r)), s.height-8)
		s.text("tick", "middle", x(float64(r)), top-14, strconv.Itoa(r))
	}
	s.critical(k.Critical, x(1), x(1+k.Critical), left+width+right-10)
	for i, m := range k.Methods {
		y := top + row*(float64(i)+.5)
		s.label(left-12, y+4, v.Label(m), m == v.Against)
		s.line("stem", x(1), y, x(k.Ranks[i]), y)
		s.tag("circle", "class", "dot", "cx", x(k.Ranks[i]), "cy", y, "r", 5.0)
		s.text("tick", "start", x(k.Ranks[i])+9, y+4, fmt.Sprintf("%.2f", k.Ranks[i]))
		var groups []string
		for g, members := range k.Groups {
			if slices.Contains(members, i) {
				groups = append(groups, string(rune('a'+g%26)))
			}
		}
		cells := []string{v.Label(m), fmt.Sprintf("%.2f", k.Ranks[i]), strings.Join(groups, " ")}
		if least.byMethod != nil {
			s.text("tick", "end", s.width-4, y+4, least.byMethod[m])
			cells = append(cells, cmp.Or(least.byMethod[m], "-"))
		}
		rows.Rows = append(rows.Rows, cells)
	}
	for g, members := range k.Groups {
		at := left + width + right + 12*float64(g)
		first, last := float64(slices.Min(members)), float64(slices.Max(members))
		s.line("group", at, top+row*first+5, at, top+row*(last+1)-5)
	}
	return s.html(fmt.Sprintf("Mean ranks of %d methods by %s over %d blocks, with the critical difference %.2f. The table below has the same numbers.",
		n, v.MetricLabel, len(k.Blocks), k.Critical)), rows
}

// critical draws the bar of a critical difference between two places, with its name to
// the right of the bar, or below a long bar. A bar that would cross limit, because no two
// mean ranks are that far apart, ends there in an arrow.
func (s *svg) critical(difference, from, to, limit float64) {
	name := fmt.Sprintf("critical difference %.2f", difference)
	s.line("cd", from, 20, from, 28)
	if to > limit {
		s.line("cd", from, 24, limit-4, 24)
		s.tag("path", "class", "cd-end", "d", fmt.Sprintf("M%s 24 l-8 -5 v10 z", short(limit)))
		s.text("tick", "end", limit, 39, name)
		return
	}
	s.line("cd", from, 24, to, 24)
	s.line("cd", to, 20, to, 28)
	if to+6+textWidth(name, tickSize, false) > limit {
		s.text("tick", "end", to, 39, name)
	} else {
		s.text("tick", "start", to+6, 28, name)
	}
}

// smallest has the smallest differences that the test rows of a setting can show.
type smallest struct {
	against  string            // the method that the differences are to
	byMethod map[string]string // as printed; nil where most ranked methods have none
}

// smallestOf returns the smallest differences to Against. A run makes pairs against one
// method, which need not be Against: then they are the differences to that method.
func smallestOf(f *Folder, o Options, c *compare.Comparison) smallest {
	if found := smallestIn(c, c); found.byMethod != nil || !c.Ranking.Tested() {
		return found
	}
	base, pairs := "", map[string]int{}
	for _, p := range f.Pairs {
		if p.Metric != c.Metric || p.Source != c.Source {
			continue
		}
		if pairs[p.Against]++; pairs[p.Against] > pairs[base] {
			base = p.Against
		}
	}
	if base == "" || base == c.Against {
		return smallest{}
	}
	made, err := compare.Of(f.Records, f.Pairs, compare.Options{Metric: c.Metric, Against: base, Methods: o.Methods, Block: o.Block, Files: o.Files})
	if err != nil {
		return smallest{} // the ranking does without
	}
	for _, other := range made {
		if other.Source == c.Source {
			return smallestIn(c, other)
		}
	}
	return smallest{}
}

// smallestIn returns the smallest differences that a comparison of the same rows has of
// the methods that c ranks.
func smallestIn(c, other *compare.Comparison) smallest {
	found := smallest{other.Against, map[string]string{}}
	for _, r := range other.Rows {
		if r.Smallest > 0 && slices.Contains(c.Ranking.Methods, r.Method) {
			found.byMethod[r.Method] = strconv.FormatFloat(r.Smallest*unitScale(compare.View{Comparison: c}), 'f', c.Digits, 64)
		}
	}
	if 2*len(found.byMethod) < len(c.Ranking.Methods) {
		return smallest{}
	}
	return found
}

// note explains the smallest differences.
func (least smallest) note(v compare.View) string {
	if least.byMethod == nil {
		return ""
	}
	unit := ""
	if v.Percent {
		unit = ", in points (per cent)"
	}
	return fmt.Sprintf("Smallest difference%s: how far a method must be from %s on one setting before the test rows of the setting can show it. It is half the width of the paired 95 %% interval, median over the settings.",
		unit, v.Label(least.against))
}

// unitScale is the factor from a value to the printed number.
func unitScale(v compare.View) float64 {
	if v.Percent {
		return 100
	}
	return 1
}

// byShift returns the rows in the order of their shifts, the best first.
func byShift(v compare.View) []compare.Row {
	rows := slices.Clone(v.Rows)
	slices.SortStableFunc(rows, func(a, b compare.Row) int {
		if v.Better == metrics.Higher {
			a, b = b, a
		}
		return cmp.Compare(a.Shift.Estimate, b.Shift.Estimate)
	})
	return rows
}

// forestTable returns the table of the forest.
func forestTable(v compare.View) grid {
	t := grid{Caption: "Shifts to " + v.Label(v.Against), Head: []string{"Method", "Shift", "95 % interval", "p", "p (Holm)", "Wins", "Ties", "Losses"}}
	scale := unitScale(v)
	for _, r := range byShift(v) {
		cells := []string{v.Label(r.Method), signed(r.Shift.Estimate*scale, v.Digits), "-", p(r.Test.P), p(r.Holm), "-", "-", "-"}
		if r.Shift.Bounded {
			cells[2] = fmt.Sprintf("[%s, %s]", signed(r.Shift.Lo*scale, v.Digits), signed(r.Shift.Hi*scale, v.Digits))
		}
		if r.NoInterval < r.Settings {
			cells[5], cells[6], cells[7] = strconv.Itoa(r.Win), strconv.Itoa(r.Tie), strconv.Itoa(r.Loss)
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}

// forestChart draws the shift of each method to Against with its interval. What is
// beyond the axis ends in an arrow, so that one outlier does not flatten the others.
// The note says what the chart leaves out.
func forestChart(v compare.View) (chart template.HTML, note string) {
	rows, scale := byShift(v), unitScale(v)
	var ends []float64
	var notes []string
	for _, r := range rows {
		ends = append(ends, math.Abs(r.Shift.Estimate)*scale)
		if r.Shift.Bounded {
			ends = append(ends, math.Abs(r.Shift.Lo)*scale, math.Abs(r.Shift.Hi)*scale)
		} else if len(notes) == 0 {
			notes = append(notes, "A square without a line has no interval, because the method has values in too few blocks.")
		}
	}
	limit, clipped := axisLimit(ends)
	if clipped {
		notes = append(notes, fmt.Sprintf("The axis ends at %s. An arrow marks a shift or an interval beyond it; the table has the numbers.", strconv.FormatFloat(limit, 'g', 3, 64)))
	}
	const row, left, width = 22.0, 150.0, 460.0
	s := &svg{width: left + width + 20, height: row*float64(len(rows)) + 46}
	x := func(d float64) float64 { return left + (math.Max(-limit, math.Min(limit, d))/limit+1)/2*width }
	step := niceStep(2*limit, 8)
	for t := -math.Floor(limit/step) * step; t <= limit+step/1e6; t += step {
		s.line("grid", x(t), 4, x(t), s.height-38)
		s.text("tick", "middle", x(t), s.height-24, tick(t, step))
	}
	s.line("zero", x(0), 4, x(0), s.height-38)
	s.text("axis", "middle", left+width/2, s.height-6, fmt.Sprintf("shift to %s in %s, 95 %% interval", v.Label(v.Against), v.MetricLabel))
	for i, r := range rows {
		y := row*float64(i) + 16
		s.label(left-12, y+4, v.Label(r.Method), false)
		s.shift(r.Shift, scale, limit, x, y, v.Digits)
	}
	return s.html(fmt.Sprintf("Shift of %d methods to %s in %s, with 95 %% intervals. The table below has the same numbers.", len(rows), v.Label(v.Against), v.MetricLabel)), strings.Join(notes, " ")
}

// shift draws one shift with its interval at the height y; x places a number within
// the limits of the axis.
func (s *svg) shift(shift significance.Shift, scale, limit float64, x func(float64) float64, y float64, digits int) {
	mid := shift.Estimate * scale
	lo, hi := mid, mid
	if shift.Bounded {
		lo, hi = shift.Lo*scale, shift.Hi*scale
		s.line("whisker", x(lo), y, x(hi), y)
	}
	if lo < -limit {
		s.tag("path", "class", "arrow", "d", fmt.Sprintf("M%s %s l8 -5 v10 z", short(x(lo)), short(y)))
	}
	if hi > limit {
		s.tag("path", "class", "arrow", "d", fmt.Sprintf("M%s %s l-8 -5 v10 z", short(x(hi)), short(y)))
	}
	switch {
	case mid > limit: // the number stands beside the end of the interval that is nearer to zero
		s.text("tick", "end", math.Min(x(limit)-12, x(lo))-6, y+4, signed(mid, digits))
	case mid < -limit:
		s.text("tick", "start", math.Max(x(-limit)+12, x(hi))+6, y+4, signed(mid, digits))
	default:
		s.tag("rect", "class", "dot", "x", x(mid)-4, "y", y-4, "width", 8.0, "height", 8.0)
	}
}

// axisLimit returns the largest distance from zero that an axis shows, and whether
// it cuts some off: distances beyond four times the third quartile of those that are
// not zero are outliers.
func axisLimit(distances []float64) (limit float64, clipped bool) {
	sorted := slices.Sorted(slices.Values(slices.DeleteFunc(slices.Clone(distances), func(d float64) bool { return d == 0 })))
	if len(sorted) == 0 {
		return 1, false
	}
	most := sorted[len(sorted)-1]
	quartile := sorted[3*(len(sorted)-1)/4]
	if most > 4*quartile {
		return 2 * quartile, true
	}
	return most * 1.05, false
}

func signed(x float64, digits int) string {
	s := strconv.FormatFloat(x, 'f', digits, 64)
	switch {
	case strings.Trim(s, "-0.") == "":
		return strings.TrimPrefix(s, "-")
	case x > 0:
		return "+" + s
	}
	return s
}

// p prints a p-value as qats compare does.
func p(x float64) string {
	if x < 5e-5 {
		return "<.0001"
	}
	return strings.TrimPrefix(strconv.FormatFloat(x, 'f', 4, 64), "0")
}
