package plots

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/qats-bench/qats/internal/english"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/figure"
)

// Corruptions draws the ECE of one network at one severity, in per cent, by kind of
// corruption, with one marker for each method. The corruptions are in the order and the
// families of Hendrycks and Dietterich (2019). Other corruptions follow in the order of
// their rows. Markers show as much as bars, which are only 3 pt wide with eight methods.
func Corruptions(in Input) (*Figure, error) {
	v, err := in.values("ece")
	if err != nil {
		return nil, figure.Corruptions.Errorf("%w", err)
	}
	one, err := v.oneNetwork()
	if err != nil {
		return nil, figure.Corruptions.Errorf("%w", err)
	}
	_, severities := v.shifts()
	if len(severities) > 1 {
		return nil, figure.Corruptions.Errorf("rows of severities %d and %d: a figure shows one", severities[0], severities[1])
	}
	list := lists.Values(v.cells, in.category)
	slices.SortStableFunc(list, func(a, b category) int { return cmp.Compare(a.rank, b.rank) })
	g := corruptionGrid{values: v, list: list, y: fromZero(slices.Max(slices.Collect(maps.Values(v.at))), 6)}
	s := sheet{title: fmt.Sprintf("%s / severity %d", in.cellName(one), severities[0]), simulated: v.simulated, width: pageWidth, stretches: figure.Corruptions.Stretches, keys: v.dots(pageWidth - 8), notes: v.notes,
		caption: fmt.Sprintf("ECE of %s at severity %d, by kind of corruption, for %s.", in.cellName(one), severities[0], english.List(labels(v.methods)))}
	return s.figure(4+corruptionHeight+categoryMargin, g.draw), nil
}

const (
	corruptionHeight vg.Length = 130
	categoryMargin   vg.Length = 26 // names and families
)

// families are the corruptions in the usual order, with short names that fit below
// an axis.
var families = []struct {
	name    string
	members [][2]string // id, short name
}{
	{"Noise", [][2]string{{"gaussian_noise", "Gauss."}, {"shot_noise", "Shot"}, {"impulse_noise", "Impulse"}}},
	{"Blur", [][2]string{{"defocus_blur", "Defocus"}, {"glass_blur", "Glass"}, {"motion_blur", "Motion"}, {"zoom_blur", "Zoom"}}},
	{"Weather", [][2]string{{"snow", "Snow"}, {"frost", "Frost"}, {"fog", "Fog"}, {"brightness", "Bright"}}},
	{"Digital", [][2]string{{"contrast", "Contrast"}, {"elastic_transform", "Elastic"}, {"pixelate", "Pixel"}, {"jpeg_compression", "JPEG"}}},
}

// category is a corruption as the axis shows it.
type category struct {
	cell         results.Setting
	label        string
	family, rank int // rank is the place on the axis; corruptions of no family share the last rank
}

func (in Input) category(c results.Setting) category {
	rank := 0
	for i, f := range families {
		for _, m := range f.members {
			if m[0] == c.Corruption {
				return category{c, m[1], i, rank}
			}
			rank++
		}
	}
	return category{c, printable(in.Names.Name("corruption", c.Corruption)), len(families), rank}
}

// corruptionGrid is the panel of the figure.
type corruptionGrid struct {
	values
	list []category
	y    span
}

func (g corruptionGrid) draw(c draw.Canvas, top vg.Length) {
	area := onePanel(c, g.y, rightMargin, categoryMargin, top-4)
	panel(c, area, span{min: 0, max: float64(len(g.list))}, g.y, drawFunc(g.stripes), gridLines(g.y), drawFunc(g.dots))
	yTitle(c, area, "ECE (%)")
	g.names(c, area)
}

// stripes shades every second corruption.
func (g corruptionGrid) stripes(c draw.Canvas, x, _ func(float64) vg.Length) {
	for i := 1; i < len(g.list); i += 2 {
		rect(c, stripe, x(float64(i)), c.Min.Y+axisWidth/2, x(float64(i+1)), c.Max.Y)
	}
}

func (g corruptionGrid) dots(c draw.Canvas, x, y func(float64) vg.Length) {
	pitch := min(6, 0.86*(x(1)-x(0))/vg.Length(len(g.methods)))
	for i, k := range g.list {
		middle := x(float64(i) + 0.5)
		for j, m := range g.methods {
			if value, ok := g.at[results.Place{Setting: k.cell, Method: m.id}]; ok {
				c.DrawGlyph(MethodLook(m.id).glyph(), vg.Point{X: middle + beside(j, len(g.methods), pitch), Y: y(value)})
			}
		}
	}
}

// names writes the corruptions below the axis, in one size, and below them the
// families, each under a line.
func (g corruptionGrid) names(c draw.Canvas, area vg.Rectangle) {
	step := (area.Max.X - area.Min.X) / vg.Length(len(g.list))
	size := smallSize
	for _, k := range g.list {
		sty, _ := fit(k.label, step-5, write(smallSize, ink))
		size = min(size, sty.Font.Size)
	}
	first := 0
	for i, k := range g.list {
		left := area.Min.X + step*vg.Length(i)
		sty, label := fit(k.label, step-5, write(size, ink))
		c.FillText(sty, vg.Point{X: left + step/2, Y: area.Min.Y - 11}, label)
		if i+1 < len(g.list) && g.list[i+1].family == k.family {
			continue
		}
		start, end := area.Min.X+step*vg.Length(first)+3, left+step-3
		first = i + 1
		if k.family == len(families) {
			continue
		}
		c.StrokeLine2(stroke(faint, axisWidth), start, area.Min.Y-14, end, area.Min.Y-14)
		sty, name := fit(families[k.family].name, end-start+4, write(smallSize, faint))
		c.FillText(sty, vg.Point{X: (start + end) / 2, Y: area.Min.Y - 24}, name)
	}
}
