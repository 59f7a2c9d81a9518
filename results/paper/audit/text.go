package audit

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"

	"github.com/qats-bench/qats/results/table"
)

// Text prints the number of findings of each kind, then the findings by kind, for
// a terminal of 100 columns. size is the number of printed numbers checked.
func Text(w io.Writer, size int, findings []Finding) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "Consistency of the published tables: %d numbers checked, %d findings.\n", size, len(findings))
	b.WriteString("A finding names two printed values that do not agree. It does not say which one is right.\n\n")
	for _, g := range Groups() {
		fmt.Fprintf(b, "%5d  %-16s %s\n", len(of(g.Kind, findings)), g.Kind, g.Title)
	}
	for _, g := range Groups() {
		if list := of(g.Kind, findings); len(list) > 0 {
			g.text(b, list)
		}
	}
	return b.Flush()
}

// text prints the findings of a group below each other.
func (g Group) text(b *bufio.Writer, list []Finding) {
	fmt.Fprintf(b, "\n%s: %d\n%s\n", g.Title, len(list), g.Rule)
	place, printed := 0, 0 // widths
	for _, f := range list {
		place = max(place, utf8.RuneCountInString(f.place()))
		printed = max(printed, utf8.RuneCountInString(f.Printed))
	}
	for _, f := range list {
		fmt.Fprintf(b, "  Table %-2d  %-*s  %s %-*s %s %s\n", f.Number, place, f.place(),
			g.printed, printed+1, f.Printed+",", g.recomputed, f.Recomputed)
		if f.Note != "" {
			fmt.Fprintf(b, "            (%s)\n", f.Note)
		}
	}
}

func (f Finding) place() string {
	if f.Column == "" {
		return f.Row
	}
	return f.Row + "; " + f.Column
}

func of(kind Kind, findings []Finding) []Finding {
	return slices.DeleteFunc(slices.Clone(findings), func(f Finding) bool { return f.Kind != kind })
}

// JSON prints each finding as an object on a line of its own.
func JSON(w io.Writer, findings []Finding) error { return table.WriteJSON(w, findings) }
