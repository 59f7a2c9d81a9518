package claims

import (
	"encoding/json"
	"io"

	"github.com/qats-bench/qats/results/paper"
)

// The objects that JSON prints; their kind tells them apart. Numbers with two
// decimals are per cent, and an absent number is null.

type cellObject struct {
	Kind       string       `json:"kind"` // cell
	Table      string       `json:"table"`
	Metric     string       `json:"metric"`
	Dataset    string       `json:"dataset"`
	Backbone   string       `json:"backbone"`
	Corruption string       `json:"corruption,omitempty"`
	Severity   int          `json:"severity,omitempty"`
	Label      string       `json:"label"`
	Method     string       `json:"method"`
	Published  json.Number  `json:"published"`
	Here       *json.Number `json:"here"`
	Difference *json.Number `json:"difference"`
	NullLo     *json.Number `json:"null_lo"`
	NullHi     *json.Number `json:"null_hi"`
	State      State        `json:"state"`
	Source     string       `json:"source,omitempty"`
	Reason     string       `json:"reason,omitempty"`
}

type rankingObject struct {
	Kind       string   `json:"kind"` // ranking
	Table      string   `json:"table"`
	Dataset    string   `json:"dataset"`
	Backbone   string   `json:"backbone"`
	Corruption string   `json:"corruption,omitempty"`
	Severity   int      `json:"severity,omitempty"`
	Verdict    Verdict  `json:"verdict"`
	PaperBest  []string `json:"paper_best"`
	HereBest   []string `json:"here_best"`
	PaperPlace int      `json:"qats_paper_place,omitempty"`
	HerePlace  int      `json:"qats_here_place,omitempty"`
	Compared   []string `json:"compared"`
	Absent     []string `json:"absent"`
}

type summaryObject struct {
	Kind         string      `json:"kind"`            // summary
	Table        string      `json:"table,omitempty"` // absent: all settings
	Metric       string      `json:"metric"`
	Source       string      `json:"source"`
	Rows         int         `json:"rows"`
	Numbers      int         `json:"numbers"`
	Found        int         `json:"found"`
	Median       json.Number `json:"median_distance"`
	Complete     int         `json:"complete"`
	CompleteWins int         `json:"complete_wins"`
	Partial      int         `json:"partial"`
	PartialWins  int         `json:"partial_wins"`
	Open         int         `json:"no_verdict"`
	Tau          *float64    `json:"tau"`
}

type claimObject struct {
	Kind      string    `json:"kind"` // claim
	Quote     string    `json:"quote"`
	Where     string    `json:"where"`
	Reading   string    `json:"reading"`
	Published Judgement `json:"published"`
	Measured  Judgement `json:"measured"`
}

// JSON prints one object a line: cells and the ranking of each row, then summaries,
// then claims.
func (c *Comparison) JSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	for _, row := range c.Rows {
		for _, cell := range row.Cells {
			if err := e.Encode(cell.object()); err != nil {
				return err
			}
		}
		if err := e.Encode(row.object()); err != nil {
			return err
		}
	}
	for _, s := range c.Summaries {
		if err := e.Encode(s.object()); err != nil {
			return err
		}
	}
	return encodeClaims(e, c.Claims)
}

// JSON prints each claim as an object on a line of its own.
func (s *Similar) JSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return encodeClaims(e, s.Claims)
}

func encodeClaims(e *json.Encoder, claims []Judged) error {
	for _, c := range claims {
		if err := e.Encode(claimObject{"claim", c.Quote, c.Where, c.Reading, c.Published, c.Measured}); err != nil {
			return err
		}
	}
	return nil
}

func number(p paper.Points) json.Number { return json.Number(p.String()) }

func pointer(p paper.Points) *json.Number {
	n := number(p)
	return &n
}

func (c Cell) object() cellObject {
	o := cellObject{
		Kind: "cell", Table: c.Table, Metric: c.Metric, Dataset: c.Dataset, Backbone: c.Backbone,
		Corruption: c.Corruption, Severity: c.Severity, Label: c.Label, Method: c.Method,
		Published: number(c.Value), State: c.State, Source: c.Source, Reason: c.Reason,
	}
	if c.State == OK {
		o.Here, o.Difference = pointer(c.Here), pointer(c.Difference())
	}
	if c.HasBand {
		o.NullLo, o.NullHi = pointer(c.BandLo), pointer(c.BandHi)
	}
	return o
}

func (row Row) object() rankingObject {
	r := row.Ranking
	return rankingObject{
		Kind: "ranking", Table: row.Table, Dataset: row.Dataset, Backbone: row.Backbone, Corruption: row.Corruption, Severity: row.Severity,
		Verdict: r.Verdict, PaperBest: r.PaperBest, HereBest: list(r.HereBest), PaperPlace: r.PaperPlace, HerePlace: r.HerePlace,
		Compared: list(r.Compared), Absent: list(r.Absent),
	}
}

// list is never null in JSON.
func list(l []string) []string {
	if l == nil {
		return []string{}
	}
	return l
}

func (s Summary) object() summaryObject {
	o := summaryObject{
		Kind: "summary", Table: s.Table, Metric: s.Metric, Source: s.Source, Rows: s.Rows, Numbers: s.Numbers, Found: s.Found,
		Median: number(s.Median), Complete: s.Complete, CompleteWins: s.CompleteWins,
		Partial: s.Partial, PartialWins: s.PartialWins, Open: s.Open,
	}
	if s.HasTau {
		o.Tau = &s.Tau
	}
	return o
}
