package page

import (
	"fmt"
	"html/template"
	"math"

	"github.com/qats-bench/qats/results/compare"
)

// winRateChart draws the win rates of the ranked methods, in the order of their mean
// ranks, with their intervals. The line is at one half.
func winRateChart(v compare.View) template.HTML {
	var rows []compare.Estimate
	for _, s := range v.Strengths() {
		rows = append(rows, compare.Estimate{Value: 100 * s.WinRate.Value, Lo: 100 * s.WinRate.Lo, Hi: 100 * s.WinRate.Hi})
	}
	c := estimates{lo: 0, hi: 100, step: 20, line: 50, axis: "wins, in per cent of settings"}
	return c.draw(v, rows, fmt.Sprintf("Win rates of %d methods by %s, with 95 %% intervals. The table below has the same numbers.", len(rows), v.MetricLabel))
}

// strengthChart draws the Bradley-Terry strengths of the ranked methods, in the order of
// their mean ranks, with their intervals. The line is at the mean strength.
func strengthChart(v compare.View) template.HTML {
	var rows []compare.Estimate
	c := estimates{axis: "logarithm of odds, mean 0"}
	for _, s := range v.Strengths() {
		rows = append(rows, s.BradleyTerry)
		c.lo, c.hi = math.Min(c.lo, s.BradleyTerry.Lo), math.Max(c.hi, s.BradleyTerry.Hi)
	}
	c.step = niceStep(math.Max(c.hi-c.lo, .1), 6)
	c.lo, c.hi = math.Floor(c.lo/c.step)*c.step, math.Ceil(c.hi/c.step)*c.step
	if c.hi == c.lo {
		c.hi += c.step
	}
	return c.draw(v, rows, fmt.Sprintf("Bradley-Terry strengths of %d methods by %s, with 95 %% intervals. The table below has the same numbers.", len(rows), v.MetricLabel))
}

// estimates is the axis of a chart with a row for each ranked method.
type estimates struct {
	lo, hi, step float64
	line         float64 // at which a line stands
	axis         string
}

// draw draws one estimate for each ranked method. The chart is narrow, so that it can be
// read on a telephone and two fit beside each other.
func (c estimates) draw(v compare.View, rows []compare.Estimate, text string) template.HTML {
	const row, left, width, right, top, bottom = 20.0, 140.0, 245.0, 15.0, 6.0, 42.0
	s := &svg{width: left + width + right, height: top + row*float64(len(rows)) + bottom}
	x := func(at float64) float64 { return left + (at-c.lo)/(c.hi-c.lo)*width }
	end := s.height - bottom + 4
	for i := range int(math.Round((c.hi-c.lo)/c.step)) + 1 {
		at := c.lo + float64(i)*c.step
		s.line("grid", x(at), top-2, x(at), end)
		s.text("tick", "middle", x(at), end+14, tick(at, c.step))
	}
	s.line("zero", x(c.line), top-2, x(c.line), end)
	s.text("axis", "middle", left+width/2, end+32, c.axis)
	for i, e := range rows {
		y, method := top+row*(float64(i)+.5), v.Ranking.Methods[i]
		s.label(left-10, y+4, v.Label(method), method == v.Against)
		s.line("whisker", x(e.Lo), y, x(e.Hi), y)
		s.tag("circle", "class", "dot", "cx", x(e.Value), "cy", y, "r", 4.0)
	}
	return s.html(text)
}
