package page

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/paper"
	"github.com/qats-bench/qats/results/paper/claims"
	"github.com/qats-bench/qats/results/table"
)

// verdicts are the paper's claims with their judgements.
type verdicts struct {
	Note   string  // what "here" is
	Here   string  // heading of the judgements on the records
	Strips []strip // on the printed numbers, and here
	Claims []claims.Judged
}

// strip shows one judgement of each claim.
type strip struct {
	Name               string
	Holds, Fails, Open int
	Judgements         []claims.Judgement
	Why                string // if none can be judged
}

// Judged reports whether any claim is judged.
func (s strip) Judged() bool { return s.Holds+s.Fails > 0 }

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
func verdictsOf(f *results.Rows) (*verdicts, []printed, error) {
	like := map[string]string{}
	if f.Run != nil {
		for _, s := range f.Run.Specs {
			maps.Copy(like, s.Like)
		}
	}
	if len(like) == 0 && !claims.OfPaper(f.Records) {
		return nil, nil, nil // most folders; the judgements take a fifth of a small run
	}
	numbers, err := paper.Read()
	if err != nil {
		return nil, nil, err
	}
	comparison := claims.Compare(numbers, f.Records)
	if rows := printedRows(comparison); rows != nil {
		v := verdictsWith(comparison.Claims, "measured here", "on the measured records of this folder")
		if !slices.ContainsFunc(f.Records, func(r record) bool { return r.Source == "measured" && r.Status == results.OK }) {
			v.Strips[1].Why = "no number of this folder is measured"
		}
		v.Note = "Each claim of the paper's text is judged twice: on the numbers that the paper prints, and on the measured records of this folder that are of the paper's own networks (their manifest says paper: true). Simulated records never count."
		if n := standIns(comparison); n > 0 {
			v.Note += fmt.Sprintf(" %s measured on networks that stand in for the paper's; the numbers are listed as stand-in and get no verdict.", numbersAre(n))
		}
		return v, rows, nil
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
	v := verdictsWith(similar.Claims, "on similar data sets", "on the networks here")
	v.Note = "The networks here are not the paper's. Their data sets are declared similar to the paper's (" + strings.Join(pairs, ", ") +
		"), and the claims are judged on them. These verdicts neither confirm nor refute what the paper says of its own networks."
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

// class returns the style of a verdict.
func class(t claims.Truth) string {
	switch t {
	case claims.Holds:
		return "holds"
	case claims.Fails:
		return "fails"
	}
	return "open"
}

// sign says a verdict without colour.
func sign(t claims.Truth) string {
	return map[string]string{"holds": "✓", "fails": "✗", "open": "?"}[class(t)]
}

// verdictsWith returns the claims with a strip of the judgements on the printed numbers
// and one of those here.
func verdictsWith(list []claims.Judged, heading, here string) *verdicts {
	v := &verdicts{Here: heading, Claims: list, Strips: []strip{{Name: "on the numbers that the paper prints"}, {Name: here}}}
	for _, c := range list {
		v.Strips[0].add(c.Published)
		v.Strips[1].add(c.Measured)
	}
	return v
}

func (s *strip) add(j claims.Judgement) {
	s.Judgements = append(s.Judgements, j)
	switch j.Truth {
	case claims.Holds:
		s.Holds++
	case claims.Fails:
		s.Fails++
	default:
		s.Open++
	}
}
