package plots

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/qats-bench/qats/results"
)

// Sizes of a text diagram, in characters. Two panels of 36 fill 75 columns.
const (
	textRows  = 10 // of accuracy, a tenth each
	textBar   = 2  // width of a bin
	textAxis  = 6  // in front of the first bin
	textGap   = 3  // between panels
	textBins  = 15
	textPanel = textAxis + textBar*textBins
)

// eighths are the bars of 0 to 8 eighths of a row.
var eighths = []rune(" ▁▂▃▄▅▆▇█")

// ReliabilityText returns the reliability diagram of one cell for a terminal of so many
// columns, with a panel for each method; a panel takes 36 columns. It is drawn from the width15
// bins, with in.Positive from the positive15 bins. A bar ends at the accuracy of the bin, to an eighth of a row, and a line
// marks the row of its mean confidence where that is not the row of the bar's end:
// a line above the bar means overconfident. Below is the share of rows in each bin,
// the highest bar being the largest share. The ECE is computed from the bins shown.
// Empty bins are blank.
func ReliabilityText(in Input, width int) (string, error) {
	words := in.axes()
	t, err := in.oneCell(words.binning)
	if err != nil {
		return "", fmt.Errorf("reliability diagram: %w", err)
	}
	var b strings.Builder
	perLine := max(1, (width+textGap)/(textPanel+textGap))
	for lo := 0; lo < len(t.methods); lo += perLine {
		if lo > 0 {
			b.WriteByte('\n')
		}
		var panels [][]string
		for _, m := range t.methods[lo:min(lo+perLine, len(t.methods))] {
			panels = append(panels, textPanelOf(*t.rows[0].series[m.id], words.x))
		}
		for i := range panels[0] {
			line := ""
			for j, p := range panels {
				if j > 0 {
					line += strings.Repeat(" ", textGap)
				}
				line += fmt.Sprintf("%-*s", textPanel, p[i])
			}
			b.WriteString(strings.TrimRight(line, " ") + "\n")
		}
	}
	return b.String(), nil
}

// centred returns a text in the middle of so many columns, a little to the left.
func centred(text string, columns int) string {
	text = shorten(text, columns)
	left := max(1, (columns-utf8.RuneCountInString(text)-6)/2)
	return fmt.Sprintf("%s%-*s", strings.Repeat(" ", left), columns-left, text)
}

// textPanelOf returns the lines of one panel, all for the same number of bins.
func textPanelOf(s series, x string) []string {
	bins := make([]*results.Bin, textBins)
	most := 0
	for i := range s.bins {
		b := &s.bins[i]
		bins[b.Bin] = b
		most = max(most, b.N)
	}
	indent := strings.Repeat(" ", textAxis)
	lines := []string{indent + shorten(fmt.Sprintf("%s, ECE %.2f %%", s.label, 100*s.ece()), textBar*textBins)}
	for row := textRows - 1; row >= 0; row-- {
		axis := "     │"
		if row%2 == 1 {
			axis = fmt.Sprintf(" %.1f ┤", float64(row+1)/textRows)
		}
		for _, b := range bins {
			axis += strings.Repeat(string(textCell(b, row)), textBar)
		}
		lines = append(lines, axis)
	}
	lines = append(lines, " 0.0 ┼"+strings.Repeat("─", textBar*textBins))
	share := " rows "
	for _, b := range bins {
		mark := ' '
		if b != nil {
			mark = eighths[max(1, 8*b.N/most)]
		}
		share += strings.Repeat(string(mark), textBar)
	}
	return append(lines, share, indent+"0"+centred(x, textBar*textBins-2)+"1")
}

// textCell returns the character of a bin in a row, which stands for the values
// from row/textRows on.
func textCell(b *results.Bin, row int) rune {
	if b == nil {
		return ' '
	}
	at := func(v float64) int { return min(int(v*textRows), textRows-1) }
	if at(b.Conf) == row && at(b.Acc) != row {
		return '─'
	}
	filled := b.Acc*textRows - float64(row)
	return eighths[int(8*max(0, min(1, filled))+0.5)]
}

// shorten cuts a text to a number of characters.
func shorten(text string, most int) string {
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:most-1]) + "…"
}
