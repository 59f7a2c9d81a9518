package page

import (
	"cmp"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strconv"

	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/compare"
	"github.com/qats-bench/qats/results/table"
)

// binsView shows how the ranking depends on the number of bins.
type binsView struct {
	Chart template.HTML
	Table grid
	Notes []string
}

// binsOf ranks the methods of a source by a metric with each number of bins that the
// rows have. It returns nil where the metric has none, or nothing can be ranked.
func binsOf(f *Folder, o Options, metric, source string) *binsView {
	names, bins := compare.BinFamily(metric, f.Records)
	if len(names) < 2 {
		return nil
	}
	a := agreementOf(f, o, names, source)
	if a == nil || len(a.Metrics) < len(names) {
		return nil
	}
	label := table.Name("metric", metric)
	t := grid{Caption: "Mean ranks by the number of bins of " + label, Head: []string{"Method"}}
	least, usual := 1.0, slices.Index(bins, 15)
	for i, m := range bins {
		t.Head = append(t.Head, fmt.Sprintf("%d bins", m))
		least = math.Min(least, a.Tau[usual][i])
	}
	for j, m := range a.Methods {
		row := []string{o.labels[m]}
		for i := range bins {
			row = append(row, strconv.FormatFloat(a.Ranks[i][j], 'f', 2, 64))
		}
		t.Rows = append(t.Rows, row)
	}
	notes := []string{fmt.Sprintf("Mean ranks over %s (%s, the same for all numbers of bins); 1 is best. The ranking by another number of bins has a Kendall's tau of %s or more with the ranking by 15.",
		table.Count(len(a.Blocks), "block"), table.Count(a.Settings, "setting"), correlation(least))}
	return &binsView{binsChart(a, o, bins, label), t, notes}
}

// binsChart draws the mean rank of each method against the number of bins, on a
// logarithmic axis. The names stand at the right, in the order of the ranks there.
func binsChart(a *compare.Agreement, o Options, bins []int, metric string) template.HTML {
	const left, width, right, apart, top, bottom = 40.0, 460.0, 180.0, 15.0, 10.0, 44.0
	n := len(a.Methods)
	height := math.Max(220, 1.1*apart*float64(n))
	s := &svg{width: left + width + right, height: top + height + bottom}
	best, worst := math.Inf(1), math.Inf(-1)
	for _, ranks := range a.Ranks {
		best, worst = math.Min(best, slices.Min(ranks)), math.Max(worst, slices.Max(ranks))
	}
	best, worst = math.Floor(best), math.Max(math.Ceil(worst), math.Floor(best)+1)
	first, last := math.Log(float64(bins[0])), math.Log(float64(bins[len(bins)-1]))
	x := func(m int) float64 { return left + 8 + (math.Log(float64(m))-first)/(last-first)*(width-16) }
	y := func(rank float64) float64 { return top + (rank-best)/(worst-best)*height }
	step := math.Max(1, niceStep(worst-best, 12))
	for rank := math.Ceil(best/step) * step; rank <= worst; rank += step {
		s.line("grid", left, y(rank), left+width, y(rank))
		s.text("tick", "end", left-6, y(rank)+4, strconv.FormatFloat(rank, 'f', 0, 64))
	}
	for _, m := range bins {
		s.line("grid", x(m), top, x(m), top+height)
		s.text("tick", "middle", x(m), top+height+18, strconv.Itoa(m))
	}
	s.text("axis", "middle", left+width/2, s.height-6, fmt.Sprintf("number of bins of %s (mean rank, 1 is best)", metric))
	end := a.Ranks[len(bins)-1]
	order := make([]int, n)
	for j := range order {
		order[j] = j
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(end[i], end[j]) })
	heights := make([]float64, n)
	for i, j := range order {
		heights[i] = y(end[j])
	}
	spread(heights, apart, top, top+height)
	for i, j := range order {
		m := o.place[a.Methods[j]]
		at := make([][2]float64, len(bins))
		for b, k := range bins {
			at[b] = [2]float64{x(k), y(a.Ranks[b][j])}
		}
		thick := 2.0
		if a.Methods[j] == o.Against {
			thick = 4
		}
		s.curve(m, dashes(a.Methods[j]), thick, at)
		s.curve(m, "", 1, [][2]float64{{x(bins[len(bins)-1]) + 5, y(end[j])}, {left + width + 14, heights[i]}, {left + width + 20, heights[i]}})
		for _, p := range at {
			s.mark(m, p[0], p[1], 3.5)
		}
		class := "label"
		if a.Methods[j] == o.Against {
			class = "label own"
		}
		s.named(class, "start", left+width+24, heights[i]+4, right-24, o.labels[a.Methods[j]])
	}
	return s.html(fmt.Sprintf("Mean ranks of %d methods by %s with %d to %d bins. The table below has the same numbers.", n, metric, bins[0], bins[len(bins)-1]))
}

// spread moves ascending heights apart by at least a distance, within limits that have
// the room. A crowd stays around its place.
func spread(heights []float64, apart, least, most float64) {
	least, most = least+apart/2, most-apart/2
	for range 200 {
		moved := false
		for i := 1; i < len(heights); i++ {
			if lack := apart - (heights[i] - heights[i-1]); lack > .01 {
				heights[i-1] -= lack / 2
				heights[i] += lack / 2
				moved = true
			}
		}
		if !moved && heights[0] >= least && heights[len(heights)-1] <= most {
			return
		}
		heights[0] = math.Max(heights[0], least)
		heights[len(heights)-1] = math.Min(heights[len(heights)-1], most)
	}
}

// agreementOf compares the rankings of a source by several metrics; nil if it cannot.
func agreementOf(f *Folder, o Options, names []string, source string) *compare.Agreement {
	of := slices.DeleteFunc(slices.Clone(f.Records), func(r results.Record) bool {
		return r.Source != source && r.Source != "" || !slices.Contains(names, r.Metric)
	})
	list, err := compare.Agree(of, names, compare.Options{Against: o.Against, Methods: o.Methods, Block: o.Block, Files: o.Files})
	if err != nil || len(list) == 0 {
		return nil // such as fewer than three methods: there is nothing to show
	}
	return list[0]
}
