package plots

import (
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// An axis ends before a value that would flatten the figure: one that is more than
// outlying times as far from zero as the next one, if at most a share of the values
// is beyond. Such a value is drawn as an arrow at the end of the axis, with its
// number.
const (
	outlying    = 2.2
	beyondShare = 8 // one in eight
)

// bulk returns the largest distance from zero of the values that the axis has to
// show, and whether others are beyond it.
func bulk(distances []float64) (largest float64, clipped bool) {
	list := slices.Clone(distances)
	slices.Sort(list)
	slices.Reverse(list)
	if len(list) == 0 {
		return 0, false
	}
	for i := 1; i <= max(1, len(list)/beyondShare) && i < len(list); i++ {
		if list[i-1] > outlying*math.Max(list[i], 1) && len(list) >= 6 {
			return list[i], true
		}
	}
	return list[0], false
}

// clippedNote explains the arrows.
const clippedNote = "An arrow marks a value beyond the axis, with its number."

// clippedCaption is the same for a caption; it begins with a space.
func clippedCaption(clipped bool) string {
	if !clipped {
		return ""
	}
	return " " + clippedNote
}

// beyond draws an arrow at the right end of the axis, or at the left end if the value
// is negative, and beside it the value. It leaves room for the number of other arrows
// nearer to the end.
func beyond(c draw.Canvas, look draw.GlyphStyle, at vg.Point, value float64, room vg.Length) vg.Length {
	text := strconv.FormatFloat(value, 'f', 1, 64)
	sty := write(6.5, ink)
	way := vg.Length(1)
	sty.XAlign = draw.XRight
	if value < 0 {
		way, sty.XAlign = -1, draw.XLeft
	}
	tip := vg.Point{X: at.X - way*room, Y: at.Y}
	const size = 2.6
	c.FillPolygon(look.Color, []vg.Point{tip, {X: tip.X - way*1.8*size, Y: tip.Y + size}, {X: tip.X - way*1.8*size, Y: tip.Y - size}})
	c.FillText(sty, vg.Point{X: tip.X - way*(1.8*size+1.5), Y: tip.Y - 4}, text)
	return room + 1.8*size + 4 + sty.Width(text)
}
