package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/qats-bench/qats/experiments/report/page"
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/paper"
	"github.com/qats-bench/qats/results/paper/claims"
)

// verdicts judges the paper's claims on the rows of a folder, and sets published beside
// reproduced numbers. It returns nil if the folder has neither settings of the paper nor data
// sets that a spec declares similar to the paper's.
func verdicts(f *results.Rows) (*page.Verdicts, error) {
	like := claims.LikeOf(f.Run)
	if len(like) == 0 && !claims.OfPaper(f.Records) {
		return nil, nil // most folders; the judgements take a fifth of a small run
	}
	c, err := claims.Compare(f)
	switch {
	case err != nil:
		return nil, err
	case c.Found() > 0:
		return ofReproduction(c, f.Records), nil
	case len(like) == 0:
		return nil, nil
	}
	similar, err := claims.JudgeSimilar(f, like)
	if err != nil {
		return nil, nil // no measured record is of one of these data sets
	}
	return ofSimilar(similar), nil
}

// ofReproduction has the judgements on the records of the paper's own networks.
func ofReproduction(c *claims.Comparison, records []results.Record) *page.Verdicts {
	v := &page.Verdicts{Here: "measured here", On: "on the measured records of this folder", Claims: claimsOf(c.Claims), Numbers: referencesOf(c)}
	if !slices.ContainsFunc(records, func(r results.Record) bool { return r.Source == "measured" && r.Status == results.OK }) {
		v.Why = "no number of this folder is measured"
	}
	v.Note = "Each claim of the paper's text is judged twice: on the numbers that the paper prints, and on the measured records of this folder that are of the paper's own networks (their manifest says paper: true). Simulated records never count."
	if n := c.StandIns(); n > 0 {
		are := fmt.Sprintf("%d numbers here are", n)
		if n == 1 {
			are = "1 number here is"
		}
		v.Note += fmt.Sprintf(" %s measured on other networks of the paper's architectures, and get no verdict.", are)
	}
	return v
}

// ofSimilar has the judgements on networks whose data sets are similar to the paper's.
func ofSimilar(s *claims.Similar) *page.Verdicts {
	var pairs []string
	for _, dataset := range slices.Sorted(maps.Keys(s.Like)) {
		if !slices.Contains(s.Absent, dataset) {
			pairs = append(pairs, fmt.Sprintf("%s is similar to %s", s.Names.Name("dataset", dataset), paper.Name("dataset", s.Like[dataset])))
		}
	}
	return &page.Verdicts{
		Here: "on similar data sets", On: "on the networks here", Claims: claimsOf(s.Claims),
		Note: "The networks here are not the paper's. Their data sets are declared similar to the paper's (" + strings.Join(pairs, ", ") +
			"), and the claims are judged on them. These verdicts neither confirm nor refute what the paper says of its own networks.",
	}
}

// claimsOf returns the claims for the page.
func claimsOf(list []claims.Judged) []page.Claim {
	judgement := func(j claims.Judgement) page.Judgement {
		truth := map[claims.Truth]page.Truth{claims.Holds: page.Holds, claims.Fails: page.Fails, claims.Unjudged: page.Open}[j.Truth]
		return page.Judgement{Truth: truth, Figures: j.Figures}
	}
	return lists.Values(list, func(c claims.Judged) page.Claim {
		return page.Claim{Quote: c.Quote, Where: c.Where, Reading: c.Reading, Published: judgement(c.Published), Measured: judgement(c.Measured)}
	})
}

// referencesOf returns the published numbers beside the reproduced ones.
func referencesOf(c *claims.Comparison) []page.Reference {
	title := map[string]string{}
	for _, t := range paper.Tables() {
		title[t.ID] = fmt.Sprintf("Table %d", t.Number)
	}
	var list []page.Reference
	for _, row := range c.Rows {
		for _, cell := range row.Cells {
			n := page.Reference{Table: title[row.Table], Row: row.Title(), Label: cell.Label, Value: cell.Value.Percent()}
			if cell.State != claims.OK {
				n.Reason = string(cell.State) + ": " + cell.Reason
				list = append(list, n)
				continue
			}
			n.Here, n.Source = pointer(cell.Here), cell.Source
			if cell.HasBand {
				n.Lo, n.Hi = pointer(cell.BandLo), pointer(cell.BandHi)
			}
			if row.Ranking.Verdict == claims.Agrees || row.Ranking.Verdict == claims.Differs {
				n.Verdict = string(row.Ranking.Verdict)
			}
			list = append(list, n)
		}
	}
	return list
}

func pointer(p paper.Points) *float64 { x := p.Percent(); return &x }
