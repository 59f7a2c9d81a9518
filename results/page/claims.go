package page

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/qats-bench/qats/results/paper"
	"github.com/qats-bench/qats/results/paper/claims"
	"github.com/qats-bench/qats/results/table"
)

// verdicts are the paper's claims with their judgements.
type verdicts struct {
	Note   string  // what "here" is
	Here   string  // heading of the judgements on the records
	Strips []strip // on the printed numbers, and here
	Claims []judged
}

type strip struct {
	Name               string
	Holds, Fails, Open int
	Marks              []mark
}

// mark is one claim of a strip.
type mark struct {
	Number       int
	Class, Sign  string
	Title, Truth string
}

type judged struct {
	Number int
	claims.Judged
	PublishedClass, HereClass string
	PublishedSign, HereSign   string
}

// printed is a number of the paper beside the reproduced one.
type printed struct {
	Table   string  `json:"t"` // such as "Table 1"
	Row     string  `json:"r"`
	Label   string  `json:"m"`
	Value   float64 `json:"p"` // points, as printed
	Here    *number `json:"h"`
	Lo      *number `json:"lo"` // consistency band
	Hi      *number `json:"hi"`
	Source  string  `json:"s,omitempty"`
	Reason  string  `json:"why,omitempty"`
	Verdict string  `json:"v,omitempty"` // whether the best methods of the row agree
}

type number = float64

// verdictsOf judges the paper's claims, and sets published beside reproduced
// numbers. Both are nil if the folder has neither settings of the paper nor data
// sets that a spec declares similar to the paper's.
func verdictsOf(f *Folder) (*verdicts, []printed, error) {
	numbers, err := paper.Read()
	if err != nil {
		return nil, nil, err
	}
	comparison := claims.Compare(numbers, f.Records)
	if rows := printedRows(comparison); rows != nil {
		v := &verdicts{Here: "measured here", Claims: numbered(comparison.Claims),
			Note: "Each claim of the paper's text is judged twice: on the numbers that the paper prints, and on the measured records of this folder that are of the paper's own networks (their manifest says paper: true). Simulated records never count."}
		if n := standIns(comparison); n > 0 {
			v.Note += fmt.Sprintf(" %s measured on networks that stand in for the paper's; the numbers are listed as stand-in and get no verdict.", numbersAre(n))
		}
		v.addStrips("on the numbers that the paper prints", "on the measured records of this folder")
		return v, rows, nil
	}
	like := map[string]string{}
	if f.Run != nil {
		for _, s := range f.Run.Specs {
			maps.Copy(like, s.Like)
		}
	}
	if len(like) == 0 {
		return nil, nil, nil
	}
	similar, err := claims.JudgeSimilar(numbers, f.Records, like)
	if err != nil {
		return nil, nil, nil // no measured record is of one of these data sets
	}
	var pairs []string
	for _, dataset := range slices.Sorted(maps.Keys(like)) {
		if !slices.Contains(similar.Absent, dataset) {
			pairs = append(pairs, fmt.Sprintf("%s is similar to %s", table.Name("dataset", dataset), table.Name("dataset", like[dataset])))
		}
	}
	v := &verdicts{Here: "on similar data sets", Claims: numbered(similar.Claims),
		Note: "The networks here are not the paper's. Their data sets are declared similar to the paper's (" + strings.Join(pairs, ", ") +
			"), and the claims are judged on them. These verdicts neither confirm nor refute what the paper says of its own networks."}
	v.addStrips("on the numbers that the paper prints", "on the networks here")
	return v, nil, nil
}

// standIns counts the reproduced numbers of stand-ins, as results.Record.StandsIn
// decides.
func standIns(c *claims.Comparison) int {
	n := 0
	for _, row := range c.Rows {
		for _, cell := range row.Cells {
			if cell.StandsIn() {
				n++
			}
		}
	}
	return n
}

// numbersAre begins a sentence about n numbers.
func numbersAre(n int) string {
	if n == 1 {
		return "1 number here is"
	}
	return fmt.Sprintf("%d numbers here are", n)
}

// printedRows returns the published numbers beside the reproduced ones, nil if the
// records reproduce none.
func printedRows(c *claims.Comparison) []printed {
	title := map[string]string{}
	for _, t := range paper.Tables() {
		title[t.ID] = fmt.Sprintf("Table %d", t.Number)
	}
	found := false
	var list []printed
	for _, row := range c.Rows {
		for _, cell := range row.Cells {
			p := printed{Table: title[row.Table], Row: row.Title(table.Name), Label: cell.Label, Value: points(cell.Value)}
			if cell.State == claims.OK {
				found = true
				p.Here, p.Source = pointer(cell.Here), cell.Source
				if cell.HasBand {
					p.Lo, p.Hi = pointer(cell.BandLo), pointer(cell.BandHi)
				}
				if row.Ranking.Verdict == claims.Agrees || row.Ranking.Verdict == claims.Differs {
					p.Verdict = string(row.Ranking.Verdict)
				}
			} else {
				p.Reason = string(cell.State) + ": " + cell.Reason
			}
			list = append(list, p)
		}
	}
	if !found {
		return nil
	}
	return list
}

// points returns a number in per cent. It has two decimals, so the float64 prints
// as the paper does.
func points(p paper.Points) float64 { return float64(p) / 100 }

func pointer(p paper.Points) *number { x := points(p); return &x }

func numbered(list []claims.Judged) []judged {
	var all []judged
	for i, c := range list {
		j := judged{Number: i + 1, Judged: c}
		j.PublishedClass, j.PublishedSign = classOf(c.Published.Truth)
		j.HereClass, j.HereSign = classOf(c.Measured.Truth)
		all = append(all, j)
	}
	return all
}

// classOf returns the style of a verdict and the sign that says it without colour.
func classOf(t claims.Truth) (class, sign string) {
	switch t {
	case claims.Holds:
		return "holds", "✓"
	case claims.Fails:
		return "fails", "✗"
	}
	return "open", "?"
}

func (v *verdicts) addStrips(published, here string) {
	a, b := strip{Name: published}, strip{Name: here}
	for _, c := range v.Claims {
		a.add(c, c.Published)
		b.add(c, c.Measured)
	}
	v.Strips = []strip{a, b}
}

func (s *strip) add(c judged, j claims.Judgement) {
	class, sign := classOf(j.Truth)
	switch j.Truth {
	case claims.Holds:
		s.Holds++
	case claims.Fails:
		s.Fails++
	default:
		s.Open++
	}
	s.Marks = append(s.Marks, mark{Number: c.Number, Class: class, Sign: sign, Title: c.Quote, Truth: string(j.Truth)})
}
