package plots

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/qats-bench/qats/internal/english"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/metrics"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/figure"
)

// Forest draws the ECE, or another metric that in.Metrics names, of the first of
// in.Methods minus that of the second, in percentage points. A setting is a row below
// the name of its dataset: a dot with the interval of pairs.csv. The dot is filled
// where the verdict shows a difference. Corrupted sets of one network
// and severity share a row, which shows their mean, and the range of their differences
// as a line without ends.
func Forest(in Input) (*Figure, error) {
	metric := in.metric()
	if len(in.Methods) != 2 {
		return nil, figure.Forest.Errorf("%s; it needs two, and compares the first with the second", english.Count(len(in.Methods), "method"))
	}
	both, err := in.methods(nil)
	if err != nil {
		return nil, figure.Forest.Errorf("%w", err)
	}
	pairs, err := in.pairsOf(both[0].id, both[1].id, metric)
	if err != nil {
		return nil, figure.Forest.Errorf("%w", err)
	}
	if pairs[0].Source == simulated {
		return nil, figure.Forest.Errorf("%w", ErrSimulated)
	}
	metricName := results.Name("metric", metric)
	f := forest{axis: fmt.Sprintf("%s: %s - %s (points)", metricName, both[0].label, both[1].label), better: both[0].label + " better", worse: both[1].label + " better"}
	f.title = fmt.Sprintf("%s against %s, %s", both[0].label, both[1].label, english.Count(len(pairs), "setting"))
	several := false
	for _, d := range lists.Distinct(pairs, func(p results.Pair) string { return p.Dataset }) {
		of := lists.Where(pairs, func(p results.Pair) bool { return p.Dataset == d })
		name := printable(in.Names.Name("dataset", d))
		f.rows = append(f.rows, forestRow{label: name, heading: true})
		rows, grouped := in.forestRows(of)
		several = several || grouped
		f.rows = append(f.rows, rows...)
	}
	if several {
		f.notes = append(f.notes, "A row with a number in brackets shows the mean and the range of that many corrupted sets.")
	}
	f.notes = append(f.notes, f.verdicts(pairs, both[0].label))
	f.caption = fmt.Sprintf("%s of %s minus %s of %s in each setting.", metricName, both[0].label, metricName, both[1].label)
	for _, kind := range lists.Distinct(pairs, func(p results.Pair) metrics.Interval { return p.Interval }) {
		if kind != "" {
			name, covers := kind.Describe()
			f.caption += fmt.Sprintf(" Lines: 95 %% intervals (%s) of %s.", name, covers)
		}
	}
	return f.figure(), nil
}

// pairsOf returns the pairs of two methods, whichever of them was the baseline; those of the
// trainings of a network are one. It leaves out redrawn splits that the figure does not ask for by name.
func (in Input) pairsOf(method, against, metric string) ([]results.Pair, error) {
	var list []results.Pair
	seen := map[results.Setting]bool{}
	var from source
	counted := lists.Where(in.Pairs, func(p results.Pair) bool {
		return p.Metric == metric && (p.Variant.Split == 0 || slices.Contains(in.Variants, p.Variant.String()))
	})
	for _, p := range results.PairsOverSeeds(counted) {
		switch {
		case p.Method == method && p.Against == against:
		case p.Method == against && p.Against == method:
			p = p.Turned()
		default:
			continue
		}
		cell := p.Setting
		cell.Experiment = ""
		if seen[cell] {
			continue // the setting is also in another experiment, or paired the other way round
		}
		if err := cmp.Or(p.Check(), from.add(p.Source)); err != nil {
			return nil, fmt.Errorf("%s: %w", p.Setting.Name(), err)
		}
		seen[cell] = true
		list = append(list, p)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("no rows of pairs.csv compare %s with %s in %s", method, against, metric)
	}
	return list, nil
}

// forestRow is a line of the figure.
type forestRow struct {
	label   string
	heading bool
	at      float64   // points
	lo, hi  float64   // of the interval, or of the range
	kind    extent    // what lo and hi are
	dots    []float64 // single values, drawn behind
	letters []string  // of the dots; nil for crosses
	shown   bool      // the verdict on the row is that there is a difference
	look    *Look     // of the mark; nil for black
}

type extent int

const (
	noExtent      extent = iota
	interval             // drawn with ends
	settingsRange        // the range of several settings, drawn without ends
)

// forestRows returns the rows of the settings of one dataset, and whether a row
// stands for several settings.
func (in Input) forestRows(pairs []results.Pair) (rows []forestRow, grouped bool) {
	order, members := lists.Group(pairs, func(p results.Pair) results.Setting {
		g := p.Setting
		g.Experiment, g.Corruption = "", ""
		return g
	})
	for _, g := range order {
		of := members[g]
		label := in.Names.InDataset(g, " / ")
		row := forestRow{at: 100 * of[0].Difference, shown: of[0].Outcome() == results.Win || of[0].Outcome() == results.Loss}
		if of[0].Interval != "" {
			row.lo, row.hi, row.kind = 100*of[0].Lo, 100*of[0].Hi, interval
		}
		switch {
		case len(of) > 1:
			grouped = true
			label += fmt.Sprintf(" / severity %d (%d)", g.Severity, len(of))
			row = forestRow{lo: row.at, hi: row.at, kind: settingsRange}
			for _, p := range of {
				d := 100 * p.Difference
				row.at += d / float64(len(of))
				row.lo, row.hi = min(row.lo, d), max(row.hi, d)
			}
		case of[0].Corruption != "":
			label += fmt.Sprintf(" / %s %d", in.Names.Name("corruption", of[0].Corruption), g.Severity)
		}
		row.label = printable(label)
		rows = append(rows, row)
	}
	return rows, grouped
}

