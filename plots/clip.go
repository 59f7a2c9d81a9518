package plots

import (
	"cmp"
	"image/color"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/qats-bench/qats/internal/lists"
)

// An axis ends before a value that would flatten the figure, which is drawn as an arrow at
// the end of the axis with its number. Such a value is more than outlying times as far from
// zero as the next one, and at most a share of the values is as far.
const (
	outlying    = 2.2
	beyondShare = 8 // one in eight
)

// bulk returns the largest distance from zero of the values that the axis has to
// show, and whether others are beyond it. Distances up to least are no outliers.
func bulk(distances []float64, least float64) (largest float64, clipped bool) {
	list := slices.SortedFunc(slices.Values(distances), func(a, b float64) int { return cmp.Compare(b, a) })
	if len(list) == 0 {
		return 0, false
	}
	for i := 1; i <= max(1, len(list)/beyondShare) && i < len(list); i++ {
		if list[i-1] > outlying*max(list[i], least) && len(list) >= 6 {
			return list[i], true
		}
	}
	return list[0], false
}

// most is bulk for many values, whose largest fall off slowly: the axis reaches as far as a
// few of the farthest values would stretch it, but not more than outlying times as far as
// where seven eighths of the values end.
func most(distances []float64, least float64) (largest float64, clipped bool) {
	list := slices.Sorted(slices.Values(distances))
	if len(list) < 6 {
		return bulk(distances, least)
	}
	limit := outlying * max(quantile(list, 1-1./beyondShare), least)
	for i, d := range slices.Backward(list) {
		if d <= limit {
			return d, i+1 < len(list)
		}
	}
	return limit, true // none: a quantile is at least one of the values
}

// clippedNote explains the arrows, at the foot and in the caption.
const clippedNote = "An arrow marks a value beyond the axis, with its number."

// numbers prints values in their order with that many decimals, without repetition.
func numbers(values []float64, digits int) string {
	return strings.Join(lists.Distinct(values, func(v float64) string { return strconv.FormatFloat(v, 'f', digits, 64) }), ", ")
}

// beyond draws an arrow for each value beyond one end of an axis, with its tip at
// (x, ys[i]), and beside the arrows a text with the values.
func beyond(c draw.Canvas, x, y vg.Length, ys []vg.Length, colors []color.Color, text string, left bool) {
	size := vg.Length(2.6) // of an arrow
	for i := range ys {
		for _, other := range ys[:i] {
			if apart := max(ys[i]-other, other-ys[i]); apart > 0 {
				size = min(size, apart/2-.1) // no arrow covers part of another
			}
		}
	}
	sty := write(6.5, ink)
	way := vg.Length(1)
	sty.XAlign = draw.XRight
	if left {
		way, sty.XAlign = -1, draw.XLeft
	}
	at := vg.Point{X: x - way*(1.8*size+1.5), Y: y - 3.4}
	rect(c, color.White, at.X, y-3.2, at.X-way*sty.Width(text), y+3.2) // over the line to the arrow
	c.FillText(sty, at, text)
	for i, clr := range colors {
		c.FillPolygon(clr, []vg.Point{{X: x, Y: ys[i]}, {X: x - way*1.8*size, Y: ys[i] + size}, {X: x - way*1.8*size, Y: ys[i] - size}})
	}
}
