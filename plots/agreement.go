package plots

import (
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/qats-bench/qats/internal/english"
	"github.com/qats-bench/qats/results/compare"
	"github.com/qats-bench/qats/results/figure"
	"github.com/qats-bench/qats/results/table"
)

// RankAgreement draws how far the rankings of the methods by several metrics agree, as
// AgreementOf does. Without in.Metrics it takes the metrics of [compare.Rankable].
func RankAgreement(in Input) (*Figure, error) {
	names, sparse := in.Metrics, []string(nil)
	if names == nil {
		var err error
		if names, sparse, err = compare.Rankable(in.Records, in.Variants); err != nil {
			return nil, figure.RankAgreement.Errorf("%w", err)
		}
	}
	if len(names) < 2 && in.Metrics == nil {
		names = []string{"ece"} // for the error
	}
	a, v, err := in.agreement(names)
	if err != nil {
		return nil, figure.RankAgreement.Errorf("%w", err)
	}
	a.Sparse = sparse
	return AgreementOf(a, v.none...)
}

// agreement ranks the methods of the figure by each of the metrics. It returns the values
// of the first too.
func (in Input) agreement(names []string) (*compare.Agreement, values, error) {
	v, records, err := in.ranked(names...)
	if err != nil {
		return nil, v, err
	}
	if len(names) < 2 {
		return nil, v, fmt.Errorf("%s; it takes two or more", english.Count(len(names), "metric"))
	}
	list, err := compare.Agree(records, names, in.options(v.methods[0].id))
	if err != nil {
		return nil, v, err
	}
	return list[0], v, nil
}

// AgreementOf draws Kendall's rank correlation of the mean ranks by each pair of metrics: a
// square with its number, blue above 0 and orange below. missing has the notes of missing
// values.
func AgreementOf(a *compare.Agreement, missing ...string) (*Figure, error) {
	methods, blocks := english.Count(len(a.Methods), "method"), english.Count(len(a.Blocks), "block")
	m := agreementMatrix{Agreement: a}
	for _, name := range a.Names {
		m.margin = max(m.margin, write(smallSize, ink).Width(name)+10)
	}
	n := vg.Length(len(a.Names))
	m.side = min(40, max(20, (pageWidth-m.margin-8)/n))
	m.top = m.margin // the names of the columns are turned
	s := sheet{title: fmt.Sprintf("Kendall's tau of mean ranks, %s, %s", methods, blocks), simulated: a.Source == simulated, width: max(columnWidth, m.margin+m.side*n+8),
		notes:   append(a.Notes(), missing...),
		caption: fmt.Sprintf("Agreement of the rankings of %s by different metrics: Kendall's rank correlation of the mean ranks over %s.", methods, a.Extent)}
	natural := s.width
	return s.laidOut(func(width vg.Length) (vg.Length, panels) {
		m := m
		if width != natural {
			m.side = (width - m.margin - 8) / n
		}
		return m.top + m.side*n + 6, m.draw
	}), nil
}

// agreementMatrix is the panel of the figure.
type agreementMatrix struct {
	*compare.Agreement
	margin, top, side vg.Length
}

func (m agreementMatrix) draw(c draw.Canvas, top vg.Length) {
	left := c.Min.X + m.margin
	top -= m.top
	for i, name := range m.Names {
		y := top - m.side*vg.Length(i)
		textAt(c, write(smallSize, ink), draw.XRight, left-4, y-m.side/2-4, name)
		column := write(smallSize, ink)
		column.XAlign = draw.XLeft
		turned(c, column, left+m.side*(vg.Length(i)+.5)+3, top+4, name)
		for j := range m.Names {
			x := left + m.side*vg.Length(j)
			tau := m.Tau[i][j]
			rect(c, shade(tau), x+.5, y-m.side+.5, x+m.side-.5, y-.5)
			c.FillText(write(smallSize, ink), vg.Point{X: x + m.side/2, Y: y - m.side/2 - 4}, table.Fixed(tau, 2))
		}
	}
}

// shade returns the colour of a correlation: white at 0, towards blue at 1 and orange
// at -1. Black text is legible on all of them.
func shade(tau float64) color.Color {
	end := underFill
	if tau < 0 {
		end = overFill
	}
	mix := func(to uint8) uint8 { return uint8(math.Round(255 + (float64(to)-255)*math.Abs(tau))) }
	return color.RGBA{R: mix(end.R), G: mix(end.G), B: mix(end.B), A: 255}
}