const (
	forestRowHeight vg.Length = 9.5
	forestMargin    vg.Length = 165 // for labels, at most
	forestAxis      vg.Length = 30  // below the rows
	forestSides     vg.Length = 11  // above the rows, for the method that is better on each side
)

// forest is the layout of figures with a row for each setting or method.
type forest struct {
	sheet
	axis          string
	better, worse string // text left of zero, and right
	whole         bool   // the axis shows all values, outliers too
	crowded       bool   // so many values that the axis ends where most of them do
	rows          []forestRow
	x             span
	margin        vg.Length // for labels
	least         float64   // least reach of the axis; a point if 0
	digits        int       // decimals of values beyond the axis; 1 if 0
}

// verdicts says in how many settings the method is better and worse, and what decides.
func (f forest) verdicts(pairs []results.Pair, method string) string {
	var of [results.Loss + 1]int
	for _, p := range pairs {
		of[p.Outcome()]++
	}
	decided := len(pairs) - of[results.Undecided]
	if decided == 0 {
		return "There is no verdict on these settings. Paired differences on the same test rows, conditional on the fits."
	}
	by := "this difference"
	if e, output, ok := metrics.LookupOutput(pairs[0].Metric); ok {
		if basis, _ := e.Judge(output.Name); basis.Name != output.Name {
			by = "the difference in another quantity, " + basis.Label + ","
		}
	}
	return fmt.Sprintf("%s better in %d of %s, worse in %d: a filled dot. What decides is the 95 %% interval of %s on the same test rows, conditional on the fits.",
		method, of[results.Win], english.Count(decided, "setting"), of[results.Loss], by)
}

func (f forest) figure() *Figure {
	var all []float64
	f.margin = 40
	for _, r := range f.rows {
		f.margin = max(f.margin, min(forestMargin, write(smallSize, ink).Width(r.label)+18))
		if r.heading {
			continue
		}
		all = append(append(all, r.at), r.dots...)
		if r.kind != noExtent {
			all = append(all, r.lo, r.hi)
		}
	}
	f.least, f.digits = cmp.Or(f.least, onePoint), cmp.Or(f.digits, 1)
	reach := bulk
	if f.crowded {
		reach = most
	}
	largest, clipped := reach(lists.Values(all, math.Abs), f.least)
	if clipped && !f.whole {
		all = slices.DeleteFunc(all, func(v float64) bool { return math.Abs(v) > largest })
		f.notes = append(f.notes, clippedNote)
		f.caption += " " + clippedNote
	}
	f.x = f.x.holding(all...).roomy(8, f.least)
	f.width = pageWidth
	return f.sheet.figure(forestSides+forestRowHeight*vg.Length(len(f.rows))+forestAxis, f.draw)
}

func (f forest) draw(c draw.Canvas, top vg.Length) {
	area := between(c.Min.X+f.margin, c.Min.Y+forestAxis, c.Max.X-10, top-forestSides)
	panel(c, area, f.x, span{min: 0, max: float64(len(f.rows)), hidden: true}, gridColumns(f.x), drawFunc(f.marks))
	sty, axis := fit(f.axis, area.Max.X-area.Min.X, write(titleSize, ink))
	c.FillText(sty, vg.Point{X: (area.Min.X + area.Max.X) / 2, Y: c.Min.Y + 4}, axis)
	zero := area.Min.X + (area.Max.X-area.Min.X)*vg.Length((0-f.x.min)/(f.x.max-f.x.min))
	f.side(c, f.better, draw.XRight, zero-4, zero-4-c.Min.X, area.Max.Y+2)
	f.side(c, f.worse, draw.XLeft, zero+4, c.Max.X-zero-6, area.Max.Y+2)
	for i, r := range f.rows {
		y := area.Max.Y - forestRowHeight*vg.Length(i+1) + 2
		indent, clr := vg.Length(10), ink
		if r.heading {
			indent, clr = 4, faint
		}
		sty, label := fit(r.label, f.margin-indent-6, write(smallSize, clr))
		textAt(c, sty, draw.XLeft, c.Min.X+indent, y, label)
	}
}

// side writes which method is better on one side of zero.
func (f forest) side(c draw.Canvas, text string, align text.XAlignment, x, width, y vg.Length) {
	sty, s := fit(text, width, write(7, faint))
	textAt(c, sty, align, x, y, s)
}

