package claims

import (
	"io"

	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/results/paper"
	"github.com/qats-bench/qats/results/table"
)

// The objects that JSON prints; their kind tells them apart. Numbers with two
// decimals are per cent, and an absent number is null.

type cellObject struct {
	Kind string `json:"kind"` // cell
	paper.Setting
	Label      string        `json:"label"`
	Method     string        `json:"method"`
	Published  paper.Points  `json:"published"`
	Here       *paper.Points `json:"here"`
	Difference *paper.Points `json:"difference"`
	NullLo     *paper.Points `json:"null_lo"` // the consistency band
	NullHi     *paper.Points `json:"null_hi"`
	State      State         `json:"state"`
	Source     string        `json:"source,omitempty"`
	StandIn    string        `json:"stand_in,omitempty"`
	Reason     string        `json:"reason,omitempty"`
}

type gapObject struct {
	Kind string `json:"kind"` // gap
	paper.Setting
	Gap
}

type rankingObject struct {
	Kind          string `json:"kind"` // ranking
	paper.Setting        // without its metric
	Ranking
}

type summaryObject struct {
	Kind string `json:"kind"` // summary; one without a table is over all settings
	Summary
}

type claimObject struct {
	Kind string `json:"kind"` // claim
	Judged
}

// JSON prints one object a line: cells, gap and ranking of each row, then summaries,
// then claims.
func (c *Comparison) JSON(w io.Writer) error {
	var objects []any
	for _, row := range c.Rows {
		for _, cell := range row.Cells {
			objects = append(objects, cell.object())
		}
		if row.Gap != nil {
			objects = append(objects, gapObject{"gap", row.Setting, *row.Gap})
		}
		s := row.Setting
		s.Metric = ""
		objects = append(objects, rankingObject{"ranking", s, row.Ranking})
	}
	for _, s := range c.Summaries {
		objects = append(objects, summaryObject{"summary", s})
	}
	return table.WriteJSON(w, append(objects, claimObjects(c.Claims)...))
}

// JSON prints each claim as an object on a line of its own.
func (s *Similar) JSON(w io.Writer) error { return table.WriteJSON(w, claimObjects(s.Claims)) }

func claimObjects(claims []Judged) []any {
	return lists.Values(claims, func(c Judged) any { return claimObject{"claim", c} })
}

func (c Cell) object() cellObject {
	o := cellObject{
		Kind: "cell", Setting: c.Setting, Label: c.Label, Method: c.Method,
		Published: c.Value, State: c.State, Source: c.Source, StandIn: c.StandIn, Reason: c.Reason,
	}
	if difference := c.Difference(); c.State == OK {
		o.Here, o.Difference = &c.Here, &difference
	}
	if c.HasBand {
		o.NullLo, o.NullHi = &c.BandLo, &c.BandHi
	}
	return o
}
