package audit

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// words are what the text says before the two values of a finding; a kind
// that is not here says printed and recomputed.
var words = map[Kind][2]string{
	BestMark:    {"printed", "lowest"},
	SecondMark:  {"printed", "second"},
	Disagree:    {"printed", "and"},
	OneFit:      {"printed", "needs"},
	Repeat:      {"printed", ""},
	SameNetwork: {"printed", "and"},
	TwoFits:     {"printed", "a change of"},
	Caption:     {"says", "counted"},
}

// Text prints the findings by kind, counted, for a terminal of 100 columns.
// size says how many numbers were checked.
func Text(w io.Writer, size int, findings []Finding) error {
	var b strings.Builder
	fmt.Fprintf(&b, "The published tables checked against themselves: %d numbers, %d findings.\n", size, len(findings))
	b.WriteString("A finding is two printed things that do not fit; it does not say which of them is right.\n\n")
	for _, g := range Groups() {
		fmt.Fprintf(&b, "%5d  %-16s %s\n", len(of(g.Kind, findings)), g.Kind, g.Title)
	}
	for _, g := range Groups() {
		list := of(g.Kind, findings)
		if len(list) == 0 {
			continue
		}
		fmt.Fprintf(&b, "\n%s: %d\n%s\n", g.Title, len(list), g.Rule)
		said, ok := words[g.Kind]
		if !ok {
			said = [2]string{"printed", "recomputed"}
		}
		place, printed := 0, 0 // widths
		for _, f := range list {
			place = max(place, utf8.RuneCountInString(f.place()))
			printed = max(printed, utf8.RuneCountInString(f.Printed))
		}
		for _, f := range list {
			line := fmt.Sprintf("  Table %-2d  %-*s  %s %-*s %s", f.Number, place, f.place(), said[0], printed+1, f.Printed+",",
				strings.TrimSpace(said[1]+" "+f.Recomputed))
			b.WriteString(strings.TrimRight(line, " ") + "\n")
			if f.Note != "" {
				fmt.Fprintf(&b, "            (%s)\n", f.Note)
			}
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (f Finding) place() string {
	if f.Column == "" {
		return f.Row
	}
	return f.Row + "; " + f.Column
}

func of(kind Kind, findings []Finding) []Finding {
	var list []Finding
	for _, f := range findings {
		if f.Kind == kind {
			list = append(list, f)
		}
	}
	return list
}

// JSON prints one object a line for each finding.
func JSON(w io.Writer, findings []Finding) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	for _, f := range findings {
		if err := e.Encode(f); err != nil {
			return err
		}
	}
	return nil
}