func (f forest) marks(c draw.Canvas, x, y func(float64) vg.Length) {
	n := len(f.rows)
	c.StrokeLine2(stroke(ink, 0.7), x(0), c.Min.Y, x(0), c.Max.Y)
	for i, r := range f.rows {
		if !r.heading {
			f.mark(c, r, x, y(float64(n-i)-0.5))
		}
	}
}

// letters writes the letters of the crosses above them: those of crosses that are too near each
// other together, and none beside the text on what is beyond the axis.
func (f forest) letters(c draw.Canvas, r forestRow, x func(float64) vg.Length, at vg.Length) {
	if r.letters == nil {
		return
	}
	order := make([]int, len(r.dots))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(r.dots[i], r.dots[j]) })
	sty := write(letterSize, faint)
	from, to := c.Min.X, c.Max.X
	if r.dots[order[0]] < f.x.min || r.kind == interval && r.lo < f.x.min {
		from = x(f.x.min) + beyondWidth
	}
	if r.dots[order[len(order)-1]] > f.x.max || r.kind == interval && r.hi > f.x.max {
		to = x(f.x.max) - beyondWidth
	}
	text, first, last := "", vg.Length(0), vg.Length(0)
	flush := func() {
		if middle, half := (first+last)/2, sty.Width(text)/2; text != "" && middle-half > from && middle+half < to {
			textAt(c, sty, draw.XCenter, middle, at+2.2, text)
		}
		text = ""
	}
	for _, i := range order {
		at := x(r.dots[i])
		if text != "" && (first+at)/2-sty.Width(text+r.letters[i])/2 < last-sty.Width(text)/2 || at-last < sty.Width(text+"m") {
			if text == "" {
				first = at
			}
			text, last = text+r.letters[i], at
			continue
		}
		flush()
		text, first, last = r.letters[i], at, at
	}
	flush()
}

// beyondWidth is the room of the text on what is beyond the axis.
const beyondWidth vg.Length = 72

// mark draws the values of a row at the height at.
func (f forest) mark(c draw.Canvas, r forestRow, x func(float64) vg.Length, at vg.Length) {
	clr := ink
	mark := draw.GlyphStyle{Color: ink, Radius: markerSize, Shape: circle}
	if r.look != nil {
		clr, mark = r.look.Color, r.look.glyph()
	} else if r.kind == settingsRange {
		mark.Shape = diamond
	} else if !r.shown {
		mark.Shape = hollow(circle)
	}
	inside := func(v float64) bool { return v >= f.x.min && v <= f.x.max }
	within := func(v float64) vg.Length { return x(min(max(v, f.x.min), f.x.max)) }
	for _, d := range lists.Where(r.dots, inside) {
		for _, way := range []vg.Length{-1, 1} { // a cross
			c.StrokeLine2(stroke(crossColor, 0.6), x(d)-1.5, at-1.5*way, x(d)+1.5, at+1.5*way)
		}
	}
	f.letters(c, r, x, at)
	line := stroke(clr, 1)
	if r.kind == settingsRange {
		line.Color = barEdge
		line.Width = 0.6
	}
	if r.kind != noExtent {
		c.StrokeLine2(line, within(r.lo), at, within(r.hi), at)
	}
	all := append(slices.Clone(r.dots), r.at)
	if r.kind == interval {
		for _, end := range []float64{r.lo, r.hi} {
			all = append(all, end)
			if inside(end) {
				c.StrokeLine2(line, x(end), at-2, x(end), at+2)
			}
		}
	}
	if inside(r.at) {
		c.DrawGlyph(mark, vg.Point{X: x(r.at), Y: at})
	}
	slices.Sort(all)
	left := lists.Where(all, func(v float64) bool { return v < f.x.min })
	right := lists.Where(all, func(v float64) bool { return v > f.x.max })
	for i, outside := range [][]float64{left, right} {
		if len(outside) == 0 {
			continue
		}
		text := numbers(outside, f.digits)
		switch gone := !inside(r.at) && slices.Contains(outside, r.at); {
		case gone && r.kind == interval && (len(outside) == 3 || r.dots != nil): // what counts are the shift and its interval
			text = fmt.Sprintf("%.*f [%.*f, %.*f]", f.digits, r.at, f.digits, r.lo, f.digits, r.hi)
		case gone && r.kind == noExtent && len(outside) > 1: // of the shift and some of its blocks
			blocks := lists.Where(r.dots, func(v float64) bool { return v < f.x.min && i == 0 || v > f.x.max && i == 1 })
			text = fmt.Sprintf("%.*f (data sets: %s)", f.digits, r.at, numbers(blocks, f.digits))
		case r.kind == interval && slices.Contains(outside, r.hi) && i == 1:
			text = fmt.Sprintf("interval to %.*f", f.digits, r.hi)
		case r.kind == interval && slices.Contains(outside, r.lo) && i == 0:
			text = fmt.Sprintf("interval from %.*f", f.digits, r.lo)
		}
		end := []float64{f.x.min, f.x.max}[i]
		beyond(c, x(end), at, []vg.Length{at}, []color.Color{clr}, text, i == 0)
	}
}
