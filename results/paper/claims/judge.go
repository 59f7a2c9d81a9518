package claims

import (
	"github.com/qats-bench/qats/internal/lists"
	"github.com/qats-bench/qats/results"
	"github.com/qats-bench/qats/results/paper"
)

// Truth is the outcome of a claim.
type Truth string

// A claim is Unjudged if no number, or too few numbers, decide it.
const (
	Holds    Truth = "holds"
	Fails    Truth = "does not hold"
	Unjudged Truth = "cannot be judged"
)

// Judgement is an outcome with the figures that it rests on.
type Judgement struct {
	Truth   Truth  `json:"verdict"`
	Figures string `json:"figures"`
}

// decided is the judgement of a claim that holds, fails, or neither. One that would do both
// fails.
func decided(holds, fails bool, figures string) Judgement {
	switch {
	case fails:
		return Judgement{Fails, figures}
	case holds:
		return Judgement{Holds, figures}
	}
	return Judgement{Unjudged, figures}
}

// Judged is a claim with its two judgements.
type Judged struct {
	Quote     string    `json:"quote"`
	Where     string    `json:"where"`
	Reading   string    `json:"reading"`
	Published Judgement `json:"published"` // on the printed numbers
	Measured  Judgement `json:"measured"`  // on measured records
}

// Count counts the outcomes of one judgement of each claim.
func Count(list []Judged, of func(Judged) Judgement) map[Truth]int {
	n := map[Truth]int{}
	for _, c := range list {
		n[of(c).Truth]++
	}
	return n
}

// predicate judges a claim on a book.
type predicate func(*book) Judgement

// judge judges every claim on the printed numbers and on the records measured on
// the paper's own networks.
func judge(publication *paper.Publication, rows []Row, records []results.Record) []Judged {
	here := &book{publication: publication, values: map[valueID]paper.Points{}, records: map[results.Place]results.Record{}}
	for _, row := range rows {
		for _, c := range row.Cells {
			if c.State == OK && c.Source == measured {
				here.values[valueID{c.Setting, c.Label}] = c.Here
			}
		}
	}
	for id, r := range results.Index(records) {
		if r.Status == results.OK && sourceOf(r) == measured {
			here.records[id] = r
		}
	}
	return judgeBoth(printedBook(publication), here)
}

func judgeBoth(published, measured *book) []Judged {
	return lists.Values(claims(), func(c claim) Judged {
		return Judged{
			Quote: c.quote, Where: c.where, Reading: c.reading,
			Published: c.published(published), Measured: c.measured(measured),
		}
	})
}
